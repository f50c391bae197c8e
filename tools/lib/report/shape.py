"""The kinds of the members of a document. heist-perf and look() write no others. A file that was edited, cut or mixed
up is refused here with a sentence, so that the other modules need no checks."""

MOST_TEXT = 4000
LEAST, MOST = 1e-9, 1e18  # numbers beyond these are not measurements, and their ratios may overflow
BEYOND = 1e300  # limit of numbers that are only passed on; infinity and NaN are not below it
DEEPEST = 20


class Malformed(Exception):
    """A file that heist-perf did not write; the message has the place and the reason."""


# --- kinds of values: functions that tell whether a value is of the kind ----------------------------------------------

def text(value):
    return isinstance(value, str) and len(value) <= MOST_TEXT and all(c in '\t\n' or c.isprintable() for c in value)


def number(value):
    return (isinstance(value, (int, float)) and not isinstance(value, bool) and
            (value == 0 or LEAST <= value <= MOST))  # NaN is not, either


def count(value):
    return number(value) and isinstance(value, int)


def some(value):
    return count(value) and value > 0


def truth(value):
    return isinstance(value, bool)


def text_or_number(value):
    return text(value) or number(value)


def anything(value, depth=0):
    """Members that are only passed on: any JSON that can be written again."""
    if isinstance(value, dict):
        return depth < DEEPEST and all(text(name) and anything(inner, depth + 1) for name, inner in value.items())
    if isinstance(value, list):
        return depth < DEEPEST and all(anything(inner, depth + 1) for inner in value)
    if isinstance(value, str):
        return text(value)
    return value is None or isinstance(value, bool) or (isinstance(value, (int, float)) and abs(value) < BEYOND)


def each(kind):
    return lambda value: isinstance(value, list) and all(kind(item) for item in value)


def whole(**members):
    """An object that has all of these."""
    return lambda value: isinstance(value, dict) and all(name in value and kind(value[name])
                                                         for name, kind in members.items())


def texts_by_name(value):
    return isinstance(value, dict) and all(text(name) and text(its) for name, its in value.items())


# --- what is known ----------------------------------------------------------------------------------------------------

ROW = {'workload': text, 'runtime': text, 'check': text, 'size': text_or_number, 'workers': some, 'runs': count,
       'min_ns': number, 'median_ns': number, 'tasks': number, 'ns_per_task': number, 'speedup': number,
       'vs_serial': number, 'gflops': number, 'steals': number, 'batch': number, 'balance': number, 'overhead': number,
       'least_ns': number, 'p99_ns': number, 'tasks_per_second': number, 'library': text, 'micro': text, 'chosen': text,
       'step': text, 'mode': text, 'type': text, 'variant': text, 'kernel': text, 'schedule': text, 'join': text,
       'to': text,
       'state': text, 'from': text, 'fence': text, 'victim': text, 'algorithm': text, 'poly': text, 'joins': text,
       'aggregate': text_or_number, 'batch_size': text_or_number, 'field': text_or_number, 'threads': text_or_number,
       'cutoff': text_or_number, 'input': text, 'seeds': number, 'seeds_target': number, 'seeds_gflops': number,
       'seeds_efficiency': number, 'shape': text, 'callers': some, 'work_ns': number, 'samples': count,
       'p10_ns': number, 'p90_ns': number, 'futex_ns': number, 'idle_cpu_ns': number, 'idle_late_cpu_ns': number,
       'cpu_ns': number, 'others': number}
CACHE = whole(level=some, size=text, cpus=lambda value: each(count)(value) and value)
CPU = whole(cpu=count, package=count, core=count, node=count, caches=each(CACHE))
MACHINE = {'cpus': each(CPU), 'quota': number, 'load': number, 'workers': count, 'cores': count, 'threads': count,
           'memory': count, 'virtual': truth, 'environment': texts_by_name, 'cpu': text, 'model': text, 'system': text,
           'kernel': text, 'compiler': text, 'heist': text, 'date': text, 'governor': text, 'topology': text}
SWEEP = {'kind': text, 'date': text, 'revision': text, 'notes': each(text)}


def check(members, known, where, what):
    """Refuses an object with a member of a wrong kind. None counts as absent."""
    if not isinstance(members, dict):
        raise Malformed('{}: {} is not an object'.format(where, what))
    for name, value in members.items():
        if not text(name):
            raise Malformed('{}: {} has a member without a readable name'.format(where, what))
        if value is not None and not known.get(name, anything)(value):
            raise Malformed('{}: {} has an impossible "{}"'.format(where, what, name))
    return members
