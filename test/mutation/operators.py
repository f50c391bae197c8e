"""operators.py: the mutants of a source.

A mutant is one replaced part of one file. Mutants are made only where threads meet: at atomic accesses, barriers, futex
calls, calls that tell other threads something, and calls of functions that do one of these. The operators:

    weaken   an atomic access or fence with the next weaker order; an access that both acquires and releases gives two
    relax    a sequentially consistent access, relaxed
    drop     a statement left out: an expression, an assignment, an `if` that only jumps; a heavy barrier taken for
             passed
    swap     a statement moved before one of the three before it in the same block
    negate   the condition of an if, while or do
    operand  one operand of && or || left out
    once     a loop that retries, run at most once

`text` names the mutant for people and for survivors.txt: the statement or expression that is changed, on one line.
Where a function has it twice, ` #2` follows.
"""
import hashlib
import re

import c_source

OPERATORS = ['weaken', 'relax', 'drop', 'swap', 'negate', 'operand', 'once']

ACCESS = re.compile(r'^heist__(load|store|exchange|add|cas|fence)_(relaxed|acquire|release|acq_rel|seq_cst)$')
BARRIER = re.compile(r'^heist__(compiler_barrier|heavy_barrier)$')
OTHER_ACCESS = re.compile(r'^HEIST__\w+_(RELAXED|RELEASE)$')  # macros around an access
SIGNAL = re.compile(r'(^|_)(wake|notice|tell|ring|rouse|futex)(_|$)')
STATISTICS = {'heist__count'}  # an atomic counter that nothing but statistics reads

# The next weaker orders. Names with mutation__ are in orders.h.
WEAKER = {
    'load': {'seq_cst': ['acquire'], 'acquire': ['relaxed']},
    'store': {'seq_cst': ['release'], 'release': ['relaxed']},
    'exchange': {'seq_cst': ['acq_rel'], 'acq_rel': ['acquire', 'release'], 'acquire': ['relaxed'],
                 'release': ['relaxed']},
    'add': {'seq_cst': ['acq_rel'], 'acq_rel': ['acquire', 'release'], 'acquire': ['relaxed'], 'release': ['relaxed']},
    'cas': {'seq_cst': ['acq_rel'], 'acq_rel': ['acquire', 'release'], 'acquire': ['relaxed'], 'release': ['relaxed']},
    'fence': {'seq_cst': ['acq_rel']},
}
OWN_NAMES = {'add_acquire', 'add_release', 'exchange_acquire', 'exchange_release', 'exchange_relaxed', 'cas_acquire',
             'cas_release', 'fence_acq_rel'}
FURTHEST_MOVE = 3
LARGEST_MOVED = 240  # characters of a statement that is moved


def name_of(kind, order):
    word = kind + '_' + order
    return ('mutation__' if word in OWN_NAMES else 'heist__') + word


class Mutant:
    def __init__(self, file, source, function, operator, text, start, end, new):
        self.file = file
        self.function = function
        self.operator = operator
        self.text = text
        self.start = start
        self.end = end
        self.new = new
        self.line = source.line_of(start)
        self.last_line = source.line_of(end)
        self.original = source.text
        self.function_lines = (self.line, self.last_line)
        self.ordinal = 1
        self.function_digest = ''

    @property
    def label(self):
        return self.text + (' #{}'.format(self.ordinal) if self.ordinal > 1 else '')

    @property
    def id(self):
        key = '\n'.join([self.file, self.function, self.operator, self.label])
        return hashlib.sha1(key.encode()).hexdigest()[:10]

    def changes_order_only(self):
        """Whether all that differs is an order which x86-64 gives anyway. A native test would judge only what the
        compiler makes of it."""
        return self.operator in ('weaken', 'relax') and not re.match(r'heist__(store|fence)_seq_cst', self.text)

    def mutated(self):
        return self.original[:self.start] + self.new + self.original[self.end:]

    def place(self):
        return '{}:{} {}'.format(self.file, self.line, self.function)


def calls_in(tokens):
    return [token.text for token, after in zip(tokens, tokens[1:]) if token.is_word and after.text == '(']


def touches(call):
    return bool(ACCESS.match(call) or BARRIER.match(call) or OTHER_ACCESS.match(call) or
                (SIGNAL.search(call) and call not in STATISTICS))


