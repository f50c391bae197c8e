"""The made-up measurements of sample.json, and ways to turn them round: what a sentence says must follow the data."""
import copy
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(HERE, '..', '..', 'tools', 'lib')
sys.dont_write_bytecode = True  # the tree may be read-only, and is nobody's place for caches
sys.path.insert(0, LIBRARY)

from report import rows, sections  # noqa: E402 pylint: disable=wrong-import-position

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


def section(name, *changes, keep=None, machine=None):
    """The part of the page with that id; None when there is none."""
    found = [part for part in sections.make_all(results(*changes, keep=keep, machine=machine)) if part.id == name]
    return found[0] if found else None


def text(name, *changes, keep=None, machine=None):
    """All its sentences."""
    return ' '.join(section(name, *changes, keep=keep, machine=machine).sentences)
