"""tally.py: counts the Unity cases of one run of `meson test`, and decides which failures are unsteady.

    tally.py TESTLOG_JSON                       counts; no failure is excused
    tally.py --repeatable TESTLOG_JSON          the names of the programs that are worth another look, one a line
    tally.py TESTLOG_JSON --again JSON [JSON]   counts; JSON are the logs of the repetitions of those programs

Meson writes one JSON object a line, one for each test program. The first line of output is `PASSED FAILED IGNORED
UNSTEADY`; below it is the output of every program that failed. The summary of a program gives its cases. A program
without a summary (it crashed, or ran out of time), or that fails although its summary is clean (a sanitizer reported at
exit), is one more failed case.

A failure is repeatable if it may come from a machine that was too busy: assertions of a program that ended by itself
without a report of a sanitizer or valgrind, and a watchdog that says that there was no CPU for a good part of the time.
A crash, a report and a hang are failures whatever a repetition does. If all repetitions of a repeatable failure pass,
its cases are `unsteady`, not failed.
"""
import argparse
import json
import re

SUMMARY = re.compile(r'^(\d+) Tests (\d+) Failures (\d+) Ignored', re.MULTILINE)
WATCHDOG = re.compile(r'^:watchdog:.*FAIL: .* \(no CPU for (\d+) of (\d+) ms\)$', re.MULTILINE)
LACKING = 0.25  # the part of a hanging case's time without CPU from which on it is worth a repetition
REPORT = re.compile(r'Sanitizer: |runtime error: |^==\d+== |^WARNING: .*Sanitizer', re.MULTILINE)
REPORT_STATUS = (99, 66, 23)  # of valgrind here, ThreadSanitizer, LeakSanitizer
# What scripts and parents say of a program that crashed, or was ended because it hung.
CRASH = re.compile(r'Segmentation fault|core dumped|SIGSEGV|SIGABRT|SIGBUS|exit status 1(?:24|3\d)\b|'
                   r'Was 10(?:04|06|07|08|11)\b')
SHOWN = 120  # lines of a failed program's output: the end is where the reason is


def said(program):
    return (program.get('stdout') or '') + (program.get('stderr') or '')


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


def is_repeatable(program):
    """Whether the failure of this program may be the machine's."""
    text = said(program)
    if REPORT.search(text) or program['returncode'] in REPORT_STATUS:
        return False
    watchdogs = WATCHDOG.findall(text)
    if watchdogs:
        return all(int(lost) >= LACKING * int(wall) for lost, wall in watchdogs)
    if CRASH.search(text):
        return False
    summaries = SUMMARY.findall(program.get('stdout') or '')
    return program['result'] == 'FAIL' and 0 < program['returncode'] < 128 and bool(summaries) and \
        int(summaries[-1][1]) > 0


def describe(program, what=''):
    """What a person needs to see of a failed program."""
    lines = said(program).splitlines()
    header = '---- {}{} ({}, status {}): {}'.format(
        what, program['name'], program['result'], program['returncode'], ' '.join(program['command']))
    if len(lines) > SHOWN:
        lines = ['[... {} lines]'.format(len(lines) - SHOWN)] + lines[-SHOWN:]
    return '\n'.join([header] + lines)


def read(path):
    with open(path, encoding='utf-8', errors='replace') as log:
        return [json.loads(line) for line in log if line.strip()]


def steady_again(program, repetitions):
    """Whether the program is in every repetition, and passed each time."""
    again = [[other for other in log if other['name'] == program['name']] for log in repetitions]
    return bool(again) and all(found and not any(count(other)[1] for other in found) for found in again)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('log')
    parser.add_argument('--repeatable', action='store_true')
    parser.add_argument('--again', nargs='*', default=[])
    options = parser.parse_args()
    programs = read(options.log)
    failing = [program for program in programs if count(program)[1]]
    if options.repeatable:
        for program in failing:
            if is_repeatable(program):
                print(program['name'])
        return
    repetitions = [read(path) for path in options.again]
    unsteady = [p for p in failing if is_repeatable(p) and steady_again(p, repetitions)]
    passed, failed, ignored = (sum(c) for c in zip(*map(count, programs))) if programs else (0, 1, 0)
    doubtful = sum(count(program)[1] for program in unsteady)
    print(passed, failed - doubtful, ignored, doubtful)
    for program in failing:
        print(describe(program, 'UNSTEADY, it passed when it was repeated alone: ' if program in unsteady else ''))


main()
