"""Figures by gnuplot: each is drawn for a desk and for a phone as SVG, which goes into the page, and as PNG.

A section supplies a Figure: a name, a description for screen readers, and a function that returns the
commands of gnuplot for a Sheet (size, number of panel columns). The helpers below write the common parts.
"""
import collections
import html
import math
import re
import shutil
import subprocess

from . import theme

Figure = collections.namedtuple('Figure', 'name alt draw')
Drawing = collections.namedtuple('Drawing', 'desk phone png')
DESK, PHONE = 1040, 358  # widths in pixels: the page's column, and a phone's
WIDE_SPAN = 20  # values that differ by more than this factor have a logarithmic axis
LETTER = 0.58  # the width of a letter in font sizes, a high estimate


class CannotPlot(Exception):
    """There is no gnuplot, or it refused; the message says which."""


class Sheet:
    """The paper of one drawing: its width and height in pixels, its font, and its tooltips."""

    def __init__(self, width):
        self.width, self.height = width, 300
        self.phone = width < 500
        self.font = 11.5 if self.phone else 12.5
        self.spots = []  # the tooltips: SVG elements without their ends, and words

    def x(self, pixels):
        return pixels / self.width

    def y(self, pixels):
        """From the top, as a share of the height from the bottom, as gnuplot counts."""
        return 1 - pixels / self.height


    def dot(self, x, y, words):
        """A tooltip at a point, in pixels from the top left."""
        self.spots.append(('circle class="spot" cx="{:.1f}" cy="{:.1f}" r="{}"'.format(x, y, 10 if self.phone else 8),
                           words))

    def box(self, left, top, right, bottom, words):
        """A tooltip for a rectangle."""
        self.spots.append(('rect class="spot" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"'.format(
            left, top, right - left, bottom - top), words))


class Scale:
    """From a value to pixels, as gnuplot draws it: linear or logarithmic."""

    def __init__(self, low, high, first, last, log=False):
        self.form = math.log if log else float
        self.low, self.high, self.first, self.last = self.form(low), self.form(high), first, last

    def __call__(self, value):
        return self.first + (self.form(value) - self.low) / (self.high - self.low) * (self.last - self.first)


def spans_much(values):
    """Whether small values would collapse onto zero beside large ones."""
    values = [value for value in values if value > 0]
    return bool(values) and max(values) > WIDE_SPAN * min(values)


def text(words):
    """A string for gnuplot."""
    return '"{}"'.format(str(words).replace('\\', '\\\\').replace('"', '\\"'))


def block(name, rows):
    """Data under a name; None is a gap."""
    def cell(value):
        return 'NaN' if value is None else text(value) if isinstance(value, str) else repr(value)
    lines = [' '.join(cell(value) for value in row) for row in rows]
    return '${} << END_OF_DATA\n{}\nEND_OF_DATA\n'.format(name, '\n'.join(lines))


# --- parts that figures share -----------------------------------------------------------------------------------------

def area(sheet, left, top, right, bottom):
    """Where the axes of the next plot are, in pixels from the top left."""
    return ('set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\nset tmargin at screen {:.5f}\n'
            'set bmargin at screen {:.5f}\n').format(sheet.x(left), sheet.x(right), sheet.y(top), sheet.y(bottom))


def label(words, x, y, role='ink', align='left', bold=False):
    """Text at gnuplot's coordinates: `screen 0.1`, `graph 0.5`, or a number on the axis."""
    shown = '{{/:Bold {}}}'.format(escape(words)) if bold else escape(words)
    tint = theme.colour(role) if role in theme.ROLES else role
    x, y = (at if isinstance(at, str) else 'first {:.6g}'.format(at) for at in (x, y))
    return 'set label {} at {}, {} {} front textcolor rgb "{}"\n'.format(text(shown), x, y, align, tint)


