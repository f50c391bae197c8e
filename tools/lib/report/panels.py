"""Small multiples: one panel a workload, workers along the axis, a line for each runtime, and the ideal."""
import math

from . import plot, theme


def position(workers):
    return math.log2(workers)


def grid(sheet, count, height):
    """The places of the panels below a legend of some height: left, top, right, bottom of the axes. Sets the height."""
    columns = 2 if sheet.phone else 5 if count in (5, 9, 10) else min(4, count)
    rows = math.ceil(count / columns)
    tall, gap = (112, 50) if sheet.phone else (130, 54)
    left, between = (44, 18) if sheet.phone else (44, 22)
    wide = (sheet.width - left - 10 - between * (columns - 1)) / columns
    sheet.height = int(height + rows * (tall + gap) + 10)
    places = []
    for i in range(count):
        x, y = left + (i % columns) * (wide + between), height + 34 + (i // columns) * (tall + gap)
        places.append((x, y, x + wide, y + tall))
    return places


def shade(counts, cores, low):
    """A patch behind the part of a panel where there are more workers than cores."""
    if max(counts) <= cores:
        return ''
    fitting = [position(count) for count in counts if count <= cores]
    beyond = min(position(count) for count in counts if count > cores)
    start = (max(fitting) + beyond) / 2 if fitting else low
    return ('set object rectangle from {:.4f}, graph 0 to graph 1, graph 1 behind fillstyle solid noborder '
            'fillcolor rgb "{}"\n').format(start, theme.colour('shade'))


def only(curves, counts):
    """The curves at these numbers of workers, without those of which nothing is left."""
    kept = [(runtime, [point for point in points if point[0] in counts]) for runtime, points in curves]
    return [curve for curve in kept if curve[1]]


def heights(places, place, form):
    """The numbers at the left axis: they are the same in all panels, and written at the first of each row."""
    return 'set format y "{}"\n'.format(form if place[0] == places[0][0] else '')


def tics(top):
    """A step that makes three or four lines below the top, of whole numbers where there is room for them."""
    return next((step for step in (0.5, 1, 2, 4, 8, 16, 32, 64) if top / step < 5), 128)


def axes(counts, top, tics):
    """The ranges of a panel."""
    marks = ', '.join('"{}" {:.4f}'.format(count, position(count)) for count in counts)
    low, high = position(min(counts)) - 0.3, position(max(counts)) + 0.3
    return 'set xrange [{:.4f}:{:.4f}]\nset xtics ({})\nset yrange [0:{}]\nset ytics {}\n'.format(
        low, high, marks, top, tics)


def panel(sheet, place, title, curves, ideal, counts, cores):
    """One panel: curves are (runtime, [(workers, value)]), heist drawn last, over the others."""
    commands = [plot.area(sheet, *place), shade(counts, cores, position(min(counts)) - 0.3)]
    commands.append(plot.label(title, 'graph 0', 'screen {:.5f}'.format(sheet.y(place[1] - 11)), bold=True))
    commands.append(plot.block('ideal', [(position(count), ideal(count)) for count in counts]))
    drawn = ['$ideal using 1:2 with lines dt 2 lw 1.4 lc rgb "{}"'.format(theme.colour('muted'))]
    for number, (runtime, points) in enumerate(sorted(curves, key=lambda curve: curve[0] == 'heist')):
        commands.append(plot.block('curve{}'.format(number), [(position(count), value) for count, value in points]))
        drawn.append('$curve{} using 1:2 with linespoints {}'.format(number, plot.line_style(runtime)))
    return ''.join(commands) + 'plot ' + ', '.join(drawn) + '\n' + plot.clear()


def multiples(sheet, panels, ideal, counts, cores, top, tics, form):
    """The whole sheet: panels are (title, curves)."""
    runtimes = theme.ordered(runtime for _, curves in panels for runtime, _ in curves)
    extras = [('line', 'ideal')] + ([('shade', 'oversubscribed')] if max(counts) > cores else [])
    _, height = plot.legend(sheet, runtimes, extras)
    places = grid(sheet, len(panels), height)
    names, _ = plot.legend(sheet, runtimes, extras)  # again: the height of the sheet is known only now
    commands = ['set multiplot\n', axes(counts, top, tics), names]
    for place, (title, curves) in zip(places, panels):
        commands.append(heights(places, place, form))
        commands.append(panel(sheet, place, title, curves, ideal, counts, cores))
    commands.append('unset multiplot\n')
    return ''.join(commands)
