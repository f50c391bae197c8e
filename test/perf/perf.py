"""perf.py HEIST_PERF FAULTY RUNTIMES [CASE...]: tries heist-perf from outside.

HEIST_PERF is the program, FAULTY the same program with a problem that goes wrong in every way (faulty.c), RUNTIMES the
runtimes of this build, with commas; of several cases only those that are named, if any, are tried. Reports as Unity does: a
line for each case, then `N Tests N Failures N Ignored`.
"""
import csv
import functools
import io
import json
import os
import pty
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

PERF, FAULTY, RUNTIMES = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3].split(',')
PROMISED = ['workload', 'size', 'runtime', 'workers', 'runs', 'min_ns', 'median_ns', 'tasks', 'ns_per_task', 'speedup',
            'vs_serial', 'gflops', 'steals', 'check', 'cpu_ns', 'others']
ALWAYS = {'workload', 'size', 'runtime', 'workers', 'runs', 'min_ns', 'median_ns', 'check'}
TEXTS = {'workload', 'size', 'runtime', 'check'}
ADDED = {'wide': {'join'}, 'for': {'schedule', 'batch'}, 'submit': {'threads', 'to', 'tasks_per_second'},
         'wake': {'state', 'from', 'least_ns', 'p99_ns'}, 'steal': {'fence', 'victim'},
         'fib': {'joins'}, 'omp': {'pattern'}, 'nqueens': set(), 'tree': set()}
LATENCIES = {'wake', 'steal'}
OWN_CLOCK = {'wake', 'submit'}  # their times are not those of whole runs
WAIT = 120

os.environ['OMP_WAIT_POLICY'] = 'passive' # tests share their machine with others
os.environ['KMP_USE_YIELD'] = '0' # libomp's yields hand its time to these others: seconds for a millisecond's work
scratch = tempfile.mkdtemp(prefix='heist-perf-test.')
cases = []


def case(function):
    cases.append((function.__name__, function))
    return function


def expect(condition, *what):
    if not condition:
        raise AssertionError(' '.join(str(w) for w in what))


def run(*arguments, program=PERF, environment=None):
    return subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=WAIT,
                          env=dict(os.environ, **(environment or {})), cwd=scratch, check=False)


def rows_of(result):
    return json.loads(result.stdout)['rows']


def faulty(*arguments, status=0):
    """Runs FAULTY and gives its rows, and what it said on stderr."""
    result = run('faulty', '--format', 'json', *arguments, program=FAULTY)
    expect(result.returncode == status, 'status', result.returncode, 'not', status, result.stderr)
    return rows_of(result), result.stderr


def by(rows, runtime, workers):
    found = [r for r in rows if r['runtime'] == runtime and r['workers'] == workers]
    expect(len(found) == 1, len(found), 'rows of', runtime, workers)
    return found[0]


# ---- what rows look like ----

def near(a, b):
    return abs(a - b) <= 1e-4 * max(abs(a), abs(b))


def settings(row):
    return {k: v for k, v in row.items() if k in ('mode', 'schedule', 'join', 'threads', 'to', 'type', 'variant', 'pattern')}


def check_row(row, rows):
    where = json.dumps({k: v for k, v in row.items() if k != 'cycles'})
    expect(ALWAYS <= set(row), 'fields missing:', ALWAYS - set(row), where)
    promised = [k for k in row if k in PROMISED]
    expect(promised == [k for k in PROMISED if k in row] == list(row)[:len(promised)], 'fields out of order', where)
    added = set(row) - set(PROMISED)
    expect(added <= ADDED.get(row['workload'], added), 'fields that nobody promised', added, where)
    for name in promised:
        wanted = str if name in TEXTS else (int, float)
        expect(isinstance(row[name], wanted) and not isinstance(row[name], bool), name, 'has a wrong type', where)
    expect(row['check'] == 'ok', where)
    expect(0 < row['min_ns'] <= row['median_ns'], 'times', where)
    expect(row['runs'] == 2, 'runs', where)
    expect(('cpu_ns' in row) == (row['workload'] not in OWN_CLOCK) and row.get('cpu_ns', 1) > 0, 'cpu_ns', where)
    expect(row.get('others', -1) >= 0, 'others', where)
    expect(('tasks' in row) == ('ns_per_task' in row), 'tasks without ns_per_task', where)
    if 'tasks' in row:
        expect(near(row['ns_per_task'], row['min_ns'] / row['tasks']), 'ns_per_task', where)
    latency = row['workload'] in LATENCIES
    expect(not (latency and ('speedup' in row or 'vs_serial' in row)), 'speedup of a latency', where)
    alike = [r for r in rows if r['workload'] == row['workload'] and r['size'] == row['size'] and r['workers'] == 1]
    own = [r['min_ns'] for r in alike if r['runtime'] == row['runtime']]
    if own and not latency:
        expect(any(near(row['speedup'], m / row['min_ns']) for m in own), 'speedup', where)
    serial = [r['min_ns'] for r in alike if r['runtime'] == 'serial']
    expect(('vs_serial' in row) == bool(serial), 'vs_serial', where)
    if serial:
        expect(any(near(row['vs_serial'], m / row['min_ns']) for m in serial), 'vs_serial', where)


