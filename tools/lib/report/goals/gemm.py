"""The goal for matrix products, a share of the better BLAS, and the table of the seeds beside that of heist."""
from .. import cases, noise, theme, words
from ..sections import gemm
from ..sections.gemm import pairs, precision
from ..tables import Column, Table, plain

GOAL = 0.95


# --- the sentences ----------------------------------------------------------------------------------------------------

def judged(share):
    """Whether the goal is met, and how many decimals of the percentage must be shown to look so."""
    met, digits = words.judged(share, GOAL, 2, 3)
    return met, digits - 2


def percent(share):
    return words.percent(share, judged(share)[1])


def verdict(mine, best):
    share = mine.gflops / best.gflops
    return noise.verdict(judged(share)[0], GOAL / share, mine, best)


def about_goal(judged):
    """The number of cases in which the goal is met, missed, or not judged."""
    goal = 'the goal of {}'.format(words.percent(GOAL))
    every = ' in all' if len(judged) > 1 else ''
    parts, doubtful = [], []
    for its, word in ((True, 'met'), (False, 'missed'), (noise.WITHIN, noise.WITHIN)):
        found = [case for case in judged if verdict(*case[1:]) is its]
        if found:
            parts.append(word + (every if found == judged else ' in {}'.format(len(found)) if its is True else
                                 ' in {}: {}'.format(len(found), words.listing(shortfall(*case) for case in found))))
    for its in (noise.UNCLEAR, noise.DENIED):
        count = sum(verdict(*case[1:]) is its for case in judged)
        if count:
            doubtful.append('{} {} {}'.format(
                words.plural(count, 'case') if count < len(judged) else 'all of it' if count > 1 else 'it',
                'are' if 1 < count < len(judged) else 'is', its.rstrip(',')))
    if not parts:
        return '{} cannot be judged: {}'.format(goal, words.listing(doubtful))
    return '; '.join(['{} is {}'.format(goal, words.listing(parts))] + doubtful)


def shortfall(title, mine, best):
    """A case that does not reach the goal."""
    return '{} ({})'.format(title, percent(mine.gflops / best.gflops))


def thousand(results):
    """Workers -> the row of heist at 1000 in double precision, which the seeds measured, too. heist-perf knows the
    figures of the seeds and writes them into the rows."""
    found = {}
    for row in sorted(results.of('gemm', 'heist', size='1000'), key=cases.usual):
        if row.gflops and precision(row) in ('', 'double'):
            found.setdefault(row.workers, row)
    return found


def beside_seeds(results):
    ours = thousand(results)
    if 1 not in ours or not ours[1].more('seeds_gflops'):
        return []
    theirs = ours[1].more('seeds_gflops')
    ratio = ours[1].gflops / theirs
    return ['At 1000 one worker makes {} GFLOP/s; an earlier program (the seeds) had {} with one thread, on another '
            'machine: {} times {}.'
            .format(words.significant(ours[1].gflops), theirs, words.factor(max(ratio, 1 / ratio)),
                    'as much' if ratio >= 1 else 'less')]


def sentences(results):
    judged_pairs = pairs(results)
    if not judged_pairs:
        return ['No BLAS was found, so the goal cannot be judged.'] + beside_seeds(results), []
    shares = [mine.gflops / best.gflops for _, mine, best in judged_pairs]
    said = ['heist makes {} of the better BLAS{}: {}.'.format(
        words.between(percent(min(shares)), percent(max(shares))),
        '' if len(shares) == 1 else ' in {} cases'.format(len(shares)), about_goal(judged_pairs))]
    return said + beside_seeds(results), gemm.doubts(judged_pairs)


# --- the tables and the part ------------------------------------------------------------------------------------------

VERDICTS = {True: 'met', False: 'missed', noise.DENIED: 'not judged: other programs used its cores'}


def table(results):
    listed = []
    for title, mine, best in pairs(results):
        its = verdict(mine, best)
        listed.append({'case': title, 'gflops': mine.gflops, 'best': best.runtime, 'best_gflops': best.gflops,
                       'share': mine.gflops / best.gflops, 'goal': GOAL, 'verdict': VERDICTS.get(its, its)})
    return Table('Goal: a share of the better BLAS', [
        Column('case', 'case', plain), Column('heist GFLOP/s', 'gflops', words.significant),
        Column('better BLAS', 'best', theme.name), Column('its GFLOP/s', 'best_gflops', words.significant),
        Column('share', 'share', percent), Column('goal', 'goal', words.percent), Column('verdict', 'verdict', plain)],
                 listed)


def seeds_table(results):
    ours, have = thousand(results), cases.cores(results)
    found = []
    for threads, mine in sorted(ours.items()):
        gained = results.over_one(mine)
        found.append({'workers': threads, 'gflops': mine.gflops,
                      'efficiency': gained / min(threads, have) if gained else None,
                      'remark': 'oversubscribed' if threads > have else None,
                      'seeds_gflops': mine.more('seeds_gflops'), 'seeds_efficiency': mine.more('seeds_efficiency')})
    # Columns to compare are side by side, and first: a phone shows no more.
    return Table('1000 x 1000 x 1000, double, efficiency for each core used: ours beside the table of the seeds, '
                 'made on another machine', [
                     Column('workers', 'workers', plain), Column('heist GFLOP/s', 'gflops', words.significant),
                     Column('seeds GFLOP/s', 'seeds_gflops', plain), Column('efficiency', 'efficiency', words.percent),
                     Column('seeds efficiency', 'seeds_efficiency', words.percent), Column('remark', 'remark', plain)],
                     found)


def make(results):
    if not any(row.gflops for row in results.of('gemm', 'heist')):
        return None
    said, doubts = sentences(results)
    known = any(row.more('seeds_gflops') for row in thousand(results).values())
    return cases.Section(
        'gemm', 'Matrix product', said, gemm.figure(results, said[0], 'goals-gemm', GOAL),
        ([seeds_table(results)] if known else []) + [table(results)],
        'The upright mark is the goal: {} of the better of the two libraries. Longer is better. The seeds are an '
        'earlier '
        'program, from which heist grew.'.format(words.percent(GOAL)), doubts)
