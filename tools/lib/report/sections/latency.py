"""The time until a new task runs on an idle worker, and the cost of a steal."""
import math

from .. import cases, noise, plot, theme, words
from ..tables import Column, Table, plain

SETTINGS = {
    'state': {'parked': 'parked worker', 'spinning': 'looking worker'},
    'from': {'worker': 'task spawned', 'outside': 'task submitted'},
    'fence': {'off': 'barrier of the thief', 'on': 'fences on both sides'},
    'victim': {'answering': 'victim spawns', 'busy': 'victim computes'},
}


def samples(results):
    """(words, row) for each latency of heist, wakes first."""
    found = []
    for workload in ('wake', 'steal'):
        several = len({row.workers for row in results.of(workload, 'heist')}) > 1
        for row in results.of(workload, 'heist'):
            parts = [SETTINGS.get(name, {}).get(value, value) for name, value in row.settings.items()]
            if several:
                parts.append(words.plural(row.workers, 'worker'))
            found.append(('{}: {}'.format(workload, ', '.join(parts) or row.size), row))
    return found


def one(results, workload, **settings):
    """The row with these settings. A caller must name every setting that its sentence mentions: otherwise a row with
    another value could stand for it."""
    fitting = [row for row in results.of(workload, 'heist') if row.agrees_with(settings)]
    return min(fitting, key=lambda row: (cases.usual(row), row.workers)) if fitting else None


def spawned(results, state):
    """The time until a task that a worker spawned runs on another worker."""
    return one(results, 'wake', **{'state': state, 'from': 'worker'})


def median(row):
    """The median of one wake or one steal; a row of steals has the time of all of them together."""
    return row.median_ns / (row.tasks or 1)


def best(row):
    return row.min_ns / (row.tasks or 1)


def reach(row):
    """The least and the largest known value of a latency."""
    return row.more('least_ns') or best(row), row.more('p99_ns') or median(row)


# --- the sentences ----------------------------------------------------------------------------------------------------

def contrast(first, second):
    """The ratio of two latencies, in medians."""
    if noise.compare(first, second) == 0:
        return noise.undecided(first, second)
    ratio = median(first) / median(second)
    return ': the {} takes {} times as long'.format('former' if ratio > 1 else 'latter',
                                                    words.factor(max(ratio, 1 / ratio)))


def about_wake(results):
    parked, looking = spawned(results, 'parked'), spawned(results, 'spinning')
    if not parked or not looking or parked is looking:
        return []
    said = ['A task that a worker spawns runs {} later on a worker that was parked and {} later on one that was '
            'looking for work (medians){}.'.format(words.duration(median(parked)), words.duration(median(looking)),
                                         contrast(parked, looking))]
    outside = [one(results, 'wake', **{'state': state, 'from': 'outside'}) for state in ('parked', 'spinning')]
    if None not in outside and parked not in outside:
        said.append('Submitted from outside it is {} and {}.'.format(
            *(words.duration(median(row)) for row in outside)))
    return said


def about_steal(results):
    light, heavy = (one(results, 'steal', fence=fence, victim='answering') for fence in ('off', 'on'))
    if not light or not heavy or light is heavy:
        return []
    said = ['A steal from a victim that spawns and joins costs {} where the thief alone has a barrier and {} with '
            'fences on both sides (medians){}.'.format(words.duration(median(light)), words.duration(median(heavy)),
                                               contrast(light, heavy))]
    busy = [one(results, 'steal', fence=fence, victim='busy') for fence in ('off', 'on')]
    if None not in busy and light not in busy:
        said.append('From a victim that only computes it is {} and {}.'.format(
            *(words.duration(median(row)) for row in busy)))
    return said


def sentences(results):
    found = samples(results)
    said = about_wake(results) + about_steal(results)
    if not said:
        each = ('{}, {}'.format(name, words.duration(median(row))) for name, row in found)
        said = [words.sentence(words.listing(each))]
    return said, cases.doubts(found)


