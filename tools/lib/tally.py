"""tally.py TESTLOG_JSON: counts the Unity cases of one run of `meson test`.

Meson writes one JSON object a line, one for each test program. The first line of output is `PASSED FAILED IGNORED`;
below it is the output of every program that failed. The summary of a program gives its cases. A program without a
summary (it crashed, or ran out of time), or that fails although its summary is clean (a sanitizer reported at exit), is
one more failed case.
"""
import json
import re
import sys

SUMMARY = re.compile(r'^(\d+) Tests (\d+) Failures (\d+) Ignored', re.MULTILINE)
SHOWN = 120  # lines of a failed program's output: the end is where the reason is


def count(program):
    """The program's cases as (passed, failed, ignored)."""
    summaries = SUMMARY.findall(program.get('stdout') or '')
    finished = program['result'] == 'OK'
    if not summaries:
        return 0, 1, 0
    tests, failed, ignored = (int(number) for number in summaries[-1])
    passed = tests - failed - ignored
    if not finished and failed == 0 or finished and (failed > 0 or tests == 0):
        failed += 1
    return passed, failed, ignored


def describe(program):
    """What a person needs to see of a failed program."""
    said = ((program.get('stdout') or '') + (program.get('stderr') or '')).splitlines()
    header = '---- {} ({}, status {}): {}'.format(
        program['name'], program['result'], program['returncode'], ' '.join(program['command']))
    if len(said) > SHOWN:
        said = ['[... {} lines]'.format(len(said) - SHOWN)] + said[-SHOWN:]
    return '\n'.join([header] + said)


def main():
    with open(sys.argv[1], encoding='utf-8', errors='replace') as log:
        programs = [json.loads(line) for line in log if line.strip()]
    counts = [count(program) for program in programs]
    print(*(sum(column) for column in zip(*counts)) if counts else (0, 1, 0))
    for program, (_, failed, _) in zip(programs, counts):
        if failed:
            print(describe(program))


main()
