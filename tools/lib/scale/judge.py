"""What limits a program, in a sentence, from its times, its CPU time and heist's advice."""
import math

from report import words

from . import fits

GOOD = 0.9  # an efficiency of that much needs no explanation
INFLATED = 1.2  # work that takes so many times as long with more workers
NOT_HEARD = {'cpu-quota', 'shared-cores', 'slots'}  # of the machine, or no limit of the scaling


def pools(run):
    return (run.statistics or {}).get('pools') or []


def advice(run):
    """The pieces of advice of a run, as (rule, text)."""
    return [(each.get('rule'), each.get('text')) for pool in pools(run) for each in pool.get('advice') or []]


def working(run):
    return sum(pool.get('all', {}).get('working', 0) for pool in pools(run))


def share_of_time(run, name):
    parts = {each: sum(pool.get('all', {}).get(each, 0) for pool in pools(run))
             for each in ('working', 'searching', 'asleep')}
    whole = sum(parts.values())
    return parts[name] / whole if whole else None


def best_runs(runs_by_workers):
    return {n: min(runs, key=lambda run: run.wall) for n, runs in runs_by_workers.items() if runs}


def laws(times):
    """What the two fits say."""
    said = []
    amdahl, usl = fits.amdahl(times), fits.usl(times)
    if amdahl:
        bound = 'no bound in sight' if math.isinf(amdahl.bound) else 'at most {} times as fast'.format(
            words.factor(amdahl.bound))
        said.append('Amdahl: {} of the work is serial, {} (mean error {}).'.format(
            words.percent(amdahl.serial, 1), bound, words.percent(amdahl.error, 1)))
    if usl:
        peak = 'no end of the gain in sight' if usl.peak is None else 'the best time is at about {} workers'.format(
            max(1, round(usl.peak)))
        said.append('Universal Scalability Law: contention {}, coherence {}, {} (mean error {}).'.format(
            words.percent(usl.sigma, 1), words.percent(usl.kappa, 2), peak, words.percent(usl.error, 1)))
    return said


def limit(runs_by_workers, cores):
    """The sentence. Workers beyond the cores are left out: there the cores are the limit."""
    best = {n: run for n, run in best_runs(runs_by_workers).items() if n <= cores}
    if len(best) < 2 or 1 not in best:
        return 'What limits it cannot be told: that takes one worker, and another number up to the {} cores.'.format(
            cores)
    most = max(best)
    times = {n: run.wall for n, run in best.items()}
    efficiency = times[1] / times[most] / most
    head = 'With {} workers it is {} times as fast as with one, {} of the ideal: '.format(
        most, words.factor(times[1] / times[most]), words.percent(efficiency))
    if efficiency >= GOOD:
        return head + 'nothing to speak of limits it.'
    run = best[most]
    heard = [text for rule, text in advice(run) if rule not in NOT_HEARD]
    if heard:
        return head + 'heist says, ' + heard[0]
    if (run.others or 0) > 0.1 and run.cpu < 0.9 * most * run.wall * efficiency:
        return head + 'other programs used {:.1f} CPUs meanwhile; measure again on a quiet machine.'.format(run.others)
    if working(best[1]) and working(run) > INFLATED * working(best[1]):
        return head + ('the same work took {} times as long in tasks: the memory bandwidth, a shared cache, or '
                       'hardware threads that share a core.').format(words.factor(working(run) / working(best[1])))
    if not pools(run) and run.cpu > INFLATED * best[1].cpu:
        return head + ('it used {} times the CPU time: workers that spin while they wait, or memory that is too '
                       'slow.').format(words.factor(run.cpu / best[1].cpu))
    usl, amdahl = fits.usl(times), fits.amdahl(times)
    if usl and usl.kappa * most > usl.sigma:
        return head + 'the cost of agreement between workers, which grows with their number (shared data).'
    asleep = share_of_time(run, 'asleep')
    if asleep is not None and asleep > 0.1:
        return head + 'a serial part: workers slept {} of the time (Amdahl: {} serial).'.format(
            words.percent(asleep), words.percent(amdahl.serial, 1))
    return head + 'a serial part of {}.'.format(words.percent(amdahl.serial, 1))
