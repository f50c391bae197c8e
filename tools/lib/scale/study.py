"""A study: rows for the report's page, and the sections that are about scaling alone."""
import datetime
import statistics

from report import cases, machine, panels, plot, rows, theme, words
from report.sections import doubts
from report.summary import Tile
from report.tables import Column, Table, plain

from . import fits, judge


def row_of(setting, runs):
    """As heist-perf writes it, with the members that only a study has."""
    walls = [run.wall for run in runs]
    fastest = min(runs, key=lambda run: run.wall)
    median, low, high, sure = fits.median_interval(walls)
    # A median of two runs may be half a nanosecond.
    fields = {'workload': setting.workload, 'size': '', 'runtime': setting.runtime, 'workers': setting.workers,
              'runs': len(runs), 'min_ns': min(walls), 'median_ns': int(median), 'cpu_ns': fastest.cpu, 'check': 'ok',
              'others': round(fastest.others, 3) if fastest.others else 0, 'low_ns': low, 'high_ns': high,
              'sure': sure, 'memory': max((run.memory for run in runs if run.memory), default=None)}
    pools = judge.pools(fastest)
    if pools:
        for name in ('tasks', 'working', 'searching', 'asleep'):
            fields[name] = sum(pool['all'].get(name, 0) for pool in pools)
        fields['steals'] = sum(sum(pool['all']['steal_got'].values()) for pool in pools)
        fields['advice'] = [text for _, text in judge.advice(fastest)]
    return fields


def results_of(found, command):
    about = machine.look()
    sweep = {'date': datetime.datetime.now(datetime.timezone.utc).strftime('%Y-%m-%d %H:%M UTC'),
             'notes': [], 'command': ' '.join(command)}
    fields = [row_of(setting, runs) for setting, runs in found.items() if runs]
    document = {'machine': about, 'sweep': sweep, 'rows': fields}
    return rows.merge([('this study', document)])


def by_line(found):
    """From (workload, runtime) to the runs by workers."""
    lines = {}
    for setting, runs in found.items():
        if runs:
            lines.setdefault((setting.workload, setting.runtime), {})[setting.workers] = runs
    return lines


def curves_of(results, workload, value):
    found = {}
    for row in results.rows:
        if row.workload == workload:
            found.setdefault(row.runtime, []).append((row.workers, value(row)))
    return [(runtime, sorted(point for point in points if point[1])) for runtime, points in found.items()]


def over_one(results, row):
    one = [other for other in results.rows if (other.workload, other.runtime, other.workers) ==
           (row.workload, row.runtime, 1)]
    return one[0].min_ns / row.min_ns if one else None


def table(results, weak):
    listed = []
    for row in sorted(results.rows, key=lambda row: (row.workload, row.runtime, row.workers)):
        gain = over_one(results, row)
        listed.append({'runtime': row.runtime, 'workers': row.workers, 'runs': row.runs, 'min_ns': row.min_ns,
                       'median_ns': row.median_ns, 'low_ns': row.more('low_ns'), 'high_ns': row.more('high_ns'),
                       'gain': gain, 'efficiency': gain and (gain if weak else gain / row.workers),
                       'cpu_ns': row.cpu_ns, 'memory': row.more('memory')})
    return Table('Times', [
        Column('runtime', 'runtime', theme.name), Column('workers', 'workers', plain), Column('runs', 'runs', plain),
        Column('least', 'min_ns', words.duration), Column('median', 'median_ns', words.duration),
        Column('from', 'low_ns', words.duration), Column('to', 'high_ns', words.duration),
        Column('over one', 'gain', words.factor), Column('efficiency', 'efficiency', words.percent),
        Column('CPU time', 'cpu_ns', words.duration),
        Column('memory', 'memory', lambda value: '{:.1f} MiB'.format(value / 2 ** 20))], listed)


def law_times(by_workers, cores):
    """The least times; those of more workers than cores only if there would be too few without them."""
    times = {n: min(run.wall for run in its) for n, its in by_workers.items()}
    within = {n: time for n, time in times.items() if n <= cores}
    return within if len(within) > 1 else times


def law_table(lines, cores):
    listed = []
    for (_, runtime), by_workers in lines.items():
        times = law_times(by_workers, cores)
        amdahl, usl = fits.amdahl(times), fits.usl(times)
        if amdahl:
            listed.append({'runtime': runtime, 'serial': amdahl.serial,
                           'bound': None if amdahl.bound == float('inf') else amdahl.bound, 'error': amdahl.error,
                           'sigma': usl and usl.sigma, 'kappa': usl and usl.kappa, 'peak': usl and usl.peak,
                           'usl_error': usl and usl.error})

    def share(value):
        return words.percent(value, 2)
    return Table('Laws', [
        Column('runtime', 'runtime', theme.name), Column('serial part', 'serial', share),
        Column('bound', 'bound', words.factor), Column('error', 'error', share), Column('contention', 'sigma', share),
        Column('coherence', 'kappa', share), Column('peak at', 'peak', words.factor),
        Column('error of USL', 'usl_error', share)], listed) if listed else None


