"""The table of edges, doc/edges.md, agrees with the code. An edge is an order between two threads that the code relies
on; its name is a letter and a number (D1), and both ends carry the name in a comment.

    edges.py                the test
    edges.py --update       writes the column of files anew, from the code"""
import functools
import os
import re
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(HERE))
TABLE = os.path.join(TREE, 'doc', 'edges.md')
sys.path[:0] = [os.path.join(TREE, 'test', 'report'), os.path.join(TREE, 'test', 'model')]
import cases  # noqa: E402
import mutants  # noqa: E402

NAME = re.compile(r'\b[A-Z][0-9]{1,2}\b')
RANGE = re.compile(r'\b([A-Z])([0-9]{1,2}) to ([A-Z])([0-9]{1,2})\b')
NOT_EDGES = {'C11', 'C23'}  # editions of the language
NOT_AN_EDGE = {'R trap'}  # a mutant of DEQUE.md's table of traps
LONGEST_HEAD = 600  # characters of a function's name and parameters
COLUMNS = ['edge', 'orders', 'files', 'without it', 'shown by', 'proof']
TEXT = re.compile(r'''(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')'''
                  r'''|(?P<directive>^[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*)''', re.S | re.M)


# ---- the code ----

def sources():
    for top in ('include', 'lib'):
        for folder, _, names in sorted(os.walk(os.path.join(TREE, top))):
            for name in sorted(names):
                if name.endswith(('.c', '.h', '.hpp', '.cpp')):
                    yield os.path.join(folder, name)


def short(path):
    """As the table names files: without lib/ or include/."""
    return os.path.relpath(path, TREE).split(os.sep, 1)[1]


def functions(text):
    """(start, end, name) of each function body of a text without comments, strings and directives."""
    found, depth, start, name = [], 0, 0, None
    for mark in re.finditer('[{}]', text):
        if mark.group() == '{':
            if depth == 0:
                # extern "C" opens no level; its end is one too many, see below
                before = text[max(mark.start() - LONGEST_HEAD, 0):mark.start()]
                head = re.search(r'(\w+)\s*\((?:[^()]|\([^()]*\))*\)\s*$', before)
                if re.search(r'\bextern\s*$', before):
                    continue
                start, name = mark.start(), head.group(1) if head else None
            depth += 1
        else:
            depth = max(depth - 1, 0)
            if depth == 0 and name:
                found.append((start, mark.end(), name))
    return found


class Code:
    """What the comments of lib/ and include/ say: for each edge its files and the functions that have an end of it."""

    def __init__(self):
        self.files, self.ends, self.ranges = {}, {}, []
        for path in sources():
            with open(path, encoding='utf-8') as file:
                self.read(short(path), file.read())

    def read(self, name, text):
        # A braces-free, comment-free text of the same length: places in it are places in the file.
        bare = TEXT.sub(lambda m: re.sub(r'[^\n]', ' ', m.group()), text)
        bodies = functions(bare)
        for part in TEXT.finditer(text):
            for comment in re.finditer(r'/\*.*?\*/|//[^\n]*', part.group(), re.S) if not part.group('string') else ():
                self.read_comment(name, comment.group(), part.start() + comment.start(), bodies)

    def read_comment(self, name, comment, place, bodies):
        for span in RANGE.finditer(comment):
            self.ranges.append((name, span))
        comment = RANGE.sub('', comment)  # a range points to a document, and is no end
        function = next((body[2] for body in bodies if body[0] <= place < body[1]), None)
        for edge in set(NAME.findall(comment)) - NOT_EDGES:
            self.files.setdefault(edge, set()).add(name)
            if function:
                self.ends.setdefault(edge, set()).add((name, function))


# ---- the table ----

def cells(line):
    return [cell.strip() for cell in line.strip().strip('|').split('|')]


def table():
    """The rows, as dictionaries by column, in the order of the table."""
    rows = []
    with open(TABLE, encoding='utf-8') as file:
        for line in file:
            if line.startswith('|') and NAME.fullmatch(cells(line)[0]):
                assert len(cells(line)) == len(COLUMNS), 'not six columns: ' + line
                rows.append(dict(zip(COLUMNS, cells(line))))
    return rows


def by_edge():
    return {row['edge']: row for row in table()}


def place_of(edge):
    return edge[0], int(edge[1:])


def listed(files):
    return ', '.join('`{}`'.format(name) for name in sorted(files))


def update():
    code = Code()
    with open(TABLE, encoding='utf-8') as file:
        lines = file.readlines()
    for i, line in enumerate(lines):
        if line.startswith('|') and NAME.fullmatch(cells(line)[0]):
            row = cells(line)
            row[COLUMNS.index('files')] = listed(code.files.get(row[0], ()))
            lines[i] = '| ' + ' | '.join(row) + ' |\n'
    with open(TABLE, 'w', encoding='utf-8') as file:
        file.writelines(lines)


