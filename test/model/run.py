#!/usr/bin/env python3
"""run.py: builds the model checker and its harnesses, runs every scenario on the real code, then every mutant.

    run.py --source TREE --build DIR [--include DIR] [--full] [--only WORD] [--jobs N]

Without --full, long scenarios, mutants that need one, and mutants that survive are left out.

The real sources are compiled as they are, apart from the few lines in scenarios.py that bound a wait. A mutant
(mutants.py) is a source with one edge weakened. It is made in the build directory, and a pattern that no longer matches
is an error. Each scenario must find nothing on the real code. Each mutant must be killed by one of its scenarios, or
mutants.py must say why no scenario can kill it. The output is that of a Unity program, for tools/check. DIR/edges.md
has the table of edges and mutants, with the number of schedules that each took.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import mutants  # noqa: E402
import scenarios  # noqa: E402

ENGINE = ['memory', 'heap', 'threads', 'state', 'table', 'explore']
PLAIN = ['-std=gnu11', '-D_GNU_SOURCE', '-O2', '-g', '-w', '-fno-stack-protector', '-fcf-protection=none', '-fno-pie']
# Plain accesses are reported through the hooks of ThreadSanitizer, but to the checker: its library is not linked, and
# the code must not know.
WATCHED = ['-fsanitize=thread', '-U__SANITIZE_THREAD__', '--param', 'tsan-instrument-func-entry-exit=0',
           '-DHEIST__NAMED_ATOMICS_ONLY', '-DHEIST_DEBUG=0', '-DHEIST_COUNT_JOINS=0']
RESULT = re.compile(r': (ok|FAILED|GAVE UP): states (\d+), steps (\d+), schedules (\d+), .*seconds ([\d.]+)$', re.M)


class Broken(Exception):
    """The test itself cannot be done: a pattern that does not match, a compiler that fails."""


def substitute(text, old, new, name):
    """Replaces `old`, which occurs once. Runs of blanks are alike: a formatter moves what stands behind a statement."""
    pattern = re.sub(r'(\\ )+', ' +', re.escape(old))
    changed, count = re.subn(pattern, lambda _: new, text)
    if count != 1:
        raise Broken('{}: occurs {} times: {}'.format(name, count, old))
    return changed


class Checker:
    def __init__(self, options):
        self.tree = options.source
        self.dir = options.build
        self.cc = options.cc
        self.include = ['-I' + os.path.join(HERE, 'engine'), '-I' + HERE]
        self.later = (['-I' + options.include] if options.include else []) + [
            '-I' + os.path.join(self.tree, 'include'), '-I' + os.path.join(self.tree, 'lib')]
        os.makedirs(self.dir, exist_ok=True)

    def command(self, arguments):
        done = subprocess.run(arguments, capture_output=True, text=True)
        if done.returncode != 0:
            raise Broken(' '.join(arguments) + '\n' + done.stderr[-2000:])

    def compile(self, source, out, engine=False):
        flags = ['-O3', '-msse4.1'] if engine else WATCHED + [
            '-include', os.path.join(HERE, 'engine', 'system.h')]
        self.command([self.cc] + PLAIN + self.include + flags + self.later + ['-c', source, '-o', out])
        return out

    def source(self, name, directory, change=None):
        """The library's source `name` with its cuts and one change, in `directory`; if it has none, the original."""
        path = os.path.join(self.tree, 'include' if name.startswith('heist/') else 'lib', name)
        changes = scenarios.CUTS.get(name, []) + ([change] if change else [])
        if not changes:
            return path
        with open(path, encoding='utf-8') as original:
            text = original.read()
        for old, new in changes:
            text = substitute(text, old, new, name)
        made = os.path.join(directory, name)
        os.makedirs(os.path.dirname(made), exist_ok=True)
        with open(made, 'w', encoding='utf-8') as out:
            out.write('#line 1 "{}"\n'.format(name) + text)
        return made

    def link(self, objects, out):
        self.command([self.cc, '-no-pie', '-o', out] + objects)
        return out

    def build_engine(self, pool):
        jobs = [pool.submit(self.compile, os.path.join(HERE, 'engine', name + '.c'),
                            os.path.join(self.dir, name + '.o'), True) for name in ENGINE]
        self.engine = [job.result() for job in jobs]

    def build(self, harness, mutant=None):
        """The program of a harness, with a mutant or without. Objects of the real code are made once."""
        where = os.path.join(self.dir, 'mutants', mutant.slug()) if mutant else self.dir
        os.makedirs(where, exist_ok=True)
        objects = list(self.engine)
        main = os.path.join(HERE, 'harness_' + harness.name + '.c')
        if mutant and mutant.file not in harness.sources + harness.included and not mutant.header:
            raise Broken('{} is not part of harness {}'.format(mutant.file, harness.name))
        if mutant and (mutant.header or mutant.file in harness.included):
            self.source(mutant.file, where, (mutant.old, mutant.new))  # found there before the original
        for name in ['harness'] + harness.sources + ['platform']:
            is_changed = mutant and (mutant.header or name == mutant.file or
                                     (name == 'harness' and mutant.file in harness.included))
            out = os.path.join(where if is_changed else self.dir,
                               (harness.name + '_harness' if name == 'harness' else name.replace('/', '_')) + '.o')
            if is_changed or not os.path.exists(out):
                change = (mutant.old, mutant.new) if mutant and name == mutant.file else None
                source = main if name == 'harness' else os.path.join(HERE, 'platform.c') if name == 'platform' else \
                    self.source(name, where if is_changed else os.path.join(self.dir, 'cut'), change)
                changed = ['-I' + where] if is_changed else []
                self.compile_with(changed + ['-I' + os.path.join(self.dir, 'cut')], source, out)
            objects.append(out)
        return self.link(objects, os.path.join(where, harness.name))

    def compile_with(self, extra, source, out):
        partial = out + '.{}.o'.format(os.getpid())
        system = ['-include', os.path.join(HERE, 'engine', 'system.h')]
        self.command([self.cc] + PLAIN + extra + self.include + WATCHED + system + self.later +
                     ['-c', source, '-o', partial])
        os.replace(partial, out)
        return out