def statistics_table(results):
    listed = []
    for row in results.rows:
        parts = {name: row.more(name) for name in ('working', 'searching', 'asleep')}
        whole = sum(value or 0 for value in parts.values())
        if whole:
            listed.append(dict({name: value / whole for name, value in parts.items()}, runtime=row.runtime,
                               workers=row.workers, tasks=row.tasks, steals=row.steals))
    return Table('Workers', [
        Column('runtime', 'runtime', theme.name), Column('workers', 'workers', plain),
        Column('tasks', 'tasks', words.count), Column('steals', 'steals', words.count),
        Column('working', 'working', words.percent), Column('searching', 'searching', words.percent),
        Column('asleep', 'asleep', words.percent)], listed) if listed else None


def side_by_side(results):
    """An OpenMP program with its own runtime, and on heist."""
    said = []
    for row in results.rows:
        stock = [other for other in results.rows if other.runtime == 'openmp' and row.runtime == 'heist-omp' and
                 (other.workload, other.workers) == (row.workload, row.workers)]
        if stock:
            said.append('With {} heist-omp takes {} times the time of its own runtime ({} against {}).'.format(
                words.plural(row.workers, 'thread'), words.factor(row.min_ns / stock[0].min_ns),
                words.duration(row.min_ns), words.duration(stock[0].min_ns)))
    return said


def make_sections(results, found, weak):
    cores = machine.cores(results.machine)
    lines = by_line(found)
    sentences = []
    for (_, runtime), by_workers in lines.items():
        lead = '{}: '.format(theme.name(runtime)) if len(lines) > 1 else ''
        if weak:
            times = {n: statistics.median(run.wall for run in runs) for n, runs in by_workers.items()}
            most = max(times)
            sentences.append(lead + 'With {} times the work on {} workers it takes {} times as long.'.format(
                most, most, words.factor(times[most] / times[min(times)])))
        else:
            sentences.append(lead + judge.limit(by_workers, cores))
            sentences += judge.laws(law_times(by_workers, cores))
    sentences += side_by_side(results)
    workload = results.rows[0].workload
    curves = [curve for curve in curves_of(results, workload, lambda row: over_one(results, row)) if curve[1]]
    counts = sorted({row.workers for row in results.rows})
    figure = None
    if curves and len(counts) > 1:
        highest = max([1.0] + [value for _, points in curves for _, value in points])
        top = max(highest, 1 if weak else min(cores, max(counts))) * 1.08
        title = 'weak scaling' if weak else 'speed-up'

        def draw(sheet):
            return panels.multiples(
                sheet, [(title, curves)], lambda count: 1 if weak else min(count, cores), counts, cores, top,
                panels.tics(top), '%g', lambda _, runtime, count, value: '{} with {}: {} times'.format(
                    theme.name(runtime), words.plural(count, 'worker'), words.factor(value)))
        figure = plot.Figure('scaling', 'Speed of {} by number of workers. {}'.format(workload, sentences[0]), draw)
    how = ('Time with one worker over time with n, n times the work: 1 is ideal.' if weak else
           'Time with one worker over time with n, the least of all runs each; the dashed line is the ideal. The table '
           'has the median, and an interval that holds it.')
    tables = [each for each in (law_table(lines, cores), statistics_table(results), table(results, weak)) if each]
    parts = [cases.Section('scaling', 'Weak scaling' if weak else 'Scaling', sentences, figure, tables, how)]
    advised = [line for row in results.rows for line in row.more('advice') or []]
    if advised:
        parts.append(cases.Section('advice', 'What heist advises', list(dict.fromkeys(advised)), None, [], ''))
    return parts + [part for part in [doubts.make(results, parts)] if part]


def tiles(results, weak):
    rows_with = [row for row in results.rows if over_one(results, row)]
    if not rows_with:
        return []
    most = max(row.workers for row in rows_with)
    return [Tile(words.factor(over_one(results, row)), 'times as fast with {}'.format(words.plural(most, 'worker')) if
                 not weak else 'of the speed with {} times the work'.format(most), theme.name(row.runtime), None)
            for row in rows_with if row.workers == most]
