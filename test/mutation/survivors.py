"""survivors.py: reads survivors.txt, which says of each mutant that no test kills why that is so.

An entry is a paragraph:

    lib/idle/idle.c: heist__idle_search
    drop: note_cpu(idle, self);
    costs time: the place is a hint

The first line names the file and the function. One or more lines name mutants: the operator and the text that --list
prints. The last sentence begins with one of `equivalent:`, `costs time:` and `gap:`, and may go on over several
lines. The function and the text may be patterns with * (and only *), for code in which every mutant has the same
reason. Lines that begin with # are left out.
"""
import re

import operators

CLASSES = ('equivalent', 'costs time', 'gap')


class Malformed(Exception):
    """The message says which paragraph, and what it lacks."""


class Entry:
    def __init__(self, file, function, mutants, kind, why, line):
        self.file = file
        self.function = function
        self.mutants = mutants
        self.kind = kind
        self.why = why
        self.line = line
        self.used = set()

    def matches(self, mutant):
        if mutant.file != self.file or not like(self.function, mutant.function):
            return False
        for i, (operator, text) in enumerate(self.mutants):
            if operator in ('*', mutant.operator) and like(text, mutant.label):
                self.used.add(i)
                return True
        return False


def like(pattern, text):
    return re.fullmatch('.*'.join(re.escape(part) for part in pattern.split('*')), text) is not None if \
        pattern.endswith('*') or pattern == '*' else pattern == text


def read(text):
    made, lines, first = [], [], 0
    for number, line in enumerate(text.split('\n') + [''], 1):
        if line.startswith('#'):
            continue
        if line.strip():
            first = first if lines else number
            lines.append(line.strip())
        elif lines:
            made.append(entry(lines, first))
            lines = []
    return made


def entry(lines, number):
    def fail(what):
        raise Malformed('survivors.txt, line {}: {}'.format(number, what))

    file, colon, function = lines[0].partition(': ')
    if not colon:
        fail('the first line of an entry is "FILE: FUNCTION"')
    mutants, rest = [], lines[1:]
    while rest and rest[0].partition(': ')[0] in operators.OPERATORS + ['*']:
        operator, _, text = rest.pop(0).partition(': ')
        mutants.append((operator, text))
    if not mutants:
        fail('no mutant: a line "OPERATOR: TEXT" with one of ' + ', '.join(operators.OPERATORS))
    kind, _, why = ' '.join(rest).partition(': ')
    if kind not in CLASSES or not why:
        fail('no reason: a sentence that begins with one of ' + ', '.join(c + ':' for c in CLASSES))
    return Entry(file, function, mutants, kind, why, number)


def reason(entries, mutant):
    """The first entry for this mutant; None: nobody has explained it."""
    return next((e for e in entries if e.matches(mutant)), None)
