"""Horizontal bars in groups, each with its value written behind it; many groups go into two columns where there is
room."""
import collections
import math

from . import plot, theme, words

Bar = collections.namedtuple('Bar', 'runtime value words')
Group = collections.namedtuple('Group', 'title bars mark')  # mark: the goal of the first bar, or None
Scale = collections.namedtuple('Scale', 'title low high log mark_words')
STEP, THICK, TITLE, BELOW = 19, 15, 30, 56  # pixels: a bar and its gap, a bar, a group's title, the axis
MANY = 5


def rows_of(groups):
    """Pixels from the top of a column to the first bar of each group, and the column's height."""
    tops, y = [], 0
    for group in groups:
        tops.append(y + TITLE)
        y += TITLE + STEP * len(group.bars)
    return tops, y + 8


def beyond(bar, group, scale, pixels):
    """The position of the first bar's value: behind its end, or behind the mark where the mark would cross the
    words."""
    if group.mark is None:
        return bar.value
    across = plot.Scale(scale.low, scale.high, 0, pixels, scale.log)
    crosses = across(bar.value) < across(group.mark) < across(bar.value) + len(bar.words) * 8 + 8
    return group.mark if crosses else bar.value


def tip(group, bar):
    """The words of a tooltip: the value, and its ratio to the first bar, which is that of heist."""
    first = group.bars[0]
    beside = '' if bar is first or not first.value else ', {} times the value of {}'.format(
        words.factor(bar.value / first.value), theme.name(first.runtime))
    return '{}: {}, {}{}'.format(group.title, theme.name(bar.runtime), bar.words, beside)


def linear_or_log(title, values, mark_words=''):
    """A scale from 0, or a logarithmic one where the values span a wide range."""
    high = max(values)
    if plot.spans_much(values):
        low = 10 ** math.floor(math.log10(min(value for value in values if value > 0) / 1.5))
        return Scale(title + ', logarithmic', low, high * 1.3, True, mark_words)
    return Scale(title, 0, high * 1.02, False, mark_words)


def column(sheet, place, named, groups, scale):
    """The plot of some groups within a place. Heights on its axis are pixels from its bottom."""
    left, top, right, bottom = place
    commands, data, written = [plot.area(sheet, *place)], [], []
    across = plot.Scale(scale.low, scale.high, left, right, scale.log)
    origin = scale.low if scale.log else 0
    for group, begin in zip(groups, rows_of(groups)[0]):
        begin = bottom - top - begin
        commands.append(plot.label(group.title, 'graph 0', begin + 10, bold=True))
        for i, bar in enumerate(group.bars):
            y = begin - STEP * (i + 0.5)
            data.append((origin, y, origin, bar.value, y - THICK / 2, y + THICK / 2,
                         int(theme.style(bar.runtime).light[1:], 16)))
            end = across(max(bar.value, scale.low)) + 12 + len(bar.words) * sheet.font * plot.LETTER
            sheet.box(left, bottom - y - STEP / 2, end, bottom - y + STEP / 2, tip(group, bar))
            written.append((beyond(bar, group, scale, right - left) if i == 0 else bar.value, y, bar.words))
            if named:
                commands.append(plot.label(theme.name(bar.runtime), 'screen {:.5f}'.format(sheet.x(left - 8)), y,
                                           align='right'))
        if group.mark is not None:
            commands.append('set arrow from first {0}, first {1} to first {0}, first {2} nohead front lw 2 '
                            'lc rgb "{3}"\n'.format(group.mark, begin + 1, begin - STEP - 1, theme.colour('goal')))
    commands.append(plot.block('bars', data) + plot.block('written', written))
    commands.append('set yrange [0:{}]\n'.format(bottom - top) + plot.axis_title(scale.title))
    commands.append('plot $bars using 1:2:3:4:5:6:7 with boxxyerror linecolor rgb variable, '
                    '$written using 1:2:3 with labels left offset 0.5,0 textcolor rgb "{}"\n'.format(
                        theme.colour('ink')))
    return ''.join(commands) + plot.clear()


def draw(sheet, groups, scale):
    """The sheet's commands. The names of runtimes stand before the bars, or, where there is no room, in a legend."""
    columns = 2 if len(groups) > MANY and not sheet.phone else 1
    half = (len(groups) + columns - 1) // columns
    parts = [groups[i:i + half] for i in range(0, len(groups), half)]
    named = columns == 1 and not sheet.phone
    runtimes = [] if named else theme.ordered(bar.runtime for group in groups for bar in group.bars)
    extras = [('mark', scale.mark_words)] if any(group.mark is not None for group in groups) else []
    top = plot.legend(sheet, runtimes, extras, bars=True)[1] if runtimes or extras else 0
    tall = max(rows_of(part)[1] for part in parts)
    sheet.height = int(top + tall + BELOW)
    left = 140 if named else 12
    behind = 22 + max(len(bar.words) for group in groups for bar in group.bars) * sheet.font * plot.LETTER
    wide = (sheet.width - left) / columns
    commands = ['set multiplot\n', plot.legend(sheet, runtimes, extras, bars=True)[0],
                'unset ytics\nset border 1\nset grid xtics lc rgb "{}" lw 1 dt 1\nset xrange [{}:{}]\n{}'.format(
                    theme.colour('grid'), scale.low, scale.high, 'set logscale x 10\n' if scale.log else '')]
    for i, part in enumerate(parts):
        place = (left + i * wide, top, left + (i + 1) * wide - behind, top + rows_of(part)[1])
        commands.append(column(sheet, place, named, part, scale))
    return ''.join(commands) + 'unset multiplot\n'