@functools.lru_cache(maxsize=None)
def code_now():
    return Code()


def no_complaints(complaints):
    assert not complaints, '\n' + '\n'.join(complaints)


# ---- the cases ----

def each_edge_has_one_row_and_the_rows_are_in_order():
    edges = [row['edge'] for row in table()]
    assert len(edges) > 60, 'only {} rows'.format(len(edges))
    assert edges == sorted(set(edges), key=place_of), edges


def every_edge_named_in_the_code_is_in_the_table():
    rows = by_edge()
    no_complaints(['{}: named in {}'.format(edge, listed(files)) for edge, files in sorted(code_now().files.items())
                   if edge not in rows])


def every_row_names_exactly_the_files_that_name_its_edge():
    code = code_now()
    no_complaints(['{}: the table has {}, the code has {}'.format(row['edge'], row['files'], there)
                   for row in table() for there in [listed(code.files.get(row['edge'], ()))] if row['files'] != there])


def every_edge_of_the_table_is_in_the_code():
    code = code_now()
    no_complaints([row['edge'] + ': in no comment' for row in table() if not code.files.get(row['edge'])])


def every_edge_has_two_ends_or_says_why_it_has_one():
    code = code_now()
    no_complaints(['{}: named in these functions: {}; the row says {}'.format(
        row['edge'], sorted(ends), 'that it has one end' if says else 'nothing')
                   for row in table() for ends in [code.ends.get(row['edge'], ())]
                   for says in ['(one end: ' in row['orders']] if (len(ends) < 2) != says or not ends])


def every_range_in_a_comment_begins_and_ends_at_an_edge():
    rows = by_edge()
    no_complaints(['{}: {}'.format(name, span.group()) for name, span in code_now().ranges
                   if span.group(1) != span.group(3) or int(span.group(2)) >= int(span.group(4)) or
                   not {span.group(1) + span.group(2), span.group(3) + span.group(4)} <= set(rows)])


def every_edge_of_a_mutant_is_in_the_table():
    rows = by_edge()
    no_complaints(sorted({m.edge for m in mutants.MUTANTS} - NOT_AN_EDGE - set(rows)))


def model_stands_where_a_mutant_is_killed_and_only_there():
    killed = {m.edge for m in mutants.MUTANTS if not m.survives and not m.elsewhere}
    no_complaints([row['edge'] + (': a mutant is killed' if row['edge'] in killed else ': no mutant is killed')
                   for row in table() if (row['edge'] in killed) != bool(re.match(r'model\b', row['shown by']))])


def tests_named_in_the_table_exist():
    named = {name for row in table() for name in re.findall(r'`([a-z_]+)`', row['shown by'])}
    here = set()
    for folder, _, names in os.walk(os.path.join(TREE, 'test')):
        for name in names:
            here.add(os.path.splitext(name)[0])
            if name.endswith(('.c', '.cpp', '.h', '.sh', '.py')):
                with open(os.path.join(folder, name), encoding='utf-8', errors='replace') as file:
                    here.update(re.findall(r'\w+', file.read()))
    assert named, 'no test is named'
    no_complaints(sorted(named - here))


def the_proof_of_every_edge_names_it():
    complaints = []
    for row in table():
        link = re.fullmatch(r'\[[^]]+\]\(\.\./([^)]+)\)', row['proof'])
        path = os.path.join(TREE, link.group(1)) if link else ''
        if not os.path.isfile(path):
            complaints.append('{}: no file: {}'.format(row['edge'], row['proof']))
            continue
        with open(path, encoding='utf-8') as file:
            if not re.search(r'\b{}\b'.format(row['edge']), file.read()):
                complaints.append('{}: not named in {}'.format(row['edge'], link.group(1)))
    no_complaints(complaints)


if __name__ == '__main__':
    if sys.argv[1:] == ['--update']:
        update()
        sys.exit(0)
    sys.exit(cases.run('edges', [
        each_edge_has_one_row_and_the_rows_are_in_order,
        every_edge_named_in_the_code_is_in_the_table,
        every_row_names_exactly_the_files_that_name_its_edge,
        every_edge_of_the_table_is_in_the_code,
        every_edge_has_two_ends_or_says_why_it_has_one,
        every_range_in_a_comment_begins_and_ends_at_an_edge,
        every_edge_of_a_mutant_is_in_the_table,
        model_stands_where_a_mutant_is_killed_and_only_there,
        tests_named_in_the_table_exist,
        the_proof_of_every_edge_names_it,
    ]))
