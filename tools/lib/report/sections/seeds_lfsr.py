"""The cycle structure of an LFSR over the number of workers, in each mode, beside what the seeds reached."""
import collections

from .. import cases, noise, panels, plot, rows, theme, words
from ..tables import Column, Table, plain

TWO_WORKERS_GOAL, GOAL_BITS, ONE_WORKER_GOAL = 1.95, 20, 0.02
MODES = ('auto', 'steal', 'hybrid', 'static', 'shared')


def mode(row):
    return row.settings.get('mode', '')


def main_size(results):
    sizes = {row.size for row in results.of('lfsr', 'heist')}
    return max(sizes, key=lambda size: (len(results.of('lfsr', 'heist', size=size)), rows.size_key(size)))


def by_mode(results, size):
    """Mode -> workers -> row, with the automatic batch size, or the fastest one when that was not measured."""
    found = {}
    for row in sorted(results.of('lfsr', 'heist', size=size), key=lambda row: (cases.usual(row), row.min_ns)):
        if results.over_serial(row):
            found.setdefault(mode(row), {}).setdefault(row.workers, row)
    order = {name: i for i, name in enumerate(MODES)}
    return dict(sorted(found.items(), key=lambda item: (order.get(item[0], len(MODES)), item[0])))


def bits(size):
    digits = ''.join(c for c in size.split(':')[0] if c.isdigit())
    return int(digits) if digits else 0


def pair(results, row):
    """What a speed-up over the serial program was seen from."""
    serial = results.serial_of(row)
    return (row, serial) if serial else (row,)


def judged_sizes(results):
    """Those that goals are set for; the one that is shown, when there is none."""
    sizes = sorted({row.size for row in results.of('lfsr', 'heist')}, key=rows.size_key)
    return [size for size in sizes if bits(size) >= GOAL_BITS] or [main_size(results)]


# --- the sentences ----------------------------------------------------------------------------------------------------

def beside_seeds(results, curve, name):
    shared = sorted(count for count, row in curve.items() if row.more('seeds'))
    if not shared:
        return 'There is no number of workers that both heist and the seeds were measured with.'
    have = cases.cores(results)
    mine = [results.over_serial(curve[count]) for count in shared]
    theirs = [curve[count].more('seeds') for count in shared]
    ahead = sum(a > b for a, b in zip(mine, theirs))
    over = [count for count in shared if count > have]
    return 'With {} workers heist{} is {} times as fast as the serial program{}; the seeds reached {}{} (they aimed at {}).'.format(
        words.listing(str(count) for count in shared), ' ({} mode)'.format(name) if name else '',
        words.listing(words.factor(value) for value in mine),
        ' ({} oversubscribed: there are {})'.format(words.listing(str(count) for count in over),
                                                    words.plural(have, 'core')) if over else '',
        words.listing(words.factor(value) for value in theirs),
        '' if ahead == len(shared) else ', which is more{}'.format('' if ahead == 0 else ' in {} of {}'.format(
            len(shared) - ahead, len(shared))),
        words.listing(words.factor(curve[count].more('seeds_target') or 0) for count in shared))


# A goal, judged from one curve: the verdict, what is said of it, and the same in short.
Judgement = collections.namedtuple('Judgement', 'verdict said short')


def two_workers(results, curve):
    if 2 not in curve or cases.cores(results) < 2:
        return None
    value = results.over_serial(curve[2])
    met, _ = words.judged(value, TWO_WORKERS_GOAL, 3, 3)
    return Judgement(noise.verdict(met, TWO_WORKERS_GOAL / value, *pair(results, curve[2])), None, '{:.3f}'.format(value))


def one_worker(results, curve):
    if 1 not in curve:
        return None
    value = results.over_serial(curve[1])
    met, digits = words.judged(1 / value - 1, ONE_WORKER_GOAL, 3, 4, most=True)
    its = noise.verdict(met, 1 / value / (1 + ONE_WORKER_GOAL), *pair(results, curve[1]))
    ratio = 1 / value if value < 1 else value
    said = '{} {}'.format(words.change(ratio) if digits == 3 else words.percent(ratio - 1, digits - 2),
                          'slower' if value < 1 else 'faster')
    allowed = words.percent(ONE_WORKER_GOAL)
    return Judgement(its, '{} than the serial loop ({})'.format(
        said, '{} the {} allowed'.format('within' if its else 'more than', allowed) if its in (True, False) else
        '{} are allowed; {}'.format(allowed, its.rstrip(','))), said)


