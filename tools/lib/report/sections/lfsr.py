"""The cycle structure of an LFSR over the number of workers, in each mode."""
from .. import cases, noise, panels, plot, rows, theme, words
from ..tables import Column, Table, plain

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


# --- the sentences ----------------------------------------------------------------------------------------------------

def about_workers(results, curve, name):
    """The speed-ups of one mode."""
    counts, have = sorted(curve), cases.cores(results)
    shown = [count for count in counts if count > 1] or counts
    over = [count for count in shown if count > have]
    return 'With {} heist{} is {} times as fast as the serial program{}.'.format(
        words.plural(words.listing(str(count) for count in shown), 'worker') if shown != [1] else 'one worker',
        ' ({} mode)'.format(name) if name else '',
        words.listing(words.factor(results.over_serial(curve[count])) for count in shown),
        ' ({} oversubscribed: there {} {})'.format(
            words.listing(str(count) for count in over), 'is' if have == 1 else 'are',
            words.plural(have, 'core')) if over else '')


def about_one_worker(results, curve):
    """The cost of tasks without parallelism."""
    serial = results.serial_of(curve[1]) if 1 in curve else None
    if not serial or len(curve) == 1:
        return []
    verdict = noise.compare(curve[1], serial)
    return ['One worker is {} the serial loop.'.format(
        'as fast, within the noise, as' if verdict == 0 else '{} {} than'.format(
            words.change(max(curve[1].min_ns / serial.min_ns, serial.min_ns / curve[1].min_ns)),
            'slower' if verdict > 0 else 'faster'))]


def about_modes(results, found):
    """The fastest and the slowest mode with as many workers as there are cores."""
    counts = {count for curve in found.values() for count in curve}
    workers = cases.full_house(results, counts)
    its = sorted((curve[workers].min_ns, name, curve[workers]) for name, curve in found.items() if workers in curve)
    if len(its) < 2:
        return []
    (_, best, first), (_, worst, last) = its[0], its[-1]
    if noise.compare(first, last) == 0:
        return ['With {} no mode is slower than another beyond the noise.'.format(cases.on_cores(results, workers))]
    return ['With {} the fastest mode is {} ({}) and the slowest {} ({}).'.format(
        cases.on_cores(results, workers), best, words.factor(results.over_serial(first)), worst,
        words.factor(results.over_serial(last)))]


def sentences(results, size):
    found = by_mode(results, size)
    name, curve = next(iter(found.items()))
    samples = [('{} with {}'.format(which or 'lfsr', words.plural(count, 'worker')), row)
               for which, its in found.items() for count, row in its.items() if count <= cases.cores(results)]
    said = [about_workers(results, curve, name)] + about_one_worker(results, curve) + about_modes(results, found)
    return said, cases.doubts(samples)


# --- the figure and the table -----------------------------------------------------------------------------------------

def figure(results, size, said, name='lfsr-workers', reached=None):
    """`reached`: another curve to compare with, workers -> speed-up; the page of goals has the seeds' there."""
    reached = reached or {}
    found = by_mode(results, size)
    chosen = next(iter(found))
    have = cases.cores(results)
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
        for which in sorted(lines, key=lambda which: which == chosen):
            style = plot.line_style('heist') if which == chosen else 'lc rgb "{}" lw 1.6 pt 7 ps 0.5'.format(
                theme.colour('other'))
            commands.append(plot.block('mode' + str(len(drawn)), lines[which]))
            drawn.append('$mode{} using 1:2 with linespoints {}'.format(len(drawn), style))
        commands.append(plot.block('ideal', [(panels.position(count), min(count, have)) for count in counts]))
        commands.append(plot.block('one', [(panels.position(count), 1) for count in counts]))
        muted = theme.colour('muted')
        drawn = ['$ideal using 1:2 with lines dt 2 lw 1.4 lc rgb "{}"'.format(muted),
                 '$one using 1:2 with lines dt 3 lw 1.4 lc rgb "{}"'.format(theme.style('serial').light)] + drawn
        if reached:
            commands.append(plot.block('seeds', [(panels.position(c), v) for c, v in sorted(reached.items())]))
            drawn.append('$seeds using 1:2 with linespoints lw 1.6 dt 4 pt 4 ps 0.7 lc rgb "{}"'.format(muted))
        across = plot.Scale(*panels.bounds(counts), area[0], area[2])
        up = plot.Scale(0, top, area[3], area[1])
        for which in sorted(found, key=lambda which: which == chosen):
            for count, row in found[which].items():
                sheet.dot(across(panels.position(count)), up(results.over_serial(row)), '{}{}: {} times as fast as the '
                          'serial program, {}'.format(which + ', ' if which else '', words.plural(count, 'worker'),
                                                      words.factor(results.over_serial(row)), noise.told(row)))
        return ''.join(commands) + 'plot ' + ', '.join(drawn) + '\n'
    return plot.Figure(name, 'Speed-up of the LFSR cycle search by number of workers, with the ideal{}. {}'.format(
        ' and the speed-up of the seeds' if reached else '', said), draw)


def ends_of(lines, chosen, counts, have):
    """The labels at the right ends: words, height, colour, bold. Modes that end together share a label."""
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
                               'overhead': row.more('overhead'), 'spread': noise.spread(row)})
    return Table('LFSR, automatic batches', [
        Column('bits', 'bits', plain), Column('mode', 'mode', plain), Column('workers', 'workers', plain),
        Column('least time', 'min_ns', words.duration),
        Column('over serial', 'over_serial', '{:.3f}'.format), Column('efficiency', 'efficiency', words.percent),
        Column('busiest over mean', 'balance', '{:.3f}'.format), Column('outside batches', 'overhead', percent_fine),
        Column('median above least', 'spread', words.percent)], listed)


def percent_fine(part):
    return words.percent(part, 2)


def share(results, row):
    """The share of the ideal that the cores allow, against the serial program."""
    return results.over_serial(row) / min(row.workers, cases.cores(results))


def make(results):
    if not results.of('lfsr', 'heist') or not by_mode(results, main_size(results)):
        return None
    size = main_size(results)
    said, doubts = sentences(results, size)
    return cases.Section(
        'lfsr', 'LFSR cycles: workers and modes', said, figure(results, size, said[0]), [table(results)],
        'The cycle structure of the whole state space of a shift register of {} bits; batches of states are tasks. '
        'The workers of heist are bound to cores. The time outside batches is known where each worker has a core.'
        .format(bits(size)), doubts)
