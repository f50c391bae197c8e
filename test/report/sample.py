"""The made-up measurements of sample.json, and ways to turn them round: what a sentence says must follow the data.

As a program it prints what the report says of them as they are, which said.txt holds: see there what a change of the
report changes, then `python3 test/report/sample.py >test/report/said.txt`."""
import copy
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(HERE, '..', '..', 'tools', 'lib')
sys.dont_write_bytecode = True  # the tree may be read-only, and is no place for caches
sys.path.insert(0, LIBRARY)

from report import goals, page, rows, sections, summary  # noqa: E402 pylint: disable=wrong-import-position
from report.goals import summary as goals_summary  # noqa: E402 pylint: disable=wrong-import-position

with open(os.path.join(HERE, 'sample.json'), encoding='utf-8') as source:
    ORIGINAL = json.load(source)


def document(change=None, keep=None, machine=None):
    """A copy; `change` is called with each row's fields, `keep` decides which rows stay."""
    made = copy.deepcopy(ORIGINAL)
    if keep:
        made['rows'] = [fields for fields in made['rows'] if keep(fields)]
    for fields in made['rows']:
        if change:
            change(fields)
    made['machine'].update(machine or {})
    return made


def slow_down(fields, factor):
    """Makes a row slower, or, with a factor below 1, faster, in all that follows from its time."""
    for name in ('min_ns', 'median_ns', 'ns_per_task', 'least_ns', 'p99_ns'):
        if name in fields:
            fields[name] *= factor
    if 'gflops' in fields:
        fields['gflops'] /= factor


def slower(factor, **of):
    """A change: the rows that have these fields become slower."""
    def change(fields):
        if all(fields.get(name) == value for name, value in of.items()):
            slow_down(fields, factor)
    return change


def noisy(factor, **of):
    """A change: the median of these rows is that many times the least."""
    def change(fields):
        if all(fields.get(name) == value for name, value in of.items()):
            fields['median_ns'] = fields['min_ns'] * factor
    return change


def results(*changes, keep=None, machine=None):
    def change(fields):
        for each in changes:
            each(fields)
    return rows.merge([('sample.json', document(change, keep, machine))])


MODULES = {module.make(results()).id: module for module in sections.ORDER}
GOALS = {module.make(results()).id: module for module in goals.ORDER}


def section(name, *changes, keep=None, machine=None):
    """The part of the page with that id; None when there is none."""
    return MODULES[name].make(results(*changes, keep=keep, machine=machine))


def text(name, *changes, keep=None, machine=None):
    """All its sentences."""
    return ' '.join(section(name, *changes, keep=keep, machine=machine).sentences)


def goal_section(name, *changes, keep=None, machine=None):
    """The part of the page of goals with that id; None when there is none."""
    return GOALS[name].make(results(*changes, keep=keep, machine=machine))


def goal_text(name, *changes, keep=None, machine=None):
    return ' '.join(goal_section(name, *changes, keep=keep, machine=machine).sentences)


def doubts(name, *changes, keep=None, machine=None):
    """The words of the part about noise on one other part; nothing when all of it is reliable."""
    its = section(name, *changes, keep=keep, machine=machine)
    return sections.doubts.about(its) if its.doubts else ''


def said(its):
    """All words of both pages: tiles, sentences, captions, tables with a few of their rows, facts of the machine."""
    lines = []
    for title, tiles, parts in ((page.TITLE, summary.tiles(its), sections.make_all(its)),
                                (page.GOALS_TITLE, goals_summary.tiles(its), goals.make_all(its))):
        lines += ['=== {} ==='.format(title)] + said_of_page(tiles, parts) + ['']
    everything = page.everything(its)
    lines += ['All rows: ' + ', '.join(column.title for column in everything.columns)]
    lines += ['', '== The machine =='] + ['{}: {}'.format(*fact) for fact in page.facts(its)]
    return ''.join(line + '\n' for line in lines)


def said_of_page(tiles, parts):
    lines = ['{}: {} ({}){}'.format(tile.number, tile.label, tile.context,
                                    ' [{}]'.format(tile.mark[1]) if tile.mark else '')
             for tile in tiles]
    for part in parts:
        lines += ['', '== {}: {} =='.format(part.id, part.title), *part.sentences]
        if part.figure:
            lines += ['Below the figure: ' + part.how, 'In its place: ' + part.figure.alt]
        for table in part.tables:
            heading, _, *body = table.as_text().splitlines()
            lines += ['', '{} ({} rows, every seventh)'.format(table.title, len(body)), heading, *body[::7]]
    return lines


if __name__ == '__main__':
    sys.stdout.write(said(results()))
