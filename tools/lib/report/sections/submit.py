"""The number of tasks a second that a pool takes from outside."""
from .. import bars, cases, noise, plot, theme, words
from ..tables import Column, Table, plain


def per_second(row):
    cost = row.per_task()
    return 1e9 / cost if cost else None


def groups_of(results):
    """Workers -> rows, one for each runtime, of one thread that submits."""
    found = {}
    for row in sorted(results.of('submit'), key=cases.usual):
        if per_second(row) and row.runtime != 'serial':
            found.setdefault(row.workers, {}).setdefault(row.runtime, row)
    return dict(sorted(found.items()))


def against(found):
    """heist beside the best of the others, at each number of workers."""
    more, fewer, unclear = [], [], []
    for count, its in found.items():
        others = {runtime: row for runtime, row in its.items() if runtime != 'heist'}
        if 'heist' not in its or not others:
            continue
        rival = max(others, key=lambda runtime: per_second(others[runtime]))
        ratio = per_second(its['heist']) / per_second(others[rival])
        verdict = noise.compare(its['heist'], others[rival], 1 / ratio)
        if verdict < 0:
            more.append('{} ({} times as many as {})'.format(count, words.factor(ratio), theme.name(rival)))
        elif verdict > 0:
            fewer.append('{} ({} takes {} times as many)'.format(count, theme.name(rival), words.factor(1 / ratio)))
        else:
            unclear.append('{} ({})'.format(count, theme.name(rival)))
    parts = [said + words.listing(which) for said, which in (
        ('more with ', more), ('fewer with ', fewer), ('as many, within the noise, with ', unclear)) if which]
    if not parts:
        return []
    return ['Beside the best of the others with as many workers, heist takes {}.'.format('; '.join(parts))]


def sentences(results):
    found = groups_of(results)
    ours = {count: its['heist'] for count, its in found.items() if 'heist' in its}
    if not ours:
        return [], []
    best = max(ours, key=lambda count: per_second(ours[count]))
    worst = min(ours, key=lambda count: per_second(ours[count]))
    said = ['A thread outside the pool hands over {} tasks a second {}with {}{}.'.format(
        words.rate(per_second(ours[best])), '' if worst == best else 'at most, ', cases.on_cores(results, best),
        '' if worst == best else ', and {} at least, with {}'.format(words.rate(per_second(ours[worst])),
                                                           cases.on_cores(results, worst)))]
    return said + against(found), cases.doubts((words.plural(count, 'worker'), row) for count, row in ours.items())


def figure(results, said):
    found = groups_of(results)
    have = cases.cores(results)
    groups = [bars.Group(words.plural(count, 'worker') + (' (oversubscribed)' if count > have else ''),
                         [bars.Bar(runtime, per_second(its[runtime]) / 1e6, words.rate(per_second(its[runtime])))
                          for runtime in theme.ordered(its)], None) for count, its in found.items()]
    scale = bars.linear_or_log('million tasks a second', [bar.value for group in groups for bar in group.bars])

    def draw(sheet):
        return bars.draw(sheet, groups, scale)
    return plot.Figure('submit', 'Bars: tasks a second that a pool takes from outside. ' + said, draw)


def table(results):
    listed = [{'runtime': runtime, 'workers': count, 'per_second': per_second(row), 'ns_per_task': row.per_task(),
               'spread': noise.spread(row)} for count, its in groups_of(results).items()
              for runtime, row in ((runtime, its[runtime]) for runtime in theme.ordered(its))]
    return Table('Submissions', [
        Column('runtime', 'runtime', theme.name), Column('workers', 'workers', plain),
        Column('tasks a second', 'per_second', words.rate), Column('for each', 'ns_per_task', words.duration),
        Column('median above least', 'spread', words.percent)], listed)


def make(results):
    said, doubts = sentences(results)
    if not said:
        return None
    return cases.Section('submit', 'Tasks from outside', said, figure(results, said[0]), [table(results)],
                         'One thread that is not a worker submits tasks which do nothing; longer is better.', doubts)