def axis_title(words):
    """The title of the horizontal axis, at most 50 pixels below it."""
    return 'set xlabel {} offset 0,0.55 textcolor rgb "{}"\n'.format(text(escape(words)), theme.colour('muted'))


def escape(words):
    """Escapes the letters with a meaning in gnuplot's enhanced text."""
    return re.sub(r'([\\^_{}@&~])', r'\\\1', str(words))


def line_style(runtime):
    its = theme.style(runtime)
    width = 2.6 if runtime == 'heist' else 1.7
    return 'lc rgb "{}" lw {} dt {} pt {} ps {}'.format(its.light, width, its.dash, its.point,
                                                       0.75 if runtime == 'heist' else 0.65)


def patch(sheet, at, border, fill):
    """A small rectangle of a legend."""
    return ('set object rectangle center {} size screen {:.5f}, screen {:.5f} fillstyle solid border rgb "{}" '
            'fillcolor '
            'rgb "{}"\n'.format(at, sheet.x(14), 11 / sheet.height, border, fill))


def legend(sheet, runtimes, extras=(), top=4, row=20, bars=False):
    """Names with their marks, in rows from the left, drawn with the next plot; returns the commands and their height.
    With `bars`, the marks of runtimes are filled rectangles; otherwise they are the points of their lines. Extras are
    pairs of a kind and words: `line` (the dashed ideal), `shade` (a patch), `mark` (an upright) or `other` (a grey
    line)."""
    commands, x, y = [], 6, top + row / 2
    for kind, words in [(runtime, theme.name(runtime)) for runtime in runtimes] + list(extras):
        wide = 22 + len(words) * sheet.font * LETTER + 12
        if x + wide > sheet.width and x > 6:
            x, y = 6, y + row
        at = 'screen {:.5f}, screen {:.5f}'.format(sheet.x(x + 8), sheet.y(y))
        if kind == 'shade':
            commands.append(patch(sheet, at, theme.colour('axis'), theme.colour('shade')))
        elif kind == 'mark':
            commands.append('set arrow from screen {0:.5f}, screen {1:.5f} rto screen 0, screen {2:.5f} nohead lw 2 '
                            'lc rgb "{3}"\n'.format(sheet.x(x + 8), sheet.y(y + 6), 12 / sheet.height,
                                                    theme.colour('goal')))
        elif kind in ('line', 'other'):
            commands.append('set arrow from {} rto screen {:.5f}, screen 0 nohead {}\n'.format(
                'screen {:.5f}, screen {:.5f}'.format(sheet.x(x), sheet.y(y)), sheet.x(17),
                'dt 2 lw 1.4 lc rgb "{}"'.format(theme.colour('muted')) if kind == 'line' else
                'lw 1.6 lc rgb "{}"'.format(theme.colour('other'))))
        elif bars:
            commands.append(patch(sheet, at, theme.style(kind).light, theme.style(kind).light))
        else:
            its = theme.style(kind)
            commands.append('set label "" at {} point pt {} ps 0.85 lc rgb "{}"\n'.format(at, its.point, its.light))
        commands.append(label(words, 'screen {:.5f}'.format(sheet.x(x + 22)), 'screen {:.5f}'.format(sheet.y(y))))
        x += wide
    return ''.join(commands), y + row / 2 - top


def clear():
    """Forgets labels, arrows and objects of the plot before."""
    return 'unset label\nunset arrow\nunset object\n'


