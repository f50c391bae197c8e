"""The few numbers on top of the page. Each is a Tile: the number, what it is, what to compare it with, and, where there
is a goal, whether it is met."""
import collections
import statistics

from . import cases, noise, theme, words
from .sections import gemm, latency, overhead, seeds_lfsr

Tile = collections.namedtuple('Tile', 'number label context goal')  # goal: None, or what noise.verdict() gives


def verdict(verdicts):
    """Of several at once. One that is missed beyond noise decides."""
    return next((its for its in (False, noise.DENIED, noise.UNCLEAR, noise.WITHIN) if its in verdicts), True)


def task_cost(results):
    case = cases.headline(results, 'fib')
    mine = case and overhead.cost(case, 'heist')
    if not mine:
        return None
    its = overhead.costs(case)
    others = {runtime: value for runtime, value in its.items() if runtime not in ('heist', 'serial')}
    context = []
    if 'serial' in its:
        context.append('a plain call: {}'.format(words.duration(its['serial'])))
    if others:
        best = min(others, key=others.get)
        context.append('{}: {}'.format(theme.name(best), words.duration(others[best])))
    return Tile(words.duration(mine), 'for one task of fib', '; '.join(context), None)


def scaling(results):
    ours = cases.headlines(results)
    counts = {count for case in ours for count in case.runtimes['heist']}
    workers = cases.full_house(results, counts)
    if not workers or workers < 2:
        return None
    gains = [results.over_one(case.runtimes['heist'][workers]) for case in ours if workers in case.runtimes['heist']]
    gains = [gain for gain in gains if gain]
    if not gains:
        return None
    context = 'over one; ideal: {}; median of {}, least {}'.format(workers, words.plural(len(gains), 'workload'),
                                                        words.factor(min(gains)))
    return Tile(words.factor(statistics.median(gains)), 'speed-up with {}'.format(words.plural(workers, 'worker')),
                context, None)


def product(results):
    judged = [(mine, max(blas, key=lambda row: row.gflops)) for _, mine, blas, _ in gemm.contests(results) if blas]
    if not judged:
        return None
    least = min(mine.gflops / best.gflops for mine, best in judged)
    return Tile(gemm.percent(least), 'of the better BLAS, at least',
                'matrix product, {}; goal: {}'.format(words.plural(len(judged), 'case'), words.percent(gemm.GOAL)),
                verdict([gemm.verdict(mine, best) for mine, best in judged]))


def register(results):
    """The worst of the sizes that the goal is set for, in the mode of a user who chooses nothing."""
    found = [(results.over_serial(curve[2]), seeds_lfsr.bits(size), name, curve[2])
             for size in (seeds_lfsr.judged_sizes(results) if results.of('lfsr', 'heist') else [])
             for name, curve in list(seeds_lfsr.by_mode(results, size).items())[:1] if 2 in curve]
    if not found or cases.cores(results) < 2:
        return None
    value, size, name, row = min(found, key=lambda its: its[0])
    earlier = 'an earlier program: {}'.format(row.more('seeds')) if row.more('seeds') else ''
    goal = seeds_lfsr.TWO_WORKERS_GOAL
    label = 'LFSR cycles over serial, 2 workers, {} bits{}'.format(size, ', {} mode'.format(name) if name else '')
    if size < seeds_lfsr.GOAL_BITS:
        return Tile(words.factor(value), label, earlier, None)
    met = [seeds_lfsr.two_workers(results, {2: its}).verdict for _, _, _, its in found]
    context = ['the least of {}'.format(words.plural(len(found), 'size'))] if len(found) > 1 else []
    context += ['goal: {}'.format(goal)] + ([earlier] if earlier else [])
    return Tile('{:.{}f}'.format(value, words.judged(value, goal, 2, 3)[1]), label, '; '.join(context), verdict(met))


def waking(results):
    parked, looking = (latency.spawned(results, state) for state in ('parked', 'spinning'))
    if not parked:
        return None
    context = 'median'
    if looking:
        context = 'medians; when it was looking: {}'.format(words.duration(latency.median(looking)))
    return Tile(words.duration(latency.median(parked)), 'from spawn to run, parked worker', context, None)


def tiles(results):
    return [tile for tile in (make(results) for make in (task_cost, scaling, product, register, waking)) if tile]


def without_result(results):
    """The peers that came to no result, one sentence for each of them and each reason."""
    found = collections.Counter((row.runtime, row.check) for row in results.failed)
    said = []
    for (runtime, why), count in found.items():
        total = sum(row.runtime == runtime for row in results.all)
        said.append('{} {} in {} of its {}: {} left out below.'.format(
            theme.name(runtime), why, 'all' if count == total else str(count), words.plural(total, 'measurement'),
            'it is' if count == 1 else 'they are'))
    return said


def warnings(results):
    """What a reader must know before believing anything: wrong results, missing parts, a busy machine, noise."""
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
        said.append('Other programs were running when this began (load {:.1f}): times may be too long, and a runtime may '
                    'look slow because it was given fewer cores than another, which its noise does not show; where its CPU '
                    'time does, that is said.'.format(load))
    poor = [row for row in results.rows if noise.denied(row)]
    if len(poor) * 10 > len(results.rows):
        said.append('{} of {} samples had clearly fewer cores than their workers could have had, while other programs had {}: '
                    'they may be slow for that alone.'.format(len(poor), len(results.rows), words.plural(
                        '{:.2f}'.format(statistics.median(row.others for row in poor)), 'core')))
    noisy = [row for row in results.rows if noise.noisy(row)]
    if len(noisy) * 4 > len(results.rows):
        said.append('{} of {} samples are noisy: their median is more than {} above the least time. Differences of '
                    'that size mean nothing here.'.format(len(noisy), len(results.rows), words.percent(noise.NOISY)))
    once = [row for row in results.rows if noise.single(row)]
    if len(once) * 4 > len(results.rows):
        said.append('{} of {} samples were measured once: nothing is concluded from them.'.format(
            len(once), len(results.rows)))
    return said
