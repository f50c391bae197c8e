"""The measurements of heist-perf, and the queries of the sections.

A row is one workload at one size in one runtime with one number of workers. The runs of a file were interleaved, those
of several files were not: a row is compared with rows of its own file first (its step). A workload adds settings (mode,
type, variant) and further results (balance, overhead, the name of a library) to its rows.
"""
import json
import os

from . import machine as about, shape
from .shape import Malformed

FIELDS = ('workload', 'size', 'runtime', 'workers', 'runs', 'min_ns', 'median_ns', 'tasks', 'ns_per_task', 'speedup',
          'vs_serial', 'gflops', 'steals', 'check', 'cpu_ns', 'others')
NUMERIC_SETTINGS = ('aggregate', 'batch_size', 'callers', 'field', 'ld_extra', 'threads')
TEXT_RESULTS = ('chosen', 'library', 'micro', 'step')

NO_RESULT = ('crashed', 'ended with status', 'ended before its time', 'no answer within', 'did not end within')


class Row:
    """One line of the table; missing fields are None."""

    def __init__(self, fields):
        for field in FIELDS:
            setattr(self, field, fields.get(field))
        self.size = str(self.size) if self.size is not None else ''
        self.fields = fields
        self.usable = 1  # cores of the machine, which Results knows
        self.settings = {name: str(value) for name, value in fields.items() if name not in FIELDS + TEXT_RESULTS and
                         (isinstance(value, str) or name in NUMERIC_SETTINGS)}
        if self.runtime == 'serial':
            self.settings.pop('mode', None)  # its runtime, serial, says the same

    @property
    def interrupted(self):
        return (self.check or '').startswith('interrupted')

    @property
    def failed(self):
        """The runtime of a peer had no result: it crashed, or never ended. That is no error of heist."""
        return self.runtime not in ('heist', 'serial') and (self.check or '').startswith(NO_RESULT)

    @property
    def ok(self):
        """Its times are valid: also those of an interrupted row, from the runs before."""
        return (self.check in (None, 'ok') or self.interrupted) and bool(self.min_ns)

    def more(self, name):
        """A further member that only some workloads have."""
        return self.fields.get(name)

    def per_task(self):
        if self.ns_per_task is None and self.tasks:
            return self.min_ns / self.tasks
        return self.ns_per_task

    def agrees_with(self, settings):
        """True unless both have a setting and differ in it: a serial program has no mode, and serves for all."""
        return all(settings[name] == value for name, value in self.settings.items() if name in settings)

    def __repr__(self):
        return 'Row({workload} {size} {runtime} {workers})'.format(**self.fields)


def parse(fields, where):
    """Checks one member of "rows"; refuses an unusable one."""
    shape.check(fields, shape.ROW, where, 'a row')
    needed = [('workload', str), ('runtime', str), ('workers', int)]
    if fields.get('check', 'ok') == 'ok':
        needed += [('min_ns', (int, float)), ('median_ns', (int, float))]
    for name, kinds in needed:
        if not isinstance(fields.get(name), kinds) or isinstance(fields[name], bool):
            raise Malformed('{}: a row lacks "{}"'.format(where, name))
    row = Row(fields)
    if row.ok and not 0 < row.min_ns <= row.median_ns:
        raise Malformed('{}: impossible times of {}, {}'.format(where, row.workload, row.runtime))
    return row


def told(fields, where):
    """Adds the facts that only the file name has: the step, and whether the batch size of lfsr was given. lfsr writes
    the mean size of its batches only; tools/sweep measures given sizes in a step of their own."""
    if not isinstance(fields, dict) or 'step' in fields:
        return fields
    fields = dict(fields, step=os.path.splitext(os.path.basename(where))[0])
    if fields.get('workload') == 'lfsr' and 'batch' in fields and 'batch_size' not in fields:
        fields['batch_size'] = 'auto' if fields['step'] == 'lfsr' else str(fields['batch'])
    return fields


class Results:
    """All rows of a sweep. Rows with a wrong result, or without one, are kept apart and not used."""

    def __init__(self, rows, machine=None, sweep=None):
        self.all = list(rows)
        self.rows = [row for row in self.all if row.ok]
        lost = [row for row in self.all if not row.ok and not row.interrupted]
        self.failed = [row for row in lost if row.failed]
        self.wrong = [row for row in lost if not row.failed]
        self.machine = machine or {}
        self.sweep = sweep or {}
        for row in self.all:
            row.usable = about.cores(self.machine)

    def of(self, workload, runtime=None, workers=None, size=None, **settings):
        """The rows with these properties; a setting is compared as text."""
        return [row for row in self.rows if row.workload == workload and
                (runtime is None or row.runtime == runtime) and
                (workers is None or row.workers == workers) and
                (size is None or row.size == str(size)) and
                all(row.settings.get(name) == str(value) for name, value in settings.items())]

    def nearest(self, row, candidates):
        """Of several rows one that was interleaved with this one, if there is any, else the first."""
        candidates = list(candidates)
        beside = [other for other in candidates if other.more('step') == row.more('step')]
        return (beside or candidates or [None])[0]

    def serial_of(self, row):
        """The serial program for the same problem."""
        return self.nearest(row, (other for other in self.of(row.workload, 'serial', size=row.size)
                                  if other.agrees_with(row.settings)))

    def over_serial(self, row):
        """Speed-up over the serial program; None if that was not measured."""
        serial = self.serial_of(row)
        return serial.min_ns / row.min_ns if serial else row.vs_serial

    def alone(self, row):
        """The same with one worker."""
        return self.nearest(row, (other for other in self.of(row.workload, row.runtime, 1, row.size)
                                  if other.settings == row.settings))

    def over_one(self, row):
        """Speed-up over the same runtime with one worker."""
        one = self.alone(row)
        return one.min_ns / row.min_ns if one else row.speedup


def merge(documents):
    """Results from several files of heist-perf: pairs of a name for messages and the parsed document."""
    rows, machine, sweep = [], {}, {}
    for where, document in documents:
        if not isinstance(document, dict) or not isinstance(document.get('rows'), list):
            raise Malformed('{}: there are no "rows"'.format(where))
        machine.update(shape.check(document.get('machine') or {}, shape.MACHINE, where, '"machine"'))
        sweep.update(shape.check(document.get('sweep') or {}, shape.SWEEP, where, '"sweep"'))
        rows += [parse(told(fields, where), where) for fields in document['rows']]
    return Results(rows, machine, sweep)


def load(path):
    """The contents of a JSON file."""
    try:
        with open(path, encoding='utf-8') as source:
            return json.load(source)
    except (ValueError, RecursionError) as error:
        raise Malformed('{}: not JSON: {}'.format(path, error)) from None


def size_key(size):
    """A sort key for sizes that compares numbers as numbers: T1 before T5, 1000 before 2000."""
    digits = ''.join(c if c.isdecimal() else ' ' for c in size).split()
    return tuple(int(d) for d in digits), size