def check_machine(machine):
    for name, kind in {'cpu': str, 'threads': int, 'workers': int, 'caches': list, 'memory': int, 'topology': str,
                       'kernel': str, 'compiler': str, 'heist': str, 'date': str, 'environment': dict}.items():
        expect(isinstance(machine.get(name), kind), 'machine:', name, machine.get(name))
    time.strptime(machine['date'], '%Y-%m-%dT%H:%M:%SZ')
    expect(machine['memory'] > 1 << 20 and machine['threads'] >= 1 and machine['workers'] >= 1, machine)


def offered(workload):
    text = run(workload, '--help').stdout
    line = [l for l in text.splitlines() if l.startswith('Runtimes: ')][0]
    return set(line[len('Runtimes: '):].split(', '))


@functools.lru_cache(maxsize=None)
def try_workload(workload):
    result = run(workload, '--quick', '--against', 'all', '--format', 'json', '--limit', '60')
    expect(result.returncode == 0, 'status', result.returncode, result.stderr, result.stdout)
    whole = json.loads(result.stdout)
    expect(list(whole) == ['machine', 'rows'], list(whole))
    check_machine(whole['machine'])
    expect(whole['rows'], 'no rows')
    for row in whole['rows']:
        check_row(row, whole['rows'])
    wanted = set(RUNTIMES) if workload == 'peers' else offered(workload)
    left_out = {line.split()[1] for line in result.stderr.splitlines() if 'is left out' in line}
    seen = {row['runtime'] for row in whole['rows']}
    if workload != 'peers':
        expect(seen == wanted - left_out, 'runtimes', seen, 'not', wanted - left_out)
    return whole['rows']


def add_workloads():
    for workload in run('--list').stdout.split():
        def one(workload=workload):
            try_workload(workload)
        cases.append((f'every_result_of_{workload}_is_right_in_every_runtime', one))


class Ignored(Exception):
    """What a case needs is not on this machine."""


@case
def a_row_of_lfsr_tells_its_cycles():
    rows = [r for r in try_workload('lfsr') if r['runtime'] == 'heist']
    for row in rows:
        expect({'mode', 'batch', 'balance', 'cycles'} <= set(row), sorted(row))
        expect(all(len(pair) == 2 for pair in row['cycles']), row['cycles'])


@case
def the_table_of_lfsr_tells_the_cycles_once():
    told = run('lfsr', '--poly', '0x45ed', '--workers', '1,2', '--mode', 'static,steal', '--runs', '1').stdout
    line = 'Cycles of 0x45ed (14 cells over GF(2)): 1 of length 1, 5 of 51, 1 of 63, 15 of 1071\n'
    expect(told.count(line) == 1 == told.count('Cycles'), told)


@case
def the_table_of_lfsr_has_efficiency_and_what_the_seeds_aimed_at():
    arguments = ['lfsr', '--size', '12', '--workers', '1,2,8', '--runs', '2']
    whole = json.loads(run(*arguments, '--format', 'json').stdout)
    expect([row.get('seeds_target') for row in whole['rows']] == [None, None, 1.5, 1.0], whole['rows'])
    expect([row.get('seeds') for row in whole['rows']] == [None, None, 0.79, 0.38], whole['rows'])
    cores = min(whole['machine']['workers'], whole['machine'].get('cores', 1 << 20))
    lines = [line.split() for line in run(*arguments).stdout.replace(' us', 'us').replace(' ms', 'ms').splitlines()]
    title = [line for line in lines if line[:1] == ['workload']][0]
    told = [line for line in lines if line[:1] == ['lfsr']]
    expect(len(told) == 4 and 'seeds_target' in title, lines)
    for line in told:
        if line[2] == 'serial':
            expect('100.0%' in line, line)
            continue
        at = line.index([word for word in line if word.endswith('%')][0])
        wanted = 100 * float(line[at - 1]) / min(int(line[3]), cores)  # vs serial stands before it, with two digits
        expect(abs(float(line[at][:-1]) - wanted) < 0.6, line, wanted)


@case
def the_seeds_of_gemm_are_the_same_in_row_and_note():
    arguments = ['gemm', '--size', '1000', '--workers', '2', '--runs', '1', '--against', 'none']
    row = rows_of(run(*arguments, '--format', 'json'))[0]
    expect((row['seeds_gflops'], row['seeds_efficiency']) == (6.9, 0.99), row)
    note = run(*arguments).stdout.split('threads\tGFLOP/s\tefficiency\n')[1]
    expect([line.split() for line in note.splitlines()] == [
        ['1', '3.5', '100%'], ['2', '6.9', '99%'], ['4', '13.5', '97%'], ['8', '28.2', '101%'], ['16', '48.8', '87%']], note)


@case
def leading_dimensions_of_gemm_may_be_longer_than_its_rows():
    result = run('gemm', '--size', '70x33x50', '--type', 'double,single', '--variant', 'tiles,recursive', '--ld-extra', '0,7',
                 '--workers', '2', '--runs', '1', '--against', 'all', '--format', 'json')
    expect(result.returncode == 0, result.stderr, result.stdout)
    rows = [row for row in rows_of(result) if row['runtime'] != 'serial']
    expect(len([row for row in rows if row['runtime'] == 'heist']) == 8, rows)
    for runtime in {row['runtime'] for row in rows}:
        told = [row.get('ld_extra', 0) for row in rows if row['runtime'] == runtime]
        expect(set(told) == {0, 7} and told.count(7) * 2 == len(told), runtime, told)


