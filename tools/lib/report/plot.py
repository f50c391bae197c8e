"""Figures by gnuplot: each is drawn for a desk and for a phone as SVG, which goes into the page, and as PNG.

A section gives a Figure: a name, what it shows in words for those who do not see it, and a function that, given a Sheet
(how large, how many columns of panels), gives gnuplot's commands. The helpers below write what they have in common.
"""
import collections
import html
import re
import shutil
import subprocess

from . import theme

Figure = collections.namedtuple('Figure', 'name alt draw')
Drawing = collections.namedtuple('Drawing', 'desk phone png')
DESK, PHONE = 860, 358  # widths in pixels: the page's column, and a phone's
LETTER = 0.58  # the width of a letter in font sizes, rather too wide than too narrow


class CannotPlot(Exception):
    """There is no gnuplot, or it refused; the message says which."""


class Sheet:
    """The paper of one drawing: its width and height in pixels, and what fits on it."""

    def __init__(self, width):
        self.width, self.height = width, 300
        self.phone = width < 500
        self.font = 11.5 if self.phone else 12.5

    def x(self, pixels):
        return pixels / self.width

    def y(self, pixels):
        """From the top, as a share of the height from the bottom, as gnuplot counts."""
        return 1 - pixels / self.height


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
    """What the horizontal axis counts, 50 pixels below it or less."""
    return 'set xlabel {} offset 0,0.55 textcolor rgb "{}"\n'.format(text(escape(words)), theme.colour('muted'))


def escape(words):
    """Without the letters that mean something to gnuplot's enhanced text."""
    return re.sub(r'([\\^_{}@&~])', r'\\\1', str(words))


def line_style(runtime):
    its = theme.style(runtime)
    width = 2.6 if runtime == 'heist' else 1.7
    return 'lc rgb "{}" lw {} dt {} pt {} ps {}'.format(its.light, width, its.dash, its.point,
                                                       0.75 if runtime == 'heist' else 0.65)


def patch(sheet, at, border, fill):
    """A small rectangle of a legend."""
    return ('set object rectangle center {} size screen {:.5f}, screen {:.5f} fillstyle solid border rgb "{}" fillcolor '
            'rgb "{}"\n'.format(at, sheet.x(14), 11 / sheet.height, border, fill))


def legend(sheet, runtimes, extras=(), top=4, row=20, bars=False):
    """Names with their marks, in rows from the left, drawn with the next plot; gives the commands and their height. With
    bars, the marks of runtimes are filled as these are; else they are the points of their lines. Extras are pairs: `line` (the dashed ideal), `shade` (a patch), `mark` (an upright) or `other` (a grey line), and
    words."""
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
    """The sheet and the whole script but its terminal. Drawing decides on the height."""
    sheet = Sheet(width)
    drawn = figure.draw(sheet)
    return sheet, PROLOGUE.format(**{role: theme.colour(role) for role in theme.ROLES}) + drawn


def gnuplot(script):
    """What the script makes on standard output."""
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
        svgs.append(themed(gnuplot(terminal + commands).decode(), figure, kind))
    sheet, commands = commands_of(figure, DESK)
    terminal = ('set terminal pngcairo size {},{} enhanced rounded fontscale 2 linewidth 2 pointscale 2 background rgb '
                '"white" font "sans,{}"\n').format(sheet.width * 2, sheet.height * 2, sheet.font * 0.75)
    return Drawing(svgs[0], svgs[1], gnuplot(terminal + commands))


def themed(svg, figure, kind):
    """gnuplot's SVG made fit for a page: variables for colours, names of its own, its words for a screen reader, and
    without the many groups that hold nothing."""
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
    return '<svg class="{}" role="img" aria-labelledby="{}title" {}><title id="{}title">{}</title>{}'.format(
        kind, prefix, box, prefix, html.escape(figure.alt), body)
