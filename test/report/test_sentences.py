"""What the report says is what the data says: for sample.json, and for the same data turned round."""
import difflib
import os
import sys

import cases
import sample
from report import noise, plot, rows, summary, words
from report.sections import gemm, seeds_lfsr
from sample import noisy, slower, text


def says(said, *parts):
    for part in parts:
        assert part in said, '{!r} is not in {!r}'.format(part, said)


def says_not(said, *parts):
    for part in parts:
        assert part not in said, '{!r} is in {!r}'.format(part, said)


# --- all of it --------------------------------------------------------------------------------------------------------

def differs(its):
    """How what is said of these results differs from said.txt."""
    with open(os.path.join(sample.HERE, 'said.txt'), encoding='utf-8') as source:
        wanted = source.read()
    return '\n'.join(difflib.unified_diff(wanted.splitlines(), sample.said(its).splitlines(), 'said.txt', 'said', n=0,
                                          lineterm=''))


def the_report_of_the_sample_is_what_said_txt_says():
    lines = differs(sample.results())
    assert not lines, 'sample.py tells what to do if this is as it should be:\n' + lines


def the_order_of_the_rows_changes_nothing():
    turned = sample.document()  # but latencies, which are listed as they were measured
    turned['rows'].sort(key=lambda row: row['workload'] in ('wake', 'steal'))
    turned['rows'][:-8] = turned['rows'][-9::-1]
    assert len(turned['rows']) == len(sample.ORIGINAL['rows'])
    lines = differs(rows.merge([('sample.json', turned)]))
    assert not lines, lines


# --- speed-up and efficiency ------------------------------------------------------------------------------------------

def the_speedup_is_that_of_the_least_times():
    found = sample.results()
    ours, serial = {row.workers: row.min_ns for row in found.of('fib', 'heist')}, found.of('fib', 'serial')[0].min_ns
    only = sample.section('speedup', keep=lambda fields: fields['workload'] == 'fib')
    says(only.sentences[0], 'With 2 workers on 2 cores heist is {} times as fast as the serial program (fib)'.format(
        words.factor(serial / ours[2])))
    says(only.sentences[1], 'It is {} times as fast as with one worker (fib)'.format(words.factor(ours[1] / ours[2])))


def the_headline_is_about_what_the_figure_shows():
    whole = sample.section('speedup')
    values = {row['workload']: row['over_serial'] for row in whole.tables[0].rows
              if row['runtime'] == 'heist' and row['workers'] == 2}
    low, high = min(values, key=values.get), max(values, key=values.get)
    says(whole.sentences[0], 'the serial program in the median of 10 workloads, from {} in {} to {} in {}.'.format(
        words.factor(values[low]), low, words.factor(values[high]), high))
    says(whole.figure.alt, whole.sentences[0])
    alone = sample.section('speedup', keep=lambda fields: fields['runtime'] != 'serial')
    says(alone.sentences[0], 'times as fast as with one in the median')


def the_worst_and_the_best_workload_are_named():
    says(text('speedup'), 'with one worker in the median of 10 workloads, from 0.87 in wide to 1.98 in lfsr')
    says(text('speedup', slower(4, workload='sort', runtime='heist', workers=2)), 'from 0.46 in sort')


def a_loss_against_the_serial_program_is_told():
    says(text('speedup'), 'are 2 of 10: wide at 0.38 and tree at 0.89')
    won = text('speedup', slower(9, runtime='serial'))
    says(won, 'beats the serial program in all 10')
    says_not(won, 'Behind')


def a_faster_peer_is_named_and_a_slower_one_is_not():
    says(text('speedup'), 'fastest runtime in 7 of 9', 'faster than it: oneTBB in sort (by 13%)')
    turned = text('speedup', slower(100, runtime='heist'))
    says(turned, 'fastest runtime in none of 9', 'OpenMP (libgomp) in for')
    says_not(text('speedup', slower(0.01, runtime='heist')), 'faster than it')


def times_that_differ_less_than_their_noise_are_not_ranked():
    says(text('speedup'), 'in gemm it cannot be told apart')
    says(text('speedup', lambda fields: fields.update(median_ns=fields['min_ns'] * 100)),
         'fastest runtime in none of 9',
         'in fib, nqueens, tree, wide, for, sort, strassen, uts and gemm it cannot be told apart')


def more_workers_than_cores_are_called_oversubscribed():
    says(text('speedup'), 'With 8 workers on 2 cores (oversubscribed), 6 of 10 take longer than with 2: wide by 8.8%, '
         'gemm by 8.3%, fib by 3.7% and 3 others by less; within the noise also uts by 3.7%, strassen by 3.7%, sort by '
         '2.8% and lfsr by 2.0%.')
    flat = text('speedup', slower(0.5, runtime='heist', workers=8))
    says(flat, '(oversubscribed) none is slower')
    cpus = [dict(sample.ORIGINAL['machine']['cpus'][0], cpu=i, core=i) for i in range(8)]
    large = text('speedup', machine={'cpus': cpus, 'workers': 8})
    says(large, 'With 8 workers on 8 cores')
    says_not(large, 'oversubscribed')