@case
def rows_that_differ_in_a_setting_tell_it():
    rows = rows_of(run('lfsr', '--size', '10', '--workers', '2', '--runs', '1', '--against', 'none', '--batch-size', '50',
                       '--aggregate', 'auto,1,3', '--format', 'json'))
    expect([row.get('aggregate') for row in rows] == [None, 1, 3], rows)


@case
def omp_measures_the_same_program_with_heist():
    if 'heist' not in offered('omp'):
        raise Ignored('no libgomp, or no libheist-gomp.so in this build')
    rows = try_workload('omp')
    patterns = {r['pattern'] for r in rows if r['runtime'] == 'openmp'}
    expect(patterns == {r['pattern'] for r in rows if r['runtime'] == 'heist'} and len(patterns) == 5, rows)
    result = run('omp', '--quick', '--workers', '2', '--pattern', 'nested', environment={'HEIST_OMP_STATS': '1'})
    expect('heist-omp: tasks' in result.stderr, 'libheist-gomp.so was not there:', result.stderr)


@case
def peers_are_all_in_one_table():
    rows = try_workload('peers')
    for runtime in set(RUNTIMES) - {'openblas', 'blis'}:
        expect({'fib', 'nqueens', 'tree', 'wide', 'for', 'gemm', 'lfsr'} <=
               {r['workload'] for r in rows if r['runtime'] == runtime}, runtime)
    alone = {'wake', 'steal', 'omp'}  # nobody else has the first two; omp is one program, with and without heist
    expect({r['workload'] for r in rows} == set(run('--list').stdout.split()) - alone - {'peers'}, rows)


@case
def the_table_of_peers_has_one_column_for_settings():
    lines = run('peers', '--quick', '--runs', '1', '--workers', '1', '--against', 'none').stdout.splitlines()
    table = [line for line in lines if line.startswith(('workload', 'for ', 'lfsr '))]
    expect(table[0].split()[-2:] == ['settings', 'check'], table[0])
    expect(max(map(len, table)) < 160, table)
    told = [line.rsplit('schedule ')[1].split()[0] for line in table if line.startswith('for ')]
    expect(told == ['static', 'shared', 'steal', 'hybrid', 'auto'], told)


@case
def quick_sizes_are_those_of_the_help():
    for workload in run('--list').stdout.split():
        told = [line for line in run(workload, '--help').stdout.splitlines() if 'with --quick: ' in line]
        if told:
            sizes = list(dict.fromkeys(row['size'] for row in try_workload(workload)))
            expect(sizes == told[0].split('--quick: ')[1].split(','), workload, sizes, told)


# ---- the same in every format ----

def words_for_people(row):
    """What stands in the table of FAULTY in place of a row of its JSON."""
    def short(value):
        return f'{value:.2f}' if value < 100 else f'{value:.1f}'
    return [row['workload'], row['size'], row['runtime'], str(row['workers']), str(row['runs']),
            f'{row["min_ns"] / 1e6:.3f}', 'ms', f'{row["median_ns"] / 1e6:.3f}', 'ms', str(row['tasks']),
            short(row['ns_per_task']), short(row['speedup']), short(row['vs_serial']), short(row['gflops']),
            str(row['steals']), row['flavour'], *row['check'].split()]


@case
def csv_and_json_say_the_same():
    arguments = ['--runs', '3', '--workers', '1,2', '--size', 'right,wrong', '--flavour', 'sweet,sour']
    rows, _ = faulty(*arguments, status=1)
    result = run('faulty', '--format', 'csv', *arguments, program=FAULTY)
    expect(result.returncode == 1, result.returncode)
    reader = csv.DictReader(io.StringIO(result.stdout))
    expect(reader.fieldnames == PROMISED + ['flavour', 'list'], reader.fieldnames)
    lines = list(reader)
    expect(len(lines) == len(rows) == 10, len(lines), len(rows))
    for row, line in zip(rows, lines):
        for name, value in line.items():
            told = row.get(name, '')
            if name == 'others':  # they do what they want, and these are two runs
                expect((value == '') == (told == ''), name, value, told)
                continue
            if isinstance(told, list):
                told = json.dumps(told, separators=(',', ':'))
            same = near(float(value), told) if isinstance(told, (int, float)) else value == told
            expect(same, name, value, told)


@case
def the_table_says_the_same_to_people():
    arguments = ['--runs', '3', '--workers', '1,2', '--size', 'right,wrong-later']
    rows, _ = faulty(*arguments, status=1)
    result = run('faulty', *arguments, program=FAULTY)
    expect(result.returncode == 1, result.returncode)
    lines = result.stdout.splitlines()
    at = [i for i, line in enumerate(lines) if line.startswith('workload')][0]
    expect(lines[at].split() == ['workload', 'size', 'runtime', 'workers', 'runs', 'least', 'median', 'tasks', 'ns/task',
                                 'speedup', 'vs', 'serial', 'GFLOP/s', 'steals', 'flavour', 'check'], lines[at])
    table = [line.split() for line in lines[at + 1:]]
    half = len(rows) // 2  # a size, then the other
    wanted = [words_for_people(row) for row in rows]
    expect(table == wanted[:half] + [[]] + wanted[half:] + [[], 'To compare with: nothing.'.split()], table, wanted)


