"""Small multiples: one panel a workload, workers along the axis, a line for each runtime, and the ideal."""
import math

from . import plot, theme


def position(workers):
    return math.log2(workers)


def grid(sheet, count, height):
    """The places of the panels below a legend of some height: left, top, right, bottom of the axes. Sets the height."""
    columns = min(2, count) if sheet.phone else 3 if count in (3, 5, 6, 9) else min(4, count)
    rows = math.ceil(count / columns)
    tall, gap = (140, 54) if sheet.phone else (185, 60)
    left, between = (40, 40) if sheet.phone else (44, 44)
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
    """The curves at these numbers of workers, without empty ones."""
    kept = [(runtime, [point for point in points if point[0] in counts]) for runtime, points in curves]
    return [curve for curve in kept if curve[1]]


def tics(top):
    """A step that makes three or four lines below the top, of whole numbers where there is room for them."""
    return next((step for step in (0.5, 1, 2, 4, 8, 16, 32, 64) if top / step < 5), 128)


class Heights:
    """The vertical axis of a panel: linear from 0, or logarithmic where the values span a wide range."""

    def __init__(self, values, top, step, form):
        self.log, self.top, self.step, self.form = plot.spans_much(values), top, step, form
        self.low = 10 ** math.floor(math.log10(min(value for value in values if value > 0))) if self.log else 0

    def commands(self):
        if not self.log:
            return 'unset logscale y\nset yrange [0:{}]\nset ytics {}\nset format y "{}"\n'.format(
                self.top, self.step, self.form)
        return 'set logscale y 10\nset yrange [{}:{}]\nset ytics 10\nset mytics 1\nset format y "{}"\n'.format(
            self.low, self.top * 1.2, self.form)

    def scale(self, place):
        return plot.Scale(self.low, self.top * 1.2 if self.log else self.top, place[3], place[1], self.log)


def bounds(counts):
    """The ends of the horizontal axis."""
    return position(min(counts)) - 0.3, position(max(counts)) + 0.3


def axes(counts, top, tics):
    """The ranges of a panel."""
    marks = ', '.join('"{}" {:.4f}'.format(count, position(count)) for count in counts)
    low, high = bounds(counts)
    return 'set xrange [{:.4f}:{:.4f}]\nset xtics ({})\nset yrange [0:{}]\nset ytics {}\n'.format(
        low, high, marks, top, tics)


def panel(sheet, place, title, curves, ideal, counts, cores, heights, tell):
    """One panel: curves are (runtime, [(workers, value)]), heist drawn last, over the others. tell gives the words of a
    tooltip."""
    commands = [plot.area(sheet, *place), heights.commands(), shade(counts, cores, bounds(counts)[0])]
    across, up = plot.Scale(*bounds(counts), place[0], place[2]), heights.scale(place)
    shown = title + (', log scale' if heights.log else '')
    commands.append(plot.label(shown, 'graph 0', 'screen {:.5f}'.format(sheet.y(place[1] - 11)), bold=True))
    commands.append(plot.block('ideal', [(position(count), ideal(count)) for count in counts]))
    drawn = ['$ideal using 1:2 with lines dt 2 lw 1.4 lc rgb "{}"'.format(theme.colour('muted'))]
    for number, (runtime, points) in enumerate(sorted(curves, key=lambda curve: curve[0] == 'heist')):
        commands.append(plot.block('curve{}'.format(number), [(position(count), value) for count, value in points]))
        drawn.append('$curve{} using 1:2 with linespoints {}'.format(number, plot.line_style(runtime)))
        for count, value in points:
            if heights.low <= value <= heights.top:
                sheet.dot(across(position(count)), up(value), tell(title, runtime, count, value))
    return ''.join(commands) + 'plot ' + ', '.join(drawn) + '\n' + plot.clear()


def multiples(sheet, panels, ideal, counts, cores, top, step, form, tell):
    """The whole sheet: panels are (title, curves)."""
    runtimes = theme.ordered(runtime for _, curves in panels for runtime, _ in curves)
    extras = [('line', 'ideal')] + ([('shade', 'oversubscribed')] if max(counts) > cores else [])
    _, height = plot.legend(sheet, runtimes, extras)
    places = grid(sheet, len(panels), height)
    names, _ = plot.legend(sheet, runtimes, extras)  # again: the height of the sheet is known only now
    commands = ['set multiplot\n', axes(counts, top, step), names]
    for place, (title, curves) in zip(places, panels):
        values = [value for _, points in curves for _, value in points]
        heights = Heights(values, top, step, form)
        commands.append(panel(sheet, place, title, curves, ideal, counts, cores, heights, tell))
    commands.append('unset multiplot\n')
    return ''.join(commands)