def efficiency_counts_the_cores_that_there_are():
    says(text('efficiency'), '99% of a core in the median; below 90% is wide (44%)')
    says(text('efficiency', slower(4, runtime='heist', workers=2)), 'below 90% are wide (11%), sort (23%)')
    says_not(text('efficiency', keep=lambda fields: fields['workload'] != 'wide'), 'below')
    shares = {row['workers']: row['efficiency'] for row in sample.section('efficiency').tables[0].rows
              if row['workload'] == 'fib' and row['runtime'] == 'heist'}
    assert all(0.9 < shares[count] <= 1 for count in (1, 2, 4, 8)), 'workers without a core are held against it'


def a_row_is_compared_with_what_ran_beside_it():
    def step(name, factor):
        return (name,
                {'rows': [dict(row, step=name, min_ns=row['min_ns'] * (factor if row['runtime'] == 'serial' else 1))
                                for row in sample.ORIGINAL['rows'] if row['workload'] == 'fib']})
    both = rows.merge([step('one', 0.5), step('two', 1)])
    ours = [both.over_serial(row) for row in both.of('fib', 'heist', 1)]
    assert abs(ours[1] / ours[0] - 2) < 1e-9, ours


def made_of(*members, step='lfsr'):
    """Results of rows that differ from this one in these members."""
    plain = {'workload': 'lfsr', 'size': '20', 'runtime': 'heist', 'workers': 1, 'runs': 5, 'min_ns': 100, 'median_ns': 100,
             'check': 'ok'}
    return rows.merge([(step + '.json', {'rows': [dict(plain, **each) for each in members]})])


def a_row_is_compared_with_what_has_its_settings():
    its = made_of({'mode': 'auto', 'min_ns': 80}, {'mode': 'static'}, {'mode': 'static', 'workers': 2, 'min_ns': 50},
                  {'runtime': 'serial', 'field': 3, 'min_ns': 90}, {'runtime': 'serial', 'field': 2, 'min_ns': 75},
                  {'field': 2, 'mode': 'hybrid'})
    assert its.over_one(its.rows[2]) == 2 and its.over_serial(its.rows[5]) == 0.75
    two = made_of({'chosen': 'static', 'library': 'a', 'micro': 'b'}, {'chosen': 'steal', 'workers': 2, 'min_ns': 50})
    assert two.over_one(two.rows[1]) == 2, 'what was found is no setting'
    assert made_of({'aggregate': 3}).of('lfsr', aggregate=3), 'some settings are numbers'


def of_a_batch_that_was_not_asked_for_the_step_tells():
    for step, told in (('lfsr', 'auto'), ('lfsr-batches', '164')):
        assert made_of({'batch': 164}, step=step).rows[0].settings['batch_size'] == told, step
    assert made_of({'batch': 164, 'batch_size': '100'}).rows[0].settings['batch_size'] == '100'


def an_interrupted_row_with_times_counts():
    its = made_of({'check': 'interrupted after 3 of 5 states'}, {'check': 'wrong'})
    assert [len(its.rows), len(its.wrong)] == [1, 1]


def a_task_costs_the_least_time_over_the_tasks():
    says(text('overhead', lambda fields: fields.pop('ns_per_task', None)), 'A task of fib costs heist 2.76 ns')


def sizes_are_in_the_order_of_their_numbers():
    assert rows.size_key('200') < rows.size_key('1000') and rows.size_key('T9') < rows.size_key('T10')


def a_difference_of_two_percent_is_none():
    one, two, three = made_of({}, {'min_ns': 101.9, 'median_ns': 101.9}, {'min_ns': 102.1, 'median_ns': 102.1}).rows
    assert [noise.compare(two, one), noise.compare(three, one), noise.compare(one, three)] == [0, 1, -1]


def a_number_of_workers_that_one_workload_has_is_not_everybodys():
    def add(fields):
        if fields['workload'] == 'gemm' and fields['runtime'] == 'heist' and fields['workers'] == 8:
            fields['workers'] = 16
    said = text('speedup', add)
    says(said, 'With 8 workers on 2 cores (oversubscribed)')
    says_not(said, '16')


# --- what a task costs ------------------------------------------------------------------------------------------------

def a_tasks_cost_stands_beside_a_call_and_the_cheapest_peer():
    says(text('overhead'), 'A task of fib costs heist 2.76 ns, 1.01 ns more than a plain call; the cheapest of the '
                           'others, oneTBB, takes 31.0 ns, 11 times as much.')


def a_peer_with_cheaper_tasks_is_said_to_be_cheaper():
    says(text('overhead', slower(40, workload='fib', runtime='heist')),
         'oneTBB is cheaper, at 31.0 ns: heist takes 3.56 times as much')
    says(text('overhead', slower(0.5, workload='fib', runtime='heist')), '0.370 ns less than a plain call')


def equal_costs_cannot_be_told_apart():
    says(text('overhead', slower(31 / 2.76, workload='fib', runtime='heist')), 'which cannot be told apart')


