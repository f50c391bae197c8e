#!/usr/bin/env python3
"""campaign.py: makes mutants of the library's concurrent code, and finds out which of them the tests kill.

    campaign.py --build DIR [--work DIR] [--only REGEX] [--sample N --seed S] [--jobs N] [--timeout S]
    campaign.py --list [--only REGEX]          the mutants, one a line
    campaign.py --show ID                      one mutant as a difference
    campaign.py --table --work DIR             the table of the results so far

A mutant is judged by what is cheapest first: does it compile, does it make other machine code, does a quick scenario
of the model checker fail, does a test program of the build directory fail or hang. Results are kept in
WORK/results.jsonl: a campaign that was interrupted goes on where it was, and a mutant whose function has changed is
judged again. WORK/table.md has what killed each mutant; survivors.txt says of those that survive why. The exit
status is 1 if a mutant survives without a reason.
"""
import argparse
import collections
import concurrent.futures
import difflib
import json
import os
import random
import re
import sys
import threading
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import c_source  # noqa: E402
import operators  # noqa: E402
import survivors  # noqa: E402

# Where threads meet. Files are found, not listed: modules are divided anew from time to time.
DIRECTORIES = ['lib/deque', 'lib/idle', 'lib/quiescence', 'lib/schedule', 'lib/openmp/core']
REPLACED = {'lib/openmp/core': 'lib/openmp'}  # in a tree in which the core has no directory of its own


def fail(sentence):
    sys.exit('campaign.py: ' + sentence)


def files_in(tree, directories):
    found = []
    for directory in directories:
        path = os.path.join(tree, directory)
        if not os.path.isdir(path):
            directory = REPLACED.get(directory, directory)
            path = os.path.join(tree, directory)
        if not os.path.isdir(path):
            fail('{} is no directory of {}'.format(directory, tree))
        for at, _, names in sorted(os.walk(path)):
            found += [os.path.relpath(os.path.join(at, name), tree) for name in sorted(names)
                      if name.endswith(('.c', '.h'))]
    return found


def all_mutants(tree, directories):
    sources = {}
    for file in files_in(tree, directories):
        with open(os.path.join(tree, file), encoding='utf-8') as text:
            try:
                sources[file] = c_source.Source(text.read())
            except c_source.Unreadable as unreadable:
                fail('{}: {}'.format(file, unreadable))
    touching = operators.touching_functions(sources.values())
    return [mutant for file, source in sources.items() for mutant in operators.mutants_of(file, source, touching)]


def chosen(mutants, options):
    """--only is a regular expression over the id, or over "FILE:LINE FUNCTION OPERATOR: TEXT"."""
    if options.only:
        try:
            wanted = re.compile(options.only)
        except re.error as error:
            fail('--only {}: {}'.format(options.only, error))
        mutants = [m for m in mutants if wanted.search(m.id) or wanted.search(line_for(m))]
        if not mutants:
            fail('--only {}: no mutant is called so; see --list'.format(options.only))
    if options.sample and options.sample < len(mutants):
        kept = set(random.Random(options.seed).sample(range(len(mutants)), options.sample))
        mutants = [m for i, m in enumerate(mutants) if i in kept]
    return mutants


def line_for(mutant):
    return '{} {}: {}'.format(mutant.place(), mutant.operator, mutant.label)


def difference(mutant):
    return ''.join(difflib.unified_diff(mutant.original.splitlines(True), mutant.mutated().splitlines(True),
                                        'a/' + mutant.file, 'b/' + mutant.file, n=2))


# ---- results ----

class Results:
    """What was found, in a file with a line for each mutant. The last line for a mutant counts."""

    def __init__(self, path):
        self.path = path
        self.lock = threading.Lock()
        self.found = {}
        if os.path.exists(path):
            with open(path, encoding='utf-8') as lines:
                for line in lines:
                    try:
                        row = json.loads(line)
                    except ValueError:
                        continue  # cut off by an interruption
                    self.found[row['id']] = row

    def of(self, mutant):
        row = self.found.get(mutant.id)
        return row if row and row['function_digest'] == mutant.function_digest else None

    def add(self, mutant, verdict, by='', how='', seconds=0.0):
        row = {'id': mutant.id, 'function_digest': mutant.function_digest, 'file': mutant.file,
               'function': mutant.function, 'operator': mutant.operator, 'text': mutant.label,
               'verdict': verdict, 'by': by, 'how': how, 'seconds': round(seconds, 1)}
        with self.lock:
            self.found[mutant.id] = row
            with open(self.path, 'a', encoding='utf-8') as out:
                out.write(json.dumps(row) + '\n')
        return row


