"""Reports compared, the files beside the page, made whole or not at all, and what was measured badly."""
import csv
import json
import os
import re
import subprocess
import sys

import cases
import sample
from report import files, machine, page, plot, sections, summary, topology
from page_made import HAVE_GNUPLOT, SCRATCH, made, make, read, reader_of, run, without_figures


# --- two reports ------------------------------------------------------------------------------------------------------

def compared(before, after):
    paths = []
    for name, document in (('before.json', before), ('after.json', after)):
        paths.append(os.path.join(SCRATCH, name))
        files.write(paths[-1], document if isinstance(document, str) else json.dumps(document))
    return subprocess.run([sys.executable, '-B', '-m', 'report', 'compare', *paths], capture_output=True, text=True,
                          timeout=60, check=False, env=dict(os.environ, PYTHONPATH=sample.LIBRARY,
                                                            PYTHONIOENCODING='utf-8'))


def changes_beyond_the_noise_are_listed():
    def change(fields):
        sample.slower(1.5, workload='fib', runtime='heist', workers=2)(fields)
        sample.slower(0.5, workload='sort', runtime='heist', workers=1)(fields)
        sample.slower(1.01, workload='tree', runtime='heist')(fields)  # within the noise
        sample.slower(1.01, workload='submit', runtime='heist')(fields)  # likewise, and without a serial program
    done = compared(sample.document(), sample.document(change))
    assert done.returncode == 0 and not done.stderr, done
    listed = [line.split() for line in done.stdout.splitlines() if line.startswith(('faster', 'slower'))]
    assert [line[:2] for line in listed] == [['faster', 'sort'], ['slower', 'fib']], done.stdout
    assert '-50%' in listed[0] and '+50%' in listed[1], listed
    assert 'heist: 1 faster, 1 slower, 107 unchanged within the noise.' in done.stdout, done.stdout
    same = compared(sample.document(), sample.document()).stdout
    assert 'heist: 0 faster, 0 slower, 109 unchanged within the noise.' in same and 'Changed' not in same, same


def a_slower_machine_makes_nothing_slower():
    done = compared(sample.document(), sample.document(lambda fields: sample.slow_down(fields, 1.3)))
    lines = [line for line in done.stdout.splitlines() if line.startswith('slower')]
    assert not [line for line in lines if re.search(r'^slower +(fib|tree|sort|lfsr|gemm) .*heist', line)], lines
    told = 'The serial programs took 130% of their time before in the median (130% to 130%).'
    assert told in done.stdout, done.stdout
    noisy = compared(sample.document(), sample.document(lambda fields: (
        sample.slower(1.5, workload='fib')(fields), sample.noisy(1.6, workload='fib')(fields))))
    assert 'heist: 0 faster, 0 slower' in noisy.stdout, noisy.stdout


def reports_of_two_machines_and_of_different_rows_are_told():
    done = compared(sample.document(), sample.document(keep=lambda fields: fields['workload'] == 'fib',
                                                       machine={'model': 'Another'}))
    assert 'The reports are of two machines (2 cores of A made-up processor' in done.stdout, done.stdout
    count = sum(fields['workload'] == 'fib' for fields in sample.ORIGINAL['rows'])
    assert 'Not compared: {} only in the first report, 0 only in the second.'.format(261 - count) in done.stdout


def reports_that_cannot_be_compared_are_one_line_and_status_2():
    for after, complaint in (('{', 'not JSON'), ('{"rows": []}', 'nothing was measured'), ('[]', 'there are no "rows"'),
                             (sample.document(lambda fields: fields.update(workload='x')), 'no measurement in common')):
        done = compared(sample.document(), after)
        assert done.returncode == 2 and complaint in done.stderr and done.stderr.count('\n') == 1, done
        assert not done.stdout and done.stderr.startswith('report: '), done


# --- the files --------------------------------------------------------------------------------------------------------

