"""report.py [--for SECONDS] [--seed N] [--save FOLDER] [FILE...]: gives random input to the report.

Files are documents of heist-perf; without any, the corpus beside this script and mutations of the report's sample are
tried. For any contents, `report make` ends with status 0 or 1 and the whole page, or with status 2, one line on stderr
and nothing written: never with a traceback. A document that does harm is saved.
"""
import argparse
import contextlib
import copy
import io
import json
import os
import random
import shutil
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True  # the tree may be read-only
sys.path[:0] = [os.path.join(HERE, '..', 'report'), os.path.join(HERE, '..', '..', 'tools', 'lib')]

import cases  # noqa: E402 pylint: disable=wrong-import-position
from report import __main__ as program, plot  # noqa: E402 pylint: disable=wrong-import-position

CORPUS = os.path.join(HERE, 'corpus', 'report')
SAMPLE = os.path.join(HERE, '..', 'report', 'sample.json')
ODD = [None, True, False, 0, -1, 1, 2, 0.5, -0.0, 1e308, 1e-320, float('nan'), float('inf'), -float('inf'), 10**400,
       -10**30,
       2**63, '', '0', '1', '-1', 'auto', 'ok', 'x' * 300, '\x00', '\ud800', '<script>', '../../up', 'interrupted',
       'serial',
       'heist', 'lfsr', 'gemm', 'T1', [], {}, [[]], [None], ['x'], {'x': 1}, {'level': 1}]


# ---- one document ----

def cannot_plot(_):
    raise plot.CannotPlot('not here')


def files_in(folder):
    return sorted(os.path.join(where, name) for where, _, names in os.walk(folder) for name in names)


def harm(text, scratch):
    """What goes wrong with this document; None if nothing does."""
    source, folder = os.path.join(scratch, 'fuzz.json'), os.path.join(scratch, 'page')
    with open(source, 'wb') as out:
        out.write(text)
    shutil.rmtree(folder, ignore_errors=True)
    said, told = io.StringIO(), io.StringIO()
    sys.argv = ['report', 'make', '--goals', folder, source]
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(told):
            status = program.main()
    except BaseException:  # pylint: disable=broad-except # also an exit
        return traceback.format_exc()
    lines = [line for line in told.getvalue().splitlines() if not line.startswith('report: no figure ')]
    if status == 2:
        if len(lines) != 1 or not lines[0].startswith('report: ') or said.getvalue():
            return 'refused with {}'.format(lines)
        return 'something is left: {}'.format(files_in(folder)) if files_in(folder) else None
    if status not in (0, 1):
        return 'status {}'.format(status)
    if any(os.path.basename(name).startswith('.') for name in files_in(folder)):
        return 'a half is left: {}'.format(files_in(folder))
    return None if os.path.exists(os.path.join(folder, 'index.html')) and not lines else 'no page: {}'.format(lines)


# ---- many ----

def places(value, found):
    """Every container in it."""
    if isinstance(value, (dict, list)) and value:
        found.append(value)
        for inner in value.values() if isinstance(value, dict) else value:
            places(inner, found)
    return found


def change(document, chance):
    container = chance.choice(places(document, []) or [document])
    if not container:
        return
    key = chance.choice(sorted(container)) if isinstance(container, dict) else chance.randrange(len(container))
    what = chance.randrange(5)
    if what == 0:
        del container[key]
    elif what == 1 and isinstance(container, list):
        container.append(copy.deepcopy(container[key]))
    elif what == 2 and isinstance(container, dict):
        container[chance.choice(sorted(container))] = copy.deepcopy(container[key])
    else:
        container[key] = copy.deepcopy(chance.choice(ODD))


def change_text(text, chance):
    at = chance.randrange(len(text) + 1)
    few = chance.randrange(20)
    return chance.choice([text[:at], text[:at] + text[at + few:],
                          text[:at] + bytes([chance.randrange(256)]) + text[at + 1:],
                          text[:at] + b'[' * 100000 + text[at:], text[at:]])


def draw(sample, chance):
    document = copy.deepcopy(sample)
    chance.shuffle(document['rows'])
    del document['rows'][chance.randrange(1, 60):]  # few rows: what is wrong with one is not lost among the others
    for _ in range(chance.randrange(1, 5)):
        change(document, chance)
    text = json.dumps(document).encode()
    return change_text(text, chance) if chance.randrange(8) == 0 else text


def read(path):
    with open(path, 'rb') as source:
        return source.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--for', dest='seconds', type=float, default=0, help='how long mutations are tried')
    parser.add_argument('--seed', type=int, default=1, help='what they are drawn from')
    parser.add_argument('--save', default=tempfile.gettempdir(), help='where a document goes that does harm')
    parser.add_argument('files', nargs='*')
    options = parser.parse_args()
    sys.argv[1:] = []  # cases.py looks there, too
    scratch = tempfile.mkdtemp(prefix='heist-fuzz.')
    plot.draw = cannot_plot

    def survives(text, where):
        wrong = harm(text, scratch)
        sys.argv[1:] = []
        if not wrong:
            return
        path = os.path.join(options.save, 'fuzz-report-{}.json'.format(os.getpid()))
        with open(path, 'wb') as out:
            out.write(text)
        raise AssertionError('{}\n{}\nthe document is saved: repeat it with\n    {} {}'.format(
            where, wrong, os.path.abspath(__file__), path))

    def no_document_of_the_corpus_does_harm():
        for path in options.files or files_in(CORPUS) + [SAMPLE]:
            survives(read(path), path)

    def no_mutation_of_the_sample_does_harm():
        sample = json.loads(read(SAMPLE))
        until, number = time.monotonic() + options.seconds, 0
        while time.monotonic() < until:
            survives(draw(sample, random.Random(options.seed * 1000003 + number)),
                     'seed {}, number {}'.format(options.seed, number))
            number += 1
        print('{} documents'.format(number))

    tried = [no_document_of_the_corpus_does_harm]
    if options.seconds:
        tried.append(no_mutation_of_the_sample_does_harm)
    try:
        return cases.run('report', tried)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


sys.exit(main())
