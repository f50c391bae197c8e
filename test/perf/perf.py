"""Tries heist-perf from outside: its rows, in every format, and results that are wrong. perf_run.py tells the
arguments."""
import csv
import functools
import io
import json
import os
import re
import subprocess
import sys
import time

from perf_run import FAULTY, Ignored, PERF, RUNTIMES, WAIT, by, case, cases, expect, faulty, main, offered, rows_of, run

PROMISED = ['workload', 'size', 'runtime', 'workers', 'runs', 'min_ns', 'median_ns', 'tasks', 'ns_per_task', 'speedup',
            'vs_serial', 'gflops', 'steals', 'check', 'cpu_ns', 'others']
ALWAYS = {'workload', 'size', 'runtime', 'workers', 'runs', 'min_ns', 'median_ns', 'check'}
TEXTS = {'workload', 'size', 'runtime', 'check'}
ADDED = {'wide': {'join'}, 'for': {'schedule', 'batch'}, 'submit': {'threads', 'to', 'tasks_per_second'},
         'wake': {'state', 'from', 'least_ns', 'p99_ns'}, 'steal': {'fence', 'victim'},
         'memory': {'by', 'ns_per_block', 'returned', 'made'},
         'enter': {'shape', 'from', 'state', 'callers', 'work_ns', 'samples', 'p10_ns', 'p90_ns', 'futex_ns',
                   'idle_cpu_ns', 'idle_late_cpu_ns'},
         'fib': {'joins'}, 'omp': {'pattern'}, 'nqueens': set(), 'tree': set()}
LATENCIES = {'wake', 'steal', 'enter'}
OWN_CLOCK = {'wake', 'submit', 'enter'}  # their times are not those of whole runs


# ---- the form of rows ----

def near(a, b):
    return abs(a - b) <= 1e-4 * max(abs(a), abs(b))


def settings(row):
    return {k: v for k, v in row.items() if k in ('mode', 'schedule', 'join', 'threads', 'to', 'type', 'variant',
                                                  'pattern')}


def check_row(row, rows):
    where = json.dumps({k: v for k, v in row.items() if k != 'cycles'})
    expect(ALWAYS <= set(row), 'fields missing:', ALWAYS - set(row), where)
    promised = [k for k in row if k in PROMISED]
    expect(promised == [k for k in PROMISED if k in row] == list(row)[:len(promised)], 'fields out of order', where)
    added = set(row) - set(PROMISED)
    expect(added <= ADDED.get(row['workload'], added), 'fields that are not documented', added, where)
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
        wanted = 100 * float(line[at - 1]) / min(int(line[3]), cores)  # vs serial stands before it
        expect(abs(float(line[at][:-1]) - wanted) < 0.6, line, wanted)


@case
def the_seeds_of_gemm_are_the_same_in_row_and_note():
    arguments = ['gemm', '--size', '1000', '--workers', '2', '--runs', '1', '--against', 'none']
    row = rows_of(run(*arguments, '--format', 'json'))[0]
    expect((row['seeds_gflops'], row['seeds_efficiency']) == (6.9, 0.99), row)
    note = run(*arguments).stdout.split('threads\tGFLOP/s\tefficiency\n')[1]
    expect([line.split() for line in note.splitlines()] == [
        ['1', '3.5', '100%'], ['2', '6.9', '99%'], ['4', '13.5', '97%'], ['8', '28.2', '101%'], ['16', '48.8', '87%']],
        note)


@case
def leading_dimensions_of_gemm_may_be_longer_than_its_rows():
    result = run('gemm', '--size', '70x33x50', '--type', 'double,single', '--variant', 'tiles,recursive', '--ld-extra',
                 '0,7',
                 '--workers', '2', '--runs', '1', '--against', 'all', '--format', 'json')
    expect(result.returncode == 0, result.stderr, result.stdout)
    rows = [row for row in rows_of(result) if row['runtime'] != 'serial']
    expect(len([row for row in rows if row['runtime'] == 'heist']) == 8, rows)
    for runtime in {row['runtime'] for row in rows}:
        told = [row.get('ld_extra', 0) for row in rows if row['runtime'] == runtime]
        expect(set(told) == {0, 7} and told.count(7) * 2 == len(told), runtime, told)


@case
def rows_that_differ_in_a_setting_tell_it():
    rows = rows_of(run('lfsr', '--size', '10', '--workers', '2', '--runs', '1', '--against', 'none', '--batch-size',
                       '50',
                       '--aggregate', 'auto,1,3', '--format', 'json'))
    expect([row.get('aggregate') for row in rows] == [None, 1, 3], rows)


