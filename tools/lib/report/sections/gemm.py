"""Matrix product against the best BLAS on this machine."""
from .. import bars, cases, noise, plot, rows, theme, words
from ..tables import Column, Table, plain

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

def pairs(results):
    """Each case that can be compared: its title, the row of heist, the row of the better BLAS."""
    return [(title, mine, max(blas, key=lambda row: row.gflops)) for title, mine, blas, _ in contests(results) if blas]


def sentences(results):
    judged = pairs(results)
    if not judged:
        best = max(results.of('gemm', 'heist'), key=lambda row: row.gflops or 0)
        return ['heist makes {} GFLOP/s at {} with {}; no BLAS was found to compare with.'.format(
            words.significant(best.gflops or 0), best.size, words.plural(best.workers, 'worker'))], []
    shares = [mine.gflops / best.gflops for _, mine, best in judged]
    said = ['heist makes {} of the better BLAS{}.'.format(
        words.between(words.percent(min(shares)), words.percent(max(shares))),
        '' if len(shares) == 1 else ' in {} cases'.format(len(shares)))]
    title, mine, best = max(judged, key=lambda case: case[1].gflops)
    said.append('The most is {} GFLOP/s at {}, where {} makes {}.'.format(
        words.significant(mine.gflops), title, theme.name(best.runtime), words.significant(best.gflops)))
    return said, doubts(judged)


def doubts(judged):
    return cases.doubts(('{} at {}'.format(theme.name(row.runtime), title), row)
                        for title, mine, best in judged for row in (mine, best))


# --- the figure and the tables ----------------------------------------------------------------------------------------

def figure(results, said, name='gemm', goal=None):
    """`goal`: the share of the better BLAS at which a mark stands; the page of goals has one."""
    groups = []
    for title, mine, blas, others in contests(results):
        best = max((row.gflops for row in blas), default=None)
        groups.append(bars.Group(title, [bars.Bar(row.runtime, row.gflops, words.significant(row.gflops)) for row in
                                         [mine] + blas + others],
                                 best and goal and best * goal))
    if not groups:
        return None
    scale = bars.linear_or_log('GFLOP/s', [bar.value for group in groups for bar in group.bars],
                               goal and 'goal: {} of the better'.format(words.percent(goal)))

    def draw(sheet):
        return bars.draw(sheet, groups, scale)
    return plot.Figure(name, 'Bars: floating-point operations a second of heist and of BLAS{}. {}'.format(
        ', with a mark at {} of the better BLAS'.format(words.percent(goal)) if goal else '', said), draw)


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
        Column('GFLOP/s', 'gflops', words.significant), Column('of the better BLAS', 'of_best_blas', words.percent),
        Column('median above least', 'spread', words.percent)], found)


def make(results):
    if not any(row.gflops for row in results.of('gemm', 'heist')):
        return None
    said, doubtful = sentences(results)
    return cases.Section(
        'gemm', 'Matrix product against BLAS', said, figure(results, said[0]), [table(results)],
        'C = A*B + C, tiles as tasks, against the libraries\u2019 own threads. {}Longer is better.'.format(
            'OpenMP and oneTBB run the same tiles as heist. ' if
            any(others for _, _, _, others in contests(results)) else ''), doubtful)
