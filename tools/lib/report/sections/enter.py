"""The cost of getting into a runtime: a run or a loop of some microseconds, called from an ordinary thread or inside a
task."""
import math

from .. import bars, cases, noise, plot, rows, theme, words
from ..tables import Column, Table, plain

HOW = ('A call from an ordinary thread for some microseconds of work, median; shorter is better. After a pause: the '
       'thread slept 2.5 ms before each call.')


# --- the rows ---------------------------------------------------------------------------------------------------------

def workers(results):
    """The number of workers that the sentences use: the most that have a core each."""
    counts = {row.workers for row in results.of('enter', 'heist')}
    return cases.full_house(results, counts) or max(counts, default=None)


def pieces(results, shape):
    """Sizes of that shape, the smallest first."""
    return sorted({row.size for row in results.of('enter', shape=shape)}, key=rows.size_key)


def find(results, runtime, size, **settings):
    """The row, or None."""
    found = results.of('enter', runtime, workers(results), size, **settings)
    return found[0] if found else None


def outside(results, runtime, size, state):
    return find(results, runtime, size, state=state, **{'from': 'outside'})


def title(size):
    """`loop of 12 µs` for loop-12:100."""
    name = size.split(':')[0]
    return 'loop of {} µs'.format(name[5:]) if name.startswith('loop-') else name


STATES = {'hot': 'back to back', 'cold': 'after a pause'}


def idle(results):
    """The row of heist with the most CPU time after the first millisecond of idleness, or None."""
    known = [row for row in results.of('enter', 'heist', workers(results)) if row.more('idle_late_cpu_ns') is not None]
    return max(known, key=lambda row: (row.more('idle_late_cpu_ns'), row.size, sorted(row.settings.items())),
               default=None)


# --- the sentences ----------------------------------------------------------------------------------------------------

def about_runs(results):
    """heist first; of the others those that have both states."""
    for size in pieces(results, 'run'):
        found = []
        for runtime in ('heist', 'tbb', 'openmp'):
            both = [outside(results, runtime, size, state) for state in STATES]
            if None not in both:
                times = ['{} {}'.format(words.duration(row.median_ns), STATES[state]) if runtime == 'heist' else
                         words.duration(row.median_ns) for row, state in zip(both, STATES)]
                found.append('{} {}'.format(theme.name(runtime), ' and '.join(times)))
        if found and found[0].startswith('heist'):
            return ['A run with one child that an ordinary thread calls takes (medians): {}.'.format('; '.join(found))]
    return []


def about_loops(results):
    said = []
    for state in STATES:
        found = [(row.median_ns / row.more('work_ns'), size) for size in pieces(results, 'loop')
                 for row in [outside(results, 'heist', size, state)] if row and row.more('work_ns')]
        if found:
            said.append('{} it is {}'.format(STATES[state], words.listing('{} for the {}'.format(
                words.factor(1 / value), title(size)) for value, size in found)))
    return ['Speed-up of loops over the serial program: {}.'.format('; '.join(said))] if said else []


def about_callers(results):
    for size in pieces(results, 'callers'):
        its = {int(row.settings['callers']): row for row in results.of('enter', 'heist', workers(results), size)
               if row.settings.get('callers', '').isdigit()}
        if its:
            return ['A run of fib(12) takes, over all callers, {}.'.format(words.listing('{} with {}'.format(
                words.duration(row.median_ns), words.plural(count, 'caller')) for count, row in sorted(its.items())))]
    return []


def about_idle(results):
    row = idle(results)
    if not row:
        return []
    used = row.more('idle_late_cpu_ns')
    return ['From 1 to 100 ms after the last call, without work, the workers of heist use {} CPU time.'.format(
        'at most {} of'.format(words.duration(used)) if used else 'no')]


def named(row):
    parts = [theme.name(row.runtime), title(row.size)] + [row.settings[name] for name in ('from', 'state', 'callers')
                                                            if name in row.settings]
    return ', '.join(parts)


