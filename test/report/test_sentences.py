"""What the report says is what the data says: for sample.json, and for the same data turned round."""
import difflib
import os
import sys

import cases
import sample
from report import noise, rows, summary, words
from report.goals import lfsr as lfsr_goals
from report.sections import lfsr
from sample import goal_text, noisy, slower, text
from saying import only, says, says_not


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
    says(text('speedup'), 'in gemm it equals the best other')
    says(text('speedup', lambda fields: fields.update(median_ns=fields['min_ns'] * 100)),
         'fastest runtime in none of 9',
         'in fib, nqueens, tree, wide, for, sort, strassen, uts and gemm it equals the best other')


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
    plain = {'workload': 'lfsr', 'size': '20', 'runtime': 'heist', 'workers': 1, 'runs': 5, 'min_ns': 100,
             'median_ns': 100,
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


def a_task_is_never_said_to_cost_less_than_a_call():
    """A task contains a call. Both the sentence and the tile say so; the table does not go below nothing."""
    for factor in (0.2, 0.5, 1.75 / 2.76, 1.76 / 2.76):
        change = slower(factor, workload='fib', runtime='heist')
        says(text('overhead', change), 'as cheap as a plain call, within the noise')
        says_not(text('overhead', change), 'less than')
        its = summary.tiles(sample.results(change))[0]
        says(its.context, 'as cheap as a plain call, within the noise')
        table = sample.section('overhead', change).tables[0].as_text()
        says_not(table, '-0', '-1')
    says(sample.section('overhead', slower(0.2, workload='fib', runtime='heist')).tables[0].as_text(), 'nothing')
    says(text('overhead', slower(1.9 / 2.76, workload='fib', runtime='heist')), '0.150 ns more than a plain call')
    says(text('overhead', noisy(1.7, workload='fib', runtime='serial')), 'as cheap as a plain call, within the noise')


def equal_costs_cannot_be_told_apart():
    says(text('overhead', slower(31 / 2.76, workload='fib', runtime='heist')), 'which is equal within the noise')


def without_peers_nothing_is_compared():
    alone = text('overhead', keep=lambda fields: fields['runtime'] in ('heist', 'serial'))
    says(alone, '1.01 ns more than a plain call.')
    says_not(alone, 'cheapest')


# --- matrix product ---------------------------------------------------------------------------------------------------

def the_goal_is_met_when_it_is():
    says(goal_text('gemm'), 'between 97% and 98% of the better BLAS in 8 cases: the goal of 95% is met in all')


def the_goal_is_missed_when_it_is():
    says(goal_text('gemm', slower(1.5, workload='gemm', runtime='heist')), 'the goal of 95% is missed in all')
    one = goal_text('gemm', slower(1.5, workload='gemm', runtime='heist', size='1000', type='double', workers=2))
    says(one, 'met in 7 and missed in 1: 1000 double, 2 workers (66%).')
    short = slower(1.04, workload='gemm', runtime='heist', size='1000', type='double', workers=2)
    says(goal_text('gemm', short, noisy(1.1)), 'is met in 7 and within the noise in 1: 1000 double, 2 workers (94.7%).')
    says(goal_text('gemm', short, noisy(1.001)), 'is met in 7 and missed in 1: 1000 double, 2 workers (94.7%).')
    says(goal_text('gemm', slower(1.04, workload='gemm', runtime='heist'), noisy(1.1)), 'is within the noise in all.')
    says(goal_text('gemm', noisy(1.5, workload='gemm', runtime='heist', workers=2)),
         'is met in 4; 4 cases are too noisy to judge.')
    says(goal_text('gemm', slower(3, workload='gemm', runtime='heist'), noisy(1.5, workload='gemm')),
         'is missed in all.')
    for factor in (1, 2):
        loud = goal_text('gemm', slower(factor, workload='gemm', runtime='heist'), noisy(1.5, workload='gemm'))
        says(loud, 'the goal of 95% cannot be judged: all of it is too noisy to judge.')
        says_not(loud, 'met in', 'missed')


def the_better_of_the_libraries_is_the_measure():
    says(text('gemm', slower(0.5, workload='gemm', runtime='blis')), 'heist makes 51% of the better BLAS in 8 cases',
         'where BLIS makes 256')


def without_a_library_there_is_no_goal():
    alone = text('gemm', keep=lambda fields: fields['runtime'] not in ('openblas', 'blis'))
    says(alone, 'no BLAS was found')
    says_not(alone, 'goal')


def the_seeds_table_is_beside_ours():
    table = sample.goal_section('gemm').tables[0]
    assert [row['seeds_efficiency'] for row in table.rows] == [1.0, 0.99, 0.97, 1.01]
    assert [row['seeds_gflops'] for row in table.rows] == [3.5, 6.9, 13.5, 28.2]
    assert [row['workers'] for row in table.rows] == [1, 2, 4, 8]
    assert [row['remark'] for row in table.rows] == [None, None, 'oversubscribed', 'oversubscribed']
    says(goal_text('gemm', slower(100, workload='gemm', runtime='heist')), '10 times less')
    says(goal_text('gemm', slower(6, workload='gemm', runtime='heist'), keep=only(workers=1)),
         'another machine: 1.60 times as much.')
    assert sample.goal_section('gemm', lambda fields: fields.get('size') == '2000' and fields.pop('gflops', None))
    assert sample.goal_section('gemm', lambda fields: fields.pop('gflops', None)) is None


def whose_tiles_the_others_run_is_said():
    def by_tbb(**of):
        return lambda fields: only(**of)(fields) and fields.update(runtime='tbb')
    says(sample.section('gemm', by_tbb(workload='gemm', runtime='blis')).how, 'oneTBB run the same tiles')
    says(sample.section('gemm', by_tbb(runtime='blis', size='2000')).how,
         'OpenMP and oneTBB run the same tiles as heist. Longer is better.')
    says_not(sample.section('gemm').how, 'tiles as heist')


# --- LFSR -------------------------------------------------------------------------------------------------------------

def the_seeds_stand_beside_our_modes():
    says(goal_text('lfsr'), 'With 2, 4 and 8 workers heist (auto mode) is 1.96, 1.96 and 1.92 times as fast as the '
                            'serial '
                       'program (4 and 8 oversubscribed: there are 2 cores); the seeds reached 0.79, 0.62 and 0.38 '
                       '(they aimed at 1.50, 1.20 and 1.00).')
    says(goal_text('lfsr', slower(10, workload='lfsr', runtime='heist')),
         'the seeds reached 0.79, 0.62 and 0.38, which is more (they aimed at 1.50, 1.20 and 1.00).')
    says(goal_text('lfsr', slower(10, workload='lfsr', runtime='heist', workers=2)),
         'which is more in 1 of 3 (they aimed')


def every_size_of_lfsr_is_in_the_table_with_overhead_and_targets():
    larger = [dict(row, size='24', overhead=0.0125) for row in sample.ORIGINAL['rows'] if row['workload'] == 'lfsr']
    both = rows.merge([('sample.json', sample.document()), ('larger.json', {'rows': larger})])
    listed = lfsr.table(both)
    assert {(row['bits'], row['overhead']) for row in listed.rows} == {(20, None), (24, 0.0125)}, listed.rows
    says(listed.as_text(), '1.25%', 'outside batches')
    listed = lfsr_goals.table(both)
    assert {row['workers']: row['seeds_target'] for row in listed.rows} == {1: None, 2: 1.5, 4: 1.2, 8: 1.0}
    assert {row['workers']: row['seeds'] for row in listed.rows} == {1: None, 2: 0.79, 4: 0.62, 8: 0.38}
    says(listed.as_text(), 'goal of the seeds')
    assert lfsr.main_size(both) == '24', 'the largest of those that have most rows'
    fewer = [dict(row, size=size) for size in ('24', '8', '16') for row in larger
             if (row['runtime'], row['workers']) != ('heist', 8)]
    all_sizes = rows.merge([('larger.json', {'rows': fewer}), ('sample.json', sample.document())])
    assert lfsr.main_size(all_sizes) == '20'
    assert list(dict.fromkeys(row['bits'] for row in lfsr.table(all_sizes).rows)) == [8, 16, 20, 24]


def the_goals_of_lfsr_are_judged():
    says(goal_text('lfsr'), 'goal of 1.95 at two workers from 20 bits on is met at 20 bits (1.955)',
         'One worker is 1.5% slower '
         'than the serial loop (within the 2% allowed)',
         '8 workers on the two cores are slower than two by 2.0% (goal: no slower; within the noise)')
    says(goal_text('lfsr', slower(0.98, workload='lfsr', runtime='heist', workers=8)),
         '8 workers on the two cores are no slower than two (goal met)')
    says(goal_text('lfsr', slower(1.0028, workload='lfsr', runtime='heist', workers=2)), 'is met at 20 bits (1.950)')
    says(goal_text('lfsr', slower(1.004, workload='lfsr', runtime='heist', workers=2), noisy(1.0001)),
         'is missed at 20 bits (1.947)')
    for ratio, word in ((1.019, 'within the 2% allowed'), (1.021, 'more than the 2% allowed')):
        said = goal_text('lfsr', slower(ratio * 0.985, workload='lfsr', runtime='heist', workers=1), noisy(1.0001))
        says(said, 'One worker is {} slower than the serial loop ({})'.format(words.change(ratio), word))
    turned = goal_text('lfsr', slower(1.1, workload='lfsr', runtime='heist', workers=2),
                  slower(1.1, workload='lfsr', runtime='heist', workers=1),
                  slower(1.5, workload='lfsr', runtime='heist', workers=8))
    says(turned, 'is missed at 20 bits (1.777)', '(more than the 2% allowed)', 'are slower than two by 39%', 'missed)')


def noise_decides_no_goal_of_lfsr():
    for factor in (1, 1.1):  # whether it seems to be met or not
        loud = goal_text('lfsr', slower(factor, workload='lfsr', runtime='heist'),
                         noisy(1.5, workload='lfsr', runtime='serial'))
        says(loud, 'at two workers from 20 bits on is too noisy to judge at 20 bits',
             '(2% are allowed; too noisy to judge)')
        says_not(loud, 'is met', 'missed', 'within the 2%', 'more than the')
    says(goal_text('lfsr', slower(2, workload='lfsr', runtime='heist'), noisy(1.5, workload='lfsr', runtime='serial')),
         'is missed at 20 bits (0.978)', '(more than the 2% allowed)')
    for factor, word in ((1.5, 'slower than two by 53%'), (0.5, 'faster than two by 96%')):
        loud = goal_text('lfsr', slower(factor, workload='lfsr', runtime='heist', workers=8),
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
    says(text('batches', slower(0.1, batch_size='100')), 'Batches of 100 cost nothing beyond the noise')


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
    says_not(text('latency', keep=lacks(workload='steal', fence='on', victim='answering')),
             'victim that spawns and joins')
    tiles = summary.tiles(sample.results(keep=lacks(workload='wake', state='parked', **{'from': 'worker'})))
    assert not [tile for tile in tiles if 'parked' in tile.label], tiles


def a_steal_is_one_of_many():
    row = sample.results().of('steal', fence='off', victim='answering')[0]
    says(text('latency'), 'costs {} where the thief'.format(words.duration(row.median_ns / row.tasks)))


def submissions_are_compared_at_the_same_number_of_workers():
    says(text('submit'), '6.49 million tasks a second at most, with 1 worker on 2 cores, and 3.97 million at least, '
                         'with 8 workers on 2 cores '
                         '(oversubscribed).',
         'heist takes more with 1 (1.40 times as many as oneTBB), 2 (1.50 times as many as oneTBB), 4 (')
    mixed = text('submit', slower(0.1, workload='submit', runtime='tbb', workers=1),
                 slower(168 / 252, workload='submit', runtime='tbb', workers=2))
    says(mixed, 'heist takes more with 4 (1.65 times as many as oneTBB) and 8 (',
         '; fewer with 1 (oneTBB takes 7.13 times '
         'as many); as many, within the noise, with 2 (oneTBB).')
    says_not(text('submit', keep=lambda fields: fields['runtime'] == 'heist'), 'Beside')


sys.exit(cases.run('test_sentences', [value for name, value in list(globals().items()) if callable(value) and
                                      getattr(value, '__module__', '') == '__main__' and
                                      name not in ('differs', 'made_of')]))