@case
def the_figures_follow_from_the_times():
    rows, _ = faulty('--runs', '5', '--workers', '1,2')
    serial, one, two = by(rows, 'serial', 1), by(rows, 'heist', 1), by(rows, 'heist', 2)
    # faulty.c adds 0, 1 or 2 microseconds, by the number of the run; the first warms up
    expect((one['min_ns'], one['median_ns']) == (2000000, 2001000), one)
    expect((two['min_ns'], two['median_ns']) == (1000000, 1001000), two)
    expect(two['speedup'] == 2 and two['vs_serial'] == 3 and serial['vs_serial'] == 1, two)
    expect(two['gflops'] == 3 and two['ns_per_task'] == 1000, two)
    expect(two['steals'] == 7, 'the outcome is not that of the fastest run', two)
    rows, _ = faulty('--runs', '4', '--workers', '1')
    expect(all(row['others'] >= 0 for row in rows), 'known also of a moment', rows)
    one = by(rows, 'heist', 1)
    expect((one['min_ns'], one['median_ns']) == (2000000, 2001500), 'between the two in the middle', one)


@case
def a_serial_program_is_measured_once_for_all_settings():
    rows, _ = faulty('--workers', '1', '--flavour', 'sweet,sour')
    expect([r['runtime'] for r in rows] == ['serial', 'heist', 'heist'], rows)
    expect([r['vs_serial'] for r in rows] == [1, 1.5, 0.75], rows)
    expect([r['flavour'] for r in rows] == ['sweet', 'sweet', 'sour'], rows)


@case
def workers_are_compared_with_one_of_the_same_settings():
    rows, _ = faulty('--workers', '1,2', '--flavour', 'sweet,sour', '--against', 'none')  # sour takes twice as long
    expect([(r['flavour'], r['workers'], r['speedup']) for r in rows] ==
           [('sweet', 1, 1), ('sweet', 2, 2), ('sour', 1, 1), ('sour', 2, 2)], rows)


@case
def what_is_named_twice_is_measured_once():
    rows, _ = faulty('--workers', '2,1,2', '--size', 'right,chatty,right', '--flavour', 'sour,sour', '--against', 'none')
    expect([(r['size'], r['workers']) for r in rows] == [('right', 2), ('right', 1), ('chatty', 2), ('chatty', 1)], rows)


@case
def sizes_may_follow_from_settings():
    rows, _ = faulty('--workers', '1', '--flavour', 'salt')
    expect({r['size'] for r in rows} == {'chatty'}, rows)


# ---- CPU time ----

@case
def the_cpu_time_is_that_of_all_threads_in_the_run():
    """Each worker has 30 ms of CPU time in a run, before which and after which it goes on."""
    rows, _ = faulty('--size', 'works', '--workers', '1,3', '--runs', '2', '--against', 'none')
    for row in rows:
        expected = 30000000 * row['workers']
        expect(row['cpu_ns'] >= expected, row)
        # No more than there is; the clock may be read somewhat late
        expect(row['cpu_ns'] <= len(os.sched_getaffinity(0)) * row['min_ns'] + 150000000, row)
    # One that is alone goes on only until somebody sees that it has had its time, and reads the clock. It had 600 ms before.
    expect(rows[0]['workers'] == 1 and rows[0]['cpu_ns'] < 430000000, rows[0])


@case
def who_sleeps_has_no_cpu_time():
    rows, _ = faulty('--size', 'sleeps', '--workers', '1', '--runs', '1', '--against', 'none')
    expect(rows[0]['min_ns'] >= 300000000 and rows[0]['cpu_ns'] < 30000000, rows)


@case
def who_had_no_core_while_others_had_is_said_to_be_slow_for_that():
    others = [subprocess.Popen([sys.executable, '-c', 'while True: pass']) for _ in range(2)]
    try:
        arguments = ['--size', 'sleeps,works', '--workers', '1', '--runs', '1', '--against', 'none']
        rows, _ = faulty(*arguments)
        table = run('faulty', *arguments, program=FAULTY).stdout
    finally:
        for other in others:
            other.kill()
            other.wait()
    expect(rows[0]['others'] >= 0.1, rows)
    found = re.findall(r'^Cores: faulty sleeps, heist, 1 worker had 0\.0\d of 1 in the fastest run, other programs '
                       r'\d+\.\d\d: it may be slow for that alone\.$', table, re.MULTILINE)
    expect(len(found) == 1, table)


# ---- wrong results ----

@case
def a_wrong_result_is_told_and_the_others_go_on():
    rows, _ = faulty('--size', 'wrong', '--runs', '2', status=1)
    expect(by(rows, 'heist', 1)['check'] == 'the answer: 41, not 42', rows)
    expect('min_ns' not in by(rows, 'heist', 1), rows)
    expect(by(rows, 'serial', 1)['check'] == 'ok' and by(rows, 'serial', 1)['runs'] == 2, rows)


