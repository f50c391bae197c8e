"""What the tests of the page share: making one, and reading it."""
import html.parser
import json
import os
import shutil
import subprocess
import sys
import tempfile

import cases
import sample
from report import page, sections, summary

SCRATCH = tempfile.mkdtemp(prefix='heist report ')  # with spaces: every path must bear them
HAVE_GNUPLOT = shutil.which('gnuplot') is not None


def make(document, *options, folder='made', environment=None, name='sample.json'):
    """Runs the command as tools/sweep does; gives the folder and what became of it."""
    path = os.path.join(SCRATCH, name)
    with open(path, 'w', encoding='utf-8') as out:
        if isinstance(document, str):
            out.write(document)
        else:
            json.dump(document, out)
    folder = os.path.join(SCRATCH, folder)
    done = subprocess.run([sys.executable, '-B', '-m', 'report', 'make', folder, *options, path], capture_output=True,
                          text=True, timeout=300, check=False,
                          env=dict(os.environ, PYTHONPATH=sample.LIBRARY, PYTHONIOENCODING='utf-8',
                                   **(environment or {})))
    return folder, done


def read(*parts, mode='r'):
    with open(os.path.join(*parts), mode, encoding=None if 'b' in mode else 'utf-8') as found:
        return found.read()


MADE = {}


def made():
    """The report of the sample, once."""
    if not MADE:
        MADE['folder'], MADE['done'] = make(sample.document(), '--goals')
        assert MADE['done'].returncode == 0, MADE['done'].stderr
        MADE['html'] = read(MADE['folder'], 'index.html')
        MADE['goals'] = read(MADE['folder'], 'goals.html')
    return MADE


def without_figures(results):
    """A page that needs no gnuplot."""
    parts = sections.make_all(results)
    return page.page(results, parts, {}, summary.tiles(results), summary.warnings(results))


class Reader(html.parser.HTMLParser):
    """Collects elements, ids and references, and minds that what is opened is closed."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.references, self.elements = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.handle_startendtag(tag, attrs)

    def handle_startendtag(self, tag, attrs):
        attributes = dict(attrs)
        self.elements.append((tag, attributes))
        self.ids += [attributes['id']] if 'id' in attributes else []
        self.references += [attributes[name] for name in ('href', 'src', 'xlink:href', 'action', 'data', 'poster',
                                                          'srcset')
                            if name in attributes]
        self.references += ['#' + name for name in attributes.get('aria-labelledby', '').split()]

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, '</{}> closes {}'.format(tag, self.open[-1:])
        self.open.pop()


def reader_of(text):
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert not reader.open, 'not closed: {}'.format(reader.open)
    return reader


def run(name, of):
    """Runs the cases in these globals, which are their functions but for those named HELPERS; gives the status."""
    try:
        return cases.run(name, [value for its, value in list(of.items()) if callable(value) and
                                getattr(value, '__module__', '') == '__main__' and its not in of['HELPERS']])
    finally:
        shutil.rmtree(SCRATCH, ignore_errors=True)