def touching_functions(sources):
    """The names of functions in these sources that touch shared state themselves, or through a helper in the same file.
    (Through whatever they call would be nearly all of them.)"""
    made = set()
    for source in sources:
        calls = {function.name: set(calls_in(function.body.tokens)) for function in source.functions}
        here = {name for name, its in calls.items() if any(touches(call) for call in its)} - STATISTICS
        helpers = set()
        while helpers != here:
            helpers = set(here)
            here |= {name for name, its in calls.items() if its & helpers and name not in STATISTICS}
        made |= here
    return made


class Maker:
    def __init__(self, file, source, touching):
        self.file = file
        self.source = source
        self.touching = touching
        self.made = []

    def add(self, operator, text, start, end, new):
        """Lines stay where they are: messages of compilers and tests stay right."""
        new += '\n' * (self.source.text.count('\n', start, end) - new.count('\n'))
        self.made.append(Mutant(self.file, self.source, self.function.name, operator, text, start, end, new))

    def is_shared(self, span):
        return span is not None and any(touches(call) or call in self.touching for call in calls_in(span.tokens))

    def all(self):
        for self.function in self.source.functions:
            before = len(self.made)
            self.orders()
            self.barriers()
            for statement in self.function.statements():
                self.drop(statement)
                self.negate(statement)
                self.once(statement)
                self.operands(statement)
            for block in self.function.blocks():
                self.swap(block)
            self.number(self.made[before:])
        return self.made

    def number(self, mutants):
        digest = hashlib.sha1(self.function.body.text.encode()).hexdigest()[:10]
        lines = (self.source.line_of(self.function.body.start), self.source.line_of(self.function.body.end))
        seen = {}
        for mutant in sorted(mutants, key=lambda m: (m.start, m.end)):
            key = (mutant.operator, mutant.text)
            seen[key] = mutant.ordinal = seen.get(key, 0) + 1
            mutant.function_digest = digest
            mutant.function_lines = lines

    def orders(self):
        tokens = self.function.body.tokens
        first = self.function.body.first
        for i, token in enumerate(tokens):
            match = ACCESS.match(token.text)
            if not match:
                continue
            kind, order = match.groups()
            call = c_source.Span(self.source, first + i, self.source.partner[first + i + 1] + 1)
            weaker = WEAKER[kind].get(order, [])
            for to in weaker:
                self.add('weaken', '{} to {}'.format(call.text, to), token.start, token.end, name_of(kind, to))
            if order == 'seq_cst' and kind != 'fence':
                self.add('relax', call.text, token.start, token.end, name_of(kind, 'relaxed'))

    def barriers(self):
        """A heavy barrier is mostly asked for in an expression: it is taken for passed."""
        first = self.function.body.first
        for i, token in enumerate(self.function.body.tokens):
            if token.text == 'heist__heavy_barrier':
                call = c_source.Span(self.source, first + i, self.source.partner[first + i + 1] + 1)
                self.add('drop', call.text, call.start, call.end, '(1)')

    def drop(self, statement):
        only_jumps = statement.kind == 'if' and len(statement.children) == 1 and \
            (statement.children[0].kind == 'jump' or
             (statement.children[0].kind == 'block' and [c.kind for c in statement.children[0].children] == ['jump']))
        if only_jumps and self.is_shared(statement.condition):
            self.add('drop', statement.text, statement.start, statement.end, ';')
        elif statement.kind == 'expression' and self.is_shared(statement):
            self.add('drop', statement.text, statement.start, statement.end, ';')

    def guards_shared(self, statement):
        """Whether the condition, or what it guards if that is one plain statement, is shared."""
        body = statement.children[0]
        if body.kind == 'block' and len(body.children) == 1:
            body = body.children[0]
        return self.is_shared(statement.condition) or (body.kind in ('expression', 'jump') and self.is_shared(body))

    def negate(self, statement):
        if statement.kind in ('if', 'while', 'do') and self.guards_shared(statement):
            condition = statement.condition
            self.add('negate', '{} ({})'.format(statement.kind, condition.text), condition.start, condition.end,
                     '!({})'.format(condition.raw))

    def once(self, statement):
        tokens = self.source.tokens
        if statement.kind == 'while' and self.guards_shared(statement):
            keyword = tokens[statement.first]
            if not any(s.kind == 'jump' and s.tokens[0].text in ('break', 'continue') for s in statement.walk()):
                self.add('once', 'while ({})'.format(statement.condition.text), keyword.start, keyword.end, 'if')
        elif statement.kind == 'do' and self.is_shared(statement):
            condition = statement.condition
            self.add('once', 'do while ({})'.format(condition.text), condition.start, condition.end, '0')
        elif statement.kind == 'for' and statement.condition is None and self.is_shared(statement):
            head = c_source.Span(self.source, statement.first, self.source.partner[statement.first + 1] + 1)
            self.add('once', head.text, head.start, head.end, 'for (int mutation = 0; mutation < 1; mutation++)')

    def operands(self, statement):
        """Of each chain of && or of || in a condition or a plain statement, if one of its operands is shared."""
        if statement.kind in ('expression', 'declaration', 'jump'):
            parts = [statement]
        else:
            parts = [statement.condition] if statement.condition else []
        for part in parts:
            for chain in self.chains(part):
                guards = part is statement.condition and self.guards_shared(statement)
                if not guards and not any(self.is_shared(operand) for operand, _, _ in chain):
                    continue
                for operand, cut_first, cut_last in chain:
                    cut = c_source.Span(self.source, cut_first, cut_last)
                    self.add('operand', '{} in {}'.format(operand.text, shortened(statement, part)), cut.start, cut.end,
                             '')

    def chains(self, part):
        """Lists of (operand, first token to cut, token after): the operand and the && or || before it, or after the
        first."""
        level = []  # per open bracket: [begin of expression, list of (index, operator)]
        begin, marks, made = part.first, [], []

        def close(end):
            for mark in ('||', '&&'):
                at = [i for i, text in marks if text == mark]
                if not at or (mark == '&&' and any(text == '||' for _, text in marks)):
                    continue
                bounds = [begin] + [i + 1 for i in at] + [end]
                operands = [c_source.Span(self.source, a, b - (1 if b != end else 0))
                            for a, b in zip(bounds, bounds[1:])]
                made.append([(o, o.first, o.last + 1) if k == 0 else (o, o.first - 1, o.last)
                             for k, o in enumerate(operands) if o.last > o.first])

        for i in range(part.first, part.last):
            text = self.source.tokens[i].text
            if text in c_source.OPENS:
                level.append((begin, marks))
                begin, marks = i + 1, []
            elif text in (')', ']', '}') and level:
                close(i)
                begin, marks = level.pop()
            elif text in ('&&', '||'):
                marks.append((i, text))
            elif text in (',', ';', '?', ':', '=', 'return', '+=', '-=', '|=', '&='):
                close(i)
                begin, marks = i + 1, []
        close(part.last)
        return made

    def swap(self, block):
        for at, moved in enumerate(block):
            if not self.can_move(moved):
                continue
            for distance in range(1, FURTHEST_MOVE + 1):
                if at - distance < 0 or not self.can_be_passed(block[at - distance]):
                    break
                over = block[at - distance:at]
                if any(s.declared and s.declared & moved.words() for s in over):
                    break  # it needs what is declared there
                if self.unordered([moved] + over):
                    continue  # the language gives them no order that a swap could take away
                target = over[0]
                shared = self.is_shared(moved) + self.is_shared(target)
                if shared == 0 or (distance > 1 and shared < 2):
                    continue
                end = moved.end
                new = moved.raw + ' ' + self.source.text[target.start:block[at - 1].end]
                self.add('swap', '{} before {}'.format(moved.text, target.text), target.start, end, new)

    def unordered(self, statements):
        """Whether these are relaxed loads and stores of different places, and nothing else."""
        places = set()
        for statement in statements:
            tokens = statement.tokens
            is_plain = statement.is_simple() and (
                statement.kind == 'declaration' or '=' not in [t.text for t in tokens])
            for call in calls_in(tokens):
                is_plain = is_plain and call in ('heist__load_relaxed', 'heist__store_relaxed')
            if not is_plain:
                return False
            for i, token in enumerate(tokens):
                if ACCESS.match(token.text):
                    place = ''.join(t.text for t in self.first_argument(statement.first + i + 1))
                    if place in places:
                        return False
                    places.add(place)
        return True

    def first_argument(self, bracket):
        made, i = [], bracket + 1
        while i < self.source.partner[bracket] and self.source.tokens[i].text != ',':
            made.append(self.source.tokens[i])
            i += 1
        return made

    def can_move(self, statement):
        return self.can_be_passed(statement) and statement.kind != 'block'

    def can_be_passed(self, statement):
        if statement.kind in ('jump', 'label', 'empty', 'switch'):
            return False
        return len(statement.text) <= LARGEST_MOVED and not any(
            s.kind in ('jump', 'label') and s.tokens[0].text != 'return' for s in statement.walk())


def shortened(statement, part):
    return part.text if part is statement else '{} ({})'.format(statement.kind, part.text)


def mutants_of(file, source, touching):
    return Maker(file, source, touching).all()