def too_many(results, curve):
    """Whether those without a core do harm."""
    if 2 not in curve or cases.cores(results) != 2 or max(curve) < 3:
        return None
    most = max(curve)
    ratio = curve[most].min_ns / curve[2].min_ns
    its = noise.verdict(words.judged(ratio - 1, 0, 3, 3, most=True)[0], ratio, curve[most], curve[2])
    if its is True:
        return Judgement(True, 'no slower than two (goal met)', '')
    said = '{} than two by {}'.format('slower' if ratio > 1 else 'faster', words.change(max(ratio, 1 / ratio)))
    return Judgement(its, '{} (goal: no slower; {})'.format(said, its.rstrip(',') if its else 'missed'), said)


def judge(results, goal):
    """For each size the mode that stands for all, and its judgement; then the other modes that miss it, in words."""
    chosen, others = [], []
    for size in judged_sizes(results):
        for place, (name, curve) in enumerate(by_mode(results, size).items()):
            its = goal(results, curve)
            if its and place == 0:
                chosen.append((name, bits(size), its))
            elif its and its.verdict is False:
                others.append('{} at {} bits ({})'.format(name, bits(size), its.short))
    return chosen, others


def of_mode(chosen, others):
    """What ends a sentence about a goal."""
    names = words.listing(dict.fromkeys(name for name, _, _ in chosen if name))
    return (' in {} mode'.format(names) if names else '') + (
        '; of the other modes it is missed by {}'.format(words.listing(others)) if others else '')


def about_two_workers(results):
    chosen, others = judge(results, two_workers)
    chosen = [case for case in chosen if case[1] >= GOAL_BITS]
    if not chosen:
        return []
    parts = []
    for verdict, word in ((True, 'met'), (False, 'missed'), *((its, its) for its in noise.REASONS)):
        found = ['{} bits ({})'.format(size, its.short) for _, size, its in chosen if its.verdict is verdict]
        parts += [word + ' at ' + words.listing(found)] if found else []
    return ['the goal of {} at two workers from {} bits on is {}{}'.format(
        TWO_WORKERS_GOAL, GOAL_BITS, words.listing(parts), of_mode(chosen, others))]


def about_each_size(results, beginning, goal):
    chosen, others = judge(results, goal)
    if not chosen:
        return []
    parts = words.listing('{} at {} bits'.format(its.said, size) for _, size, its in chosen)
    return ['{} {}{}'.format(beginning, parts, of_mode(chosen, others))]


def goals(results):
    most = max((row.workers for row in results.of('lfsr', 'heist')), default=0)
    return [words.sentence(each) for each in about_two_workers(results) +
            about_each_size(results, 'one worker is', one_worker) +
            about_each_size(results, '{} workers on the two cores are'.format(most), too_many)]


def sentences(results, size):
    found = by_mode(results, size)
    name = next(iter(found))
    curve = found[name]
    samples = [('{} with {}'.format(which or 'lfsr', words.plural(count, 'worker')), row)
               for which, its in found.items() for count, row in its.items() if count <= cases.cores(results)]
    return [beside_seeds(results, curve, name)] + goals(results) + cases.doubts(samples)


# --- the figure and the table -----------------------------------------------------------------------------------------

