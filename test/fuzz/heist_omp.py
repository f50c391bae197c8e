"""heist_omp.py [--for SECONDS] [--seed N] [--save FOLDER]: gives random input to heist-omp.

Its command line and the variables of heist-omp, libheist-gomp.so and libgomp are drawn from a seed. Either the command
is refused: status 2, a sentence of heist-omp on stderr and nothing on stdout; or the program runs, and its output is
the same as without heist-omp. The shell itself must not complain. HEIST_OMP and HEIST_GOMP name the tested files; GCC
compiles.
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True  # the tree may be read-only
sys.path.insert(0, os.path.join(HERE, '..', 'report'))

import cases  # noqa: E402 pylint: disable=wrong-import-position

COMMAND, LIBRARY, GCC = os.environ['HEIST_OMP'], os.environ['HEIST_GOMP'], os.environ.get('GCC', 'gcc')
SANITIZE = os.environ.get('SANITIZE', 'none')
TOOLS = ['sh', 'bash', 'cat', 'dirname', 'basename', 'head', 'od', 'tr', 'sed', 'ldd']
SHELL_SPOKE = re.compile(r'/heist-omp: (line )?\d+: ')

OPTIONS = ['--stats', '--verbose', '--workers', '--workers=', '--help', '--', '-', '-n', '-e', '--worker', '', ' ',
           '(', '!',
           '-a', '*', '$(exit 3)', '`exit 3`', 'a\\nb', "'", '"', '\n', '--stats=1', '=', '\u00e4']
NUMBERS = ['0', '00', '1', '2', '01', '+2', '-1', '2 ', ' 2', '2x', '', '0x2', '2,3', '1e1', '99999999999999999999',
           '\u0662']
WORDS = ['', '0', '1', 'true', 'FALSE', 'maybe', 'active', 'PASSIVE', 'passive ', 'dynamic,3', 'guided,-1', 'static,0',
         'auto',
         '{0},{1}', '{0:2:9', 'cores', 'threads(99)', 'close', 'master,spread', '2', '1,2,3', '-1',
         '99999999999999999999',
         '4M', '3G', 'x' * 5000, '\u00e4', '\x01', '%s%n']
VARIABLES = ['OMP_NUM_THREADS', 'OMP_DYNAMIC', 'OMP_NESTED', 'OMP_MAX_ACTIVE_LEVELS', 'OMP_SCHEDULE',
             'OMP_CANCELLATION',
             'OMP_WAIT_POLICY', 'OMP_MAX_TASK_PRIORITY', 'OMP_PROC_BIND', 'OMP_PLACES', 'GOMP_SPINCOUNT',
             'HEIST_OMP_STATS', 'HEIST_OMP_VERBOSE']


class Place:
    """A directory with programs to run, and a PATH on which there is little else."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix='heist-fuzz.')
        self.path = os.path.join(self.folder, 'bin')
        os.mkdir(self.path)
        for tool in TOOLS:
            os.symlink(shutil.which(tool), os.path.join(self.path, tool))
        self.own = {'tasks': 'taskwait', 'variables': 'odd_control_variables'}
        for name, source in self.own.items():
            sanitizers = [] if SANITIZE == 'none' else ['-fsanitize=' + SANITIZE]
            subprocess.run([GCC, '-std=gnu11', '-O2', *sanitizers, '-fopenmp', '-o', os.path.join(self.path, name),
                            os.path.join(HERE, '..', 'openmp', 'programs', source + '.c')], check=True)
        os.symlink('tasks', os.path.join(self.path, 'a b\\n'))
        with open(os.path.join(self.path, 'script'), 'w', encoding='utf-8') as out:
            out.write('#!/bin/sh\nexec tasks\n')
        os.chmod(os.path.join(self.path, 'script'), 0o755)
        with open(os.path.join(self.path, 'unreadable'), 'w', encoding='utf-8') as out:
            out.write('no program\n')
        self.programs = ['tasks', 'variables', 'script', 'a b\\n', os.path.join(self.path, 'tasks'), './tasks']
        self.others = ['unreadable', './unreadable', '.', '/', 'no-such-program', './no such', 'cd', 'if', 'fail', '']
        self.libraries = [LIBRARY, LIBRARY, LIBRARY, '', '/no/such', '/', self.folder]

    def environment(self, variables):
        base = {'PATH': self.path, 'ASAN_OPTIONS': 'detect_leaks=0', 'LC_ALL': 'C.UTF-8'}
        if SANITIZE != 'none':
            base['LD_PRELOAD'] = subprocess.run([GCC, '-print-file-name=libasan.so'], check=True, text=True,
                                                stdout=subprocess.PIPE).stdout.strip()
        return dict(base, **variables)

    def run(self, arguments, variables):
        return subprocess.run(arguments, env=self.environment(variables), cwd=self.path, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)


