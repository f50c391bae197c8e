"""Tries heist-perf from outside: its command line, bad input, and the files it writes. perf_run.py tells the
arguments."""
import json
import os
import resource
import stat
import subprocess
import sys
import time

from perf_run import FAULTY, PERF, RUNTIMES, WAIT, case, expect, main, offered, rows_of, run, scratch

BAD = [
    [], ['nosuch'], ['--quick'], ['fib', 'tree'], ['fib', '--nosuch'], ['fib', '--nosuch', '1'], ['fib', '-x'],
    ['fib', '-'],
    ['fib', '--'], ['fib', '--workers'], ['fib', '--workers', '0'], ['fib', '--workers', '-1'],
    ['fib', '--workers', 'two'],
    ['fib', '--workers', '1,,2'], ['fib', '--workers', ''], ['fib', '--workers', '1,'], ['fib', '--workers', '1000000'],
    ['fib', '--workers', '2x'], ['fib', '--workers', ' 2'], ['fib', '--workers', '99999999999999999999'],
    ['fib', '--workers', '1', '--workers', '2'], ['fib', '--size', '0'], ['fib', '--size', '-3'],
    ['fib', '--size', '1e3'],
    ['fib', '--size', '47'], ['fib', '--size', '20,x'], ['nqueens', '--size', '16'], ['tree', '--size', '1001'],
    ['wide', '--size', '100000000'], ['wide', '--join', 'middle'], ['for', '--schedule', 'nosuch'],
    ['for', '--schedule', 'steal,'], ['for', '--schedule', 'stea'], ['for', '--batch', '-1'],
    ['fib', '--schedule', 'steal'], ['fib', '--runs', '0'],
    ['fib', '--runs', '1000'], ['fib', '--runs', 'K'], ['fib', '--limit', '0'], ['fib', '--format', 'xml'],
    ['fib', '--format', ''], ['fib', '--against', 'nosuch'], ['fib', '--against', ''],
    ['fib', '--against', 'serial,nosuch'],
    ['fib', '--against', 'openblas'], ['steal', '--workers', '1'], ['steal', '--against', 'serial'],
    ['submit', '--threads', '0'], ['omp', '--pattern', 'round'], ['wake', '--state', 'asleep'],
    ['enter', '--size', 'loop'], ['enter', '--size', 'run:0'],
    ['enter', '--size', 'loop-x'], ['enter', '--from', 'above'], ['enter', '--state', 'parked'],
    ['enter', '--callers', '65'], ['steal', '--fence', 'maybe'], ['peers', '--size', '3'],
    ['nosuch', '--help'], ['fib', '--joins', 'maybe'], ['lfsr', '--poly', '0x1052'], ['lfsr', '--poly', 'rubbish'],
    ['lfsr', '--size', '0'],
    ['lfsr', '--mode', 'nosuch'], ['gemm', '--size', '0'], ['gemm', '--size', '10x'], ['gemm', '--ld-extra', '-1'],
    ['gemm', '--ld-extra', 'x'],
    ['gemm', '--size', '1000000x1x1', '--ld-extra', '1000000'], ['sort', '--size', 'x'],
    ['strassen', '--size', '-1'], ['uts', '--size', 'T99'],
    ['lfsr', '--size', '12', '--batch-size', ','.join(map(str, range(1, 300))), '--aggregate',
     ','.join(map(str, range(1, 300)))],
]


def is_refused(program, arguments):
    out = os.path.join(scratch, 'refused.json')
    result = run(*arguments, *(['--out', out] if arguments else []), program=program)
    said = result.stderr.splitlines()
    expect(result.returncode == 2, arguments, 'status', result.returncode, result.stderr)
    expect(len(said) == 1 and said[0].startswith('heist-perf: ') and len(said[0]) < 300, arguments, 'said',
           result.stderr)
    expect(result.stdout == '' and not os.path.exists(out), arguments, 'left something')
    return said[0]


@case
def bad_input_is_one_line_and_nothing_else():
    for arguments in BAD:
        is_refused(PERF, arguments)


@case
def what_is_said_of_bad_input_is_to_the_point():
    for arguments, wanted in [(['--version', 'x'], '--version stands alone'),
                              (['fib', '--list'], '--list stands alone'),
                              (['fib', '--against', 'all,none'], '--against: none stands alone'),
                              (['fib', '--quick', '--out', ''], '--out wants the name of a file')]:
        result = run(*arguments)
        expect(result.returncode == 2 and result.stderr == f'heist-perf: {wanted}\n', arguments, result)
    for arguments in ['--help'], ['--list'], ['--version'], ['fib', '--help']:
        with open('/dev/full', 'w', encoding='utf-8') as full: # not by its name: nothing can happen to it
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
                 if name in told.replace(';', ',').replace(' (default)', '').replace(',', ' ').split()}
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
    with open('/dev/full', 'w', encoding='utf-8') as full: # not by its name: nothing can happen to it
        result = subprocess.run([FAULTY, 'faulty'], stdout=full, stderr=subprocess.PIPE, timeout=WAIT, check=False)
    expect(result.returncode == 2 and result.stderr.startswith(b'heist-perf: cannot write'), result)


@case
def a_pipe_is_written_and_not_replaced():
    # A device would do as well, but a mistake made by root here would replace it for the whole machine.
    pipe = os.path.join(scratch, 'pipe')
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK) # now, so that neither side waits
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
    expect(run('faulty', '--format', 'json', '--out', os.path.join(place, 'second'), program=FAULTY).returncode == 0,
           'status')
    expect(os.path.islink(os.path.join(place, 'first')) and os.path.islink(os.path.join(place, 'second')),
           'a link is gone')
    with open(os.path.join(place, 'later.json'), encoding='utf-8') as file:
        expect(len(json.load(file)['rows']) > 1, 'no rows')
    os.symlink('round', os.path.join(place, 'round'))
    looped = run('faulty', '--out', os.path.join(place, 'round'), program=FAULTY)
    expect(looped.returncode == 2 and len(looped.stderr.splitlines()) == 1, looped)
    mask = os.umask(0)
    os.umask(mask)
    expect(run('faulty', '--out', 'fresh', program=FAULTY).returncode == 0, 'status')
    expect(stat.S_IMODE(os.stat(os.path.join(scratch, 'fresh')).st_mode) == 0o666 & ~mask, 'mode')


@case
def a_polynomial_is_said_to_be_monic():
    told = run('lfsr', '--help').stdout
    expect('monic polynomial' in told, told)
    refused = run('lfsr', '--field', '3', '--poly', '2021')
    expect(refused.returncode == 2 and 'is not monic' in refused.stderr, refused.stderr)


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


sys.exit(main('perf_input'))