def the_files_hold_the_same_numbers():
    folder = made()['folder']
    stored = json.loads(read(folder, 'results.json'))
    assert stored['rows'] == [dict(row, step='sample') for row in sample.ORIGINAL['rows']]
    with open(os.path.join(folder, 'results.csv'), newline='', encoding='utf-8') as source:
        lines = list(csv.DictReader(source))
    assert [float(line['min_ns']) for line in lines] == [row['min_ns'] for row in stored['rows']]
    with open(os.path.join(folder, 'figures', 'overhead.csv'), newline='', encoding='utf-8') as source:
        costs = {(line['workload'], line['runtime']): float(line['ns_per_task']) for line in csv.DictReader(source)}
    assert costs['fib', 'heist'] == 2.76 and costs['wide', 'tbb'] == 40


def every_figure_is_a_png_too():
    if not HAVE_GNUPLOT:
        cases.ignore('there is no gnuplot')
    found = sorted(name for name in os.listdir(os.path.join(made()['folder'], 'figures')) if name.endswith('.png'))
    assert found == ['efficiency.png', 'enter.png', 'gemm.png', 'goals-enter.png', 'goals-gemm.png', 'goals-lfsr.png',
                     'latency.png', 'lfsr-batches.png', 'lfsr-workers.png',
                     'overhead.png', 'speedup.png', 'submit.png'], found
    for name in found:
        assert read(made()['folder'], 'figures', name, mode='rb').startswith(b'\x89PNG\r\n'), name


def the_page_can_be_made_again_from_its_results():
    folder, done = make(read(made()['folder'], 'results.json'), folder='again', name='results.json')
    assert done.returncode == 0, done.stderr
    assert read(folder, 'index.html') == made()['html']


def the_tables_are_printed():
    said = made()['done'].stdout
    for part in ('== Speed-up ==', '== What a task costs ==', r'fib +30 +heist +2\.76 ns +1\.01 ns', 'seeds GFLOP/s'):
        assert re.search(part, said), part


def without_gnuplot_there_are_words_and_tables():
    folder, done = make(sample.document(), folder='no figures', environment={'PATH': '/nonexistent'})
    assert done.returncode == 0 and 'there is no gnuplot' in done.stderr, done.stderr
    text = read(folder, 'index.html')
    assert '<svg' not in text and 'A task of fib costs heist 2.76 ns' in text
    reader_of(text)


def a_broken_file_makes_nothing():
    for text, complaint in (('{', 'not JSON'), ('[]', 'there are no "rows"'),
                            ('{"rows":[]}', 'nothing was measured: there is no row in'),
                            ('{"rows":[{"workload":"fib"}]}', 'a row lacks "runtime"'),
                            ('{"rows":[3]}', 'a row is not an object'),
                            ('{"rows":[],"machine":[1]}', '"machine" is not an object'),
                            ('{"rows":[],"machine":{"load":"x"}}', '"machine" has an impossible "load"'),
                            ('{"rows":[],"sweep":{"\\u0001":1}}', '"sweep" has a member without a readable name'),
                            ('{"rows":[{"workload":"fib","runtime":"heist","workers":0}]}',
                             'a row has an impossible "workers"'),
                            ('{"rows":[{"workload":"fib","runtime":"heist","workers":1,"min_ns":5,"median_ns":4}]}',
                             'impossible times of fib, heist')):
        folder, done = make(text, folder='broken')
        assert done.returncode == 2 and complaint in done.stderr, (text, done)
        assert 'sample.json' in done.stderr and done.stderr.count('\n') == 1, done.stderr
        assert not os.path.exists(folder), text


def a_place_that_cannot_be_written_is_said():
    read_only = os.path.join(SCRATCH, 'a file')
    with open(read_only, 'w', encoding='utf-8'):
        pass
    _, done = make(sample.document(), folder='a file')
    assert done.returncode == 2 and done.stderr.startswith('report: ') and 'a file' in done.stderr, done.stderr
    assert 'Traceback' not in done.stderr


