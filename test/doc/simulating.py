"""simulating.py SOURCE_DIR HEIST_SIM: every command of doc/simulating.md prints what the page shows.

Reports as Unity does.
"""
import csv
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

TREE, PROGRAM = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
PAGE = os.path.join(TREE, 'doc', 'simulating.md')


def examples():
    """(line, command, output) of each block."""
    with open(PAGE, encoding='utf-8') as page:
        text = page.read()
    for match in re.finditer(r'^```console\n\$ (heist-sim [^\n]*)\n(.*?)^```$', text, re.MULTILINE | re.DOTALL):
        yield text.count('\n', 0, match.start()) + 2, match.group(1), match.group(2)


def printed(*arguments):
    return subprocess.run([PROGRAM, *arguments], cwd=TREE, capture_output=True, text=True, check=True).stdout


def the_forms_agree():
    """CSV, JSON and the timeline can be read by others, and have the same numbers."""
    command = ['fib:n=15', '--workers', '1,4']
    rows = list(csv.DictReader(io.StringIO(printed(*command, '--format', 'csv'))))
    same = json.loads(printed(*command, '--format', 'json'))['rows']
    if len(rows) != 2 or [float(row['time_ns']) for row in rows] != [row['time_ns'] for row in same]:
        return False
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, 'timeline.json')
        printed('fib:n=15', '--workers', '4', '--timeline', path)
        with open(path, encoding='utf-8') as timeline:
            events = json.load(timeline)
    return len(events) == 1 + same[1]['stolen'] and {event['tid'] for event in events} <= {0, 1, 2, 3}


def bad_input_is_one_line_and_status_2():
    for arguments in (['fob'], ['fib', '--machine', 'pack:0'], ['nowhere.dag'], ['fib', '--what-if', 'stael*2'],
                      ['fib', '--costs', '/nowhere'], ['fib', '--workers', '0'], ['fib:n=9', '--what-if', 'x']):
        run = subprocess.run([PROGRAM, *arguments], cwd=TREE, capture_output=True, text=True, check=False)
        if run.returncode != 2 or run.stderr.count('\n') != 1 or not run.stderr.startswith('heist-sim: '):
            print(arguments, run.returncode, run.stderr)
            return False
    return True


def main():
    failed = count = 0
    for case in (the_forms_agree, bad_input_is_one_line_and_status_2):
        good = case()
        print('{}:1:{}:{}'.format(__file__, case.__name__, 'PASS' if good else 'FAIL'))
        count += 1
        failed += not good
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