def without_peers_nobody_is_compared():
    alone = text('overhead', keep=lambda fields: fields['runtime'] in ('heist', 'serial'))
    says(alone, '1.01 ns more than a plain call.')
    says_not(alone, 'cheapest')


# --- matrix product ---------------------------------------------------------------------------------------------------

def the_goal_is_met_when_it_is():
    says(text('gemm'), 'between 97% and 98% of the better BLAS in 8 cases: the goal of 95% is met in all')


def the_goal_is_missed_when_it_is():
    says(text('gemm', slower(1.5, workload='gemm', runtime='heist')), 'the goal of 95% is missed in all')
    one = text('gemm', slower(1.5, workload='gemm', runtime='heist', size='1000', type='double', workers=2))
    says(one, 'met in 7 and missed in 1: 1000 double, 2 workers (66%).')
    short = slower(1.04, workload='gemm', runtime='heist', size='1000', type='double', workers=2)
    says(text('gemm', short, noisy(1.1)), 'is met in 7 and within the noise in 1: 1000 double, 2 workers (94.7%).')
    says(text('gemm', short, noisy(1.001)), 'is met in 7 and missed in 1: 1000 double, 2 workers (94.7%).')
    says(text('gemm', slower(1.04, workload='gemm', runtime='heist'), noisy(1.1)), 'is within the noise in all.')
    says(text('gemm', noisy(1.5, workload='gemm', runtime='heist', workers=2)),
         'is met in 4; 4 cases are too noisy to judge.')
    says(text('gemm', slower(3, workload='gemm', runtime='heist'), noisy(1.5, workload='gemm')), 'is missed in all.')
    for factor in (1, 2):
        loud = text('gemm', slower(factor, workload='gemm', runtime='heist'), noisy(1.5, workload='gemm'))
        says(loud, 'whether the goal of 95% is met cannot be said: all of it is too noisy to judge.')
        says_not(loud, 'met in', 'missed')


def the_better_of_the_libraries_is_the_measure():
    says(text('gemm', slower(0.5, workload='gemm', runtime='blis')), 'heist makes 51% of the better BLAS in 8 cases',
         'where BLIS makes 256')


def without_a_library_there_is_no_goal():
    alone = text('gemm', keep=lambda fields: fields['runtime'] not in ('openblas', 'blis'))
    says(alone, 'no BLAS was found')
    says_not(alone, 'goal')


def the_seeds_table_is_beside_ours():
    table = sample.section('gemm').tables[0]
    assert [row['seeds_efficiency'] for row in table.rows] == [1.0, 0.99, 0.97, 1.01]
    assert [row['seeds_gflops'] for row in table.rows] == [3.5, 6.9, 13.5, 28.2]
    assert [row['workers'] for row in table.rows] == [1, 2, 4, 8]
    assert [row['remark'] for row in table.rows] == [None, None, 'oversubscribed', 'oversubscribed']
    says(text('gemm', slower(100, workload='gemm', runtime='heist')), '10 times less')
    says(text('gemm', slower(6, workload='gemm', runtime='heist'), keep=only(workers=1)), 'another machine: 1.60 times as much.')
    assert sample.section('gemm', lambda fields: fields.pop('gflops', None) if fields.get('size') == '2000' else None)
    assert sample.section('gemm', lambda fields: fields.pop('gflops', None)) is None


def whose_tiles_the_others_run_is_said():
    says(sample.section('gemm', lambda fields: fields.update(runtime='tbb') if (fields['workload'], fields['runtime']) ==
                        ('gemm', 'blis') else None).how, 'oneTBB run the same tiles')
    says(sample.section('gemm', lambda fields: fields.update(runtime='tbb') if (fields['runtime'], fields.get('size')) ==
                        ('blis', '2000') else None).how, 'OpenMP and oneTBB run the same tiles as heist. Longer is better.')
    says_not(sample.section('gemm').how, 'tiles as heist')


# --- LFSR -------------------------------------------------------------------------------------------------------------

def the_seeds_stand_beside_our_modes():
    says(text('lfsr'), 'With 2, 4 and 8 workers heist (auto mode) is 1.96, 1.96 and 1.92 times as fast as the serial '
                       'program (4 and 8 oversubscribed: there are 2 cores); the seeds reached 0.79, 0.62 and 0.38 '
                       '(they aimed at 1.50, 1.20 and 1.00).')
    says(text('lfsr', slower(10, workload='lfsr', runtime='heist')),
         'the seeds reached 0.79, 0.62 and 0.38, which is more (they aimed at 1.50, 1.20 and 1.00).')
    says(text('lfsr', slower(10, workload='lfsr', runtime='heist', workers=2)), 'which is more in 1 of 3 (they aimed')


