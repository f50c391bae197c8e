"""model_judge.py: asks the model checker (test/model) about a mutant.

The checker's own build and scenarios are used: a mutant is built into every harness that contains its file, and the
harness's quick scenarios run (with --full the long ones, too). A search that gives up or runs out of time decides
nothing.
"""
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), 'model'))
import run as model  # noqa: E402
import scenarios  # noqa: E402

ORDERS = os.path.join(HERE, 'orders.h')
MOST_STATES = 3000000


class Change:
    """A mutant as the checker's build wants it."""

    def __init__(self, mutant):
        self.file = name_in_model(mutant.file)
        self.header = mutant.file.endswith('.h')
        self.old = self.new = None
        self.text = mutant.mutated()
        self.name = mutant.id

    def slug(self):
        return self.name


class MutantChecker(model.Checker):
    """Builds a source from the mutated text, where the checker itself would replace a part of the original."""

    def source(self, name, directory, change=None):
        wanted = getattr(self, 'change', None)
        if not wanted or change != (None, None) or wanted.file != name:
            return super().source(name, directory, None if change == (None, None) else change)
        text = wanted.text
        for old, new in scenarios.CUTS.get(name, []):
            text = model.substitute(text, old, new, name)
        made = os.path.join(directory, name)
        os.makedirs(os.path.dirname(made), exist_ok=True)
        with open(made, 'w', encoding='utf-8') as out:
            out.write('#line 1 "{}"\n'.format(name) + text)
        return made

    def compile_with(self, extra, source, out):
        return super().compile_with(['-DMUTATION_MODEL', '-include', ORDERS] + extra, source, out)

    def of(self, change):
        """A checker for one mutant that shares the objects of the real code with this one.

        Several may build at a time.
        """
        made = MutantChecker.__new__(MutantChecker)
        made.__dict__.update(self.__dict__)
        made.change = change
        return made


def name_in_model(file):
    """The checker names files from lib/, and public headers from include/."""
    return file.split('/', 1)[1]


class Judge:
    name = 'model'

    def __init__(self, tree, directory, include, cc, jobs, timeout, seconds, full):
        self.timeout = timeout
        self.seconds = seconds
        self.full = full
        self.tree = tree
        self.dir = directory
        self.times = directory + ('-full' if full else '') + '-times.json'
        self.include = include
        self.cc = cc
        self.jobs = jobs

    def prepare(self, say):
        """Builds the real code, and times every scenario on it once."""
        say('building the model checker')
        options = type('Options', (), {'source': self.tree, 'build': self.dir, 'cc': self.cc, 'include': self.include})
        shutil.rmtree(self.dir, ignore_errors=True)
        self.checker = MutantChecker(options)
        self.harnesses = {}
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            self.checker.build_engine(pool)
            for harness in scenarios.HARNESSES.values():
                for name in harness.included:
                    self.checker.source(name, os.path.join(self.checker.dir, 'cut'))
                self.checker.build(harness)
            known = self.known_times()
            if set(known) != {h.name + ': ' + s for h in scenarios.HARNESSES.values() for s in h.all(self.full)}:
                say('timing the scenarios of the model checker')
                jobs = {h.name + ': ' + s: pool.submit(self.timed, h, s)
                        for h in scenarios.HARNESSES.values() for s in h.all(self.full)}
                known = {name: job.result() for name, job in jobs.items()}
                with open(self.times, 'w', encoding='utf-8') as out:
                    json.dump(known, out)
        for harness in scenarios.HARNESSES.values():
            self.harnesses[harness.name] = sorted((known[harness.name + ': ' + s], s) for s in harness.all(self.full))
        self.included = {h.name: self.files_of(h) for h in scenarios.HARNESSES.values()}

    def known_times(self):
        """Of scenarios that have not changed: they only order the scenarios, and bound them."""
        try:
            with open(self.times, encoding='utf-8') as kept:
                return json.load(kept)
        except (OSError, ValueError):
            return {}

    def timed(self, harness, scenario):
        outcome = model.run(os.path.join(self.dir, harness.name), scenario, 20000000, 600)
        if outcome.word != 'ok':
            raise model.Broken('{} {}: {} without any mutant'.format(harness.name, scenario, outcome.why()))
        return outcome.seconds

    def files_of(self, harness):
        """Sources and headers of the library that the harness is made of, as the compiler sees them."""
        main = os.path.join(model.HERE, 'harness_' + harness.name + '.c')
        paths = [main] + [self.checker.source(name, os.path.join(self.dir, 'cut')) for name in harness.sources]
        done = subprocess.run([self.cc, '-M'] + model.PLAIN + ['-I' + os.path.join(self.dir, 'cut')] +
                              self.checker.include + model.WATCHED +
                              ['-include', os.path.join(model.HERE, 'engine', 'system.h')] + self.checker.later +
                              paths, capture_output=True, text=True)
        if done.returncode != 0:
            raise model.Broken(done.stderr[-2000:])
        found = set(harness.sources) | set(harness.included)
        for word in done.stdout.replace('\\\n', ' ').split():
            for root in ('lib', 'include'):
                base = os.path.join(self.tree, root) + os.sep
                if word.startswith(base):
                    found.add(os.path.relpath(os.path.normpath(word), base))
        return found

    def contains(self, file):
        return [name for name, files in self.included.items() if name_in_model(file) in files]

    def steps(self, mutant):
        """What can be tried against the mutant: (name, seconds, function), as in native_judge.py."""
        attempt = Attempt(self, mutant)
        made, left = [], self.seconds
        for seconds, name, scenario in sorted((s, n, t) for n in self.contains(mutant.file)
                                              for s, t in self.harnesses[n]):
            left -= seconds
            if left < 0:
                break
            made.append(('model {}: {}'.format(name, scenario), seconds,
                         lambda name=name, scenario=scenario, seconds=seconds: attempt.run(name, scenario, seconds)))
        return made, attempt.end


class Attempt:
    """A mutant with the programs that were built of it so far."""

    def __init__(self, judge, mutant):
        self.judge = judge
        self.change = Change(mutant)
        self.checker = judge.checker.of(self.change)
        self.programs = {}

    def program(self, name):
        """None: the mutant does not compile in this harness."""
        if name not in self.programs:
            try:
                self.programs[name] = self.checker.build(scenarios.HARNESSES[name], self.change)
            except model.Broken:
                self.programs[name] = None
        return self.programs[name]

    def run(self, name, scenario, seconds):
        program = self.program(name)
        if not program:
            return None
        outcome = model.run(program, scenario, MOST_STATES, self.judge.timeout + 3 * seconds)
        if outcome.word == 'FAILED' or (outcome.word == 'CRASHED' and outcome.status < 0):
            return outcome.why()
        return '' if outcome.word == 'ok' else None

    def end(self):
        shutil.rmtree(os.path.join(self.judge.dir, 'mutants', self.change.slug()), ignore_errors=True)
