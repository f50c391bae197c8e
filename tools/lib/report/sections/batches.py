"""LFSR cycles over the size of the batches: one panel a mode, the other modes grey behind it."""
import math

from .. import cases, noise, panels, plot, theme, words
from ..tables import Column, Table, plain
from . import lfsr


def batch(row):
    value = row.settings.get('batch_size')
    return int(value) if value and value.isdigit() else None


def curves(results, size, workers):
    """Mode -> batch size -> row; the automatic batch is None."""
    found = {}
    for row in results.of('lfsr', 'heist', workers, size):
        if results.over_serial(row):
            found.setdefault(lfsr.mode(row), {}).setdefault(batch(row), row)
    found = {name: its for name, its in found.items() if sum(key is not None for key in its) > 1}
    order = {name: i for i, name in enumerate(lfsr.MODES)}
    return dict(sorted(found.items(), key=lambda item: order.get(item[0], len(order))))


def measured_workers(results, size):
    counts = {row.workers for row in results.of('lfsr', 'heist', size=size) if batch(row) is not None}
    return cases.full_house(results, counts) or (min(counts) if counts else None)


# --- the sentences ----------------------------------------------------------------------------------------------------

def sentences(results, size, workers):
    found = curves(results, size, workers)
    given = [(row, name, key) for name, its in found.items() for key, row in its.items() if key is not None]
    best, best_mode, best_batch = min(given, key=lambda item: item[0].min_ns)
    alike = sum(noise.compare(best, row) == 0 for row, _, _ in given) - 1
    said = ['With {} the best batch is {} states in {} mode, {} times as fast as the serial loop; {} of the {} other '
            'choices are equal to it within the noise.'.format(
                cases.on_cores(results, workers), words.count(best_batch), best_mode or 'its',
                words.factor(results.over_serial(best)), alike or 'none', len(given) - 1)]
    said += smallest(found) + automatic(results, found, best)
    return said, cases.doubts(('{} with batches of {}'.format(name, words.count(key)), row) for row, name, key in given)


def smallest(found):
    """The cost of small batches: the smallest size against the best of the same mode."""
    hurt, fine = [], []
    for name, its in found.items():
        given = {key: row for key, row in its.items() if key is not None}
        least = given[min(given)]
        best = min(given.values(), key=lambda row: row.min_ns)
        if noise.compare(least, best) > 0:
            hurt.append((least.min_ns / best.min_ns, name))
        else:
            fine.append(name)
    size = words.count(min(key for its in found.values() for key in its if key is not None))
    hurt.sort(reverse=True)
    if not hurt:
        return ['Batches of {} cost nothing beyond the noise, in any mode.'.format(size)]
    return ['Batches of {} take longer than the best size of the same mode: {}{}.'.format(
        size, words.listing('{} by {}'.format(name, words.change(ratio)) for ratio, name in hurt),
        '; not so {}'.format(words.listing(fine, 'or')) if fine else '')]


def automatic(results, found, best):
    """The automatic size against the best given size. They come from two steps: each is compared with its own
    interleaved serial program, as in the figure."""
    chosen = [(its[None], name) for name, its in found.items() if None in its]
    if not chosen:
        return []
    row, name = min(chosen, key=lambda item: lfsr.MODES.index(item[1]) if item[1] in lfsr.MODES else 99)
    ratio = results.over_serial(best) / results.over_serial(row)
    verdict = noise.compare(row, best, ratio)
    return ['The automatic choice{} is {}.'.format(
        ' in {} mode'.format(name) if name else '',
        'behind it by ' + words.change(ratio) if verdict > 0 else 'faster still, by ' + words.change(1 / ratio)
        if verdict < 0 else 'as fast, within the noise')]


# --- the figure and the table -----------------------------------------------------------------------------------------

