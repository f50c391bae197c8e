"""The goals for entering a pool. A goal is a ratio within one run that must not be exceeded: of two runtimes, of heist
and the serial program, or of a time and a fixed one."""
import collections

from .. import cases, noise, theme, words
from ..sections import enter
from ..sections.enter import STATES, find, idle, outside, pieces, title
from ..tables import Column, Table, plain

SMALL_NS = 10_000  # serial work below this is not worth a second worker
IDLE_MOST_NS = 100_000  # of 99 ms: a thousandth of a core, which counts as none
CALLER_MOST_NS, SPINNING_MOST_NS = 1500, 2500

# The subject; the time of heist and the time beside it, in nanoseconds; the name of that; the largest allowed ratio;
# the judged rows, first that of heist.
Goal = collections.namedtuple('Goal', 'what mine other than most rows')


# --- the goals --------------------------------------------------------------------------------------------------------

def against(what, mine, others, most):
    """The better of these."""
    others = [row for row in others if row]
    if not mine or not others:
        return []
    best = min(others, key=lambda row: (row.median_ns, row.runtime))
    return [Goal(what, mine.median_ns, best.median_ns, theme.name(best.runtime), most, (mine, best))]


def over(what, mine, nanoseconds, than, most):
    return [Goal(what, mine.median_ns, nanoseconds, than, most, (mine,))] if mine and nanoseconds else []


def of_runs(results):
    found = []
    for size in pieces(results, 'run'):
        for state, most in (('hot', 1.5), ('cold', 1)):
            mine, tbb = (outside(results, runtime, size, state) for runtime in ('heist', 'tbb'))
            found += against('run with one child, ' + STATES[state], mine, [tbb], most)
    return found


def of_hot_loop(results, size):
    mine, gomp, tbb = (outside(results, runtime, size, 'hot') for runtime in ('heist', 'openmp', 'tbb'))
    what = '{}, {}'.format(title(size), STATES['hot'])
    work = mine and mine.more('work_ns')
    if work and work < SMALL_NS:
        return over(what, mine, work, 'serial', 1.1)
    return against(what, mine, [gomp, tbb], 1.1)


def of_cold_loop(results, size):
    mine, tbb = (outside(results, runtime, size, 'cold') for runtime in ('heist', 'tbb'))
    what = '{}, {}'.format(title(size), STATES['cold'])
    return against(what, mine, [tbb], 1) + over(what, mine, mine and mine.more('work_ns'), 'serial', 1.15)


def of_callers(results):
    found = []
    for size in pieces(results, 'callers'):
        one, eight = (find(results, 'heist', size, callers=count) for count in (1, 8))
        found += over('one caller of fib(12)', one, CALLER_MOST_NS, 'a fixed time', 1)
        if one and eight:
            found.append(Goal('eight callers of fib(12), each run', eight.median_ns, one.median_ns, 'one caller', 1,
                              (eight, one)))
    return found


def of_spawned(results):
    found = []
    for size in pieces(results, 'spawned'):
        spinning, parked = (find(results, 'heist', size, state=state) for state in ('hot', 'cold'))
        found += over('spawned task, spinning worker', spinning, SPINNING_MOST_NS, 'a fixed time', 1)
        found += over('spawned task, parked worker', parked, parked and parked.more('futex_ns'), 'a futex wake-up', 1.1)
    return found


def of_idle(results):
    row = idle(results)
    return [Goal('CPU time when idle, after a millisecond', row.more('idle_late_cpu_ns'), IDLE_MOST_NS, 'a fixed time',
                 1,
                 ())] if row else []


def goals(results):
    found = of_runs(results)
    for size in pieces(results, 'loop'):
        found += of_hot_loop(results, size)
    for size in pieces(results, 'loop'):
        found += of_cold_loop(results, size)
    return found + of_callers(results) + of_spawned(results) + of_idle(results)


# --- the judgement ----------------------------------------------------------------------------------------------------

def ratio(goal):
    return goal.mine / goal.other


def judged(goal):
    """Whether the goal is met, and how many decimals of the ratio must be shown to look so."""
    return words.judged(ratio(goal), goal.most, 2, 3, most=True)


def shown(goal):
    value = ratio(goal)
    return words.factor(value) if value >= 9.995 else '{:.{}f}'.format(value, judged(goal)[1])


def verdict(goal):
    """True, False, or the reason why there is no verdict. Such short times say nothing while other programs run."""
    met = judged(goal)[0]
    if not goal.rows:
        return met
    if any((row.others or 0) >= noise.OTHERS for row in goal.rows):
        return noise.DENIED
    return noise.verdict(met, ratio(goal) / goal.most, *goal.rows)


# --- the part ---------------------------------------------------------------------------------------------------------

def about_goals(goals):
    """How many goals are met, and which are not."""
    if not goals:
        return []
    kinds = [(goal, verdict(goal)) for goal in goals]
    parts = ['{} of {} met'.format(sum(its is True for _, its in kinds) or 'none', words.plural(len(goals), 'goal'))]
    missed = sorted((goal for goal, its in kinds if its is False), key=lambda goal: -ratio(goal) / goal.most)
    if missed:  # the worst; the table has all
        parts.append('missed: ' + cases.first_few('{} ({} times {}, goal {})'.format(
            goal.what, shown(goal), goal.than, goal.most) for goal in missed))
    for reason in noise.REASONS:
        count = sum(its is reason for _, its in kinds)
        if count:
            parts.append('{}: {}'.format(reason.rstrip(','), count))
    return [words.sentence('; '.join(parts))]


def limit(goals, row):
    """The strictest limit for a row of heist."""
    return min((goal.other * goal.most for goal in goals if goal.rows and goal.rows[0] is row), default=None)


VERDICTS = {True: 'met', False: 'missed', noise.DENIED: 'not judged: other programs ran'}


def goal_table(goals):
    listed = [{'what': goal.what, 'mine_ns': goal.mine, 'than': goal.than, 'other_ns': goal.other, 'ratio': shown(goal),
               'most': goal.most, 'verdict': VERDICTS.get(verdict(goal), verdict(goal))}
              for goal in goals]
    return Table('Goals: the ratio of two medians of one run is to be at most so much', [
        Column('what', 'what', plain), Column('heist', 'mine_ns', words.duration), Column('beside', 'than', plain),
        Column('which takes', 'other_ns', words.duration), Column('ratio', 'ratio', plain), Column('goal', 'most',
                plain),
        Column('verdict', 'verdict', plain)], listed)


def make(results):
    found = goals(results)
    if not found:
        return None
    said = about_goals(found)
    judged_rows = {enter.named(row): row for goal in found for row in goal.rows}
    return cases.Section(
        'enter', 'Getting into a pool', said,
        enter.figure(results, said[0], 'goals-enter', lambda row: limit(found, row)), [goal_table(found)],
        enter.HOW + ' The upright mark is the most that heist is to take: 1.5 times oneTBB for a run back to back, 1.1 '
        'times the better of OpenMP (libgomp) and oneTBB for a loop back to back (1.1 times the serial program where '
        'that takes less than 10 µs), oneTBB after a pause and 1.15 times the serial program.',
        cases.doubts(sorted(judged_rows.items())))
