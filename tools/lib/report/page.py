"""The page: one file of HTML that refers to nothing outside itself. It is complete without its script, which only sorts
tables and shows tooltips.

A strict XML parser can read it, too: the tests parse it strictly, so that errors do not go unnoticed.
"""
import base64
import html
import os

from . import machine, theme, topology, words
from .tables import Column, Table, plain

HERE = os.path.dirname(os.path.abspath(__file__))


def style():
    with open(os.path.join(HERE, 'page.css'), encoding='utf-8') as source:
        return theme.css_variables() + source.read()


def script():
    with open(os.path.join(HERE, 'page.js'), encoding='utf-8') as source:
        return source.read()


def tile(its):
    mark = '' if its.mark is None else '<span class="mark {}">{}</span>'.format(*map(html.escape, its.mark))
    return '<li><strong>{}</strong><span class="label">{}</span><span class="context">{}</span>{}</li>\n'.format(
        html.escape(its.number), html.escape(its.label), html.escape(its.context), mark)


def download(name, table):
    data = base64.b64encode(table.as_csv().encode()).decode()
    return '<a class="csv" download="{0}.csv" href="data:text/csv;base64,{1}">{0}.csv</a>'.format(name, data)


def table_names(section):
    """A name for each table's CSV: that of the section, then numbered."""
    return [section.id if i == 0 else '{}-{}'.format(section.id, i + 1) for i in range(len(section.tables))]


def numbers(section):
    """The tables of the section: the last one behind a fold, the others before it, beside the figure."""
    named = list(zip(table_names(section), section.tables))
    if not named:
        return ''
    shown = ''.join(table.as_html() for _, table in named[:-1])
    name, last = named[-1]
    links = ' '.join(download(*each) for each in named)
    return '{}<details><summary>The numbers ({})</summary>\n{}<p class="links">{}</p></details>\n'.format(
        shown, words.plural(len(last.rows), 'row'), last.as_html(), links)


def part(section, drawing):
    figure = '' if not drawing else '<figure>{}{}<figcaption>{}</figcaption></figure>\n'.format(
        drawing.desk, drawing.phone, html.escape(section.how))
    first, rest = section.sentences[0], section.sentences[1:]
    doubts = '<p class="mark doubt"><a href="#noise">\u2248 {}</a></p>\n'.format(
        words.plural(len(section.doubts), 'sample') + ' not reliable') if section.doubts else ''
    return '<section id="{0}"><h2><a href="#{0}">{1}</a></h2>\n<p class="see">{2}</p>\n{6}{3}{4}{5}</section>\n'.format(
        section.id, html.escape(section.title), html.escape(first), figure,
        '<ul class="also">{}</ul>\n'.format(''.join('<li>{}</li>'.format(html.escape(each)) for each in rest)) if rest
        else '', numbers(section), doubts)


def facts(results):
    about, sweep = results.machine, results.sweep
    memory = about.get('memory')
    listed = [
        ('processor', about.get('model') or about.get('cpu')),
        ('topology', about.get('topology')),
        ('usable', words.plural(machine.cores(about), 'core') + (
            ', by a quota of {:g} CPUs'.format(about['quota']) if about.get('quota') else '')),
        ('memory', '{:.0f} GiB'.format(memory / 2 ** 30) if memory else None),
        ('system', ', '.join(filter(None, [about.get('system'), about.get('kernel')]))),
        ('virtual machine', 'yes: other guests may take time from it' if about.get('virtual') else None),
        ('governor', about.get('governor')),
        ('compiler', about.get('compiler')),
        ('heist', ' '.join(filter(None, [about.get('heist'), sweep.get('revision')]))),
        ('libraries', ', '.join(sorted({row.more('library') for row in results.all if row.more('library')}))),
        ('environment', ' '.join('{}={}'.format(*each) for each in sorted((about.get('environment') or {}).items()))),
        ('load before', '{:.2f}'.format(about['load']) if about.get('load') is not None else None),
        ('measured', ' '.join(filter(None, [sweep.get('date') or about.get('date'), sweep.get('kind') and
                                            '({} sweep)'.format(sweep['kind'])]))),
    ]
    return [(name, value) for name, value in listed if value]