@case
def a_result_that_is_wrong_only_later_is_told_too():
    rows, _ = faulty('--size', 'wrong-later', '--runs', '4', status=1)
    expect(by(rows, 'heist', 1)['check'] == 'the answer: 41, not 42' and by(rows, 'heist', 1)['runs'] == 1, rows)


@case
def a_result_that_nobody_checked_is_not_right():
    rows, _ = faulty('--size', 'silent', status=1)
    expect(by(rows, 'heist', 1)['check'] == 'not checked', rows)


@case
def a_crash_is_a_row():
    rows, _ = faulty('--size', 'crash', '--workers', '1,2', '--runs', '2', status=1)
    expect(by(rows, 'heist', 2)['check'].startswith('crashed: signal 6'), rows)
    expect(by(rows, 'heist', 2)['flavour'] == 'sweet' and 'flavour' not in by(rows, 'heist', 2)['check'], rows)
    expect(by(rows, 'heist', 1)['check'] == by(rows, 'serial', 1)['check'] == 'ok', rows)


@case
def a_crash_at_the_end_is_a_row():
    rows, _ = faulty('--size', 'crash-at-end', status=1)
    expect(by(rows, 'heist', 1)['check'].startswith('crashed: signal 6'), rows)


@case
def a_program_that_ends_in_the_middle_is_a_row():
    rows, _ = faulty('--size', 'exit', status=1)
    expect(by(rows, 'heist', 1)['check'].startswith('ended before its time'), rows)


@case
def a_run_without_end_is_ended():
    rows, _ = faulty('--size', 'hang', '--limit', '1', '--workers', '1', status=1)
    expect(by(rows, 'heist', 1)['check'].startswith('no answer within 1 seconds'), rows)
    expect(by(rows, 'serial', 1)['check'] == 'ok', rows)


@case
def what_cannot_be_prepared_is_a_row():
    rows, _ = faulty('--size', 'unprepared', '--workers', '1', status=1)
    expect(by(rows, 'heist', 1)['check'].startswith('no memory for anything'), rows)


@case
def what_cannot_be_here_is_left_out():
    rows, said = faulty('--size', 'refused', '--workers', '1')
    expect([r['runtime'] for r in rows] == ['serial'], rows)
    expect(said == 'heist-perf: heist is left out: it is not to be had\n', said)
    rows, said = faulty('--size', 'refused', '--workers', '1,2')
    expect(said == 'heist-perf: heist is left out: it is not to be had\n', said)
    nothing = run('faulty', '--size', 'refused', '--against', 'none', program=FAULTY)
    expect(nothing.returncode == 2 and nothing.stdout == '', nothing)
    expect(nothing.stderr.endswith('heist-perf: nothing of it can be measured here\n'), nothing.stderr)


@case
def what_is_left_out_is_told_once_for_all_sizes():
    if 'openmp' not in RUNTIMES:
        raise Ignored('there is no OpenMP')
    nothing = run('lfsr', '--algorithm', 'algebra', '--size', '4,5,6', '--workers', '1', '--against', 'openmp')
    expect(nothing.returncode == 2 and nothing.stdout == '', nothing)
    said = nothing.stderr.splitlines()
    expect([line.split()[1] for line in said] == ['heist', 'openmp', 'nothing'], nothing.stderr)


@case
def a_polynomial_is_said_to_be_monic():
    told = run('lfsr', '--help').stdout
    expect('monic polynomial' in told, told)
    refused = run('lfsr', '--field', '3', '--poly', '2021')
    expect(refused.returncode == 2 and 'is not monic' in refused.stderr, refused.stderr)


@case
def a_peer_that_fails_is_a_row_and_a_line_and_nothing_is_wrong_here():
    for size, workers, limit, said in [('peer-crash', '1,2', '300', 'crashed: signal 6 (Aborted)'),
                                       ('peer-exit', '1,2', '300', 'ended with status 3'),
                                       ('peer-hang', '2', '3', 'no answer within 3 seconds')]:
        rows, told = faulty('--size', size, '--workers', workers, '--runs', '2', '--limit', limit, '--against', 'serial,libomp')
        expect(by(rows, 'libomp', 2)['check'] == said, rows)
        expect(told == f'heist-perf: libomp has failed: {said}\n', 'once for both', told)
        expect(all(r['check'] == 'ok' and r['runs'] == 2 for r in rows if r['runtime'] != 'libomp'), rows)


@case
def a_wrong_result_of_a_peer_is_wrong():
    rows, told = faulty('--size', 'peer-wrong', '--workers', '1', '--runs', '2', '--against', 'libomp', status=1)
    expect(by(rows, 'libomp', 1)['check'] == 'the answer: 41, not 42' and told == '', rows, told)


@case
def additions_that_are_no_json_are_refused():
    rows, _ = faulty('--size', 'bad-more', status=1)
    expect('no JSON' in by(rows, 'heist', 1)['check'], rows)


@case
def a_program_that_is_not_beside_is_a_row():
    rows, _ = faulty('--against', 'tbb', '--workers', '1', status=1)
    expect(by(rows, 'tbb', 1)['check'].startswith('heist-perf-nowhere is not beside heist-perf'), rows)