def a_file_is_written_whole_or_not_at_all():
    path = os.path.join(SCRATCH, 'whole', 'x')
    files.write(path, 'old')

    class Interrupt(BaseException):
        pass

    def interrupted(*_):
        raise Interrupt
    original, os.replace = os.replace, interrupted
    try:
        files.write(path, 'new')
        raise AssertionError('not interrupted')
    except Interrupt:
        pass
    finally:
        os.replace = original
    assert read(path) == 'old' and os.listdir(os.path.dirname(path)) == ['x']


# --- what was measured badly, or not at all ---------------------------------------------------------------------------

def a_wrong_result_is_told_and_left_out():
    def spoil(fields):
        if fields['workload'] == 'fib' and fields['runtime'] == 'heist' and fields['workers'] == 1:
            fields['check'] = 'got 7, expected 832040'
    folder, done = make(sample.document(spoil), folder='wrong', environment={'PATH': '/nonexistent'})
    assert done.returncode == 1, done
    text = read(folder, 'index.html')
    assert 'Wrong result: fib 30, heist, 1 worker: got 7, expected 832040.' in text
    assert 'A task of fib costs' not in text


def an_interrupted_row_is_no_wrong_result():
    def cut(fields):
        if fields['workload'] == 'uts':
            for name in ('min_ns', 'median_ns', 'ns_per_task'):
                fields.pop(name, None)
            fields.update(runs=0, check='interrupted after 5 of 10 states')
    folder, done = make(sample.document(cut), '--note=uts was interrupted', folder='cut',
                        environment={'PATH': '/nonexistent'})
    assert done.returncode == 0, done
    text = read(folder, 'index.html')
    assert 'uts was interrupted.' in text and 'Wrong result' not in text and 'in the median of 9 workloads' in text


def a_busy_machine_and_noise_are_told():
    assert not summary.warnings(sample.results())
    busy = summary.warnings(sample.results(machine={'load': 3.0}))[0]
    assert 'load 3.0' in busy, busy
    loud = summary.warnings(sample.results(lambda fields: fields.update(median_ns=fields['min_ns'] * 2)))
    assert loud == ['Many samples are not reliable: see Noise.'], loud


def a_page_is_made_of_any_part_of_the_measurements():
    workloads = {fields['workload'] for fields in sample.ORIGINAL['rows']}
    runtimes = {fields['runtime'] for fields in sample.ORIGINAL['rows']}
    kept = [lambda fields, its=its: fields['workload'] == its for its in workloads]
    kept += [lambda fields, its=its: fields['runtime'] == its for its in runtimes]
    kept += [lambda fields, its=its: fields['runtime'] != its for its in runtimes]
    kept += [lambda fields, its=its: fields['workers'] == its for its in (1, 2, 4, 8)]
    kept += [lambda fields, its=its: fields['workers'] != its for its in (1, 2, 4, 8)]
    for keep in kept:
        for about in ({}, {'cpus': sample.ORIGINAL['machine']['cpus'][:1], 'workers': 1}, {'cpus': [], 'cores': None}):
            results = sample.results(keep=keep, machine=about)
            if results.all:
                reader_of(without_figures(results))
                for part in sections.make_all(results):
                    if part.figure:
                        plot.commands_of(part.figure, plot.DESK)
                        plot.commands_of(part.figure, plot.PHONE)


def any_part_of_the_measurements_can_be_drawn():
    if not HAVE_GNUPLOT:
        cases.ignore('there is no gnuplot')
    for keep in (lambda fields: fields['workers'] == 1, lambda fields: fields['runtime'] == 'heist'):
        for part in sections.make_all(sample.results(keep=keep)):
            if part.figure:
                plot.gnuplot('set terminal svg\n' + plot.commands_of(part.figure, plot.PHONE)[1])


def this_machine_can_be_looked_at():
    about = machine.look()
    assert about['cpus'] and 1 <= machine.cores(about) <= len(about['cpus'])
    assert machine.in_short(about)
    assert machine.cores({'cpus': about['cpus'], 'quota': 1.5}) == 1


