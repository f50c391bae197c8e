"""run_spin.py --build DIR: checks the Promela models with spin, then that each break in them is found.

Prints as a Unity program does. Without spin, or a compiler for what it makes, every case is ignored.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# model, definitions, whether an error is to be found
CASES = [
    ('idle', ['N=3', 'PUSHES=3'], False),
    ('idle', ['N=4', 'PUSHES=1'], False),
    ('idle', ['N=3', 'PUSHES=3', 'LONG'], False),
    ('idle', ['N=3', 'PUSHES=2', 'LONG', 'CROWD'], False),
    ('idle', ['N=3', 'LONG', 'NO_RING'], True),
    ('idle', ['N=3', 'LONG', 'NO_LAST_LOOK'], True),
    ('idle', ['N=3', 'LONG', 'COUNTED_AFTER_THE_RING'], True),
    ('idle', ['N=3', 'LONG', 'NOBODY_WAKES_THE_NEXT'], True),
    ('idle', ['N=3', 'LONG', 'LEAVES_WITHOUT_A_RING'], True),
    ('idle', ['N=3', 'LONG', 'LEAVES_WITHOUT_A_LOOK'], True),
    ('idle', ['N=4', 'LONG', 'NO_SECOND_LOOK'], True),
    ('idle', ['N=4', 'LONG', 'LOOKS_BEFORE_IT_TAKES_BACK'], True),
    ('idle', ['N=3', 'LONG', 'CROWD', 'STANDS_BY_FOR_EVER'], True),
    ('termination', ['N=2', 'TASKS=4'], False),
    ('termination', ['N=3', 'TASKS=2'], False),
    ('termination', ['N=2', 'CREATED_IS_READ_FIRST'], True),
    ('termination', ['N=2', 'COUNTED_AFTER_IT_IS_SEEN'], True),
    ('termination', ['N=2', 'FINISHED_BEFORE_THE_LAST_SPAWN'], True),
    ('termination', ['N=2', 'LOOKS_BEFORE_IT_IS_LISTED'], True),
]


def check(directory, cc, model, definitions):
    """(errors found, states, what went wrong in the tools)"""
    work = os.path.join(directory, '-'.join([model] + definitions))
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    source = os.path.join(HERE, model + '.pml')
    commands = [['spin', '-a'] + ['-D' + d for d in definitions] + [source],
                [cc, '-O2', '-w', '-DSAFETY', '-DCOLLAPSE', '-DMEMLIM=1500', '-o', 'pan', 'pan.c'],
                ['./pan', '-m100000']]
    for command in commands:
        done = subprocess.run(command, cwd=work, capture_output=True, text=True, timeout=200)
        if done.returncode != 0 and command[0] != './pan':
            return None, 0, done.stdout + done.stderr
    errors = re.search(r'errors: (\d+)', done.stdout)
    states = re.search(r'(\d+) states, stored', done.stdout)
    complete = 'Search not completed' not in done.stdout or (errors and int(errors.group(1)) > 0)
    if not errors or not complete or 'max search depth too small' in done.stdout:
        return None, 0, done.stdout[-1500:]
    return int(errors.group(1)), int(states.group(1)) if states else 0, ''


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', required=True)
    parser.add_argument('--cc', default='gcc')
    options = parser.parse_args()
    failed = ignored = 0
    for model, definitions, broken in CASES:
        sentence = 'spin:{}_{}_{}'.format(model, '_'.join(definitions), 'is_found' if broken else 'holds')
        if not shutil.which('spin') or not shutil.which(options.cc):
            ignored += 1
            print(sentence + ':IGNORE: spin is not installed')
            continue
        errors, states, trouble = check(options.build, options.cc, model, definitions)
        good = errors is not None and (errors > 0) == broken
        failed += not good
        bad = 'FAIL: {} errors in {} states {}'.format(errors, states, trouble)
        print('{}:{}'.format(sentence, 'PASS' if good else bad))
        if not broken and good:
            print('    {} states'.format(states))
        sys.stdout.flush()
    print('\n-----------------------\n{} Tests {} Failures {} Ignored'.format(len(CASES), failed, ignored))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