def every_size_of_lfsr_is_in_the_table_with_overhead_and_targets():
    larger = [dict(row, size='24', overhead=0.0125) for row in sample.ORIGINAL['rows'] if row['workload'] == 'lfsr']
    both = rows.merge([('sample.json', sample.document()), ('larger.json', {'rows': larger})])
    listed = seeds_lfsr.table(both)
    assert {(row['bits'], row['overhead']) for row in listed.rows} == {(20, None), (24, 0.0125)}, listed.rows
    assert {row['workers']: row['seeds_target'] for row in listed.rows} == {1: None, 2: 1.5, 4: 1.2, 8: 1.0}
    assert {row['workers']: row['seeds'] for row in listed.rows} == {1: None, 2: 0.79, 4: 0.62, 8: 0.38}
    says(listed.as_text(), '1.25%', 'target', 'outside batches')
    assert seeds_lfsr.main_size(both) == '24', 'the largest of those that have most rows'
    fewer = [dict(row, size=size) for size in ('24', '8', '16') for row in larger
             if (row['runtime'], row['workers']) != ('heist', 8)]
    all_sizes = rows.merge([('larger.json', {'rows': fewer}), ('sample.json', sample.document())])
    assert seeds_lfsr.main_size(all_sizes) == '20'
    assert list(dict.fromkeys(row['bits'] for row in seeds_lfsr.table(all_sizes).rows)) == [8, 16, 20, 24]


def the_goals_of_lfsr_are_judged():
    says(text('lfsr'), 'goal of 1.95 at two workers from 20 bits on is met at 20 bits (1.955)',
         'One worker is 1.5% slower '
         'than the serial loop (within the 2% allowed)',
         '8 workers on the two cores are slower than two by 2.0% (goal: no slower; within the noise)')
    says(text('lfsr', slower(0.98, workload='lfsr', runtime='heist', workers=8)),
         '8 workers on the two cores are no slower than two (goal met)')
    says(text('lfsr', slower(1.0028, workload='lfsr', runtime='heist', workers=2)), 'is met at 20 bits (1.950)')
    says(text('lfsr', slower(1.004, workload='lfsr', runtime='heist', workers=2), noisy(1.0001)),
         'is missed at 20 bits (1.947)')
    for ratio, word in ((1.019, 'within the 2% allowed'), (1.021, 'more than the 2% allowed')):
        said = text('lfsr', slower(ratio * 0.985, workload='lfsr', runtime='heist', workers=1), noisy(1.0001))
        says(said, 'One worker is {} slower than the serial loop ({})'.format(words.change(ratio), word))
    turned = text('lfsr', slower(1.1, workload='lfsr', runtime='heist', workers=2),
                  slower(1.1, workload='lfsr', runtime='heist', workers=1),
                  slower(1.5, workload='lfsr', runtime='heist', workers=8))
    says(turned, 'is missed at 20 bits (1.777)', '(more than the 2% allowed)', 'are slower than two by 39%', 'missed)')


def noise_decides_no_goal_of_lfsr():
    for factor in (1, 1.1):  # whether it seems to be met or not
        loud = text('lfsr', slower(factor, workload='lfsr', runtime='heist'), noisy(1.5, workload='lfsr', runtime='serial'))
        says(loud, 'at two workers from 20 bits on is too noisy to judge at 20 bits', '(2% are allowed; too noisy to judge)')
        says_not(loud, 'is met', 'missed', 'within the 2%', 'more than the')
    says(text('lfsr', slower(2, workload='lfsr', runtime='heist'), noisy(1.5, workload='lfsr', runtime='serial')),
         'is missed at 20 bits (0.978)', '(more than the 2% allowed)')
    for factor, word in ((1.5, 'slower than two by 53%'), (0.5, 'faster than two by 96%')):
        loud = text('lfsr', slower(factor, workload='lfsr', runtime='heist', workers=8),
                    noisy(1.6, workload='lfsr', runtime='heist', workers=8))
        says(loud, '8 workers on the two cores are {} (goal: no slower; too noisy to judge)'.format(word))


def the_best_batch_is_the_fastest():
    says(text('batches'), 'the best batch is 20\u202f000 states in steal mode, 1.96 times as fast')
    says(text('batches', slower(0.5, batch_size='500', mode='static')), 'the best batch is 500 states in static mode',
         '3.80 times as fast as the serial loop; none of the 19 other choices')


def small_batches_cost_what_they_cost():
    says(text('batches'), 'Batches of 100 take longer than the best size of the same mode: shared by 40%',
         'not so hybrid or '
         'static')
    says(text('batches', slower(0.1, batch_size='100')), 'Batches of 100 cost nothing that can be told from noise')


def the_automatic_batch_is_compared_with_the_best():
    says(text('batches'), 'The automatic choice in auto mode is as fast')
    says(text('batches', slower(2, batch_size='auto')), 'is behind it by 100%')
    says(text('batches', slower(0.5, batch_size='auto')), 'is faster still, by 100%')


# --- latencies and submissions ----------------------------------------------------------------------------------------

def the_slower_of_two_latencies_is_named():
    says(text('latency'), 'the former takes 62 times as long', 'the former takes 2.41 times as long')
    turned = text('latency', slower(1e6, workload='wake', state='spinning'), slower(10, workload='steal', fence='on'))
    says(turned, 'the latter takes', 'the latter takes 4.15 times as long')
    says_not(turned, 'former')


