"""c_source.py: reads a C source as functions and statements, as far as mutants need it.

The reader is a tokenizer and a recursive descent over statements. Expressions stay lists of tokens. Preprocessor
lines and comments are left out. Every token, statement and condition knows its place in the text, so that a mutant
can be made by replacing exactly that part. The code of this library is formatted and has no macro that hides a
brace: a text in which the braces do not match is an error (Unreadable), not a guess.
"""
import re

TOKEN = re.compile(r'''
    (?P<comment>/\*.*?\*/|//[^\n]*)
  | (?P<directive>^[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*)
  | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
  | (?P<word>[A-Za-z_]\w*)
  | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
  | (?P<mark><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[][(){};,:?<>=!~.&|^*/%+-])
  | (?P<blank>\s+)
  | (?P<other>.)
''', re.X | re.S | re.M)

OPENS = {'(': ')', '[': ']', '{': '}'}
JUMPS = ('return', 'break', 'continue', 'goto')
TYPE_WORDS = {'const', 'static', 'struct', 'enum', 'union', 'unsigned', 'signed', 'int', 'long', 'short', 'char',
              'void', 'bool', 'float', 'double', '_Alignas', '_Thread_local', 'register', 'volatile', '_Atomic',
              'HEIST__ATOMIC'}


class Unreadable(Exception):
    """The text is not C as this reader knows it. The message says where."""


class Token:
    __slots__ = ('text', 'start', 'end', 'is_word')

    def __init__(self, text, start, end, is_word):
        self.text = text
        self.start = start
        self.end = end
        self.is_word = is_word

    def __repr__(self):
        return self.text


def tokens_of(text):
    """The tokens of a text, without blanks, comments and preprocessor lines."""
    made = []
    for match in TOKEN.finditer(text):
        if match.lastgroup == 'other':
            raise Unreadable('line {}: a character that is no C: {!r}'.format(
                text.count('\n', 0, match.start()) + 1, match.group()))
        if match.lastgroup not in ('comment', 'directive', 'blank'):
            made.append(Token(match.group(), match.start(), match.end(), match.lastgroup == 'word'))
    return made


class Span:
    """A part of the text: tokens[first:last]."""

    def __init__(self, source, first, last):
        self.source = source
        self.first = first
        self.last = last

    @property
    def tokens(self):
        return self.source.tokens[self.first:self.last]

    @property
    def start(self):
        return self.source.tokens[self.first].start

    @property
    def end(self):
        return self.source.tokens[self.last - 1].end

    @property
    def raw(self):
        return self.source.text[self.start:self.end]

    @property
    def text(self):
        """On one line, comments left out, blanks made one: what a person would call this statement."""
        made, before = '', None
        for token in self.tokens:
            made += (' ' if before is not None and token.start > before else '') + token.text
            before = token.end
        return made

    def words(self):
        return {token.text for token in self.tokens if token.is_word}


class Statement(Span):
    """kind: block, if, while, for, do, switch, label, jump, declaration, expression, empty.
    condition: a Span, for if, while, for and do; None if there is none. children: the statements within."""

    def __init__(self, source, first):
        super().__init__(source, first, first)
        self.kind = ''
        self.condition = None
        self.children = []
        self.declared = None

    def is_simple(self):
        return self.kind in ('expression', 'declaration')

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()


class Function:
    def __init__(self, name, body):
        self.name = name
        self.body = body

    def statements(self):
        return self.body.walk()

    def blocks(self):
        """Lists of statements that follow each other."""
        return [s.children for s in self.body.walk() if s.kind == 'block']


