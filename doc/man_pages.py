"""man_pages.py OUTPUT VERSION CHANGELOG HEADER [ENVIRONMENT_MD EXAMPLE HEADER...]: a manual page from a public header.

A page is made of what the header says, so that the two cannot drift: the comment at its head is the description,
every comment that stands before a public declaration is that declaration's text. heist.7, made from heist/heist.h,
also has the example, the table of variables from doc/environment.md, and a line for each of the other headers.
The date is that of the version in CHANGELOG.md.

A comment's text is in paragraphs. Indented lines are shown as they stand. A line in capitals, or between dashes
(`---- ranges ----`), is a heading.
"""
import os
import re
import sys

COMMENT = re.compile(r'/\*(.*?)\*/', re.DOTALL)
NAME = re.compile(r'\b(heist_\w+|HEIST_(?!_)\w+)\b')
INTERNAL = re.compile(r'\b(heist__|HEIST__)')
NO_PAGES = {'HEIST_API', 'HEIST_BEGIN_DECLS', 'HEIST_END_DECLS'}


def escape(text):
    text = text.replace('\\', '\\e').replace('\u2019', "'")
    return '\\&' + text if text[:1] in ".'" else text


def as_code(text):
    return escape(text).replace('-', '\\-')


def as_prose(text):
    return re.sub(r'(?<![\w-])-(?=[E\d])', r'\\-', escape(text))


def comment_lines(body):
    """A comment without its frame."""
    lines = [re.sub(r'^ ?\* ?', '', line.rstrip()) if i else line.strip() for i, line in enumerate(body.split('\n'))]
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


class Page:
    def __init__(self, title, section, date, version):
        self.out = ['.\\" Made by doc/man_pages.py from the public headers. Change those.',
                    '.TH {} {} {} "heist {}" "heist"'.format(title, section, date, version)]

    def section(self, name):
        self.out.append('.SH {}'.format(as_prose(name.upper())))

    def heading(self, name):
        self.out.append('.SS {}'.format(as_prose(name[:1].upper() + name[1:])))

    def paragraph(self, lines):
        if not self.out[-1].startswith(('.SH', '.SS')):
            self.out.append('.PP')
        self.out += [as_prose(line.strip()) for line in lines]

    def code(self, lines):
        indent = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
        if not self.out[-1].startswith(('.SH', '.SS')):
            self.out.append('.PP')
        self.out.append('.nf')
        self.out += [as_code(line[indent:]) or '\\&' for line in lines]
        self.out.append('.fi')

    def text(self, lines):
        """Paragraphs, code and headings of one comment."""
        prose, code = [], []

        def flush():
            if prose:
                self.paragraph(prose)
            if code:
                while code and not code[-1].strip():
                    code.pop()
                self.code(code)
            prose.clear()
            code.clear()

        for line in lines + ['']:
            dashed = re.fullmatch(r'-{4} (.*?) -{4}', line.strip())
            if dashed or re.fullmatch(r'[A-Z][A-Z ]+[A-Z]', line):
                flush()
                self.heading(dashed.group(1) if dashed else line.capitalize())
            elif not line.strip():
                if code:
                    code.append('')
                else:
                    flush()
            elif line.startswith('  '):
                if prose:
                    flush()
                code.append(line)
            else:
                if code:
                    flush()
                prose.append(line)
        flush()


def head_and_rest(source):
    """The comment at the head of a header, what the header is for, and the code below."""
    match = COMMENT.match(source)
    lines = comment_lines(match.group(1))
    subject, _, more = lines[0].partition(': ')[2].partition('. ')
    lines[0] = more
    return subject.rstrip('.'), lines, source[match.end():]


DECLARATION = re.compile(
    r'^HEIST_API[^;]*;|^(?:static inline|HEIST__INLINE) [^{]*(?={)|'
    r'^typedef (?:struct|enum)[^;{]*\{.*?\}[^;{}]*;|^typedef [^;{]*;|'
    r'^#define HEIST_(?!_)\w+(?:\([^)]*\))?(?: [^\\\n]+$)?', re.MULTILINE | re.DOTALL)


def macro_as_shown(text):
    """Its name and arguments, or its name and number. The comments explain those with any number of arguments."""
    name, arguments, value = re.match(r'#define (\w+)(\([^)]*\))?(?: (.*))?', text).groups()
    if arguments:
        return '' if '...' in arguments else name + arguments
    return '#define {} {}'.format(name, value) if re.match(r'[(\d-]', value or '') else name


def shown(code):
    """The public declarations of a piece of code, as a reader wants them: no bodies, no attributes."""
    out = []
    for piece in DECLARATION.findall(code):
        if piece.startswith('#define'):
            piece = macro_as_shown(piece)
        else:
            piece = re.sub(r'\n +(?=\S)', ' ', piece) if '{' not in piece else piece
            piece = re.sub(r'^(HEIST_API|static inline|HEIST__INLINE) ', '', piece).strip().rstrip(';') + ';'
        if piece and not INTERNAL.search(piece):
            out += piece.split('\n') + ['']
    names = [line.split()[1] for line in out if line.startswith('#define')]
    twice = {name for name in names if names.count(name) > 1}  # one of several, as the compiler has it
    for name in twice:
        out = [line for line in out if line and not line.startswith('#define ' + name + ' ')] + [name, '']
    return out[:-1]


def heading_of(lines):
    match = re.fullmatch(r'-{4} (.*) -{4}', lines[0].strip()) if lines else None
    return match.group(1) if match else None