# ---- judging ----

class Habits:
    """Which steps killed mutants of a file before: these are tried first."""

    def __init__(self, results):
        self.kills = collections.Counter((row['file'], row['by']) for row in results.found.values())

    def price(self, mutant, step):
        """What a step costs for what it promises. A native test costs its linking, too, and may fail by chance: the
        model goes first."""
        name, seconds, _ = step
        cost = seconds + (0.2 if name.startswith('model') else 1.0)
        return cost / (1 + self.kills[mutant.file, name])


def judge(mutant, model, natives, habits):
    """(verdict, by, how). Survived: `by` says what it survived."""
    compiled, end_model = [], lambda: None
    try:
        for native in natives:
            compiled.append(native.begin(mutant))
            if compiled[-1].objects is None:
                return 'broken', native.name, compiled[-1].error
        if all(native.leaves_out(mutant, its) for native, its in zip(natives, compiled)):
            return 'absent', 'the preprocessor leaves it out', ''
        steps, end_model = model.steps(mutant) if model else ([], end_model)
        for native, its in zip(natives, compiled):
            if native.can_judge(mutant) or not steps:
                steps = steps + native.steps(mutant, its)
        passed = collections.Counter()
        for name, _, attempt in sorted(steps, key=lambda step: habits.price(mutant, step)):
            how = attempt()
            if how:
                habits.kills[mutant.file, name] += 1
                return 'killed', name, how
            if how is not None:
                passed[name.split(': ')[0] if name.startswith('model') else name] += 1
        same = [native.name + ': same code' for native, its in zip(natives, compiled) if not its.objects]
        if len(same) == len(natives) and not passed:
            return 'same', '; '.join(same), ''
        return 'survived', '; '.join(['{} ({})'.format(n, c) if c > 1 else n for n, c in passed.items()] + same) or \
            'no test reaches it', ''
    finally:
        end_model()
        for its in compiled:
            its.end()


class Progress:
    def __init__(self, count, kept):
        self.count = count
        self.done = 0
        self.kept = kept
        self.began = time.time()
        self.verdicts = collections.Counter()

    def say(self, sentence):
        print('campaign.py: ' + sentence, flush=True)

    def step(self, row):
        self.done += 1
        self.verdicts[row['verdict']] += 1
        left = (time.time() - self.began) / self.done * (self.count - self.done)
        print('{:5}/{} {} left | {} | {} {} {}: {} | {}'.format(
            self.done, self.count, duration(left), row['verdict'], row['id'], row['file'], row['operator'],
            row['text'][:70], (row['by'] + ' ' + row['how'])[:90]), flush=True)


def duration(seconds):
    return '{:.0f} s'.format(seconds) if seconds < 100 else '{:.0f} min'.format(seconds / 60)


def campaign(mutants, options):
    os.makedirs(options.work, exist_ok=True)
    results = Results(os.path.join(options.work, 'results.jsonl'))
    again = options.again or ''
    waiting = [m for m in mutants if not results.of(m) or again == 'all' or
               (again == 'survivors' and results.of(m)['verdict'] in ('survived', 'same', 'absent'))]
    progress = Progress(len(waiting), len(mutants) - len(waiting))
    progress.say('{} mutants, {} of them judged before'.format(len(mutants), progress.kept))
    if waiting:
        model, natives = judges(options, progress.say)
        run_all(waiting, model, natives, results, options, progress)
    return results


def judges(options, say):
    import model_judge
    import native_judge
    try:
        natives = [native_judge.Judge(options.source, build,
                                      os.path.join(options.work, 'native-' + os.path.basename(os.path.abspath(build))),
                                      options.scale, options.jobs, options.timeout, options.tests, options.seconds)
                   for build in options.build]
        for native in natives:
            native.prepare(say)
        model = None
        if not options.no_model:
            model = model_judge.Judge(options.source, os.path.join(options.work, 'model'),
                                      os.path.join(options.build[0], 'include'), options.cc, options.jobs,
                                      options.timeout, options.seconds, options.full)
            model.prepare(say)
    except native_judge.Broken as broken:
        fail(str(broken))
    except model_judge.model.Broken as broken:
        fail('the model checker: ' + str(broken))
    return model, natives


