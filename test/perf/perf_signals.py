"""Tries heist-perf from outside: signals, and progress on a terminal. perf_run.py tells the arguments."""
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from perf_run import FAULTY, Ignored, PERF, RUNTIMES, WAIT, by, case, expect, main, run, scratch


# ---- signals ----

def children_of(pid):
    found = []
    for entry in os.listdir('/proc'):
        try:
            with open(f'/proc/{entry}/stat', encoding='utf-8') as file:
                fields = file.read().rsplit(')', 1)[1].split()
        except (OSError, IndexError):
            continue
        if entry.isdigit() and int(fields[1]) == pid and fields[0] != 'Z':
            found.append(int(entry))
    return found


def until(condition, what):
    end = time.monotonic() + 30
    while not condition():
        expect(time.monotonic() < end, 'waited in vain:', what)
        time.sleep(0.02)


def begin(size, *arguments, children=2):
    """Starts FAULTY in a size that takes for ever in its third run, and waits until it is there."""
    process = subprocess.Popen([FAULTY, 'faulty', '--size', size, '--workers', '1', '--format', 'json', *arguments],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until(lambda: len(children_of(process.pid)) == children, 'children')
    time.sleep(1)
    return process


@case
def an_interrupted_run_prints_the_rows_so_far():
    process = begin('gentle', '--runs', '5')
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=WAIT)
    expect(process.returncode == 130, process.returncode, said)
    rows = json.loads(out)['rows']
    expect([r['check'] for r in rows] == ['ok', 'ok'] and all(1 <= r['runs'] < 5 for r in rows), rows)


@case
def an_interrupted_run_does_not_count():
    process = begin('interrupted', '--runs', '5')
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=WAIT)
    expect(process.returncode == 130, process.returncode, said)
    heist = by(json.loads(out)['rows'], 'heist', 1)
    expect(heist['check'] == 'ok' and heist['runs'] == 1, heist)


@case
def an_interruption_takes_no_right_run_away():
    for size in 'cut', 'deaf':  # one reports its progress; the other ignores signals, and is killed
        process = begin(size, '--runs', '5')
        process.send_signal(signal.SIGINT)
        if size == 'deaf':
            time.sleep(0.3)
            expect(process.poll() is None, 'it did not wait for the run')
            process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=WAIT)
        expect(process.returncode == 130, process.returncode, said)
        heist = by(json.loads(out)['rows'], 'heist', 1)
        expect(heist['check'] == 'ok' and heist['runs'] == 1 and heist['min_ns'] > 0, heist)


@case
def a_row_that_was_interrupted_early_tells_its_settings():
    process = begin('hang', '--flavour', 'sour', '--against', 'none', children=1)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=WAIT)
    expect(process.returncode == 130, process.returncode, said)
    heist = by(json.loads(out)['rows'], 'heist', 1)
    expect((heist['check'], heist['runs'], heist['flavour']) == ('interrupted', 0, 'sour'), heist)


def cpu_seconds(pid):
    try:
        with open('/proc/{}/stat'.format(pid), encoding='utf-8') as stat:
            fields = stat.read().rsplit(')', 1)[1].split()
    except OSError:
        return 0  # it has ended
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


@case
def an_interrupted_lfsr_prints_what_it_has():
    process = subprocess.Popen([PERF, 'lfsr', '--size', '40', '--workers', '2', '--against', 'none', '--format',
                                'json'],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # The whole takes minutes; a second of CPU time, however long that takes, gives the first cycle.
    until(lambda: any(cpu_seconds(child) > 1 for child in children_of(process.pid)), 'a child that computes')
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=WAIT)
    expect(process.returncode == 130 and said == '', process.returncode, said)
    row = json.loads(out)['rows'][0]
    expect(row['check'].startswith('interrupted') and row['runs'] == 0 and 'min_ns' not in row, row)
    expect(row['cycles'] == [[1, 1]] and 'mode' in row, 'what it had', row)


@case
def a_child_that_ignores_the_first_interruption_is_killed_by_the_second():
    process = begin('hang')
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    expect(process.poll() is None, 'it did not wait for the run')
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=WAIT)
    expect(process.returncode == 130, process.returncode, said)
    expect(by(json.loads(out)['rows'], 'heist', 1)['check'] == 'interrupted', out)