def machine_part(results):
    rows = ''.join('<div><dt>{}</dt><dd>{}</dd></div>'.format(html.escape(name), html.escape(str(value)))
                   for name, value in facts(results))
    return '<section id="machine"><h2><a href="#machine">The machine</a></h2>\n{}<dl>{}</dl></section>\n'.format(
        topology.draw(results.machine), rows)


def everything(results):
    """Every row as it was measured."""
    def known(name):
        return any(row.fields.get(name) is not None for row in results.all)
    forms = {'min_ns': words.duration, 'median_ns': words.duration, 'cpu_ns': words.duration,
             'ns_per_task': words.duration, 'tasks': words.count, 'speedup': words.factor,
             'vs_serial': words.factor, 'gflops': words.significant, 'runtime': theme.name}
    order = ['workload', 'size', 'runtime', 'workers', 'mode', 'batch_size', 'batch', 'type', 'variant', 'runs',
             'min_ns', 'median_ns', 'cpu_ns', 'others', 'tasks',
             'ns_per_task', 'speedup', 'vs_serial', 'gflops', 'steals', 'balance']
    found = {name for row in results.all for name, value in row.fields.items() if isinstance(value, (str, int, float))}
    columns = [name for name in order if known(name)] + sorted(found - set(order) - {'check'}) + ['check']
    return Table('All rows', [Column(name, name, forms.get(name, plain)) for name in columns],
                 [row.fields for row in results.all])


def rows_part(results):
    """The CSV has all columns; the page leaves out those about an earlier program."""
    table = everything(results)
    shown = Table(table.title, [column for column in table.columns if not column.key.startswith('seeds')], table.rows)
    return ('<section id="rows"><h2><a href="#rows">All rows</a></h2>\n<p>Runs were interleaved and warm; each result '
            'was checked.</p>\n<details><summary>{}</summary>\n{}<p class="links">{}</p></details></section>\n').format(
                words.plural(len(table.rows), 'row'), shown.as_html(), download('results', table))


TITLE, GOALS_TITLE = 'heist on this machine', 'heist: the goals of the project'


def page(results, sections, drawings, tiles, warnings, title=TITLE):
    """The whole document; drawings are by the name of the figure."""
    about = results.machine
    date = (results.sweep.get('date') or about.get('date') or '')[:10]
    intro = ' \u00b7 '.join(filter(None, [machine.in_short(about), date, results.sweep.get('kind') and
                                         results.sweep['kind'] + ' sweep']))
    links = ''.join('<a href="#{}">{}</a>\n'.format(its, html.escape(title)) for its, title in
                    [(section.id, section.title) for section in sections] + [('machine', 'The machine'),
                                                                              ('rows', 'All rows')])
    parts = [part(section, section.figure and drawings.get(section.figure.name)) for section in sections]
    alerts = '<ul class="warnings" aria-label="Warnings">{}</ul>\n'.format(
        ''.join('<li>{}</li>'.format(html.escape(each)) for each in warnings)) if warnings else ''
    return '''<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/>
<link rel="icon" href="data:,"/>
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<header><h1>{title}</h1>
<p class="intro">{intro}</p>
{alerts}<ul class="tiles">
{tiles}</ul>
<nav aria-label="Sections">{links}</nav></header>
<main>
{parts}{machine}{rows}</main>
<script>
{script}</script>
</body>
</html>
'''.format(style=style(), script=script(), title=title, intro=html.escape(intro), alerts=alerts,
           tiles=''.join(tile(each) for each in tiles),
           links=links, parts=''.join(parts), machine=machine_part(results), rows=rows_part(results))