class Outcome:
    def __init__(self, output, status):
        self.output = output
        self.status = status
        found = RESULT.search(output)
        self.word = found.group(1) if found else 'CRASHED'
        self.states, self.steps, self.schedules = (int(found.group(i)) for i in (2, 3, 4)) if found else (0, 0, 0)
        self.seconds = float(found.group(5)) if found else 0.0

    def why(self):
        found = re.search(r'^failed: (.*)$', self.output, re.M)
        return found.group(1) if found else self.word


def run(program, scenario, most_states, seconds):
    arguments = [program] + scenario.split() + ([] if '--random' in scenario else ['--states', str(most_states)])
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=seconds)
        return Outcome(done.stdout + done.stderr, done.returncode)
    except subprocess.TimeoutExpired:
        return Outcome('failed: ran out of time: ' + ' '.join(arguments), 3)


class Report:
    """Lines as Unity prints them."""

    def __init__(self):
        self.failed = self.count = 0

    def case(self, sentence, passed, detail=''):
        self.count += 1
        self.failed += not passed
        name = sentence.replace(' ', '_').replace(':', ',')
        print('model:{}:{}'.format(name, 'PASS' if passed else 'FAIL: ' + detail))
        sys.stdout.flush()

    def end(self):
        print('\n-----------------------\n{} Tests {} Failures 0 Ignored'.format(self.count, self.failed))
        return 1 if self.failed else 0


def check_scenario(checker, harness, scenario, full):
    began = time.time()
    program = os.path.join(checker.dir, harness.name)
    outcome = run(program, scenario, 20000000, 900)
    return outcome, time.time() - began


def check_mutant(checker, mutant, full):
    """Runs the mutant's scenarios until one kills it. Gives what was seen of each."""
    tried = []
    for name, scenario_list in mutant.scenarios():
        program = checker.build(scenarios.HARNESSES[name], mutant)
        for scenario in scenario_list:
            # The one that is known to kill may take longer than those that are tried in vain.
            most_states = 20000000 if full or scenario == mutant.first else 2000000
            outcome = run(program, scenario, most_states, 900)
            tried.append((name, scenario, outcome))
            if outcome.word == 'FAILED':
                return tried
    return tried