@case
def a_child_that_ignores_an_interruption_does_not_keep_the_rows_of_others():
    process = begin('hang')
    process.send_signal(signal.SIGINT) # once
    out, said = process.communicate(timeout=WAIT)
    expect(process.returncode == 130, process.returncode, said)
    rows = json.loads(out)['rows']
    expect(by(rows, 'heist', 1)['check'].startswith('interrupted') and by(rows, 'serial', 1), rows)


@case
def termination_is_an_interruption_too():
    process = begin('gentle', '--runs', '5')
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=WAIT)
    expect(process.returncode == 128 + signal.SIGTERM and json.loads(out)['rows'], process.returncode)


@case
def children_die_with_their_parent_and_leave_no_file():
    place = os.path.join(scratch, 'killed')
    os.mkdir(place)
    process = begin('hang', '--out', os.path.join(place, 'x.json'))
    children = children_of(process.pid)
    expect(len(children) == 2, children)
    process.kill()
    process.communicate(timeout=WAIT)
    until(lambda: not [c for c in children if os.path.exists(f'/proc/{c}/exe')], 'the end of the children')
    expect(os.listdir(place) == [], os.listdir(place))


def slow_to_start(runtime_program, seconds):
    """heist-perf in a directory of its own, where the program of a peer starts that late."""
    place = tempfile.mkdtemp(dir=scratch)
    ours = os.path.join(place, 'heist-perf')
    shutil.copy(PERF, ours)
    slow = os.path.join(place, runtime_program)
    with open(slow, 'w', encoding='utf-8') as out:
        out.write('#!/bin/sh\ntouch "$0.here"\nsleep {}\nexec "{}" "$@"\n'.format(
            seconds, os.path.join(os.path.dirname(PERF), runtime_program)))
    os.chmod(slow, 0o755)
    return ours, slow + '.here'


@case
def a_child_that_is_interrupted_while_it_starts_has_not_crashed():
    if 'openmp' not in RUNTIMES:
        raise Ignored('there is no OpenMP')
    ours, here = slow_to_start('heist-perf-openmp', 0.5)
    process = subprocess.Popen([ours, 'fib', '--size', '10', '--against', 'openmp', '--workers', '1', '--runs', '2',
                                '--format', 'json'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=dict(os.environ, LD_LIBRARY_PATH=os.path.join(os.path.dirname(PERF), '..', 'lib')))
    until(lambda: os.path.exists(here), 'a program that starts')
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=WAIT)
    expect(process.returncode == 130, process.returncode, said)
    checks = [r['check'] for r in json.loads(out)['rows']]
    expect(checks and all(c == 'interrupted' for c in checks), checks, said)


@case
def a_child_ended_by_the_signal_that_ends_us_has_not_crashed():
    process = begin('hang', '--against', 'none', children=1)
    os.kill(process.pid, signal.SIGSTOP)  # so that both have the signal before either can notify the other
    for pid in (process.pid, *children_of(process.pid)):
        os.kill(pid, signal.SIGTERM)
    os.kill(process.pid, signal.SIGCONT)
    out, said = process.communicate(timeout=WAIT)
    expect(process.returncode == 128 + signal.SIGTERM, process.returncode, said)
    expect(by(json.loads(out)['rows'], 'heist', 1)['check'] == 'interrupted', out)


# ---- progress on a terminal ----

@case
def progress_is_shown_on_a_terminal_only():
    try:
        ours, theirs = pty.openpty()
    except OSError as problem:
        raise Ignored(f'no terminal can be made here: {problem}') from problem
    process = subprocess.Popen([FAULTY, 'faulty', '--runs', '2'], stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    said = b''
    try:
        while block := os.read(ours, 4096):
            said += block
    except OSError:
        pass # the other end is closed
    process.communicate(timeout=WAIT)
    expect(b'faulty right, heist, 1 worker: warms up' in said and b'run 2 of 2' in said, said)
    expect(run('faulty', program=FAULTY).stderr == '', 'progress without a terminal')
    turns = re.findall(rb'right, (\w+), (\d+) workers?: run (\d) of 2', said)
    first, second = ([cell for *cell, number in turns if number == which] for which in (b'1', b'2'))
    expect(len(first) > 1 and second == first[1:] + first[:1], 'a cell always follows the same one', turns)
    expect(first[0][0] == b'serial', 'others are compared with it', turns)


sys.exit(main('perf_signals'))