def what_was_not_measured_is_not_told_of_another():
    def lacks(**of):
        return lambda fields: not all(fields.get(name) == value for name, value in of.items())
    for missing in ({'state': 'parked', 'from': 'worker'}, {'state': 'spinning', 'from': 'worker'}):
        said = text('latency', keep=lacks(workload='wake', **missing))
        says_not(said, 'that a worker spawns')
    says_not(text('latency', keep=lacks(workload='steal', fence='on', victim='answering')), 'victim that spawns and joins')
    tiles = summary.tiles(sample.results(keep=lacks(workload='wake', state='parked', **{'from': 'worker'})))
    assert not [tile for tile in tiles if 'parked' in tile.label], tiles


def a_steal_is_one_of_many():
    row = sample.results().of('steal', fence='off', victim='answering')[0]
    says(text('latency'), 'costs {} where the thief'.format(words.duration(row.median_ns / row.tasks)))


def submissions_are_compared_at_the_same_number_of_workers():
    says(text('submit'), '6.49 million tasks a second at most, with 1 worker on 2 cores, and 3.97 million at least, with 8 workers on 2 cores '
                         '(oversubscribed).',
         'heist takes more with 1 (1.40 times as many as oneTBB), 2 (1.50 times as many as oneTBB), 4 (')
    mixed = text('submit', slower(0.1, workload='submit', runtime='tbb', workers=1),
                 slower(168 / 252, workload='submit', runtime='tbb', workers=2))
    says(mixed, 'heist takes more with 4 (1.65 times as many as oneTBB) and 8 (', '; fewer with 1 (oneTBB takes 7.13 times '
         'as many); as many, as far as can be told, with 2 (oneTBB).')
    says_not(text('submit', keep=lambda fields: fields['runtime'] == 'heist'), 'Beside')


# --- what is said of a part, or of few --------------------------------------------------------------------------------

NOISY = 'Noisy, the median far above the least time, so not to be relied on: '


def only(**of):
    """Rows that have these fields, each one of several values or the one."""
    return lambda fields: all(fields.get(name) in (value if isinstance(value, tuple) else (value,))
                              for name, value in of.items())


def says_all(name, keep, *sentences, changes=(), machine=None):
    """All that is said, but for what `...` stands for."""
    said = sample.section(name, *changes, keep=keep, machine=machine).sentences
    assert len(said) == len(sentences) and all(wanted in (..., its) for wanted, its in zip(sentences, said)), said


def one_workload_and_one_worker_are_spoken_of_as_one():
    says_all('speedup', only(workers=1),
             'heist was measured with one worker only: nothing is to be seen of how it scales.',
             'Behind the serial program, which makes no tasks, are 5 of 10: wide at 0.43, tree at 0.45, fib at 0.63, '
             'nqueens at 0.88 and uts at 0.95.',
             'heist is the fastest runtime in 5 of 9; faster than it: oneTBB in sort (by 16%); in for, strassen and gemm '
             'it cannot be told apart from the best other.')
    says_all('speedup', only(workload='tree'),
             'With 2 workers on 2 cores heist is 0.89 times as fast as the serial program (tree).',
             'It is 1.97 times as fast as with one worker (tree).',
             'Behind the serial program, which makes no tasks, is 1 of 1: tree at 0.89.',
             'heist is the fastest runtime in 1 of 1.',
             'With 8 workers on 2 cores (oversubscribed), 1 of 1 takes longer than with 2: tree by 3.7%.')
    says_all('speedup', only(workload='sort', runtime=('heist', 'serial')), ..., ..., 'It beats the serial program.',
             'With 8 workers on 2 cores (oversubscribed) none can be told to be slower than with 2; longer, as far as noise '
             'lets see, takes: sort by 2.8%.')
    says_all('speedup', only(workload='sort', runtime=('heist', 'tbb')),
             'With 2 workers on 2 cores heist is 1.85 times as fast as with one (sort).', ..., ...)


def to_be_as_fast_as_the_serial_program_is_not_to_beat_it():
    ends = [(1.01 / 1.83, 'is not behind the serial program.'), (0.99 / 1.83, 'is not behind the serial program.'),
            (0.97 / 1.83, 'is 1 of 1: sort at 0.97.'), (1.04 / 1.83, 'It beats the serial program.')]
    for factor, end in ends:
        says(text('speedup', slower(factor, runtime='serial'),
                  keep=only(workload='sort', runtime=('heist', 'serial'))), end)
    says(text('speedup', slower(1.01 / 1.83, runtime='serial', workload='sort'), keep=only(workload=('sort', 'uts'))),
         'It is not behind the serial program in any of 2.')