def run_all(waiting, model, natives, results, options, progress):
    end = time.time() + options.minutes * 60 if options.minutes else None

    habits = Habits(results)

    def one(mutant):
        if end and time.time() > end:
            return None
        began = time.time()
        verdict, by, how = judge(mutant, model, natives, habits)
        return results.add(mutant, verdict, by, how, time.time() - began)

    pool = concurrent.futures.ThreadPoolExecutor(options.jobs)
    try:
        for job in concurrent.futures.as_completed([pool.submit(one, mutant) for mutant in waiting]):
            row = job.result()
            if row:
                progress.step(row)
    except KeyboardInterrupt:
        progress.say('interrupted; the next run goes on from here')
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    if progress.done < progress.count:
        progress.say('{} mutants are left for the next run'.format(progress.count - progress.done))


# ---- the table ----

class Table:
    def __init__(self, mutants, results, entries):
        self.counts = collections.defaultdict(collections.Counter)
        self.killers = collections.Counter()
        self.rows, self.unexplained, self.surprising = [], [], []
        for mutant in mutants:
            self.count(mutant, results.of(mutant), survivors.reason(entries, mutant))
        self.entries = entries

    def count(self, mutant, row, entry):
        verdict = row['verdict'] if row else 'not judged'
        counts = self.counts[mutant.file]
        if verdict in ('broken', 'absent'):
            counts[verdict] += 1
            return
        counts['mutants'] += 1
        if verdict == 'killed':
            killer = 'model' if row['by'].startswith('model') else 'native'
            counts[killer] += 1
            self.killers[row['by'].split(':')[0] if killer == 'model' else row['by'].split(': ')[-1]] += 1
            if entry and '*' not in [text for _, text in entry.mutants]:
                self.surprising.append(mutant)
        elif verdict == 'not judged':
            counts['not judged'] += 1
        elif entry:
            counts[entry.kind] += 1
        elif verdict == 'same':
            counts['same code'] += 1
        else:
            counts['unexplained'] += 1
            self.unexplained.append(mutant)
        self.rows.append((mutant, row, entry))

    def write(self, path):
        columns = ['mutants', 'model', 'native', 'same code', 'equivalent', 'costs time', 'gap', 'unexplained',
                   'not judged', 'broken', 'absent']
        heads = ['file', 'mutants', 'killed by the model', 'killed by native tests',
                 'same machine code, not in the model', 'equivalent', 'costs time', 'gap', 'unexplained', 'not judged',
                 'does not compile', 'not in this build']
        with open(path, 'w', encoding='utf-8') as out:
            out.write('# Mutants and what killed them\n\nMade by test/mutation/campaign.py.\n\n')
            out.write('| ' + ' | '.join(heads) + ' |\n|' + '---|' * len(heads) + '\n')
            for file, counts in sorted(self.counts.items()):
                out.write('| {} | {} |\n'.format(file, ' | '.join(str(counts[c]) for c in columns)))
            total = sum(self.counts.values(), collections.Counter())
            out.write('| **all** | {} |\n\n'.format(' | '.join(str(total[c]) for c in columns)))
            out.write('| killed by | mutants |\n|---|---|\n')
            for killer, count in self.killers.most_common():
                out.write('| {} | {} |\n'.format(killer, count))
            out.write('\n# Survivors\n\n'
                      '| id | where | mutant | class | why, or what it survived |\n|---|---|---|---|---|\n')
            for mutant, row, entry in self.rows:
                if row and row['verdict'] in ('survived', 'same'):
                    kind = entry.kind if entry else 'same code' if row['verdict'] == 'same' else '**unexplained**'
                    out.write(cells(mutant.id, mutant.place(), mutant.operator + ': ' + mutant.label, kind,
                                    entry.why if entry else row['by']))
            out.write('\n# Killed\n\n| id | where | mutant | by | as |\n|---|---|---|---|---|\n')
            for mutant, row, _ in self.rows:
                if row and row['verdict'] == 'killed':
                    out.write(cells(mutant.id, mutant.place(), mutant.operator + ': ' + mutant.label, row['by'],
                                    row['how']))
        return total

    def unused(self):
        """Entries of survivors.txt that name no mutant of today."""
        return ['line {}: {}: {}'.format(e.line, *e.mutants[i]) for e in self.entries for i in range(len(e.mutants))
                if i not in e.used]


def cells(*words):
    return '| ' + ' | '.join(str(word).replace('|', '\\|').replace('\n', ' ') for word in words) + ' |\n'


