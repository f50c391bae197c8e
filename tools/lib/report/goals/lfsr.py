"""The goals for LFSR cycles, and the speed-up of the seeds beside that of heist."""
import collections

from .. import cases, noise, rows, words
from ..sections import lfsr
from ..sections.lfsr import bits, by_mode, main_size
from ..tables import Column, Table, plain

TWO_WORKERS_GOAL, GOAL_BITS, ONE_WORKER_GOAL = 1.95, 20, 0.02


def pair(results, row):
    """The rows of a speed-up over the serial program."""
    serial = results.serial_of(row)
    return (row, serial) if serial else (row,)


def judged_sizes(results):
    """The sizes that have goals; if there are none, the size that is shown."""
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
    return ('With {} workers heist{} is {} times as fast as the serial program{}; the seeds reached {}{} (they aimed '
            'at {}).').format(
        words.listing(str(count) for count in shared), ' ({} mode)'.format(name) if name else '',
        words.listing(words.factor(value) for value in mine),
        ' ({} oversubscribed: there are {})'.format(words.listing(str(count) for count in over),
                                                    words.plural(have, 'core')) if over else '',
        words.listing(words.factor(value) for value in theirs),
        '' if ahead == len(shared) else ', which is more{}'.format('' if ahead == 0 else ' in {} of {}'.format(
            len(shared) - ahead, len(shared))),
        words.listing(words.factor(curve[count].more('seeds_target') or 0) for count in shared))


# A goal, judged from one curve: the verdict, the words about it, and the same in short.
Judgement = collections.namedtuple('Judgement', 'verdict said short')


def two_workers(results, curve):
    if 2 not in curve or cases.cores(results) < 2:
        return None
    value = results.over_serial(curve[2])
    met, _ = words.judged(value, TWO_WORKERS_GOAL, 3, 3)
    return Judgement(noise.verdict(met, TWO_WORKERS_GOAL / value, *pair(results, curve[2])), None,
                     '{:.3f}'.format(value))


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
    """Whether workers without a core of their own do harm."""
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
    """For each size the default mode and its judgement; then, in words, the other modes that miss the goal."""
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
    """The end of a sentence about a goal."""
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
    name, curve = next(iter(found.items()))
    samples = [('{} with {}'.format(which or 'lfsr', words.plural(count, 'worker')), row)
               for which, its in found.items() for count, row in its.items() if count <= cases.cores(results)]
    return [beside_seeds(results, curve, name)] + goals(results), cases.doubts(samples)


# --- the table and the part -------------------------------------------------------------------------------------------

def table(results):
    """Every size and number of workers in the chosen mode, beside the seeds."""
    listed = []
    for size in sorted({row.size for row in results.of('lfsr', 'heist')}, key=rows.size_key):
        for name, curve in by_mode(results, size).items():
            for count, row in sorted(curve.items()):
                listed.append({'bits': bits(size), 'runtime': 'heist', 'mode': name, 'workers': count,
                               'over_serial': results.over_serial(row), 'seeds': row.more('seeds'),
                               'seeds_target': row.more('seeds_target'), 'spread': noise.spread(row)})
    return Table('LFSR, automatic batches, beside the dynamic mode of the seeds', [
        Column('bits', 'bits', plain), Column('mode', 'mode', plain), Column('workers', 'workers', plain),
        Column('over serial', 'over_serial', '{:.3f}'.format), Column('seeds over serial', 'seeds', '{:.2f}'.format),
        Column('goal of the seeds', 'seeds_target', '{:.2f}'.format),
        Column('median above least', 'spread', words.percent)], listed)


def make(results):
    if not results.of('lfsr', 'heist') or not by_mode(results, main_size(results)):
        return None
    size = main_size(results)
    said, doubts = sentences(results, size)
    # heist-perf knows the speed-up of the seeds and writes it into the rows.
    reached = {row.workers: row.more('seeds') for row in results.of('lfsr', 'heist') if row.more('seeds')}
    return cases.Section(
        'lfsr', 'LFSR cycles', said, lfsr.figure(results, size, said[0], 'goals-lfsr', reached), [table(results)],
        'The seeds are an earlier program, in Python with processes, from which heist grew. The seeds were measured on '
        'another machine, against their own serial loop.', doubts)