def efficiency_is_not_told_without_one_worker_or_two_cores():
    says_all('efficiency', only(workers=(1, 8)),
             'Nothing was measured with two workers on two cores, so there is no efficiency to speak of.')
    says_all('efficiency', only(workers=(2, 4)),
             'Nothing was measured with one worker, so there is no efficiency to speak of.')
    says_all('efficiency', only(workload=('fib', 'lfsr')),
             'Each of 2 workers gives heist 99% of a core in the median, and in none of 2 less than 99%.',
             NOISY + 'fib with one worker (50%).', changes=[noisy(1.5, workload='fib', runtime='heist', workers=1)])


def the_goal_of_one_product_is_that_of_one():
    one = only(workload='gemm', size='2000', type='double', workers=2)
    most = 'The most is 65.0 GFLOP/s at 2000 double, 2 workers, where OpenBLAS makes 66.0.'
    says_all('gemm', one, 'heist makes 98% of the better BLAS: the goal of 95% is met.', most)
    says_all('gemm', one, 'heist makes 49% of the better BLAS: the goal of 95% is missed.', ...,
             changes=[slower(2, runtime='heist')])
    says_all('gemm', one, 'heist makes 98% of the better BLAS: whether the goal of 95% is met cannot be said: it is too '
             'noisy to judge.', most, NOISY + 'heist at 2000 double, 2 workers (50%).', changes=[noisy(1.5, runtime='heist')])
    for sizes, told in ((('1000',), '7; 1 case is'), (('1000', '2000'), '6; 2 cases are')):
        said = text('gemm', *(noisy(1.5, workload='gemm', runtime='heist', size=size, type='double', workers=2)
                              for size in sizes))
        says(said, 'the goal of 95% is met in {} too noisy to judge.'.format(told))
    says(text('gemm', lambda fields: fields.pop('type', None), keep=one), 'at 2000, 2 workers, where')
    says_all('gemm', only(workload='gemm', runtime=('heist', 'serial')),
             'heist makes 130 GFLOP/s at 1000 with 2 workers; no BLAS was found to compare with.')


def two_products_are_all_there_are_and_the_most_is_ours():
    two = only(workload='gemm', size='2000', type='double', workers=(1, 2))
    says(text('gemm', keep=two), 'in 2 cases: the goal of 95% is met in all.')
    says(text('gemm', lambda fields: fields.update(gflops=500) if fields['runtime'] == 'blis' and fields['workers'] == 1 else
              None, keep=two), 'The most is 65.0 GFLOP/s at 2000 double, 2 workers, where OpenBLAS makes 66.0.')
    says(text('gemm', lambda fields: fields.pop('gflops') if fields['runtime'] == 'openblas' else None, keep=two),
         'where BLIS makes 64.0.')
    marks = plot.commands_of(sample.section('gemm', keep=two).figure, plot.DESK)[1]
    says(marks, 'set arrow from first {}, '.format(66.0 * 0.95), 'set arrow from first {}, '.format(34.5 * 0.95))


def the_goal_is_met_at_its_end():
    for share, word in ((94.96, 'met'), (94.94, 'missed')):  # as it is shown
        said = text('gemm', lambda fields, ours=share: fields.update(
            gflops=ours if fields['runtime'] == 'heist' else 100), noisy(1.0001), keep=only(workload='gemm'))
        says(said, 'the goal of 95% is {} in all'.format(word))


def a_user_who_chooses_nothing_gets_what_is_compared():
    """Rows of other variants and of single precision stand for nothing, wherever they are in the file."""
    def add(fields):
        if fields['workload'] == 'gemm' and fields['runtime'] == 'heist':
            fields['variant'] = 'tiles'
    other = [dict(row, variant='recursive', gflops=1) for row in sample.ORIGINAL['rows']
             if row['workload'] == 'gemm' and row['runtime'] == 'heist']
    first = other + [row for row in sample.ORIGINAL['rows'] if row['workload'] == 'gemm' and row.get('type') == 'single']
    both = rows.merge([('first.json', {'rows': first}), ('sample.json', sample.document(add))])
    for made in gemm.contests(both):
        assert made[1].gflops > 1, made
    assert {count: row.gflops for count, row in gemm.thousand(both).items()} == {1: 33.5, 2: 65.0, 4: 63.0, 8: 60.0}
    listed = [row for row in gemm.table(both).rows if row['runtime'] == 'heist' and row['size'] == '1000']
    assert [(row['precision'], row['workers']) for row in listed][:2] == [('double', 1), ('double', 1)]
    single = {row['of_best_blas'] for row in listed if row['precision'] == 'single' and row['variant'] is None}
    assert single == {67 / 69, 130 / 132}, single