# --- the figure and the table -----------------------------------------------------------------------------------------

def figure(results, said):
    found = samples(results)
    low = 10 ** math.floor(math.log10(min(reach(row)[0] for _, row in found) / 1.1))
    high = 10 ** math.ceil(math.log10(max(reach(row)[1] for _, row in found) * 1.1))

    def draw(sheet):
        step = 40 if sheet.phone else 30
        sheet.height = 12 + step * len(found) + 66
        left = 26 if sheet.phone else 340
        area = (left, 12, sheet.width - 30, 12 + step * len(found) + 10)
        tint = theme.style('heist').light
        commands, ranges, medians = [plot.area(sheet, *area)], [], []
        for i, (name, row) in enumerate(found):
            y = len(found) - i - (0.68 if sheet.phone else 0.5)
            ranges.append((reach(row)[0], y, reach(row)[1] - reach(row)[0]))
            medians.append((median(row), y, words.duration(median(row))))
            top = area[1] + (len(found) - y) / len(found) * (area[3] - area[1])
            sheet.box(area[0], top - step / 2, area[2], top + step / 2, '{}: median {}, from {} to {}, {}'.format(
                name, words.duration(median(row)), *map(words.duration, reach(row)), noise.told(row)))
            # On a phone the name stands above the line, and the number with it: beside the dot they would meet.
            title = '{}: {}'.format(name, words.duration(median(row))) if sheet.phone else name
            commands.append(plot.label(title, 'screen {:.5f}'.format(sheet.x(left - 12)),
                                       y + (0.45 if sheet.phone else 0),
                                       align='left' if sheet.phone else 'right'))
        commands.append(plot.block('ranges', ranges) + plot.block('medians', medians))
        commands.append('set yrange [0:{}]\nunset ytics\nset border 1\nset logscale x 10\nset xrange [{}:{}]\n'.format(
            len(found), low * 0.99, high * 1.01))
        marks = ', '.join('"{}" {}'.format(words.duration(10 ** e, 1), 10 ** e)
                          for e in range(round(math.log10(low)), round(math.log10(high)) + 1))
        commands.append('set grid xtics lc rgb "{}" lw 1 dt 1\nset xtics ({})\n'.format(theme.colour('grid'), marks))
        commands.append(plot.axis_title('logarithmic'))
        commands.append('plot $ranges using 1:2:3:(0) with vectors nohead lw 3 lc rgb "{}", $medians using 1:2 with '
                        'points pt 7 ps 1 lc rgb "{}"'.format(theme.colour('other'), tint))
        commands.append('\n' if sheet.phone else ', $medians using 1:2:3 with labels center offset 0,0.75 textcolor '
                                                 'rgb "{}"\n'.format(theme.colour('ink')))
        return ''.join(commands)
    return plot.Figure('latency', 'Latencies on a logarithmic scale. ' + said, draw)


def table(results):
    listed = [{'what': name, 'workers': row.workers, 'min_ns': best(row), 'median_ns': median(row),
               'least_ns': row.more('least_ns'), 'p99_ns': row.more('p99_ns'), 'spread': noise.spread(row)}
              for name, row in samples(results)]
    return Table('Latencies', [
        Column('what', 'what', plain), Column('workers', 'workers', plain),
        Column('best run', 'min_ns', words.duration),
        Column('median run', 'median_ns', words.duration), Column('least sample', 'least_ns', words.duration),
        Column('99th percentile', 'p99_ns', words.duration), Column('median above least', 'spread', words.percent)],
                 listed)


def make(results):
    if not samples(results):
        return None
    said, doubts = sentences(results)
    return cases.Section(
        'latency', 'Waking and stealing', said, figure(results, said[0]), [table(results)],
        'The dot is the median run; the line goes from the least to the 99th percentile of the samples where these are '
        'known, else from the best run to the median. A long line: the machine or the kernel disturbed the runs.',
        doubts)
