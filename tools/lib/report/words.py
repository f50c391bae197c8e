"""Numbers and lists as text for readers."""
import math


def significant(value, digits=3):
    """A number with so many digits that matter, without an exponent: 2.76, 31.4, 1250."""
    if value == 0:
        return '0'
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = '{:.{}f}'.format(value, decimals)
    if len(text.replace('-', '').replace('.', '').lstrip('0')) > digits and decimals:  # 9.996 became 10.00
        text = '{:.{}f}'.format(value, decimals - 1)
    return text


def duration(ns, digits=3):
    """A time given in nanoseconds: 2.76 ns, 14.2 µs, 3.1 s."""
    for unit, size in (('s', 1e9), ('ms', 1e6), ('µs', 1e3)):
        if abs(ns) >= size * 0.9995:
            return '{} {}'.format(significant(ns / size, digits), unit)
    return '{} ns'.format(significant(ns, digits))


def factor(ratio):
    """How many times: 1.97, 11, 240, 16 000."""
    if ratio < 9.995:
        return '{:.2f}'.format(ratio)
    return count(round(ratio, 1 - math.floor(math.log10(ratio))))


def percent(share, digits=0):
    """A share as a percentage: 0.974 is 97%."""
    return '{:.{}f}%'.format(share * 100, digits)


def judged(value, goal, digits, finest, most=False):
    """Compares a value with a goal, which is its least (or most) allowed value. Returns whether the value, rounded to
    `finest` decimals, meets the goal, and the number of decimals, from `digits` on, with which it looks so."""
    def keeps(decimals):
        rounded = round(value, decimals)
        return rounded <= goal if most else rounded >= goal
    return keeps(finest), next(decimals for decimals in range(digits, finest + 1) if keeps(decimals) == keeps(finest))


def change(ratio):
    """A difference in percent, without its sign, fine where it is small: 1.004 is 0.4%."""
    size = abs(ratio - 1)
    return percent(size, 1 if size < 0.0995 else 0)


def count(number):
    """A whole number with thin spaces, which do not break: 1 346 268."""
    return '{:,}'.format(int(number)).replace(',', '\u202f')


RAISED = '\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079'


def size(text):
    """The size of a problem: a large power of ten as such, other large numbers with thin spaces, names unchanged."""
    if not text.isdecimal() or len(text) < 5:
        return text
    if text.strip('0') == '1':
        return '10' + ''.join(RAISED[int(digit)] for digit in str(len(text) - 1))
    return count(text)


def rate(per_second):
    """Events a second: 3.1 million."""
    for unit, size in ((' million', 1e6), (' thousand', 1e3)):
        if per_second >= size:
            return significant(per_second / size) + unit
    return significant(per_second)


def listing(items, last='and'):
    """One, two and three."""
    items = list(items)
    if len(items) < 2:
        return ''.join(items)
    return '{} {} {}'.format(', '.join(items[:-1]), last, items[-1])


def between(low, high):
    """`between low and high`; just the value if both are written alike."""
    return low if low == high else 'between {} and {}'.format(low, high)


def plural(number, one, many=None):
    """1 worker, 2 workers."""
    return '{} {}'.format(number, one if number == 1 else many or one + 's')


SMALL = ('heist', 'fib', 'nqueens', 'tree', 'wide', 'for', 'sort', 'strassen', 'uts', 'gemm', 'lfsr',
         'submit', 'wake', 'steal', 'enter')


def sentence(text):
    """With a capital letter and a full stop; a name that is written in small letters stays so."""
    text = text.strip()
    first = text.split(' ', 1)[0].split('-', 1)[0].rstrip(':,')
    if text and first not in SMALL:
        text = text[0].upper() + text[1:]
    return text if not text or text[-1] in '.!?' else text + '.'