def the_seeds_are_not_spoken_of_where_nothing_is_like_them():
    says_all('lfsr', only(workers=1), 'There is no number of workers that both heist and the seeds were measured with.',
             'One worker is 1.5% slower than the serial loop (within the 2% allowed) at 20 bits in auto mode.')
    for keep in (only(workload='gemm', size='2000'), only(workload='gemm', type='single')):
        says_not(text('gemm', keep=keep), 'seeds')
        assert len(sample.section('gemm', keep=keep).tables) == 1
    four = {'cpus': [], 'cores': 4, 'workers': 4}
    says_all('lfsr', lambda fields: fields.get('mode') != 'auto',
             'With 2, 4 and 8 workers heist (steal mode) is 1.96, 1.96 and 1.92 times as fast as the serial program (8 '
             'oversubscribed: there are 4 cores); the seeds reached 0.79, 0.62 and 0.38 (they aimed at 1.50, 1.20 and '
             '1.00).', ..., ...,
             NOISY + 'steal with 4 workers (50%), steal with 2 workers (50%) and steal with 1 worker (50%), and 3 more.',
             changes=[noisy(1.16, mode='hybrid', runtime='heist'), noisy(1.5, mode='steal', runtime='heist')],
             machine=four)


def batches_that_were_not_tried_are_not_told():
    says_all('batches', None, ..., 'Batches of 100 cost nothing that can be told from noise, in any mode.',
             'The automatic choice in auto mode is behind it by 872%.', NOISY + 'static with batches of 500 (50%).',
             changes=[noisy(1.5, mode='static', batch_size='500'), slower(0.1, batch_size='100')])
    says(text('batches', slower(0.5, batch_size='auto')), 'The automatic choice in auto mode is faster still, by 100%.')
    assert len(sample.section('batches', keep=lambda fields: fields.get('batch_size') != 'auto').sentences) == 2
    assert sample.section('batches', keep=lambda fields: fields.get('batch_size') in (None, 'auto', '100')) is None


def numbers_of_workers_that_heist_lacks_are_not_told():
    def lacks(*workloads, count):
        return lambda fields: fields['workload'] not in workloads or fields['runtime'] != 'heist' or fields['workers'] != count
    said = text('submit', keep=lacks('submit', count=4))
    says(said, 'heist takes more with 1 (1.40 times as many as oneTBB), 2 (1.50 times as many as oneTBB) and 8 (')
    says_not(text('speedup', keep=lambda fields: fields['runtime'] != 'heist' or fields['workers'] != 8 or
                  fields['workload'] == 'lfsr'), 'longer than', 'none is slower than with 2, in')
    says_not(text('speedup', keep=lambda fields: fields['workload'] != 'lfsr' and
                  (fields['runtime'] != 'heist' or fields['workers'] != 8)), 'oversubscribed')


def latencies_of_several_numbers_of_workers_are_told_with_them():
    more = [dict(row, workers=3) for row in sample.ORIGINAL['rows'] if row['workload'] == 'steal']
    its = rows.merge([('sample.json', sample.document()), ('more.json', {'rows': more})])
    names = [row['what'] for row in sample.MODULES['latency'].make(its).tables[0].rows]
    assert 'steal: fences on both sides, victim computes, 3 workers' in names, names
    assert 'wake: parked worker, task spawned' in names, names
    for row in more:
        sample.slow_down(row, 3)
    for order in (more + sample.ORIGINAL['rows'], sample.ORIGINAL['rows'] + more):
        made = sample.MODULES['latency'].make(rows.merge([('sample.json', {'rows': order})]))
        assert made.sentences[:4] == sample.section('latency').sentences[:4], 'of two, as ever'


def a_latency_whose_kind_was_not_told_stands_for_none():
    for name, words_ in (('from', 'Submitted from outside'), ('victim', 'only computes'), ('fence', 'A steal from'),
                         ('state', 'A task that a worker')):
        says_not(text('latency', lambda fields, name=name: fields.pop(name, None)), words_)


def one_number_of_workers_takes_submissions():
    says_all('submit', only(workers=2),
             'A thread outside the pool hands over 5.95 million tasks a second with 2 workers on 2 cores.',
             'Beside the best of the others with as many workers, heist takes as many, as far as can be told, with 2 '
             '(oneTBB).',
             NOISY + '2 workers (50%).', changes=[noisy(1.5, runtime='heist')])
    assert sample.section('submit', keep=lambda fields: fields['runtime'] != 'heist') is None
    untold = sample.section('submit', lambda fields: [fields.pop(name, None) for name in ('tasks', 'ns_per_task')])
    assert untold is None


def submissions_of_other_threads_and_worse_peers_are_not_compared():
    ours = [row for row in sample.ORIGINAL['rows'] if row['workload'] == 'submit']
    many = [dict(row, threads='2', ns_per_task=1) for row in ours]
    worse = [dict(row, runtime='zig', ns_per_task=row['ns_per_task'] * 5) for row in ours if row['runtime'] == 'tbb']
    serial = [dict(ours[0], runtime='serial', ns_per_task=1)]
    its = rows.merge([('first.json', {'rows': many + worse + serial}), ('sample.json', sample.document())])
    made = sample.MODULES['submit'].make(its)
    assert made.sentences == sample.section('submit').sentences, made.sentences
    assert {row['runtime'] for row in made.tables[0].rows} == {'heist', 'tbb', 'zig'}


