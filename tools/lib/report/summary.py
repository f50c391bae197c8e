"""The few numbers on top of the page, and the warnings. A Tile has the number, a label, a context, and a mark: a class
for the style sheet and words, or None. Tiles use the functions of the sentences, so that both agree."""
import collections
import statistics

from . import cases, noise, theme, words
from .sections import enter, gemm, latency, overhead, speedup, submit

Tile = collections.namedtuple('Tile', 'number label context mark')


def mark(*rows):
    """The mark of noise of a tile that rests on these rows."""
    rows = [row for row in rows if row]
    loud = [noise.spread(row) for row in rows if noise.noisy(row)]
    if loud:
        return 'doubt', '\u2248 noisy: {}'.format(words.percent(max(loud)))
    if any(noise.single(row) for row in rows):
        return 'doubt', '\u2248 measured once'
    if any(noise.denied(row) for row in rows):
        return 'doubt', '\u2248 short of cores'
    return None


def task_cost(results):
    case = cases.headline(results, 'fib')
    mine = case and overhead.cost(case, 'heist')
    if not mine:
        return None
    its = overhead.costs(case)
    others = {runtime: value for runtime, value in its.items() if runtime not in ('heist', 'serial')}
    context = [overhead.beside_call(case)] if 'serial' in its else []
    best = min(others, key=others.get) if others else None
    if best:
        context.append('{}: {}'.format(theme.name(best), words.duration(others[best])))
    return Tile(words.duration(mine), 'for one task of fib', '; '.join(context),
                mark(case.runtimes['heist'][1], case.serial))


def scaling(results):
    """The number of the first sentence about speed-up: the two must agree."""
    ours = [case for case in cases.headlines(results) if speedup.curves(case)]
    counts = {count for case in ours for count in case.runtimes['heist']}
    workers = cases.full_house(results, counts)
    if not workers or workers < 2:
        return None
    found = speedup.headline_gains(results, ours, workers)
    if not found:
        return None
    gains, than = found
    median = statistics.median(value for value, _ in gains)
    rows = [case.runtimes['heist'][workers] for case in ours if workers in case.runtimes['heist']]
    loud = sum(noise.doubtful(row) for row in rows)
    context = ['over {}'.format(than)]
    if len(gains) > 1:
        context.append('median of {} workloads'.format(len(gains)))
        context.append('from {} to {}'.format(words.factor(gains[0][0]), words.factor(gains[-1][0])))
    context.append('more than the ideal of {}'.format(workers) if median > workers else 'ideal: {}'.format(workers))
    return Tile(words.factor(median), 'times as fast with {}'.format(words.plural(workers, 'worker')),
                '; '.join(context), ('doubt', '\u2248 noisy: {} of {}'.format(loud, len(rows))) if loud else None)


def product(results):
    pairs = gemm.pairs(results)
    if not pairs:
        return None
    _, mine, best = min(pairs, key=lambda pair: pair[1].gflops / pair[2].gflops)
    context = 'matrix product' + (', the least of {} cases'.format(len(pairs)) if len(pairs) > 1 else '')
    return Tile(words.percent(mine.gflops / best.gflops), 'of the better BLAS', context, mark(mine, best))


def waking(results):
    parked, looking = (latency.spawned(results, state) for state in ('parked', 'spinning'))
    if not parked:
        return None
    context = 'median'
    if looking:
        context = 'medians; when it was looking: {}'.format(words.duration(latency.median(looking)))
    return Tile(words.duration(latency.median(parked)), 'from spawn to run, parked worker', context,
                mark(parked, looking))


def entering(results):
    for size in enter.pieces(results, 'run'):
        row, tbb = (enter.outside(results, runtime, size, 'hot') for runtime in ('heist', 'tbb'))
        if row:
            context = 'median, back to back' + ('; oneTBB: ' + words.duration(tbb.median_ns) if tbb else '')
            return Tile(words.duration(row.median_ns), 'for a run with one child, from outside', context, mark(row,
                    tbb))
    return None


def submitting(results):
    ours = {count: its['heist'] for count, its in submit.groups_of(results).items() if 'heist' in its}
    if not ours:
        return None
    best = max(ours, key=lambda count: submit.per_second(ours[count]))
    return Tile(words.rate(submit.per_second(ours[best])), 'tasks a second from outside',
                ('at most, ' if len(ours) > 1 else '') + 'with {}'.format(words.plural(best, 'worker')),
                mark(ours[best]))


def tiles(results):
    makers = (task_cost, scaling, product, waking, entering, submitting)
    return [tile for tile in (make(results) for make in makers) if tile]


def without_result(results):
    """The peers without a result, one sentence for each peer and reason."""
    found = collections.Counter((row.runtime, row.check) for row in results.failed)
    said = []
    for (runtime, why), count in found.items():
        total = sum(row.runtime == runtime for row in results.all)
        said.append('{} {} in {} of its {}: {} left out below.'.format(
            theme.name(runtime), why, 'all' if count == total else str(count), words.plural(total, 'measurement'),
            'it is' if count == 1 else 'they are'))
    return said


def warnings(results):
    """The facts that a reader must know first: wrong results, missing parts, a busy machine, noise."""
    said = []
    for row in results.wrong[:6]:
        said.append('Wrong result: {} {}, {}, {}: {}. It is left out below.'.format(
            row.workload, row.size, theme.name(row.runtime), words.plural(row.workers, 'worker'), row.check))
    if len(results.wrong) > 6:
        said.append('And {} more wrong results.'.format(len(results.wrong) - 6))
    said += without_result(results)
    said += [words.sentence(note) for note in results.sweep.get('notes', [])]
    load = results.machine.get('load') or 0
    if load > 0.5:
        said.append('Other programs were running when this began (load {:.1f}): times may be too long.'.format(load))
    if any(sum(test(row) for row in results.rows) * many > len(results.rows)
           for test, many in ((noise.denied, 10), (noise.noisy, 4), (noise.single, 4))):
        said.append('Many samples are not reliable: see Noise.')
    return said
