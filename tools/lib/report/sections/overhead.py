"""The cost of an empty task: time for each task with one worker, against the peers and plain calls."""
import math

from .. import bars, cases, noise, plot, theme, words
from ..tables import Column, Table, plain

EMPTY = ('fib', 'tree', 'wide')  # their tasks do next to nothing: the time is that of spawn and join
WHAT = {'fib': 'two tasks a level', 'tree': 'ten tasks a level', 'wide': 'all tasks from one loop'}


def cost(case, runtime):
    """Nanoseconds for each task with one worker."""
    row = case.serial if runtime == 'serial' else case.runtimes.get(runtime, {}).get(1)
    if not row:
        return None
    if row.per_task() is None:  # the serial program creates no tasks: the number of heist's tasks counts
        ours = case.runtimes['heist'].get(1)
        return row.min_ns / ours.tasks if ours and ours.tasks else None
    return row.per_task()


def costs(case):
    """Runtime -> nanoseconds, the serial program last."""
    found = {runtime: cost(case, runtime) for runtime in theme.ordered(case.runtimes)}
    found['serial'] = cost(case, 'serial')
    return {runtime: value for runtime, value in found.items() if value}


def dearer(case):
    """Whether a task costs more than a plain call beyond the noise. A task contains a call: less is not possible."""
    margin = noise.tolerance(case.runtimes['heist'][1], case.serial)
    return cost(case, 'heist') > cost(case, 'serial') * (1 + margin)


def beside_call(case):
    """The cost of a task beyond that of a plain call, in words that the tile uses, too."""
    if not dearer(case):
        return 'as cheap as a plain call, within the noise'
    return '{} more than a plain call'.format(words.duration(cost(case, 'heist') - cost(case, 'serial')))


def about(case):
    """The sentence about one workload."""
    its = costs(case)
    mine, plain_call = its['heist'], its.get('serial')
    said = 'a task of {} costs heist {}'.format(case.workload, words.duration(mine))
    if plain_call:
        said += ', {}'.format(beside_call(case))
    others = {runtime: value for runtime, value in its.items() if runtime not in ('heist', 'serial')}
    if others:
        best = min(others, key=others.get)
        ours, theirs = case.runtimes['heist'][1], case.runtimes[best][1]
        verdict = noise.compare(ours, theirs, mine / others[best])
        ratio = others[best] / mine
        said += '; ' + {
            -1: 'the cheapest of the others, {}, takes {}, {} times as much',
            0: 'the cheapest of the others, {}, takes {}' + noise.undecided(ours, theirs),
            1: '{} is cheaper, at {}: heist takes {} times as much',
        }[verdict].format(theme.name(best), words.duration(others[best]),
                          words.factor(ratio if verdict < 0 else 1 / ratio))
    return words.sentence(said)


def sentences(ours):
    samples = [('{} in {}'.format(theme.name(runtime), case.workload), curve[1]) for case in ours
               for runtime, curve in case.runtimes.items() if 1 in curve]
    return [about(case) for case in ours], cases.doubts(samples)


def figure(ours, said):
    groups = [bars.Group('{}: {}'.format(case.name, WHAT[case.workload]),
                         [bars.Bar(runtime, value, words.duration(value)) for runtime, value in costs(case).items()],
                         None) for case in ours]
    values = [bar.value for group in groups for bar in group.bars]
    low = 10 ** math.floor(math.log10(min(values) / 1.5))
    high = max(values) * 1.3

    def draw(sheet):
        return bars.draw(sheet, groups, bars.Scale('nanoseconds for each task, logarithmic', low, high, True, ''))
    alt = 'Bars: time for each task with one worker, on a logarithmic scale. ' + said
    return plot.Figure('overhead', alt, draw)


def beyond(nanoseconds):
    """A task that seems to cost less than a call costs nothing beyond a call."""
    return words.duration(nanoseconds) if nanoseconds > 0 else 'nothing'


def table(ours):
    rows = []
    for case in ours:
        its = costs(case)
        for runtime, value in its.items():
            row = case.serial if runtime == 'serial' else case.runtimes[runtime][1]
            rows.append({'workload': case.workload, 'size': case.size, 'runtime': runtime, 'ns_per_task': value,
                         'over_call_ns': value - its['serial'] if 'serial' in its and runtime != 'serial' else None,
                         'over_heist': value / its['heist'], 'spread': noise.spread(row)})
    return Table('Time for each task, one worker', [
        Column('workload', 'workload', plain), Column('size', 'size', plain), Column('runtime', 'runtime', theme.name),
        Column('per task', 'ns_per_task', words.duration), Column('beyond a call', 'over_call_ns', beyond),
        Column('times heist', 'over_heist', words.factor), Column('median above least', 'spread', words.percent)], rows)


def make(results):
    ours = [case for case in cases.headlines(results, EMPTY) if cost(case, 'heist')]
    if not ours:
        return None
    said, doubts = sentences(ours)
    return cases.Section(
        'overhead', 'What a task costs', said, figure(ours, said[0]), [table(ours)],
        'One worker, no cut-off: the time of the whole run over its tasks, spawn, join and call together. The scale is '
        'logarithmic: each line is ten times the one before.', doubts)