@case
def what_a_problem_prints_is_no_result():
    rows, said = faulty('--size', 'chatty', '--workers', '1')
    expect(len(rows) == 2 and 'does not belong' in said, rows, said)


@case
def while_one_runs_the_others_are_stopped():
    faulty('--size', 'stopped', '--workers', '1,2', '--runs', '2')


# ---- bad input ----

BAD = [
    [], ['nosuch'], ['--quick'], ['fib', 'tree'], ['fib', '--nosuch'], ['fib', '--nosuch', '1'], ['fib', '-x'], ['fib', '-'],
    ['fib', '--'], ['fib', '--workers'], ['fib', '--workers', '0'], ['fib', '--workers', '-1'], ['fib', '--workers', 'two'],
    ['fib', '--workers', '1,,2'], ['fib', '--workers', ''], ['fib', '--workers', '1,'], ['fib', '--workers', '1000000'],
    ['fib', '--workers', '2x'], ['fib', '--workers', ' 2'], ['fib', '--workers', '99999999999999999999'],
    ['fib', '--workers', '1', '--workers', '2'], ['fib', '--size', '0'], ['fib', '--size', '-3'], ['fib', '--size', '1e3'],
    ['fib', '--size', '47'], ['fib', '--size', '20,x'], ['nqueens', '--size', '16'], ['tree', '--size', '1001'],
    ['wide', '--size', '100000000'], ['wide', '--join', 'middle'], ['for', '--schedule', 'nosuch'],
    ['for', '--schedule', 'steal,'], ['for', '--schedule', 'stea'], ['for', '--batch', '-1'], ['fib', '--schedule', 'steal'], ['fib', '--runs', '0'],
    ['fib', '--runs', '1000'], ['fib', '--runs', 'K'], ['fib', '--limit', '0'], ['fib', '--format', 'xml'],
    ['fib', '--format', ''], ['fib', '--against', 'nosuch'], ['fib', '--against', ''], ['fib', '--against', 'serial,nosuch'],
    ['fib', '--against', 'openblas'], ['steal', '--workers', '1'], ['steal', '--against', 'serial'],
    ['submit', '--threads', '0'], ['omp', '--pattern', 'round'], ['wake', '--state', 'asleep'], ['steal', '--fence', 'maybe'], ['peers', '--size', '3'],
    ['nosuch', '--help'], ['fib', '--joins', 'maybe'], ['lfsr', '--poly', '0x1052'], ['lfsr', '--poly', 'rubbish'], ['lfsr', '--size', '0'],
    ['lfsr', '--mode', 'nosuch'], ['gemm', '--size', '0'], ['gemm', '--size', '10x'], ['gemm', '--ld-extra', '-1'], ['gemm', '--ld-extra', 'x'],
    ['gemm', '--size', '1000000x1x1', '--ld-extra', '1000000'], ['sort', '--size', 'x'],
    ['strassen', '--size', '-1'], ['uts', '--size', 'T99'],
    ['lfsr', '--size', '12', '--batch-size', ','.join(map(str, range(1, 300))), '--aggregate', ','.join(map(str, range(1, 300)))],
]


def is_refused(program, arguments):
    out = os.path.join(scratch, 'refused.json')
    result = run(*arguments, *(['--out', out] if arguments else []), program=program)
    said = result.stderr.splitlines()
    expect(result.returncode == 2, arguments, 'status', result.returncode, result.stderr)
    expect(len(said) == 1 and said[0].startswith('heist-perf: ') and len(said[0]) < 300, arguments, 'said', result.stderr)
    expect(result.stdout == '' and not os.path.exists(out), arguments, 'left something')
    return said[0]


@case
def bad_input_is_one_line_and_nothing_else():
    for arguments in BAD:
        is_refused(PERF, arguments)


@case
def what_is_said_of_bad_input_is_to_the_point():
    for arguments, wanted in [(['--version', 'x'], '--version stands alone'), (['fib', '--list'], '--list stands alone'),
                              (['fib', '--against', 'all,none'], '--against: none stands alone'),
                              (['fib', '--quick', '--out', ''], '--out wants the name of a file')]:
        result = run(*arguments)
        expect(result.returncode == 2 and result.stderr == f'heist-perf: {wanted}\n', arguments, result)
    for arguments in ['--help'], ['--list'], ['--version'], ['fib', '--help']:
        with open('/dev/full', 'w', encoding='utf-8') as full: # its name is not told: nothing can happen to it
            result = subprocess.run([PERF, *arguments], stdout=full, stderr=subprocess.PIPE, timeout=WAIT, check=False)
        expect(result.returncode == 2 and result.stderr.startswith(b'heist-perf: cannot write'), arguments, result)


@case
def too_few_workers_are_left_out():
    result = run('steal', '--quick', '--workers', '1,2', '--format', 'json')
    expect(result.returncode == 0 and {row['workers'] for row in rows_of(result)} == {2}, result)
    expect(result.stderr == 'heist-perf: steal wants at least 2 workers: what is less is left out\n', result.stderr)


