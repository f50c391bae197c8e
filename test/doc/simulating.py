"""simulating.py SOURCE_DIR HEIST_SIM: every command of doc/simulating.md prints what the page shows.

Reports as Unity does.
"""
import os
import re
import shlex
import subprocess
import sys

TREE, PROGRAM = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
PAGE = os.path.join(TREE, 'doc', 'simulating.md')


def examples():
    """(line, command, output) of each block."""
    with open(PAGE, encoding='utf-8') as page:
        text = page.read()
    for match in re.finditer(r'^```console\n\$ (heist-sim [^\n]*)\n(.*?)^```$', text, re.MULTILINE | re.DOTALL):
        yield text.count('\n', 0, match.start()) + 2, match.group(1), match.group(2)


def main():
    failed = count = 0
    for line, command, shown in examples():
        words = shlex.split(command)
        run = subprocess.run([PROGRAM] + words[1:], cwd=TREE, capture_output=True, text=True, check=False)
        good = run.stdout + run.stderr == shown
        outcome = 'PASS' if good else 'FAIL: it prints\n' + run.stdout + run.stderr
        print('{}:{}:{}:{}'.format(PAGE, line, command, outcome))
        count += 1
        failed += not good
    if count < 8:
        print('{}:1:examples:FAIL: only {} were found'.format(PAGE, count))
        failed += 1
    print('\n-----------------------\n{} Tests {} Failures 0 Ignored'.format(count, failed))
    print('FAIL' if failed else 'OK')
    return failed != 0


sys.exit(main())