def latencies_that_stand_alone_are_listed():
    says_all('latency', only(workload='steal', victim='answering', fence='off'),
             'steal: barrier of the thief, victim spawns, 480 ns.')
    said = text('latency', slower(0.001, workload='wake', state='parked'), noisy(1, workload='steal'),
                slower(420 / 180, workload='steal', fence='on', victim='answering'))
    says(said, 'looking for work (medians): the latter takes 16 times as long.',
         'Submitted from outside it is 19.3 ns and 473 ns.',
         'with fences on both sides (medians), which cannot be told apart.',
         'From a victim that only computes it is 2.20 µs and 190 ns.')


def what_a_reader_must_know_first_is_told_in_full():
    def spoil(fields):
        if fields['workload'] == 'nqueens' and fields['runtime'] != 'serial':
            fields['check'] = 'bad'
    told = summary.warnings(sample.results(spoil, machine={'load': 0.6}))
    assert len(told) == 8 and told[1] == 'Wrong result: nqueens 11, heist, 2 workers: bad. It is left out below.', told
    assert told[6:] == ['And 10 more wrong results.',
                        'Other programs were running when this began (load 0.6): times may be too long, and a runtime may look slow '
                        'because it was given fewer cores than another, which its noise does not show; where its CPU time does, '
                        'that is said.'], told
    assert not summary.warnings(sample.results(machine={'load': 0.5}))

    def loud(share):
        left = iter([1.2] * share + [1] * (215 - share))
        return summary.warnings(sample.results(lambda fields: fields.update(median_ns=fields['min_ns'] * next(left))))
    assert loud(53) == [] and loud(54) == [
        '54 of 215 samples are noisy: their median is more than 15% above the least time. Differences of that size mean '
        'nothing here.']


def a_tile_tells_what_it_has():
    def tiles(*changes, keep):
        return [tuple(tile) for tile in summary.tiles(sample.results(*changes, keep=keep))]
    assert [tile[2] for tile in tiles(keep=only(runtime='heist'))] == [
        '', 'over one; ideal: 2; median of 10 workloads, least 0.87', 'medians; when it was looking: 278 ns']
    assert [tile[0] for tile in tiles(keep=only(workers=1))] == ['2.76 ns', '97%']
    small = tiles(lambda fields: fields.update(size='16') if fields['workload'] == 'lfsr' else None,
                  keep=lambda fields: fields['workload'] in ('lfsr', 'wake') and fields.get('state') != 'spinning')
    assert small == [('1.98', 'speed-up with 2 workers', 'over one; ideal: 2; median of 1 workload, least 1.98', None),
                     ('1.96', 'LFSR cycles over serial, 2 workers, 16 bits, auto mode', 'an earlier program: 0.79', None),
                     ('17.3 µs', 'from spawn to run, parked worker', 'median', None)], small
    cheaper = tiles(slower(0.01, runtime='openmp', workload='fib'), keep=only(workload='fib'))
    assert cheaper[0][2] == 'a plain call: 1.75 ns; OpenMP (libgomp): 0.620 ns', cheaper


# --- noise ------------------------------------------------------------------------------------------------------------

def a_noisy_sample_is_called_noisy():
    says_not(text('overhead'), 'Noisy')
    says(text('overhead', noisy(1.5, workload='fib', runtime='tbb')), 'not to be relied on: oneTBB in fib (50%)')
    says(text('speedup', noisy(1.2, workload='fib', runtime='heist')), 'fib with 2 workers (20%)')


def a_single_run_tells_nothing_of_noise():
    row = sample.results(noisy(3, workload='fib')).of('fib', 'heist')[0]
    assert noise.noisy(row)
    row.runs = 1
    assert noise.spread(row) is None and not noise.noisy(row)


def notes_become_sentences():
    assert [words.sentence(its) for its in ('a b ', 'fib was cut', 'fib-beyond was', 'lfsr: x', 'Done.', 'why?', '')] == [
        'A b.', 'fib was cut.', 'fib-beyond was.', 'lfsr: x.', 'Done.', 'Why?', '']


def numbers_have_the_digits_that_matter():
    assert [words.significant(value) for value in (2.764, 9.996, 31.44, 1250, 0.00234, 99.96)] == [
        '2.76', '10.0', '31.4', '1250', '0.00234', '100']
    assert [words.duration(value) for value in (2.76, 999.9, 14200, 3.1e6, 2.5e9)] == [
        '2.76 ns', '1.00 µs', '14.2 µs', '3.10 ms', '2.50 s']
    assert [words.factor(value) for value in (0.5, 9.99, 11.4, 16043)] == ['0.50', '9.99', '11', '16\u202f000']
    assert [words.size(each) for each in ('30', 'T3S', '1000', '1000000', '250000')] == [
        '30', 'T3S', '1000', '10\u2076', '250\u202f000']
    assert words.listing(['a', 'b', 'c']) == 'a, b and c' and words.listing(['a']) == 'a' and words.listing([]) == ''


sys.exit(cases.run('test_sentences', [value for name, value in list(globals().items()) if callable(value) and
                                      getattr(value, '__module__', '') == '__main__' and
                                      name not in ('differs', 'says', 'says_not', 'says_all', 'noisy', 'made_of', 'only')]))