@case
def help_names_the_runtimes_that_there_are():
    for workload in [name for name in run('--list').stdout.split() if name != 'peers']:
        told = run(workload, '--help').stdout.split('beside heist: ')[1].split('\n  --runs')[0]
        named = {name for name in ('serial', 'openmp', 'libomp', 'tbb', 'openblas', 'blis')
                 if name in told.replace(';', ',').replace(' (usual)', '').replace(',', ' ').split()}
        expect(named & set(RUNTIMES) == offered(workload) - {'heist'}, workload, told)


@case
def a_peer_that_is_not_here_is_said_to_be_missing():
    said = is_refused(FAULTY, ['faulty', '--against', 'openmp'])
    expect(said.endswith('openmp is not in this build: its compiler was not found'), said)


@case
def sizes_and_settings_that_do_not_go_together_are_refused():
    said = is_refused(FAULTY, ['faulty', '--size', 'right,wrong', '--flavour', 'sour,salt'])
    expect(said.endswith('wrong and salt do not go together'), said)


@case
def a_place_that_cannot_be_written_is_refused_before_anything_runs():
    for out in ['/nonexistent/directory/x', scratch, '', '/proc/nosuch', os.path.join(scratch, 'x' * 300)]:
        began = time.monotonic()
        result = run('faulty', '--size', 'hang', '--limit', '5', '--out', out, program=FAULTY)
        expect(result.returncode == 2 and len(result.stderr.splitlines()) == 1, out, result.returncode, result.stderr)
        expect(time.monotonic() - began < 5, out, 'it ran')
    if os.geteuid() != 0:
        locked = os.path.join(scratch, 'locked')
        open(locked, 'w', encoding='utf-8').close()
        os.chmod(locked, 0o444)
        expect(run('faulty', '--out', locked, program=FAULTY).returncode == 2, 'a file without the right to write')


@case
def a_full_disk_is_told_and_leaves_nothing():
    place = os.path.join(scratch, 'full')
    os.mkdir(place)
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    result = subprocess.run([FAULTY, 'faulty', '--out', os.path.join(place, 'x')], capture_output=True, text=True,
                            preexec_fn=limit, timeout=WAIT, check=False)
    expect(result.returncode == 2 and result.stderr.startswith('heist-perf: cannot write '), result)
    expect(os.listdir(place) == [], os.listdir(place))
    with open('/dev/full', 'w', encoding='utf-8') as full: # its name is not told: nothing can happen to it
        result = subprocess.run([FAULTY, 'faulty'], stdout=full, stderr=subprocess.PIPE, timeout=WAIT, check=False)
    expect(result.returncode == 2 and result.stderr.startswith(b'heist-perf: cannot write'), result)


@case
def a_pipe_is_written_and_not_replaced():
    # A device would do as well, but a mistake made by root here would replace it for the whole machine.
    pipe = os.path.join(scratch, 'pipe')
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK) # now, so that nobody waits for anybody
    result = run('faulty', '--format', 'json', '--out', pipe, program=FAULTY)
    expect(result.returncode == 0 and stat.S_ISFIFO(os.stat(pipe).st_mode), 'it is no pipe any more')
    with os.fdopen(reader, encoding='utf-8') as file:
        expect(len(json.load(file)['rows']) > 1, 'no rows')


@case
def a_pipe_of_the_shell_has_a_name_that_leads_nowhere():
    reader, writer = os.pipe()
    result = subprocess.run([FAULTY, 'faulty', '--format', 'json', '--out', f'/dev/fd/{writer}'], pass_fds=[writer],
                            capture_output=True, text=True, timeout=WAIT, check=False)
    os.close(writer)
    expect(result.returncode == 0 and result.stderr == '', result)
    with os.fdopen(reader, encoding='utf-8') as file:
        expect(len(json.load(file)['rows']) > 1, 'no rows')
    result = run('faulty', '--format', 'json', '--out', '/proc/self/fd/1', program=FAULTY)  # a pipe, too
    expect(result.returncode == 0 and len(rows_of(result)) > 1, result)


@case
def a_file_is_replaced_as_a_whole_and_links_stay():
    place = os.path.join(scratch, 'place')
    os.mkdir(place)
    target, link = os.path.join(place, 'real.json'), os.path.join(place, 'link.json')
    with open(target, 'w', encoding='utf-8') as file:
        file.write('old')
    os.symlink('real.json', link)
    expect(run('faulty', '--format', 'json', '--out', link, program=FAULTY).returncode == 0, 'status')
    with open(target, encoding='utf-8') as file:
        expect(len(json.load(file)['rows']) > 1, 'no rows')
    expect(os.path.islink(link) and sorted(os.listdir(place)) == ['link.json', 'real.json'], os.listdir(place))
    os.symlink('later.json', os.path.join(place, 'first'))
    os.symlink(os.path.join(place, 'first'), os.path.join(place, 'second'))  # to a link, and that to nothing yet
    expect(run('faulty', '--format', 'json', '--out', os.path.join(place, 'second'), program=FAULTY).returncode == 0, 'status')
    expect(os.path.islink(os.path.join(place, 'first')) and os.path.islink(os.path.join(place, 'second')), 'a link is gone')
    with open(os.path.join(place, 'later.json'), encoding='utf-8') as file:
        expect(len(json.load(file)['rows']) > 1, 'no rows')
    os.symlink('round', os.path.join(place, 'round'))
    looped = run('faulty', '--out', os.path.join(place, 'round'), program=FAULTY)
    expect(looped.returncode == 2 and len(looped.stderr.splitlines()) == 1, looped)
    mask = os.umask(0)
    os.umask(mask)
    expect(run('faulty', '--out', 'fresh', program=FAULTY).returncode == 0, 'status')
    expect(stat.S_IMODE(os.stat(os.path.join(scratch, 'fresh')).st_mode) == 0o666 & ~mask, 'mode')


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
    for size in 'cut', 'deaf':  # the one says how far it came; the other hears nothing, and is killed
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


