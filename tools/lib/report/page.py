"""The page: one file of HTML that refers to nothing outside itself and needs no script.

It is written so that a strict XML parser reads it, too: what is checked strictly does not break quietly.
"""
import base64
import html
import os

from . import machine, noise, theme, topology, words
from .tables import Column, Table, plain

HERE = os.path.dirname(os.path.abspath(__file__))


def style():
    with open(os.path.join(HERE, 'page.css'), encoding='utf-8') as source:
        return theme.css_variables() + source.read()


VERDICTS = {True: ('met', '\u2713 goal met'), False: ('missed', '\u2717 goal missed'),
            noise.UNCLEAR: ('unclear', 'too noisy to judge'), noise.WITHIN: ('unclear', 'within the noise of the goal'),
            noise.DENIED: ('unclear', 'not judged: other programs had its cores')}


def tile(its):
    verdict = '' if its.goal is None else '<span class="goal {}">{}</span>'.format(*VERDICTS[its.goal])
    return '<li><strong>{}</strong><span class="label">{}</span><span class="context">{}</span>{}</li>\n'.format(
        html.escape(its.number), html.escape(its.label), html.escape(its.context), verdict)


def download(name, table):
    data = base64.b64encode(table.as_csv().encode()).decode()
    return '<a class="csv" download="{0}.csv" href="data:text/csv;base64,{1}">{0}.csv</a>'.format(name, data)


def table_names(section):
    """A name for each table's CSV: that of the section, then numbered."""
    return [section.id if i == 0 else '{}-{}'.format(section.id, i + 1) for i in range(len(section.tables))]


def numbers(section):
    """The section's tables behind a fold; those that are to be seen beside the figure come before it."""
    named = list(zip(table_names(section), section.tables))
    shown = ''.join(table.as_html() for _, table in named[:-1])
    name, last = named[-1]
    links = ' '.join(download(*each) for each in named)
    return '{}<details><summary>The numbers ({})</summary>\n{}<p class="links">{}</p></details>\n'.format(
        shown, words.plural(len(last.rows), 'row'), last.as_html(), links)


def part(section, drawing):
    figure = '' if not drawing else '<figure>{}{}<figcaption>{}</figcaption></figure>\n'.format(
        drawing.desk, drawing.phone, html.escape(section.how))
    first, rest = section.sentences[0], section.sentences[1:]
    return '<section id="{0}"><h2><a href="#{0}">{1}</a></h2>\n<p class="see">{2}</p>\n{3}{4}{5}</section>\n'.format(
        section.id, html.escape(section.title), html.escape(first), figure,
        '<ul class="also">{}</ul>\n'.format(''.join('<li>{}</li>'.format(html.escape(each)) for each in rest)) if rest
        else '', numbers(section))


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
    forms = {'min_ns': words.duration, 'median_ns': words.duration, 'cpu_ns': words.duration, 'ns_per_task': words.duration, 'tasks': words.count,
             'speedup': words.factor, 'vs_serial': words.factor, 'gflops': words.significant, 'runtime': theme.name}
    order = ['workload', 'size', 'runtime', 'workers', 'mode', 'batch_size', 'batch', 'type', 'variant', 'runs',
             'min_ns', 'median_ns', 'cpu_ns', 'others', 'tasks',
             'ns_per_task', 'speedup', 'vs_serial', 'gflops', 'steals', 'balance']
    found = {name for row in results.all for name, value in row.fields.items() if isinstance(value, (str, int, float))}
    columns = [name for name in order if known(name)] + sorted(found - set(order) - {'check'}) + ['check']
    return Table('All rows', [Column(name, name, forms.get(name, plain)) for name in columns],
                 [row.fields for row in results.all])


def rows_part(results):
    table = everything(results)
    return ('<section id="rows"><h2><a href="#rows">All rows</a></h2>\n<p>Runs were interleaved and warm; each result '
            'was checked.</p>\n<details><summary>{}</summary>\n{}<p class="links">{}</p></details></section>\n').format(
                words.plural(len(table.rows), 'row'), table.as_html(), download('results', table))


def page(results, sections, drawings, tiles, warnings):
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
<title>heist: how it scales</title>
<style>
{style}</style>
</head>
<body>
<header><h1>heist: how it scales</h1>
<p class="intro">{intro}</p>
{alerts}<ul class="tiles">
{tiles}</ul>
<nav aria-label="Sections">{links}</nav></header>
<main>
{parts}{machine}{rows}</main>
</body>
</html>
'''.format(style=style(), intro=html.escape(intro), alerts=alerts, tiles=''.join(tile(each) for each in tiles),
           links=links,
           parts=''.join(parts), machine=machine_part(results), rows=rows_part(results))