class Source:
    def __init__(self, text):
        self.text = text
        self.tokens = tokens_of(text)
        self.partner = self._partners()
        self.functions = self._functions()

    def line_of(self, offset):
        return self.text.count('\n', 0, offset) + 1

    def _fail(self, index, what):
        at = self.tokens[min(index, len(self.tokens) - 1)].start if self.tokens else 0
        raise Unreadable('line {}: {}'.format(self.line_of(at), what))

    def _partners(self):
        partner, open_ones = {}, []
        for i, token in enumerate(self.tokens):
            if token.text in OPENS:
                open_ones.append(i)
            elif token.text in (')', ']', '}'):
                if not open_ones or OPENS[self.tokens[open_ones[-1]].text] != token.text:
                    self._fail(i, 'a {} that closes nothing'.format(token.text))
                partner[open_ones[-1]] = i
                partner[i] = open_ones.pop()
        if open_ones:
            self._fail(open_ones[-1], 'a {} that is not closed'.format(self.tokens[open_ones[-1]].text))
        return partner

    def _functions(self):
        made, i = [], 0
        while i < len(self.tokens):
            text = self.tokens[i].text
            if text == '{':
                name = self._name_before(i)
                if name:
                    body, _ = self._block(i)
                    made.append(Function(name, body))
                elif i > 0 and self.tokens[i - 1].text in ('C', '"C"'):
                    i += 1
                    continue
                i = self.partner[i] + 1
            else:
                i += 1
        return made

    def _name_before(self, brace):
        """The name of the function whose body begins at this brace; None: it is something else."""
        i = brace - 1
        if i < 0 or self.tokens[i].text != ')':
            return None
        i = self.partner[i] - 1
        return self.tokens[i].text if i >= 0 and self.tokens[i].is_word else None

    # ---- statements: each takes the index of its first token, and gives the statement and the index after it ----

    def _block(self, i):
        made, end = Statement(self, i), self.partner[i]
        made.kind = 'block'
        i += 1
        while i < end:
            child, i = self._statement(i)
            made.children.append(child)
        made.last = end + 1
        return made, end + 1

    def _statement(self, i):
        text = self.tokens[i].text
        if text == '{':
            return self._block(i)
        if text in ('if', 'while', 'switch'):
            return self._guarded(i)
        if text == 'for':
            return self._for(i)
        if text == 'do':
            return self._do(i)
        if text in ('case', 'default') or (self.tokens[i].is_word and self.tokens[i + 1].text == ':'):
            return self._label(i)
        return self._plain(i)

    def _guarded(self, i):
        made = Statement(self, i)
        made.kind = self.tokens[i].text
        close = self.partner[i + 1]
        made.condition = Span(self, i + 2, close)
        body, i = self._statement(close + 1)
        made.children.append(body)
        if made.kind == 'if' and i < len(self.tokens) and self.tokens[i].text == 'else':
            other, i = self._statement(i + 1)
            made.children.append(other)
        made.last = i
        return made, i

    def _for(self, i):
        made = Statement(self, i)
        made.kind = 'for'
        close, marks, k = self.partner[i + 1], [], i + 2
        while k < close:
            if self.tokens[k].text == ';':
                marks.append(k)
            k = self.partner[k] + 1 if self.tokens[k].text in OPENS else k + 1
        if len(marks) != 2:
            self._fail(i, 'a for without its two semicolons')
        made.condition = Span(self, marks[0] + 1, marks[1]) if marks[1] > marks[0] + 1 else None
        body, made.last = self._statement(close + 1)
        made.children.append(body)
        return made, made.last

    def _do(self, i):
        made = Statement(self, i)
        made.kind = 'do'
        body, i = self._statement(i + 1)
        made.children.append(body)
        if self.tokens[i].text != 'while':
            self._fail(i, 'a do without its while')
        close = self.partner[i + 1]
        made.condition = Span(self, i + 2, close)
        made.last = close + 2
        return made, made.last

    def _label(self, i):
        made = Statement(self, i)
        made.kind = 'label'
        while self.tokens[i].text != ':':
            i += 1
        made.last = i + 1
        return made, i + 1

    def _plain(self, i):
        made, begin = Statement(self, i), i
        while self.tokens[i].text != ';':
            if self.tokens[i].text == '}':
                self._fail(i, 'a statement without its semicolon')
            i = self.partner[i] + 1 if self.tokens[i].text in OPENS else i + 1
            if i >= len(self.tokens):
                self._fail(i, 'a statement without its end')
        made.last = i + 1
        first = self.tokens[begin].text
        made.declared = self._declared(begin, i)
        made.kind = 'empty' if first == ';' else 'jump' if first in JUMPS else \
            'declaration' if made.declared else 'expression'
        return made, i + 1

    def _declared(self, i, end):
        """The names that a declaration declares; None: it is no declaration. The first part of one is a type: words and
        stars that end in a word, before =, [, a comma or the semicolon."""
        k, words = i, 0
        while k < end and (self.tokens[k].is_word or self.tokens[k].text == '*'):
            words += self.tokens[k].is_word
            k += 1
            if k < end and self.tokens[k].text == '(' and \
                    self.tokens[k - 1].text in ('HEIST__ATOMIC', '_Atomic', '_Alignas'):
                k = self.partner[k] + 1
        if words < 2 and self.tokens[i].text not in TYPE_WORDS:
            return None
        if not self.tokens[k - 1].is_word or self.tokens[k].text not in ('=', '[', ',', ';'):
            return None
        names, depth_end = {self.tokens[k - 1].text}, end
        while k < depth_end:  # further declarators, after commas outside of any bracket
            if self.tokens[k].text in OPENS:
                k = self.partner[k] + 1
                continue
            if self.tokens[k].text == ',':
                after = k + 1
                while self.tokens[after].text == '*':
                    after += 1
                names.add(self.tokens[after].text)
            k += 1
        return names