def draw(place, chance):
    """What is tried: arguments, and variables."""
    arguments = []
    for _ in range(chance.randrange(4)):
        option = chance.choice(OPTIONS[:3] if chance.randrange(2) else OPTIONS)
        arguments.append(option + chance.choice(NUMBERS) if option.endswith('=') else option)
        if option == '--workers' and chance.randrange(8):
            arguments.append(chance.choice(NUMBERS))
    if chance.randrange(8):
        arguments.append(chance.choice(place.programs if chance.randrange(3) else place.others))
    arguments += [str(chance.randrange(10**6))] if chance.randrange(2) else []
    variables = {name: chance.choice(WORDS) for name in VARIABLES if chance.randrange(4) == 0}
    variables['HEIST_OMP_LIBRARY'] = chance.choice(place.libraries)
    return {'arguments': arguments,
            'variables': {name: value for name, value in variables.items() if '\0' not in value}}


def alone(place, tried):
    """The program without heist-omp, as it would be run: its arguments begin with the first that is no option."""
    rest, workers = list(tried['arguments']), None
    while rest and rest[0].startswith('-'):
        option = rest.pop(0)
        if option == '--':
            break
        if option == '--workers':
            workers = rest.pop(0)
        elif option.startswith('--workers='):
            workers = option[10:]
    variables = dict(tried['variables'], **({'OMP_NUM_THREADS': workers} if workers else {}))
    rest[0] = rest[0] if '/' in rest[0] else os.path.join(place.path, rest[0])
    return place.run(rest, {name: value for name, value in variables.items() if not name.startswith('HEIST_')})


def harm(place, tried):
    """What goes wrong; None if nothing does."""
    got = place.run([COMMAND, *tried['arguments']], tried['variables'])
    told = got.stderr.decode(errors='replace')
    if SHELL_SPOKE.search(told):
        return 'the shell complains: ' + told
    if got.returncode == 2:
        ours = told.startswith('usage: heist-omp') or 'heist-omp: ' in told
        return None if ours and not got.stdout else 'refused with: {!r} {!r}'.format(told, got.stdout)
    if got.returncode == 0 and got.stdout.startswith(b'usage: heist-omp') and '--help' in tried['arguments']:
        return None
    if got.returncode != 0:
        return 'status {}: {}'.format(got.returncode, told)
    without = alone(place, tried)
    if (without.returncode, without.stdout) != (got.returncode, got.stdout):
        return 'it printed\n{}\nand without heist-omp\n{}'.format(got.stdout.decode(), without.stdout.decode())
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--for', dest='seconds', type=float, default=1, help='how long commands are tried')
    parser.add_argument('--seed', type=int, default=1, help='what they are drawn from')
    parser.add_argument('--save', default=tempfile.gettempdir(), help='where a command goes that does harm')
    parser.add_argument('files', nargs='*', help='commands that were saved; the corpus, if there is none')
    options = parser.parse_args()
    sys.argv[1:] = []  # cases.py looks there, too
    place = Place()

    def survives(tried, where):
        wrong = harm(place, tried)
        if not wrong:
            return
        path = os.path.join(options.save, 'fuzz-heist-omp-{}.json'.format(os.getpid()))
        with open(path, 'w', encoding='utf-8') as out:
            json.dump(tried, out)
        raise AssertionError('{}\n{}\n{}\nthe command is saved: repeat it with\n    {} {}'.format(
            where, tried, wrong, os.path.abspath(__file__), path))

    def no_command_of_the_corpus_does_harm():
        corpus = os.path.join(HERE, 'corpus', 'heist-omp')
        for path in options.files or sorted(os.path.join(corpus, name) for name in os.listdir(corpus)):
            with open(path, encoding='utf-8') as source:
                tried = json.load(source)
            tried['variables'].setdefault('HEIST_OMP_LIBRARY', LIBRARY)
            survives(tried, path)

    def no_command_that_is_drawn_does_harm():
        until, number = time.monotonic() + options.seconds, 0
        while time.monotonic() < until:
            survives(draw(place, random.Random(options.seed * 1000003 + number)),
                     'seed {}, number {}'.format(options.seed, number))
            number += 1
        print('{} commands'.format(number))

    try:
        return cases.run('heist_omp', [no_command_of_the_corpus_does_harm, no_command_that_is_drawn_does_harm])
    finally:
        shutil.rmtree(place.folder, ignore_errors=True)


sys.exit(main())