def figure(results, size, said):
    found = by_mode(results, size)
    chosen = next(iter(found))
    have = cases.cores(results)
    # heist-perf knows what the seeds reached, and tells it in the rows.
    reached = {row.workers: row.more('seeds') for row in results.of('lfsr', 'heist') if row.more('seeds')}
    counts = sorted({count for curve in found.values() for count in curve} | set(reached))
    lines = {name: [(panels.position(count), results.over_serial(row)) for count, row in sorted(curve.items())]
             for name, curve in found.items()}
    top = max([value for points in lines.values() for _, value in points] + [min(have, max(counts))]) * 1.1

    def draw(sheet):
        sheet.height = 330 if sheet.phone else 360
        area = (34, 14, sheet.width - (104 if sheet.phone else 190), sheet.height - 50)
        commands = [plot.area(sheet, *area), panels.axes(counts, top, panels.tics(top)),
                    panels.shade(counts, have, panels.position(min(counts)) - 0.3)]
        ends = ends_of(lines, chosen, counts, have)
        if reached:
            ends.append(('the seeds', reached[max(reached)], 'muted', False))
        places = plot.apart([value / top for _, value, _, _ in ends], 15 / (area[3] - area[1]))
        for (words_, _, tint, bold), place in zip(ends, places):
            commands.append(plot.label(words_, 'graph 1.02', 'graph {:.4f}'.format(place), role=tint, bold=bold))
        if max(counts) > have:
            commands.append(plot.label('oversubscribed', 'graph 0.98', 'graph 0.05', role='muted', align='right'))
        commands.append(plot.axis_title('workers'))
        drawn = []
        for name in sorted(lines, key=lambda name: name == chosen):
            style = plot.line_style('heist') if name == chosen else 'lc rgb "{}" lw 1.6 pt 7 ps 0.5'.format(
                theme.colour('other'))
            commands.append(plot.block('mode' + str(len(drawn)), lines[name]))
            drawn.append('$mode{} using 1:2 with linespoints {}'.format(len(drawn), style))
        commands.append(plot.block('ideal', [(panels.position(count), min(count, have)) for count in counts]))
        commands.append(plot.block('one', [(panels.position(count), 1) for count in counts]))
        muted = theme.colour('muted')
        drawn = ['$ideal using 1:2 with lines dt 2 lw 1.4 lc rgb "{}"'.format(muted),
                 '$one using 1:2 with lines dt 3 lw 1.4 lc rgb "{}"'.format(theme.style('serial').light)] + drawn
        if reached:
            commands.append(plot.block('seeds', [(panels.position(c), v) for c, v in sorted(reached.items())]))
            drawn.append('$seeds using 1:2 with linespoints lw 1.6 dt 4 pt 4 ps 0.7 lc rgb "{}"'.format(muted))
        return ''.join(commands) + 'plot ' + ', '.join(drawn) + '\n'
    return plot.Figure('lfsr-workers', 'Speed-up of the LFSR cycle search by number of workers, with the ideal and '
                                       'what the seeds reached. ' + said, draw)


def ends_of(lines, chosen, counts, have):
    """What is written at the right ends: words, height, colour, bold. Modes that end together share a label."""
    groups = []
    for name, points in lines.items():
        near = next((group for group in groups if name != chosen and group[0] != chosen and
                     abs(group[2] - points[-1][1]) < 0.03), None)
        if near:
            near[1].append(name)
        else:
            groups.append((name, [name], points[-1][1]))
    ends = [(words.listing(names) if name != chosen else 'heist' + (', ' + name if name else ''), value,
             theme.style('heist').light if name == chosen else 'muted', name == chosen)
            for name, names, value in groups]
    ends.append(('ideal', min(max(counts), have), 'muted', False))
    ends.append(('serial', 1, theme.style('serial').light, False))
    return ends


def table(results):
    """All sizes, modes and numbers of workers, with the batches that heist chooses by itself."""
    listed = []
    for size in sorted({row.size for row in results.of('lfsr', 'heist')}, key=rows.size_key):
        for name, curve in by_mode(results, size).items():
            for count, row in sorted(curve.items()):
                listed.append({'bits': bits(size), 'runtime': 'heist', 'mode': name, 'workers': count,
                               'min_ns': row.min_ns, 'over_serial': results.over_serial(row),
                               'efficiency': share(results, row), 'balance': row.more('balance'),
                               'overhead': row.more('overhead'), 'spread': noise.spread(row),
                               'seeds': row.more('seeds'), 'seeds_target': row.more('seeds_target')})
    return Table('LFSR, automatic batches; beside it what the seeds\u2019 dynamic mode reached and was to reach', [
        Column('bits', 'bits', plain), Column('mode', 'mode', plain), Column('workers', 'workers', plain),
        Column('least time', 'min_ns', words.duration),
        Column('over serial', 'over_serial', '{:.3f}'.format), Column('efficiency', 'efficiency', words.percent),
        Column('busiest over mean', 'balance', '{:.3f}'.format), Column('outside batches', 'overhead', percent_fine),
        Column('median above least', 'spread', words.percent),
        Column('seeds over serial', 'seeds', '{:.2f}'.format), Column('seeds\u2019 target', 'seeds_target', '{:.2f}'.format)],
                 listed)


def percent_fine(part):
    return words.percent(part, 2)


def share(results, row):
    """Of the ideal that the cores allow, against the serial program."""
    return results.over_serial(row) / min(row.workers, cases.cores(results))


def make(results):
    if not results.of('lfsr', 'heist') or not by_mode(results, main_size(results)):
        return None
    size = main_size(results)
    said = sentences(results, size)
    return cases.Section(
        'lfsr', 'LFSR cycles: workers and modes', said, figure(results, size, said[0]), [table(results)],
        'The cycle structure of the whole state space of a shift register of {} bits; batches of states are tasks. '
        'heist\u2019s workers are bound to cores; how much of their time is outside batches is told where each has '
        'one. The seeds are an earlier program, in Python with processes, that heist grew out of: it was measured on '
        'another machine, against its own serial loop.'.format(bits(size)))
