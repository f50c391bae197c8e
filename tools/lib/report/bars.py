"""Horizontal bars in groups, each with its value written behind it; many groups go into two columns where there is
room."""
import collections

from . import plot, theme

Bar = collections.namedtuple('Bar', 'runtime value words')
Group = collections.namedtuple('Group', 'title bars mark')  # mark: what the first bar is to reach, or None
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
    """Where the first bar's value is written: behind its end, or behind the mark where that would cross the words."""
    if group.mark is None or scale.log:
        return bar.value
    reach = (len(bar.words) * 8 + 8) * (scale.high - scale.low) / pixels
    return group.mark if bar.value < group.mark < bar.value + reach else bar.value


def column(sheet, place, named, groups, scale):
    """The plot of some groups within a place. Heights on its axis are pixels from its bottom."""
    left, top, right, bottom = place
    commands, data, written = [plot.area(sheet, *place)], [], []
    origin = scale.low if scale.log else 0
    for group, begin in zip(groups, rows_of(groups)[0]):
        begin = bottom - top - begin
        commands.append(plot.label(group.title, 'graph 0', begin + 10, bold=True))
        for i, bar in enumerate(group.bars):
            y = begin - STEP * (i + 0.5)
            data.append((origin, y, origin, bar.value, y - THICK / 2, y + THICK / 2,
                         int(theme.style(bar.runtime).light[1:], 16)))
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
