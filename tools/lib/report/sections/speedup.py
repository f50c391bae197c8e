"""Speed-up over the serial program, by the number of workers, for every workload and runtime."""
import statistics

from .. import cases, noise, panels, plot, theme, words
from ..tables import Column, Table, plain


def curves(case):
    """Speed-up over the serial program, or, where there is none, over one worker."""
    found = []
    for runtime in theme.ordered(case.runtimes):
        points = [(count, gain(case, row)) for count, row in sorted(case.runtimes[runtime].items())]
        points = [(count, value) for count, value in points if value is not None]
        if points:
            found.append((runtime, points))
    return found


def gain(case, row):
    return case.results.over_serial(row) if case.serial else case.results.over_one(row)


# --- the sentences ----------------------------------------------------------------------------------------------------

def gains_of(ours, workers, measure):
    """(how many times as fast, workload), the least first."""
    found = [(measure(case.runtimes['heist'][workers]), case.workload) for case in ours
             if workers in case.runtimes['heist']]
    return sorted(each for each in found if each[0])  # the row to compare with may be of other settings


def spanned(gains, than):
    """Their median and both ends, in words."""
    middle = words.factor(statistics.median(value for value, _ in gains))
    if len(gains) == 1:
        return '{} times as fast as {} ({})'.format(middle, than, gains[0][1])
    (low, lowest), (high, highest) = gains[0], gains[-1]
    return '{} times as fast as {} in the median of {} workloads, from {} in {} to {} in {}'.format(
        middle, than, len(gains), words.factor(low), lowest, words.factor(high), highest)


def headline_gains(results, ours, workers):
    """The subject of the first sentence and of the tile: the gains, the least first, and their base; or None."""
    over_serial = gains_of([case for case in ours if case.serial], workers, results.over_serial)
    over_one = gains_of(ours, workers, results.over_one)
    if not over_one:
        return None
    return (over_serial, 'the serial program') if over_serial else (over_one, 'one worker')


def scaling(results, ours, workers):
    """What the figure shows, against the serial program; then the gain of more workers over one."""
    over_one = gains_of(ours, workers, results.over_one)
    if not over_one or workers < 2:
        return ['heist was measured with one worker only: there is no speed-up to show.']
    where = 'With {} heist is '.format(cases.on_cores(results, workers))
    gains, than = headline_gains(results, ours, workers)
    if than == 'one worker':
        return ['{}{}.'.format(where, spanned(gains, 'with one'))]
    return ['{}{}.'.format(where, spanned(gains, than)), 'It is {}.'.format(spanned(over_one, 'with one worker'))]


def behind_serial(ours, workers):
    """The workloads in which heist is behind the serial program, which has no tasks to pay for."""
    with_serial = [case for case in ours if case.serial]
    known = gains_of(with_serial, workers, lambda row: with_serial[0].results.over_serial(row))
    behind = sorted((value, name) for value, name in known if value < 1 - noise.FLOOR)
    poor = cases.poorly(ours, workers)
    if not known:
        return []
    if not behind:
        beats = min(known)[0] > 1 + noise.FLOOR
        return ['It {} the serial program{}.'.format(
            'beats' if beats else 'is not behind', ' in {} {}'.format('all' if beats else 'any of', len(known))
            if len(known) > 1 else '')]
    return ['Behind the serial program, which creates no tasks, {} {} of {}: {}.'.format(
        'is' if len(behind) == 1 else 'are', len(behind), len(known),
        words.listing('{} at {}{}'.format(name, words.factor(value), poor.get(name, '')) for value, name in behind))]


def against_peers(ours, workers):
    """The workloads in which heist is the fastest runtime, in which another is, and in which both are equal."""
    contested, won, lost, unclear = 0, 0, [], []
    for case in ours:
        mine = case.runtimes['heist'].get(workers)
        others = [case.runtimes[peer][workers] for peer in case.peers() if workers in case.runtimes[peer]]
        if not mine or not others:
            continue
        contested += 1
        best = min(others, key=lambda row: row.min_ns)
        verdict = noise.compare(mine, best)
        if verdict < 0:
            won += 1
        elif verdict > 0:
            lost.append('{} in {} (by {})'.format(theme.name(best.runtime), case.workload,
                                                  words.change(mine.min_ns / best.min_ns)))
        else:
            unclear.append(case.workload)
    if not contested:
        return []
    parts = ['heist is the fastest runtime in {} of {}'.format(won or 'none', contested)]
    if lost:
        parts.append('faster than it: {}'.format(words.listing(lost)))
    if unclear:
        parts.append('in {} it equals the best other within the noise'.format(words.listing(unclear)))
    return ['; '.join(parts) + '.']