def figure(results, size, workers, said):
    found = curves(results, size, workers)
    sizes = sorted({key for its in found.values() for key in its if key is not None})
    place_of = {key: i for i, key in enumerate(sizes)}
    values = [results.over_serial(row) for its in found.values() for row in its.values()]
    top = max(values + [min(workers, cases.cores(results))]) * 1.1
    auto_at = len(sizes) + 0.3
    ideal = min(workers, cases.cores(results))

    def lines(its):
        return [(place_of[key], results.over_serial(row)) for key, row in sorted(
            (item for item in its.items() if item[0] is not None))]

    def draw(sheet):
        extras = [('other', 'the other modes'), ('line', 'ideal')]
        _, height = plot.legend(sheet, ['heist'], extras)
        places = panels.grid(sheet, len(found), height)
        commands = ['set multiplot\n', plot.legend(sheet, ['heist'], extras)[0]]
        marks = ', '.join('"{}" {}'.format(short(sizes[i]), i) for i in labelled(len(sizes))) + ', "auto" {}'.format(
            auto_at)
        commands.append('set xrange [-0.4:{}]\nset xtics ({})\nset yrange [0:{}]\nset ytics {}\n'.format(
            auto_at + 0.5, marks, top, panels.tics(top)))
        for place, name in zip(places, found):
            commands.append(plot.area(sheet, *place) + 'set format y "%g"\n')
            commands.append(plot.label(name or 'lfsr', 'graph 0', 'screen {:.5f}'.format(sheet.y(place[1] - 11)),
                                       bold=True))
            commands.append(plot.block('ideal', [(-0.4, ideal), (auto_at + 0.5, ideal)]))
            drawn = ['$ideal using 1:2 with lines dt 2 lw 1.4 lc rgb "{}"'.format(theme.colour('muted'))]
            for i, other in enumerate(sorted(found, key=lambda other: other == name)):
                commands.append(plot.block('line{}'.format(i), lines(found[other])))
                drawn.append('$line{} using 1:2 with {}'.format(
                    i, 'linespoints ' + plot.line_style('heist') if other == name else
                    'lines lw 1.4 lc rgb "{}"'.format(theme.colour('other'))))
            if None in found[name]:
                commands.append(plot.block('auto', [(auto_at, results.over_serial(found[name][None]))]))
                drawn.append('$auto using 1:2 with points pt 6 ps 0.9 lw 2 lc rgb "{}"'.format(
                    theme.style('heist').light))
            commands.append('plot ' + ', '.join(drawn) + '\n' + plot.clear())
            across = plot.Scale(-0.4, auto_at + 0.5, place[0], place[2])
            up = plot.Scale(0, top, place[3], place[1])
            for key, row in found[name].items():
                sheet.dot(across(auto_at if key is None else place_of[key]), up(results.over_serial(row)), tip(
                    results, name, key, row))
        return ''.join(commands) + 'unset multiplot\n'
    return plot.Figure('lfsr-batches',
                       'Speed-up over the serial loop by batch size with {}, one panel a mode. {}'.format(
        words.plural(workers, 'worker'), said), draw)


def tip(results, name, key, row):
    """The words of a tooltip."""
    return '{}, {}: {} times as fast as the serial loop, {}'.format(
        name or 'lfsr', 'automatic batches' if key is None else 'batches of {}'.format(words.count(key)),
        words.factor(results.over_serial(row)), noise.told(row))


def labelled(count):
    """The batch sizes that are named along the axis: three have room beside `auto`, and none right before it."""
    step = 1 if count < 5 else math.ceil(count / 3)
    return [i for i in range(0, count, step) if step == 1 or i <= count - 2]


def short(number):
    return '{}k'.format(number // 1000) if number >= 1000 and number % 1000 == 0 else str(number)


def table(results, size):
    listed = []
    for row in results.of('lfsr', 'heist', size=size):
        if results.over_serial(row):
            listed.append({'runtime': 'heist', 'mode': lfsr.mode(row),
                           'asked': row.settings.get('batch_size', ''),
                           'batch': row.more('batch'), 'workers': row.workers, 'min_ns': row.min_ns,
                           'over_serial': results.over_serial(row),
                           'balance': row.more('balance'), 'overhead': row.more('overhead'),
                           'spread': noise.spread(row)})
    listed.sort(key=lambda its: (its['workers'], its['mode'], int(its['asked']) if its['asked'].isdigit() else 0))
    return Table('LFSR of {} bits: modes and batch sizes'.format(lfsr.bits(size)), [
        Column('mode', 'mode', plain), Column('batch size', 'asked', plain), Column('mean batch', 'batch', plain),
        Column('workers', 'workers', plain),
        Column('least time', 'min_ns', words.duration), Column('over serial', 'over_serial', '{:.3f}'.format),
        Column('busiest over mean', 'balance', '{:.3f}'.format), Column('outside batches', 'overhead',
                lfsr.percent_fine),
        Column('median above least', 'spread', words.percent)], listed)


def make(results):
    if not results.of('lfsr', 'heist'):
        return None
    size = lfsr.main_size(results)
    workers = measured_workers(results, size)
    if workers is None or not curves(results, size, workers):
        return None
    said, doubts = sentences(results, size, workers)
    return cases.Section(
        'batches', 'LFSR cycles: batch sizes', said, figure(results, size, workers, said[0]), [table(results, size)],
        'Speed-up over the serial loop with {}. Along the axis: states in a batch; the ring at the right is the size '
        'that heist chooses by itself.'.format(cases.on_cores(results, workers)), doubts)