@case
def an_interrupted_lfsr_prints_what_it_has():
    process = subprocess.Popen([PERF, 'lfsr', '--size', '40', '--workers', '2', '--against', 'none', '--format', 'json'],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until(lambda: children_of(process.pid), 'a child')
    time.sleep(1) # it takes minutes
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=WAIT)
    expect(process.returncode == 130 and said == '', process.returncode, said)
    row = json.loads(out)['rows'][0]
    expect(row['check'].startswith('interrupted') and row['runs'] == 0 and 'min_ns' not in row, row)
    expect(row['cycles'] == [[1, 1]] and 'mode' in row, 'what it had', row)


@case
def who_does_not_hear_the_first_interruption_does_not_survive_the_second():
    process = begin('hang')
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    expect(process.poll() is None, 'it did not wait for the run')
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=WAIT)
    expect(process.returncode == 130, process.returncode, said)
    expect(by(json.loads(out)['rows'], 'heist', 1)['check'] == 'interrupted', out)


@case
def who_does_not_hear_an_interruption_does_not_keep_the_rows_of_others():
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
    """heist-perf in a place of its own, where a peer's program takes that long before it is one."""
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
def who_is_interrupted_while_it_starts_has_not_crashed():
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
def who_was_ended_by_the_signal_that_ends_us_has_not_crashed():
    process = begin('hang', '--against', 'none', children=1)
    os.kill(process.pid, signal.SIGSTOP)  # so that both have it before either can tell the other
    for pid in (process.pid, *children_of(process.pid)):
        os.kill(pid, signal.SIGTERM)
    os.kill(process.pid, signal.SIGCONT)
    out, said = process.communicate(timeout=WAIT)
    expect(process.returncode == 128 + signal.SIGTERM, process.returncode, said)
    expect(by(json.loads(out)['rows'], 'heist', 1)['check'] == 'interrupted', out)


# ---- what people see ----

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
    expect(len(first) > 1 and second == first[1:] + first[:1], 'nobody follows always on the same', turns)
    expect(first[0][0] == b'serial', 'others are compared with it', turns)


@case
def help_is_there_for_each_workload():
    for arguments in [['--help'], ['-h'], ['--list'], ['--version'], ['peers', '--help']]:
        result = run(*arguments)
        expect(result.returncode == 0 and result.stdout and not result.stderr, arguments, result.stderr)
    for workload in run('--list').stdout.split():
        text = run(workload, '--help')
        expect(text.returncode == 0 and f'heist-perf {workload}' in text.stdout, workload)
        expect(workload in run('--help').stdout, workload)
    expect('--schedule' in run('for', '--help').stdout, 'the options of for')


@case
def peers_are_of_no_use_by_hand():
    for runtime in set(RUNTIMES) & {'openmp', 'libomp', 'tbb'}:
        result = run(program=f'{PERF}-{runtime}')
        expect(result.returncode == 2 and len(result.stderr.splitlines()) == 1, runtime, result.stderr)


@case
def the_two_openmp_runtimes_never_meet():
    for runtime, aliens in [('openmp', ['libomp']), ('libomp', ['libgomp']), ('heist', ['libomp', 'libgomp'])]:
        path = PERF if runtime == 'heist' else f'{PERF}-{runtime}'
        if runtime in RUNTIMES:
            needed = subprocess.run(['ldd', path], capture_output=True, text=True, timeout=WAIT, check=False).stdout
            expect(not any(alien in needed for alien in aliens), path, needed)


@case
def what_is_set_in_the_environment_is_told():
    result = run('fib', '--quick', '--format', 'json', environment={'HEIST_STEAL': 'random "quoted"'})
    expect(json.loads(result.stdout)['machine']['environment'].get('HEIST_STEAL') == 'random "quoted"', result.stdout)


def main():
    add_workloads()
    failed = ignored = 0
    chosen = [(name, function) for name, function in cases if name in sys.argv[4:] or not sys.argv[4:]]
    for name, function in chosen:
        try:
            function()
            print(f'perf:{name}:PASS', flush=True)
        except Ignored as reason:
            ignored += 1
            print(f'perf:{name}:IGNORE: {reason}', flush=True)
        except Exception as problem: # whatever it is, the other cases are tried too
            failed += 1
            print(f'perf:{name}:FAIL: {type(problem).__name__}: {problem}', flush=True)
    subprocess.run(['rm', '-rf', '--', scratch], check=False)
    print(f'\n-----------------------\n{len(chosen)} Tests {failed} Failures {ignored} Ignored')
    return 1 if failed or not chosen else 0


sys.exit(main())