def a_machine_is_told_as_it_is():
    cpus = [dict(sample.ORIGINAL['machine']['cpus'][0], cpu=i, core=i // 2) for i in range(8)]
    assert machine.cores({'cpus': cpus}) == 4, 'threads of a core are no cores'
    assert [machine.cores(its) for its in ({'cpus': cpus, 'quota': 2.9}, {'cpus': cpus, 'workers': 3}, {'cores': 6}, {},
                                           {'cpus': cpus, 'quota': 0.5})] == [2, 3, 6, 1, 1]
    assert machine.in_short({}) == '1 core of an unknown processor'
    assert machine.in_short({'cpus': cpus, 'cpu': 'A', 'virtual': True}) == '4 cores of A, virtual'
    assert [machine.cache_size(its) for its in ('512K', '1024K', '1536K', '32768K', '3M', '')] == [
        '512 KiB', '1 MiB', '1536 KiB', '32 MiB', '3M', '']
    assert machine.cpu_list('0-3,8') == [0, 1, 2, 3, 8] and machine.cpu_list('') == []
    told = dict(page.facts(sample.results(machine={'quota': 1.5, 'load': 0, 'environment': {'B': '2', 'A': '1'}})))
    assert [told[name] for name in ('usable', 'load before', 'environment')] == [
        '1 core, by a quota of 1.5 CPUs', '0.00', 'A=1 B=2'], told


def caches_and_places_of_cpus_are_read():
    folder = os.path.join(SCRATCH, 'cpus')
    for name, its in (('cpu3/cache/index0/type', 'Data'), ('cpu3/cache/index0/level', '1'),
                      ('cpu3/cache/index0/size', '32K'),
                      ('cpu3/cache/index0/shared_cpu_list', '3'), ('cpu3/cache/index1/type', 'Instruction'),
                      ('cpu3/cache/index1/level', '1'), ('cpu3/cache/index2/type', 'Unified'),
                      ('cpu3/cache/index2/level', '3'), ('cpu3/cache/index2/size', '8192K'),
                      ('cpu3/cache/index2/shared_cpu_list', '0-1,3'), ('cpu3/topology/physical_package_id', '1'),
                      ('cpu3/topology/core_id', 'rubbish')):
        files.write(os.path.join(folder, name), its + '\n')
    real, affinity = machine.CPUS, os.sched_getaffinity
    machine.CPUS, os.sched_getaffinity = folder, lambda _: {3}
    try:
        found = machine.cpus()
    finally:
        machine.CPUS, os.sched_getaffinity = real, affinity
    assert found == [{'cpu': 3, 'package': 1, 'core': 3, 'node': found[0]['node'], 'caches': [
        {'level': 1, 'size': '32K', 'cpus': [3]}, {'level': 3, 'size': '8192K', 'cpus': [0, 1, 3]}]}], found


def the_machine_is_drawn():
    drawn = topology.draw(sample.ORIGINAL['machine'])
    assert re.sub('(<[^>]*>)+', '|', drawn).strip('|') == (
        'package 0, NUMA node 0|L3 32 MiB|core 0|L1 32 KiB|L2 1 MiB|core 1|L1 32 KiB|L2 1 MiB'), drawn
    own = [dict(cpu, core=0, node=i, caches=[dict(cache, cpus=[0, 1]) for cache in cpu['caches'][:1]])
           for i, cpu in enumerate(sample.ORIGINAL['machine']['cpus'])]
    assert 'core 0 + 1<br/>L1 32 KiB' in topology.draw({'cpus': [dict(cpu, node=0) for cpu in own]})
    assert topology.draw({'cpus': own}).count('NUMA node') == 2
    many = [dict(own[0], cpu=i, core=i) for i in range(65)]
    assert topology.draw({'cpus': many}) == '' and topology.draw({'cpus': many[:64]}) and topology.draw({}) == ''


HELPERS = ('compared',)
sys.exit(run('test_page_files', globals()))