def edges_table(path, base, killed):
    with open(path, 'w', encoding='utf-8') as out:
        out.write('# Edges, their mutants, and what killed them\n\nMade by test/model/run.py.\n\n')
        out.write('| edge | mutant | in | killed by | after schedules (states) | as |\n|---|---|---|---|---|---|\n')
        for mutant, tried in killed:
            name, scenario, outcome = tried[-1]
            if outcome.word == 'FAILED':
                out.write('| {} | {} | {} | {}: `{}` | {} ({}) | {} |\n'.format(
                    mutant.edge, mutant.what, mutant.file, name, scenario, outcome.schedules, outcome.states,
                    outcome.why().replace('|', '/')))
            else:
                out.write('| {} | {} | {} | survives {} scenarios | {} ({}) | {} |\n'.format(
                    mutant.edge, mutant.what, mutant.file, len(tried), sum(t[2].schedules for t in tried),
                    sum(t[2].states for t in tried), mutant.survives or 'NOT EXPLAINED'))
        for mutant in mutants.MUTANTS:
            if mutant.elsewhere:
                out.write('| {} | {} | {} | - | - | {} |\n'.format(
                    mutant.edge, mutant.what, mutant.file, mutant.elsewhere))
        out.write('\n# Scenarios on the real code\n\n')
        out.write('| harness | scenario | states | steps | schedules | seconds |\n|---|---|---|---|---|---|\n')
        for harness, scenario, outcome in base:
            out.write('| {} | `{}` | {} | {} | {} | {:.1f} |\n'.format(
                harness, scenario, outcome.states, outcome.steps, outcome.schedules, outcome.seconds))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--source', default=os.path.dirname(os.path.dirname(HERE)))
    parser.add_argument('--build', required=True)
    parser.add_argument('--include', help='where heist/version.h is')
    parser.add_argument('--cc', default='gcc')
    parser.add_argument('--full', action='store_true', help='the long scenarios, too')
    parser.add_argument('--only', default='', help='harnesses, or mutants, whose name has this in it')
    parser.add_argument('--jobs', type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    shutil.rmtree(options.build, ignore_errors=True)
    checker, report, base, killed = Checker(options), Report(), [], []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        checker.build_engine(pool)
        for harness in scenarios.HARNESSES.values():
            for name in harness.included:
                checker.source(name, os.path.join(checker.dir, 'cut'))
            checker.build(harness)
        wanted = [(h, s) for h in scenarios.HARNESSES.values() for s in h.all(options.full)
                  if options.only in h.name or not options.only]
        jobs = [(h, s, pool.submit(check_scenario, checker, h, s, options.full)) for h, s in wanted]
        for mutant in mutants.MUTANTS:
            checker.source(mutant.file, os.path.join(checker.dir, 'matches'), (mutant.old, mutant.new))
        chosen = [m for m in mutants.MUTANTS if not m.elsewhere and (options.full or not (m.slow or m.survives)) and
                  (options.only in m.slug() or options.only in m.harnesses)]
        mutant_jobs = [(m, pool.submit(check_mutant, checker, m, options.full)) for m in chosen]
        for harness, scenario, job in jobs:
            outcome, _ = job.result()
            base.append((harness.name, scenario, outcome))
            report.case('{}: nothing goes wrong with {}'.format(harness.name, scenario), outcome.word == 'ok',
                        outcome.why() + '\n' + outcome.output)
        for mutant, job in mutant_jobs:
            try:
                tried = job.result()
            except Broken as broken:
                report.case('{}: {}'.format(mutant.edge, mutant.what), False, str(broken))
                continue
            killed.append((mutant, tried))
            dead = tried[-1][2].word == 'FAILED'
            if mutant.survives:
                report.case('{}: {}: is harmless, as argued'.format(mutant.edge, mutant.what), not dead,
                            'killed by ' + tried[-1][1])
            else:
                report.case('{}: {}: is killed'.format(mutant.edge, mutant.what), dead,
                            'survives: ' + '; '.join('{} {} ({})'.format(t[0], t[1], t[2].word) for t in tried))
    edges_table(os.path.join(options.build, 'edges.md'), base, killed)
    return report.end()


if __name__ == '__main__':
    try:
        sys.exit(main())
    except Broken as broken:
        sys.exit('run.py: ' + str(broken))