def sentences(results):
    said = about_runs(results) + about_loops(results) + about_callers(results) + about_idle(results)
    spoken_of = {named(row): row for row in results.of('enter', workers=workers(results))
                 if row.settings.get('from') == 'outside'}
    return said, cases.doubts(sorted(spoken_of.items()))


# --- the figure and the tables ----------------------------------------------------------------------------------------

def groups_of(results, limit):
    found = []
    for shape in ('run', 'loop'):
        for state in STATES:
            for size in pieces(results, shape):
                its = {row.runtime: row for row in results.of('enter', workers=workers(results), size=size,
                                                              state=state, **{'from': 'outside'})}
                listed = [bars.Bar(runtime, its[runtime].median_ns, words.duration(its[runtime].median_ns))
                          for runtime in theme.ordered(its)]
                if 'heist' in its:
                    found.append(bars.Group('{}, {}'.format(title(size), STATES[state]), listed,
                                            limit(its['heist'])))
    return found


def figure(results, said, name='enter', limit=lambda row: None):
    """`limit`: the time at which a mark stands for a row of heist; the page of goals has such marks."""
    groups = groups_of(results, limit)
    if not groups:
        return None
    values = [bar.value for group in groups for bar in group.bars] + [group.mark for group in groups if group.mark]
    low, high = 10 ** math.floor(math.log10(min(values) / 1.5)), max(values) * 1.3

    def draw(sheet):
        return bars.draw(sheet, groups, bars.Scale('nanoseconds for a call, logarithmic', low, high, True,
                                                   'goal: no more'))
    return plot.Figure(name, 'Bars: how long a call from an ordinary thread takes, on a logarithmic scale. ' + said,
                       draw)


def table(results):
    order = theme.ordered(row.runtime for row in results.of('enter'))
    shapes = ['run', 'loop', 'callers', 'spawned']
    several = len({row.workers for row in results.of('enter')}) > 1

    def key(row):
        return (shapes.index(row.settings['shape']) if row.settings.get('shape') in shapes else len(shapes),
                rows.size_key(row.size), row.settings.get('from') != 'outside', row.settings.get('state') != 'hot',
                int(row.settings.get('callers', 0)), order.index(row.runtime), row.workers)
    listed = [{'size': row.size, 'from': row.settings.get('from'), 'state': row.settings.get('state'),
               'callers': row.more('callers'), 'runtime': row.runtime,
               'workers': row.workers if several else None, 'median_ns': row.median_ns,
               'p10_ns': row.more('p10_ns'), 'p90_ns': row.more('p90_ns'), 'work_ns': row.more('work_ns'),
               'idle_cpu_ns': row.more('idle_cpu_ns'),
               'idle_late_cpu_ns': row.more('idle_late_cpu_ns'), 'spread': noise.spread(row)}
              for row in sorted(results.of('enter'), key=key)]
    return Table('Calls of a runtime: median, 10th and 90th percentile; CPU time of idle workers in 100 ms after the '
                 'last call, '
                 'and without the first of these', [
        Column('work', 'size', plain), Column('from', 'from', plain), Column('state', 'state', plain),
        Column('callers', 'callers', plain), Column('runtime', 'runtime', theme.name), Column('workers', 'workers',
                plain),
        Column('median', 'median_ns', words.duration), Column('10%', 'p10_ns', words.duration),
        Column('90%', 'p90_ns', words.duration), Column('serial', 'work_ns', words.duration),
        Column('CPU, idle', 'idle_cpu_ns', words.duration),
        Column('late', 'idle_late_cpu_ns', words.duration), Column('above least', 'spread', words.percent)], listed)


def make(results):
    if not results.of('enter'):
        return None
    said, doubts = sentences(results)
    return cases.Section('enter', 'Getting into a pool', said or ['heist was not measured here.'],
                         figure(results, said[0] if said else ''), [table(results)], HOW, doubts)
