"""Matrix product against the best BLAS here, and the table of the seeds beside ours."""
from .. import bars, cases, noise, plot, rows, seeds, theme, words
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
    return noise.verdict(judged(mine.gflops / best.gflops)[0], mine, best)


def about_goal(judged):
    """In how many of these the goal is met and missed, and in how many nobody can tell."""
    met, missed, unclear = ([case for case in judged if verdict(*case[1:]) is its] for its in (True, False, noise.UNCLEAR))
    goal = 'the goal of {}'.format(words.percent(GOAL))
    if not met and not missed:
        return 'whether {} is met cannot be said: {} too noisy to judge'.format(
            goal, 'all of it is' if len(judged) > 1 else 'it is')
    every = ' in all' if len(judged) > 1 else ''
    parts = []
    if met:
        parts.append('met' + (every if met == judged else ' in {}'.format(len(met))))
    if missed:
        parts.append('missed' + (every if missed == judged else ' in {}: {}'.format(
            len(missed), words.listing(shortfall(*case) for case in missed))))
    return '{} is {}{}'.format(goal, words.listing(parts), '; {} too noisy to judge'.format(
        words.plural(len(unclear), 'case') + (' are' if len(unclear) > 1 else ' is')) if unclear else '')


def shortfall(title, mine, best):
    """A case that misses the goal, and whether by more than noise."""
    share = mine.gflops / best.gflops
    close = share * (1 + noise.tolerance(mine, best)) >= GOAL
    return '{} ({}{})'.format(title, percent(share), ', within its noise' if close else '')


def thousand(results):
    """Workers -> heist's row at 1000 in double precision: what the seeds measured."""
    found = {}
    for row in sorted(results.of('gemm', 'heist', size='1000'), key=cases.usual):
        if row.gflops and precision(row) in ('', 'double'):
            found.setdefault(row.workers, row)
    return found


def beside_seeds(results):
    ours = thousand(results)
    if 1 not in ours:
        return []
    theirs, _ = seeds.GEMM_1000[1]
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
    for threads in sorted(set(seeds.GEMM_1000) | set(ours)):
        theirs = seeds.GEMM_1000.get(threads, (None, None))
        mine = ours.get(threads)
        gained = results.over_one(mine) if mine else None
        found.append({'workers': threads, 'gflops': mine.gflops if mine else None,
                      'efficiency': gained / min(threads, have) if gained else None,
                      'remark': 'oversubscribed' if mine and threads > have else 'not measured' if not mine else None,
                      'seeds_gflops': theirs[0], 'seeds_efficiency': theirs[1]})
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
    tables = ([seeds_table(results)] if thousand(results) else []) + [table(results)]
    return cases.Section(
        'gemm', 'Matrix product against BLAS', said, figure(results, said[0]), tables,
        'C = A*B + C, tiles as tasks, against the libraries\u2019 own threads. The upright mark is heist\u2019s goal, '
        '{} of the better of the two libraries. {}Longer is better. The seeds are an earlier program that heist grew out '
        'of.'.format(
            words.percent(GOAL), 'OpenMP and oneTBB run the same tiles as heist. ' if
            any(others for _, _, _, others in contests(results)) else ''))