def tell(table, total, path):
    print('campaign.py: {} mutants: {} killed by the model checker, {} by native tests, {} equivalent, '
          '{} cost time, {} gaps, {} with the same code, {} unexplained, {} not judged; {} more do not compile, '
          '{} are not in this build. {}'.format(
              total['mutants'], total['model'], total['native'], total['equivalent'], total['costs time'], total['gap'],
              total['same code'], total['unexplained'], total['not judged'], total['broken'], total['absent'], path))
    for mutant in table.unexplained:
        print('survived, and nobody says why: {} {}'.format(mutant.id, line_for(mutant)))
    for mutant in table.surprising:
        print('survivors.txt has it, and it was killed: {} {}'.format(mutant.id, line_for(mutant)))
    for line in table.unused():
        print('survivors.txt, {}: there is no such mutant any more'.format(line))


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--source', default=os.path.dirname(os.path.dirname(HERE)), help='the tree')
    parser.add_argument('--build', action='append', default=[],
                        help='a build directory whose tests judge; may be given again')
    parser.add_argument('--work', help='where results are kept; by default mutation/ in the first build directory')
    parser.add_argument('--directory', action='append', help='mutate these in place of ' + ' '.join(DIRECTORIES))
    parser.add_argument('--only', metavar='REGEX', help='mutants whose line in --list has this in it')
    parser.add_argument('--sample', type=int, metavar='N', help='so many, drawn by --seed')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--jobs', type=int, default=len(os.sched_getaffinity(0)), help='mutants judged at a time')
    parser.add_argument('--timeout', type=float, default=10.0, metavar='S',
                        help='the least time limit of a test, in seconds; '
                             'a test gets four times its own time if that is more')
    parser.add_argument('--minutes', type=float, metavar='M', help='begin no mutant after so many minutes')
    parser.add_argument('--scale', type=int, default=25, help='HEIST_TEST_SCALE of the native tests')
    parser.add_argument('--seconds', type=float, default=60.0, metavar='S',
                        help='of the scenarios, and of the native tests, '
                             'no more for a mutant than take so long without it')
    parser.add_argument('--full', action='store_true',
                        help="the model checker's long scenarios, too; with a longer --seconds")
    parser.add_argument('--tests', metavar='REGEX', help='native tests whose name has this in it')
    parser.add_argument('--no-model', action='store_true', help='native tests only')
    parser.add_argument('--again', choices=['all', 'survivors'], help='judge these again')
    parser.add_argument('--cc', default='gcc', help='the compiler of the model checker')
    parser.add_argument('--list', action='store_true', help='print the mutants')
    parser.add_argument('--show', metavar='ID', help='print one mutant as a difference')
    parser.add_argument('--table', action='store_true', help='write the table of the results so far')
    options = parser.parse_args()
    options.source = os.path.abspath(options.source)
    if not (options.list or options.show or options.build or (options.table and options.work)):
        parser.error('give --build DIR, a build directory with tests; or --list, --show ID, or --table with --work DIR')
    if options.jobs < 1 or options.timeout <= 0 or options.scale < 1 or \
            (options.sample is not None and options.sample < 1):
        parser.error('--jobs, --timeout, --scale and --sample must be positive')
    if options.build and not options.work:
        options.work = os.path.join(options.build[0], 'mutation')
    if options.work:
        options.work = os.path.abspath(options.work)
    options.build = [os.path.abspath(build) for build in options.build]
    try:
        options.tests = re.compile(options.tests) if options.tests else None
    except re.error as error:
        parser.error('--tests {}: {}'.format(options.tests, error))
    return options


def main():
    options = parsed()
    mutants = all_mutants(options.source, options.directory or DIRECTORIES)
    if options.show:
        found = [m for m in mutants if m.id == options.show]
        if not found:
            fail('--show {}: there is no such mutant; see --list'.format(options.show))
        print(difference(found[0]), end='')
        return 0
    picked = chosen(mutants, options)
    if options.list:
        for mutant in picked:
            print(mutant.id, line_for(mutant))
        print('{} mutants'.format(len(picked)), file=sys.stderr)
        return 0
    try:
        with open(os.path.join(HERE, 'survivors.txt'), encoding='utf-8') as text:
            entries = survivors.read(text.read())
    except survivors.Malformed as malformed:
        fail(str(malformed))
    if options.table:
        results = Results(os.path.join(options.work, 'results.jsonl'))
    else:
        results = campaign(picked, options)
    for mutant in mutants:  # whichever are judged now, an entry that names one of them is not out of date
        survivors.reason(entries, mutant)
    table = Table(picked, results, entries)
    path = os.path.join(options.work, 'table.md')
    total = table.write(path)
    tell(table, total, path)
    return 1 if table.unexplained else 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
