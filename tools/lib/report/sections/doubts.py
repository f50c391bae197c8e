"""The part about noise: which samples are not reliable, and why. It is the only place where the page says so in words;
tiles and other parts carry a mark."""
from .. import cases, noise, theme, words
from ..tables import Column, Table, plain


def reason(row):
    """In words, why a row is not reliable."""
    said = []
    if noise.noisy(row):
        said.append('noisy')
    if noise.single(row):
        said.append('measured once')
    if noise.denied(row):
        said.append('had {}'.format(cases.had(row)))
    return ', '.join(said)


def shown(name, row):
    its = [words.percent(noise.spread(row))] if noise.noisy(row) else []
    its += ['once'] if noise.single(row) else []
    its += [cases.had(row)] if noise.denied(row) else []
    return '{} ({})'.format(name, ', '.join(its))


def badness(pair):
    name, row = pair
    return -(noise.spread(row) or 0), -noise.lack(row), name


def about(part):
    """The worst samples of one part of the page."""
    listed = sorted(part.doubts, key=badness)
    return '{}: {}.'.format(part.title, cases.first_few(shown(name, row) for name, row in listed))


def headline(results):
    """How many of all samples are not reliable."""
    counts = [(sum(test(row) for row in results.rows), words_) for test, words_ in (
        (noise.noisy, 'noisy: the median is more than {} above the least time'.format(words.percent(noise.NOISY))),
        (noise.single, 'measured once'),
        (noise.denied, 'short of cores, since other programs ran'))]
    found = ['{} {} {}'.format(count, 'is' if count == 1 else 'are', what) for count, what in counts if count]
    total = words.plural(len(results.rows), 'sample')
    if not found:
        return 'No sample is noisy: in all {} the median is within {} of the least time.'.format(
            total, words.percent(noise.NOISY))
    return 'Of {}, {}. Such times are shown, but they decide nothing.'.format(total, words.listing(found))


def table(results):
    listed = [{'workload': row.workload, 'size': row.size, 'runtime': row.runtime, 'workers': row.workers,
               'settings': ', '.join('{} {}'.format(*each) for each in sorted(row.settings.items())) or None,
               'spread': noise.spread(row), 'reason': reason(row)}
              for row in results.rows if noise.doubtful(row)]
    return Table('Samples that are not reliable', [
        Column('workload', 'workload', plain), Column('size', 'size', plain), Column('runtime', 'runtime', theme.name),
        Column('workers', 'workers', plain), Column('settings', 'settings', plain),
        Column('median above least', 'spread', words.percent), Column('reason', 'reason', plain)], listed)


def make(results, parts):
    """From the doubts of the other parts."""
    if not results.rows:
        return None
    its = table(results)
    return cases.Section(
        'noise', 'Noise', [headline(results)] + [about(part) for part in parts if part.doubts], None,
        [its] if its.rows else [], '')
