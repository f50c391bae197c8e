"""The tiles of the page of goals: the same as on the first page, with the verdict as the mark."""
from .. import cases, noise, words
from ..sections import lfsr as register_part
from ..summary import Tile
from . import enter, gemm, lfsr

VERDICTS = {True: ('met', '\u2713 goal met'), False: ('missed', '\u2717 goal missed'),
            noise.UNCLEAR: ('unclear', 'too noisy to judge'), noise.WITHIN: ('unclear', 'within the noise of the goal'),
            noise.DENIED: ('unclear', 'not judged: other programs used its cores')}


def verdict(verdicts):
    """Of several at once. A goal that is missed beyond the noise decides."""
    return next((its for its in (False, noise.DENIED, noise.UNCLEAR, noise.WITHIN) if its in verdicts), True)


def product(results):
    judged = [(mine, best) for _, mine, best in gemm.pairs(results)]
    if not judged:
        return None
    least = min(mine.gflops / best.gflops for mine, best in judged)
    its = verdict([gemm.verdict(mine, best) for mine, best in judged])
    return Tile(gemm.percent(least), 'of the better BLAS, at least', 'matrix product, {}; goal: {}'.format(
        words.plural(len(judged), 'case'), words.percent(gemm.GOAL)), VERDICTS[its])


def register(results):
    """The worst of the sizes for which there is a goal, in the default mode."""
    found = [(results.over_serial(curve[2]), register_part.bits(size), name, curve[2])
             for size in (lfsr.judged_sizes(results) if results.of('lfsr', 'heist') else [])
             for name, curve in list(register_part.by_mode(results, size).items())[:1] if 2 in curve]
    if not found or cases.cores(results) < 2:
        return None
    value, size, name, row = min(found, key=lambda its: its[0])
    earlier = 'an earlier program: {}'.format(row.more('seeds')) if row.more('seeds') else ''
    goal = lfsr.TWO_WORKERS_GOAL
    label = 'LFSR cycles over serial, 2 workers, {} bits{}'.format(size, ', {} mode'.format(name) if name else '')
    if size < lfsr.GOAL_BITS:
        return Tile(words.factor(value), label, earlier, None)
    met = [lfsr.two_workers(results, {2: its}).verdict for _, _, _, its in found]
    context = ['the least of {}'.format(words.plural(len(found), 'size'))] if len(found) > 1 else []
    context += ['goal: {}'.format(goal)] + ([earlier] if earlier else [])
    return Tile('{:.{}f}'.format(value, words.judged(value, goal, 2, 3)[1]), label, '; '.join(context),
                VERDICTS[verdict(met)])


def entering(results):
    goals = enter.goals(results)
    if not goals:
        return None
    verdicts = [enter.verdict(goal) for goal in goals]
    return Tile('{} of {}'.format(sum(its is True for its in verdicts), len(goals)),
                'goals for getting into a pool met',
                '', VERDICTS[verdict(verdicts)])


def tiles(results):
    return [tile for tile in (make(results) for make in (product, register, entering)) if tile]
