"""The made-up measurements of sample.json, and ways to turn them round: what a sentence says must follow the data.

As a program it prints what the report says of them as they are, which said.txt holds: see there what a change of the
report changes, then `python3 test/report/sample.py >test/report/said.txt`."""
import copy
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(HERE, '..', '..', 'tools', 'lib')
sys.dont_write_bytecode = True  # the tree may be read-only, and is nobody's place for caches
sys.path.insert(0, LIBRARY)

from report import page, rows, sections, summary  # noqa: E402 pylint: disable=wrong-import-position

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


def section(name, *changes, keep=None, machine=None):
    """The part of the page with that id; None when there is none."""
    return MODULES[name].make(results(*changes, keep=keep, machine=machine))


def text(name, *changes, keep=None, machine=None):
    """All its sentences."""
    return ' '.join(section(name, *changes, keep=keep, machine=machine).sentences)


def said(its):
    """All words of the report: tiles, sentences, captions, tables with a few of their rows, facts of the machine."""
    lines = []
    lines += ['{}: {} ({})'.format(tile.number, tile.label, tile.context) for tile in summary.tiles(its)]
    for part in sections.make_all(its):
        lines += ['', '== {}: {} =='.format(part.id, part.title), *part.sentences, 'Below the figure: ' + part.how,
                  'In its place: ' + part.figure.alt]
        for table in part.tables:
            heading, _, *body = table.as_text().splitlines()
            lines += ['', '{} ({} rows, every seventh)'.format(table.title, len(body)), heading, *body[::7]]
    everything = page.everything(its)
    lines += ['', 'All rows: ' + ', '.join(column.title for column in everything.columns)]
    lines += ['', '== The machine =='] + ['{}: {}'.format(*fact) for fact in page.facts(its)]
    return ''.join(line + '\n' for line in lines)


if __name__ == '__main__':
    sys.stdout.write(said(results()))