def items(code):
    """(comment, declarations) in the header's order. A comment is about what stands below it without a blank line; what
    follows after one has no comment of its own."""
    starts = [m for m in COMMENT.finditer(code) if m.start() == 0 or code[m.start() - 1] == '\n']
    for match, after in zip(starts, starts[1:] + [None]):
        lines = comment_lines(match.group(1))
        below = code[match.end():after.start() if after else len(code)].lstrip('\n')
        near = shown(below.partition('\n\n')[0])
        far = shown(below.partition('\n\n')[2])
        if heading_of(lines) or near:
            yield lines, near
        if far:
            yield [], far


def names_of(code):
    names = []
    for line in shown(code):
        if line.startswith(('#define', 'typedef')):
            continue
        match = re.match(r'[\w *]*?\*?\b(heist_\w+)\(', line)
        if match:
            names.append(match.group(1))
    return names


def macros_of(code):
    """Macros with arguments: the interface of typed tasks and loops."""
    found = re.findall(r'^#define (HEIST_(?!_)\w+)\(', code, re.MULTILINE)
    return [name for name in dict.fromkeys(found) if name not in NO_PAGES]


def declarations(page, code):
    """Headings with nothing below them are left out."""
    pending = None
    for lines, declared in items(code):
        heading = heading_of(lines)
        if heading and len(lines) == 1:
            pending = heading
            if not declared:
                continue
        if pending:
            page.heading(pending)
            pending = None
        if declared:
            page.code(declared)
        if lines and not (heading and len(lines) == 1):
            page.text(lines)


def library_page(header, version, date):
    with open(header, encoding='utf-8') as source:
        subject, essay, code = head_and_rest(source.read())
    name = os.path.basename(header)[:-2]
    page = Page('HEIST_' + name.upper(), 3, date, version)
    page.section('Name')
    known = names_of(code) + macros_of(code)
    page.out.append('{} \\- {}'.format(', '.join(dict.fromkeys(known or ['heist_' + name])), as_prose(subject)))
    page.section('Synopsis')
    page.code(['#include <heist/{}.h>'.format(name)])
    page.paragraph(['Link with'])
    page.out[-1] += ' \\fB$(pkg\\-config \\-\\-cflags \\-\\-libs heist)\\fR.'
    page.section('Description')
    page.text(essay)
    page.section('Declarations')
    declarations(page, code)
    page.section('See also')
    page.out.append('.BR heist (7)')
    return page


def table_rows(markdown):
    """The first table of a page whose rows begin with a variable."""
    with open(markdown, encoding='utf-8') as source:
        table = re.search(r'(^\| `HEIST_.*\n)+', source.read(), re.MULTILINE).group()
    rows = [[cell.strip() for cell in line.strip('|').split(' | ')] for line in table.splitlines()]
    return [[re.sub(r'`|\[([^]]*)\]\([^)]*\)', r'\1', cell) for cell in row] for row in rows]


def overview(header, version, date, environment, example, headers):
    with open(header, encoding='utf-8') as source:
        subject, essay, _ = head_and_rest(source.read())
    page = Page('HEIST', 7, date, version)
    page.section('Name')
    page.out.append('heist \\- lock\\-free fork/join runtime: typed tasks on work\\-stealing deques')
    page.section('Synopsis')
    page.code(['#include <heist/heist.h>', '', 'cc -O2 program.c $(pkg-config --cflags --libs heist)'])
    page.section('Description')
    page.text(essay)
    page.section('Example')
    with open(example, encoding='utf-8') as source:
        page.code([line for line in source.read().splitlines() if 'Prints:' not in line])
    page.section('Headers')
    for other in headers:
        with open(other, encoding='utf-8') as source:
            about = head_and_rest(source.read())[0]
        page.out += ['.TP', '.BR heist_{} (3)'.format(os.path.basename(other)[:-2]), as_prose(about + '.')]
    page.section('Environment')
    for row in table_rows(environment):
        page.out += ['.TP', '.B {}'.format(row[0]), as_prose(row[1][:1].upper() + row[1][1:] + '.')]
        if len(row) > 2 and row[2]:
            page.out.append(as_prose('Default: ' + row[2] + '.'))
    page.section('See also')
    pages = ['heist_{}'.format(os.path.basename(other)[:-2]) for other in headers]
    page.out += ['.BR {} (3),'.format(name) for name in pages]
    page.out += ['.BR heist-info (1),', '.BR heist-omp (1),', '.BR heist-perf (1),', '.BR heist-scale (1)']
    return page


def date_of(changelog, version):
    with open(changelog, encoding='utf-8') as source:
        match = re.search(r'^## {} \((\d{{4}}-\d\d-\d\d)\)'.format(re.escape(version)), source.read(), re.MULTILINE)
    return match.group(1) if match else '""'


def print_links(headers):
    """A line for each public name that is no page's name: the name, and the page that explains it."""
    for header in headers:
        with open(header, encoding='utf-8') as source:
            code = head_and_rest(source.read())[2]
        page = 'heist_' + os.path.basename(header)[:-2]
        for name in dict.fromkeys(names_of(code) + macros_of(code)):
            if name != page:
                print(name, page)


def main():
    if sys.argv[1] == '--links':
        print_links(sys.argv[2:])
        return
    output, version, changelog, header = sys.argv[1:5]
    date = date_of(changelog, version)
    if os.path.basename(header) == 'heist.h':
        page = overview(header, version, date, sys.argv[5], sys.argv[6], sys.argv[7:])
    else:
        page = library_page(header, version, date)
    with open(output, 'w', encoding='utf-8') as target:
        target.write('\n'.join(page.out) + '\n')


main()