def apart(wanted, gap):
    """Positions near the wanted ones, in their order, no two nearer than the gap: for labels at the ends of lines."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    placed = [wanted[i] for i in order]
    for _ in range(50):
        moved = False
        for i in range(len(placed) - 1):
            lack = gap - (placed[i + 1] - placed[i])
            if lack > 1e-9:
                placed[i] -= lack / 2
                placed[i + 1] += lack / 2
                moved = True
        if not moved:
            break
    result = [0.0] * len(wanted)
    for place, i in zip(placed, order):
        result[i] = place
    return result


# --- running gnuplot --------------------------------------------------------------------------------------------------

PROLOGUE = '''set encoding utf8
set border 3 lc rgb "{axis}" lw 1
set tics nomirror scale 0.4 textcolor rgb "{muted}"
set grid ytics lc rgb "{grid}" lw 1 dt 1
set style fill solid noborder
set key off
set errorbars small
'''


def commands_of(figure, width):
    """The sheet and the whole script except its terminal. The drawing function sets the height."""
    sheet = Sheet(width)
    drawn = figure.draw(sheet)
    return sheet, PROLOGUE.format(**{role: theme.colour(role) for role in theme.ROLES}) + drawn


def gnuplot(script):
    """The output of the script."""
    if not shutil.which('gnuplot'):
        raise CannotPlot('there is no gnuplot')
    done = subprocess.run(['gnuplot'], input=script.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=120)
    complaint = done.stderr.decode(errors='replace').strip()
    if done.returncode or not done.stdout:
        raise CannotPlot('gnuplot refused: ' + (complaint.split('\n')[-1] or 'without a word'))
    return done.stdout


def draw(figure):
    """The figure in all its forms."""
    svgs = []
    for width, kind in ((DESK, 'desk'), (PHONE, 'phone')):
        sheet, commands = commands_of(figure, width)
        terminal = 'set terminal svg size {},{} dynamic rounded enhanced font "sans,{}"\n'.format(
            sheet.width, sheet.height, sheet.font)
        svgs.append(themed(gnuplot(terminal + commands).decode(), figure, kind, sheet.spots))
    sheet, commands = commands_of(figure, DESK)
    terminal = ('set terminal pngcairo size {},{} enhanced rounded fontscale 2 linewidth 2 pointscale 2 background rgb '
                '"white" font "sans,{}"\n').format(sheet.width * 2, sheet.height * 2, sheet.font * 0.75)
    return Drawing(svgs[0], svgs[1], gnuplot(terminal + commands))


def themed(svg, figure, kind, spots=()):
    """Adapts the SVG of gnuplot to a page: variables for colours, unique names, words for a screen reader, tooltips,
    and no empty groups."""
    variables = {tuple(int(light[i:i + 2], 16) for i in (1, 3, 5)): variable for light, variable, _ in theme.colours()}

    def variable(found):
        its = variables.get(tuple(int(number) for number in found.groups()))
        return 'var(--{})'.format(its) if its else found.group()

    prefix = '{}-{}-'.format(figure.name, kind)
    box = re.search(r'viewBox="[^"]+"', svg).group()
    body = svg[svg.index('<g id="gnuplot_canvas"'):]
    body = re.sub(r'<filter.*?</filter>', '', body, flags=re.DOTALL)
    body = re.sub(r'<title>.*?</title>', '', body)
    body = re.sub(r'\bid=(["\'])', lambda quote: 'id=' + quote.group(1) + prefix, body)
    body = re.sub(r'xlink:href=(["\'])#', lambda quote: 'href=' + quote.group(1) + '#' + prefix, body)
    body = re.sub(r'rgb\(\s*(\d+),\s*(\d+),\s*(\d+)\)', variable, body)
    body = re.sub(r'\s*font-family="[^"]*"', '', body)
    body = re.sub(r'<g [^>]*>\s*</g>\s*', '', body)
    body = re.sub(r'<tspan\s*>([^<]*)</tspan>', r'\1', body)
    body = re.sub(r'\n\s*', '\n', body)
    tips = ''.join('<{}><title>{}</title></{}>\n'.format(element, html.escape(words), element.split(' ', 1)[0])
                   for element, words in spots)
    body = '{}<g>\n{}</g>\n</svg>'.format(body[:body.rindex('</svg>')], tips)
    return '<svg class="{}" role="img" aria-labelledby="{}title" {}><title id="{}title">{}</title>{}'.format(
        kind, prefix, box, prefix, html.escape(figure.alt), body)
