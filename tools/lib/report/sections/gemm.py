"""Matrix product against the best BLAS here, and the table of the seeds beside ours."""
from .. import bars, cases, noise, plot, rows, theme, words
from ..tables import Column, Table, plain

GOAL = 0.95
BLAS = ('openblas', 'blis')


def precision(row):
    return row.settings.get('type', '')


def contests(results):
    """Each size, precision and number of workers that has a core each: (title, heist's row, rows of BLAS, others)."""
    found = []
    ours = [row for row in results.of('gemm', 'heist') if row.gflops and row.workers <= cases.cores(results)]
    keys = sorted({(precision(row), rows.size_key(row.size), row.size, row.workers) for row in ours})
    for kind, _, size, workers in keys:
        mine = min((row for row in ours if (precision(row), row.size, row.workers) == (kind, size, workers)),
                   key=cases.usual)
        others = [row for row in results.of('gemm', workers=workers, size=size)
                  if row.runtime not in ('heist', 'serial') and row.gflops and row.agrees_with(mine.settings)]
        title = '{}{}, {}'.format(size, ' ' + kind if kind else '', words.plural(workers, 'worker'))
        found.append((title, mine, [row for row in others if row.runtime in BLAS],
                      [row for row in others if row.runtime not in BLAS]))
    return found


# --- the sentences ----------------------------------------------------------------------------------------------------

def sentences(results):
    judged = [(title, mine, max(blas, key=lambda row: row.gflops))
              for title, mine, blas, _ in contests(results) if blas]
    if not judged:
        best = max(results.of('gemm', 'heist'), key=lambda row: row.gflops or 0)
        return ['heist makes {} GFLOP/s at {} with {}; no BLAS was found to compare with.'.format(
            words.significant(best.gflops or 0), best.size, words.plural(best.workers, 'worker'))]
    shares = [mine.gflops / best.gflops for _, mine, best in judged]
    said = ['heist makes {} of the better BLAS{}: {}.'.format(
        words.between(percent(min(shares)), percent(max(shares))),
        '' if len(shares) == 1 else ' in {} cases'.format(len(shares)), about_goal(judged))]
    title, mine, best = max(judged, key=lambda case: case[1].gflops)
    said.append('The most is {} GFLOP/s at {}, where {} makes {}.'.format(
        words.significant(mine.gflops), title, theme.name(best.runtime), words.significant(best.gflops)))
    return said + beside_seeds(results) + cases.doubts(
        ('{} at {}'.format(theme.name(row.runtime), title), row) for title, mine,
        best in judged for row in (mine, best))


def judged(share):
    """Whether the goal is met, and how many decimals of the percentage must be shown for it to look so."""
    met, digits = words.judged(share, GOAL, 2, 3)
    return met, digits - 2


def percent(share):
    return words.percent(share, judged(share)[1])


def verdict(mine, best):
    share = mine.gflops / best.gflops
    return noise.verdict(judged(share)[0], GOAL / share, mine, best)


def about_goal(judged):
    """In how many of these the goal is met and missed, and in how many nobody can tell."""
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
        return 'whether {} is met cannot be said: {}'.format(goal, words.listing(doubtful))
    return '; '.join(['{} is {}'.format(goal, words.listing(parts))] + doubtful)


def shortfall(title, mine, best):
    """A case that does not reach the goal."""
    return '{} ({})'.format(title, percent(mine.gflops / best.gflops))


def thousand(results):
    """Workers -> heist's row at 1000 in double precision: what the seeds measured, too. heist-perf knows what that was, and
    tells it in the rows."""
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


# --- the figure and the tables ----------------------------------------------------------------------------------------

def figure(results, said):
    groups = []
    for title, mine, blas, others in contests(results):
        best = max((row.gflops for row in blas), default=None)
        groups.append(bars.Group(title, [bars.Bar(row.runtime, row.gflops, words.significant(row.gflops)) for row in
                                         [mine] + blas + others],
                                 best and best * GOAL))
    if not groups:
        return None
    high = max(bar.value for group in groups for bar in group.bars) * 1.02

    def draw(sheet):
        return bars.draw(sheet, groups, bars.Scale('GFLOP/s', 0, high, False, 'goal: {} of the better'.format(
            words.percent(GOAL))))
    return plot.Figure('gemm', 'Bars: floating-point operations a second of heist and of BLAS, with a mark at {} of '
                               'the better BLAS. {}'.format(words.percent(GOAL), said), draw)


def table(results):
    found = []
    order = theme.ordered(row.runtime for row in results.of('gemm'))
    for row in sorted(results.of('gemm'), key=lambda row: (precision(row), rows.size_key(row.size), row.workers,
                                                           order.index(row.runtime))):
        rivals = [other.gflops for other in results.of('gemm', workers=row.workers, size=row.size)
                  if other.runtime in BLAS and other.gflops and precision(other) == precision(row)]
        found.append({'size': row.size, 'precision': precision(row), 'runtime': row.runtime, 'workers': row.workers,
                      'variant': row.settings.get('variant'), 'by': row.more('library') or row.more('micro'),
                      'gflops': row.gflops, 'of_best_blas': row.gflops / max(rivals) if rivals and row.gflops else None,
                      'spread': noise.spread(row)})
    return Table('Matrix product', [
        Column('size', 'size', plain), Column('precision', 'precision', plain),
        Column('runtime', 'runtime', theme.name),
        Column('variant', 'variant', plain), Column('kernel', 'by', plain), Column('workers', 'workers', plain),
        Column('GFLOP/s', 'gflops', words.significant), Column('of the better BLAS', 'of_best_blas', percent),
        Column('median above least', 'spread', words.percent)], found)


def seeds_table(results):
    ours, have = thousand(results), cases.cores(results)
    found = []
    for threads, mine in sorted(ours.items()):
        gained = results.over_one(mine)
        found.append({'workers': threads, 'gflops': mine.gflops,
                      'efficiency': gained / min(threads, have) if gained else None,
                      'remark': 'oversubscribed' if threads > have else None,
                      'seeds_gflops': mine.more('seeds_gflops'), 'seeds_efficiency': mine.more('seeds_efficiency')})
    # What is compared stands side by side, and first: a phone shows no more.
    return Table('1000 x 1000 x 1000, double, efficiency for each core used: ours beside the table of the seeds, '
                 'made on another machine', [
                     Column('workers', 'workers', plain), Column('heist GFLOP/s', 'gflops', words.significant),
                     Column('seeds GFLOP/s', 'seeds_gflops', plain), Column('efficiency', 'efficiency', words.percent),
                     Column('seeds efficiency', 'seeds_efficiency', words.percent), Column('remark', 'remark', plain)], found)


def make(results):
    if not any(row.gflops for row in results.of('gemm', 'heist')):
        return None
    said = sentences(results)
    known = any(row.more('seeds_gflops') for row in thousand(results).values())
    tables = ([seeds_table(results)] if known else []) + [table(results)]
    return cases.Section(
        'gemm', 'Matrix product against BLAS', said, figure(results, said[0]), tables,
        'C = A*B + C, tiles as tasks, against the libraries\u2019 own threads. The upright mark is heist\u2019s goal, '
        '{} of the better of the two libraries. {}Longer is better. The seeds are an earlier program that heist grew out '
        'of.'.format(
            words.percent(GOAL), 'OpenMP and oneTBB run the same tiles as heist. ' if
            any(others for _, _, _, others in contests(results)) else ''))