@case
def enter_measures_each_shape_in_each_state():
    rows = try_workload('enter')
    both = {(where, state) for where in ('outside', 'inside') for state in ('hot', 'cold')}
    wanted = {'run': both, 'loop': both, 'callers': {('outside', 'hot')},
              'spawned': {('inside', 'hot'), ('inside', 'cold')}}
    for runtime in offered('enter'):
        its = [row for row in rows if row['runtime'] == runtime]
        for shape, settings in wanted.items():
            told = [row for row in its if row['shape'] == shape]
            if shape == 'spawned' and runtime != 'heist':
                expect(not told, runtime, 'has', told)
                continue
            expect({(row['from'], row['state']) for row in told} == settings, runtime, shape, told)
            counts = [1, 2, 4, 8] if shape == 'callers' else [None] * len(settings)
            expect([row.get('callers') for row in told] == counts,
                   runtime, shape, told)


@case
def a_row_of_enter_tells_of_all_runs():
    for row in try_workload('enter'):
        pieces = 9 if row['shape'] == 'callers' else 20 if row['state'] == 'hot' else 3  # of callers, rounds
        expect(row['samples'] == row['runs'] * pieces, row)
        expect(row['p10_ns'] <= row['p90_ns'], row)
        expect(('work_ns' in row) == (row['shape'] != 'spawned') and row.get('work_ns', 1) > 0, row)
        expect(('futex_ns' in row) == (row['shape'] == 'spawned' and row['state'] == 'cold'), row)
        told_to_spin = row['shape'] == 'spawned' and row['state'] == 'hot'
        expect(told_to_spin or 0 <= row['idle_late_cpu_ns'] <= row['idle_cpu_ns'], row)


@case
def settings_of_enter_multiply_only_where_they_matter():
    result = run('enter', '--size', 'run:10,loop-2:10,callers:10', '--from', 'outside', '--state', 'hot', '--callers',
                 '3,5',
                 '--runs', '1', '--against', 'none', '--format', 'json')
    told = [(row['shape'], row.get('callers')) for row in rows_of(result)]
    expect(told == [('run', None), ('loop', None), ('callers', 3), ('callers', 5)], told)


@case
def one_worker_does_all_of_enter_but_spawned_tasks():
    result = run('enter', '--size', 'run:10,spawned:10', '--workers', '1', '--state', 'hot', '--from', 'outside',
                 '--runs', '1',
                 '--against', 'none', '--format', 'json')
    expect([row['shape'] for row in rows_of(result)] == ['run'], result.stdout)
    expect(result.stderr == 'heist-perf: heist is left out: spawned wants at least 2 workers\n', result.stderr)


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
    # no other runtime has the first three; omp is one program, with and without heist
    alone = {'wake', 'steal', 'memory', 'omp'}
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
    """The line in the table of FAULTY for a row of its JSON."""
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
            if name == 'others':  # other programs differ between the two runs
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
    expect(lines[at].split() == ['workload', 'size', 'runtime', 'workers', 'runs', 'least', 'median', 'tasks',
                                 'ns/task',
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
    rows, _ = faulty('--workers', '2,1,2', '--size', 'right,chatty,right', '--flavour', 'sour,sour', '--against',
                     'none')
    expect([(r['size'], r['workers']) for r in rows] == [('right', 2), ('right', 1), ('chatty', 2), ('chatty', 1)],
           rows)


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
    # A lone process runs only until a check of the clock finds its time used up. It had 600 ms before.
    expect(rows[0]['workers'] == 1 and rows[0]['cpu_ns'] < 430000000, rows[0])


@case
def a_sleeping_program_has_no_cpu_time():
    rows, _ = faulty('--size', 'sleeps', '--workers', '1', '--runs', '1', '--against', 'none')
    expect(rows[0]['min_ns'] >= 300000000 and rows[0]['cpu_ns'] < 30000000, rows)


@case
def a_row_short_of_cores_is_flagged():
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
                       r'\d+\.\d\d: that alone may make it slow\.$', table, re.MULTILINE)
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
def an_unchecked_result_is_not_right():
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
    expect(nothing.stderr.endswith('heist-perf: nothing of this can be measured on this machine\n'), nothing.stderr)


@case
def what_is_left_out_is_told_once_for_all_sizes():
    if 'openmp' not in RUNTIMES:
        raise Ignored('there is no OpenMP')
    nothing = run('lfsr', '--algorithm', 'algebra', '--size', '4,5,6', '--workers', '1', '--against', 'openmp')
    expect(nothing.returncode == 2 and nothing.stdout == '', nothing)
    said = nothing.stderr.splitlines()
    expect([line.split()[1] for line in said] == ['heist', 'openmp', 'nothing'], nothing.stderr)


@case
def a_peer_that_fails_is_a_row_and_a_line_and_nothing_is_wrong_here():
    for size, workers, limit, said in [('peer-crash', '1,2', '300', 'crashed: signal 6 (Aborted)'),
                                       ('peer-exit', '1,2', '300', 'ended with status 3'),
                                       ('peer-hang', '2', '3', 'no answer within 3 seconds')]:
        rows, told = faulty('--size', size, '--workers', workers, '--runs', '2', '--limit', limit, '--against',
                            'serial,libomp')
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
    expect('not JSON' in by(rows, 'heist', 1)['check'], rows)


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


add_workloads()
sys.exit(main('perf'))