def oversubscribed(results, ours, workers):
    """The effect of more workers than cores."""
    most = max(cases.common_counts(ours), default=0)
    if most <= cases.cores(results):
        return []
    pairs = [(case.runtimes['heist'][most], case.runtimes['heist'][workers], case.workload) for case in ours
             if most in case.runtimes['heist'] and workers in case.runtimes['heist']]
    if not pairs:
        return []
    ratios = sorted(((many.min_ns / few.min_ns, name, noise.compare(many, few) > 0) for many, few, name in pairs),
                    reverse=True)
    slower = [(ratio, name) for ratio, name, sure in ratios if sure]
    longer = [(ratio, name) for ratio, name, sure in ratios if not sure and ratio > 1 + noise.FLOOR]
    on_cores = cases.on_cores(results, most)
    if slower:
        return ['With {}, {} of {} {} longer than with {}: {}{}.'.format(
            on_cores, len(slower), len(pairs), 'takes' if len(slower) == 1 else 'take', workers, by_how_much(slower),
            '; within the noise also ' + by_how_much(longer) if longer else '')]
    if longer:
        return ['With {} none is slower than with {} beyond the noise; within the noise, longer: {}.'.format(
            on_cores, workers, by_how_much(longer))]
    return ['With {} none is slower than with {}.'.format(on_cores, workers)]


def by_how_much(ratios):
    """Pairs of a ratio and a name, the largest first."""
    named = ['{} by {}'.format(name, words.change(ratio)) for ratio, name in ratios]
    if len(named) > 4:
        named[3:] = ['{} others by less'.format(len(named) - 3)]
    return words.listing(named)


def sentences(results, ours):
    counts = sorted({count for case in ours for count in case.runtimes['heist']})
    workers = cases.full_house(results, counts) or counts[0]
    samples = [('{} with {}'.format(case.workload, words.plural(workers, 'worker')), case.runtimes['heist'][workers])
               for case in ours if workers in case.runtimes['heist']]
    return (scaling(results, ours, workers) + behind_serial(ours, workers) + against_peers(ours, workers) +
            oversubscribed(results, ours, workers)), cases.doubts(samples)


# --- the figure and the table -----------------------------------------------------------------------------------------

def drawn_cases(ours):
    """Cases with a serial program; if there are none, all cases, over one worker. The two do not mix."""
    return [case for case in ours if case.serial] or ours


def tip(ours, title, runtime, count, value):
    """The words of a tooltip."""
    case = next(case for case in ours if case.name == title)
    return '{}, {} with {}: {} times as fast as {}, {}'.format(
        title, theme.name(runtime), words.plural(count, 'worker'), words.factor(value),
        'the serial program' if case.serial else 'one worker', noise.told(case.runtimes[runtime][count]))


def figure(results, ours, said):
    ours = drawn_cases(ours)
    counts = cases.common_counts(ours) or sorted({count for case in ours for count in case.workers()})
    have = cases.cores(results)
    drawn = [(case.name, panels.only(curves(case), counts)) for case in ours]
    highest = max([1] + [value for _, its in drawn for _, points in its for _, value in points])
    top = max(highest, min(have, max(counts))) * 1.08

    def draw(sheet):
        return panels.multiples(sheet, drawn, lambda count: min(count, have), counts, have, top, panels.tics(top), '%g',
                                lambda *point: tip(ours, *point))
    alt = 'Speed-up over {} by number of workers, one panel for each of {}. {}'.format(
        'the serial program' if ours[0].serial else 'one worker', words.listing(case.name for case in ours), said)
    return plot.Figure('speedup', alt, draw)


def table(results, ours):
    rows = []
    for case in ours:
        for runtime in theme.ordered(case.runtimes):
            for count, row in sorted(case.runtimes[runtime].items()):
                rows.append({'workload': case.workload, 'size': case.size, 'runtime': runtime, 'workers': count,
                             'min_ns': row.min_ns, 'over_serial': results.over_serial(row),
                             'over_one': results.over_one(row), 'spread': noise.spread(row)})
    return Table('Speed-up, from the least time of all runs', [
        Column('workload', 'workload', plain), Column('size', 'size', plain), Column('runtime', 'runtime', theme.name),
        Column('workers', 'workers', plain), Column('least time', 'min_ns', words.duration),
        Column('over serial', 'over_serial', words.factor), Column('over one worker', 'over_one', words.factor),
        Column('median above least', 'spread', words.percent)], rows)


def make(results):
    ours = [case for case in cases.headlines(results) if curves(case)]
    if not ours:
        return None
    said, doubts = sentences(results, ours)
    return cases.Section(
        'speedup', 'Speed-up', said, figure(results, ours, said[0]), [table(results, ours)],
        '{} over time of the runtime, the least of all runs each. The dashed line is the '
        'ideal: as many times as fast as there are workers, as long as each has a core of its own. Beyond that, the '
        'shaded part, workers are oversubscribed: they share cores.{}'.format(
            'Time of the serial program' if drawn_cases(ours)[0].serial else 'Time with one worker', left_out(ours)),
        doubts)


def left_out(ours):
    names = [case.workload for case in ours if case not in drawn_cases(ours)]
    return ' Not drawn, since the serial program was not measured: {}.'.format(words.listing(names)) if names else ''
