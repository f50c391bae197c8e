"""The page and the files beside it: well-formed, complete, without anything from outside, made whole or not at all."""
import csv
import html
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import cases
import sample
from report import files, machine, noise, page, plot, sections, summary, theme, topology, words
from report.sections import batches

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
        MADE['folder'], MADE['done'] = make(sample.document())
        assert MADE['done'].returncode == 0, MADE['done'].stderr
        MADE['html'] = read(MADE['folder'], 'index.html')
    return MADE


def without_figures(results):
    """A page that needs no gnuplot."""
    parts = sections.make_all(results)
    return page.page(results, parts, {}, summary.tiles(results), summary.warnings(results))


# --- the page ---------------------------------------------------------------------------------------------------------

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


def the_page_is_well_formed():
    text = made()['html']
    assert text.startswith('<!DOCTYPE html>')
    xml.etree.ElementTree.fromstring(text.split('\n', 1)[1])
    reader = reader_of(text)
    twice = {name for name in reader.ids if reader.ids.count(name) > 1}
    assert not twice, 'ids that are there twice: {}'.format(twice)


def nothing_outside_is_referenced():
    text = made()['html']
    reader = reader_of(text)
    assert reader.references
    for reference in reader.references:
        assert reference.startswith('data:') or reference[:1] == '#' and reference[1:] in reader.ids, reference
    assert not re.search(r'url\((?!["\']?(data:|#))|@import|https?://', text), 'something is fetched'
    tags = {tag for tag, _ in reader.elements}
    assert not tags & {'script', 'iframe', 'object', 'embed', 'img', 'base'}, tags


def every_part_has_its_sentence_and_its_numbers():
    text = made()['html']
    parts = sections.make_all(sample.results())
    assert [part.id for part in parts] == ['speedup', 'efficiency', 'overhead', 'gemm', 'lfsr', 'batches', 'latency',
                                           'submit']
    for part in parts:
        assert part.sentences and part.sentences[0].endswith('.'), part.id
        assert '<section id="{}">'.format(part.id) in text
        for sentence in part.sentences:
            assert sentence in text.replace('&#x27;', "'"), sentence


def every_figure_is_there_twice_and_has_words():
    if not HAVE_GNUPLOT:
        cases.ignore('there is no gnuplot')
    reader = reader_of(made()['html'])
    drawings = [attributes for tag, attributes in reader.elements if tag == 'svg']
    assert [its['class'] for its in drawings] == ['desk', 'phone'] * 8, [its['class'] for its in drawings]
    assert all(its['role'] == 'img' for its in drawings)
    told = re.findall(r'<title id="[^"]*">([^<]*)</title>', made()['html'])
    assert len(told) == 16 and all(len(each) > 60 for each in told), told


def no_colour_of_a_figure_is_fixed():
    if not HAVE_GNUPLOT:
        cases.ignore('there is no gnuplot')
    drawings = ''.join(re.findall(r'<svg.*?</svg>', made()['html'], re.DOTALL))
    fixed = re.findall(r'rgb\([^)]*\)|#[0-9a-fA-F]{6}\b', drawings)
    assert set(fixed) <= {'#FFFFFF'}, set(fixed)  # gnuplot names white without drawing in it
    assert 'var(--c-heist)' in drawings and 'var(--f-ink)' in drawings


def the_oversubscribed_part_is_marked():
    if not HAVE_GNUPLOT:
        cases.ignore('there is no gnuplot')
    assert 'oversubscribed</text>' in made()['html']
    cpus = [dict(sample.ORIGINAL['machine']['cpus'][0], cpu=i, core=i) for i in range(8)]
    large = sample.section('speedup', machine={'cpus': cpus, 'workers': 8})
    assert 'oversubscribed' not in plot.draw(large.figure).desk


def batch_sizes_leave_room_for_each_other():
    assert [batches.labelled(count) for count in (1, 4, 5, 6, 7, 9)] == [
        [0], [0, 1, 2, 3], [0, 2], [0, 2, 4], [0, 3], [0, 3, 6]]

    def two_more(fields):
        if fields.get('mode') == 'static':
            fields['batch_size'] = {'500': '200', '5000': '1000'}.get(fields.get('batch_size'), fields.get('batch_size'))
    commands = plot.commands_of(sample.section('batches', two_more).figure, plot.DESK)[1]
    assert 'set xtics ("100" 0, "500" 2, "5k" 4, "auto" 6.3)\n' in commands, re.findall('set xtics.*', commands)


def on_a_phone_names_and_numbers_of_latencies_do_not_meet():
    if not HAVE_GNUPLOT:
        cases.ignore('there is no gnuplot')
    drawn = plot.draw(sample.section('latency').figure)
    alone, together = r'>\s*17\.3 µs\s*<', r'task spawned: 17\.3 µs\s*<'
    assert re.search(alone, drawn.desk) and not re.search(alone, drawn.phone)
    assert re.search(together, drawn.phone) and not re.search(together, drawn.desk)


def legends_show_what_is_drawn():
    for name, bars in (('overhead', True), ('gemm', True), ('submit', True), ('speedup', False)):
        commands = plot.commands_of(sample.section(name).figure, plot.PHONE)[1]
        points, patches = commands.count('point pt'), len(re.findall('set object rectangle center', commands))
        assert (patches >= 2 and not points) if bars else points >= 2, (name, points, patches)


def what_is_drawn_is_what_the_tables_say():
    """Each number of these columns is in the data of the figure, and, where it is a bar's, written behind that."""
    for name, key, shown in (
            ('speedup', 'over_serial', lambda value, row: [repr(value)]),
            ('efficiency', 'efficiency', lambda value, row: [repr(value * 100)]),
            ('overhead', 'ns_per_task', lambda value, row: [repr(value), '"{}"'.format(words.duration(value))]),
            ('gemm', 'gflops', lambda value, row: [repr(value), '"{}"'.format(words.significant(value))]
             if row['workers'] < 3 and row['runtime'] != 'serial' else []),
            ('lfsr', 'over_serial', lambda value, row: [repr(value)]),
            ('batches', 'over_serial', lambda value, row: [repr(value)] if row['workers'] == 2 else []),
            ('latency', 'median_ns', lambda value, row: [repr(value), '"{}"'.format(words.duration(value))]),
            ('submit', 'per_second', lambda value, row: [repr(value / 1e6), '"{}"'.format(words.rate(value))])):
        part = sample.section(name)
        drawn = set(re.findall(r'"[^"]*"|[^\s"]+', ' '.join(re.findall(r'<< END_OF_DATA\n(.*?)END_OF_DATA',
                    plot.commands_of(part.figure, plot.DESK)[1], re.DOTALL))))
        wanted = {each for row in part.tables[-1].rows for each in shown(row[key], row)}
        assert wanted and wanted <= drawn, (name, wanted - drawn)


def figures_name_what_they_show():
    def commands(name):
        return plot.commands_of(sample.section(name).figure, plot.DESK)[1]
    for name, parts in (('overhead', ['two tasks a level', 'ten tasks a level', 'all tasks from one loop',
                                      'nanoseconds for each task, logarithmic', 'OpenMP (libomp)']),
                        ('gemm', ['GFLOP/s', 'goal: 95% of the better', '2000 single, 2 workers']),
                        ('submit', ['million tasks a second"', '4 workers (oversubscribed)}', '"{/:Bold 2 workers}"']),
                        ('batches', ['the other modes', 'hybrid', 'ideal']),
                        ('latency', ['logarithmic', '"1 µs" 1000']),
                        ('lfsr', ['{/:Bold heist, auto}', '"steal and hybrid"', '"static and shared"', '"ideal"', '"serial"',
                                  '"the seeds"', 'workers']),
                        ('speedup', ['oversubscribed', 'ideal', '"4" 2.0000', 'strassen 512'])):
        for part in parts:
            assert part in commands(name), (name, part)


def the_summary_has_the_numbers_that_matter():
    tiles = summary.tiles(sample.results())
    assert [tile.number for tile in tiles] == ['2.76 ns', '1.97', '97%', '1.96', '17.3 µs'], tiles
    assert [tile.goal for tile in tiles] == [None, None, True, True, None]
    missed = summary.tiles(sample.results(sample.slower(2, workload='gemm', runtime='heist')))
    assert missed[2].goal is False and '<span class="goal missed">\u2717 goal missed</span>' in page.tile(missed[2])
    assert page.tile(tiles[4]) == ('<li><strong>17.3 µs</strong><span class="label">from spawn to run, parked worker</span>'
                                   '<span class="context">medians; when it was looking: 278 ns</span></li>\n')
    assert '<span class="goal met">\u2713 goal met</span>' in page.tile(tiles[2]) and 'goal' not in page.tile(tiles[0])


def noise_decides_no_goal():
    for slow in (1, 1.3):  # whether it seems to be met or not
        unclear = summary.tiles(sample.results(sample.slower(slow, runtime='heist'), sample.noisy(1.5, runtime='serial'),
                                               sample.noisy(1.5, runtime='heist', workload='gemm')))
        assert [tile.goal for tile in unclear[2:4]] == [noise.UNCLEAR] * 2, unclear
        assert 'too noisy to judge' in page.tile(unclear[2])
    one = summary.tiles(sample.results(sample.slower(2, runtime='heist', workload='gemm'),
                                       sample.noisy(1.5, runtime='heist', workload='gemm', workers=2)))
    assert one[2].goal is False, 'what is missed beyond noise is missed'
    for its in (dict(runtime='heist', workload='gemm', workers=2), dict(runtime='openblas'),
                dict(runtime='heist', workload='lfsr')):  # each side of a comparison, and one case of many
        goals = [tile.goal for tile in summary.tiles(sample.results(sample.noisy(1.5, **its)))[2:4]]
        assert goals == ([True, noise.UNCLEAR] if its.get('workload') == 'lfsr' else [noise.UNCLEAR, True]), its


def strange_words_stay_words():
    evil = '<script>alert("&")</script>'
    results = sample.results(lambda fields: fields.update(check=evil) if fields['workload'] == 'uts' else None,
                             machine={'model': evil, 'environment': {'OMP_X': evil}})
    text = without_figures(results)
    assert '<script' not in text and '&lt;script&gt;' in text
    reader_of(text)


def numbers_stand_at_the_right_and_rows_of_heist_are_marked():
    shown = sample.section('overhead').tables[0].as_html()
    assert '<tr class="ours"><td>fib</td><td>30</td><td>heist</td><td class="n">2.76 ns</td>' in shown, shown
    assert '<tr><td>fib</td><td>30</td><td>oneTBB</td>' in shown and '<th scope="col" class="n">per task</th>' in shown


def colours_can_be_told_apart_and_read():
    def light(colour):
        parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
        parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    def contrast(one, other):
        return (max(light(one), light(other)) + 0.05) / (min(light(one), light(other)) + 0.05)
    found = [its for its, _, _ in theme.colours()]
    assert len(set(found)) == len(found), 'two roles share a colour'
    for runtime, its in theme.RUNTIMES.items():
        assert contrast(its.light, '#ffffff') >= 3 and contrast(its.dark, '#14181f') >= 3, runtime
    for role in ('ink', 'muted', 'goal'):
        on_light, on_dark = theme.ROLES[role]
        assert contrast(on_light, '#ffffff') >= 4.5 and contrast(on_dark, '#14181f') >= 4.5, role


# --- the files --------------------------------------------------------------------------------------------------------

def the_files_hold_the_same_numbers():
    folder = made()['folder']
    stored = json.loads(read(folder, 'results.json'))
    assert stored['rows'] == [dict(row, step='sample') for row in sample.ORIGINAL['rows']]
    with open(os.path.join(folder, 'results.csv'), newline='', encoding='utf-8') as source:
        lines = list(csv.DictReader(source))
    assert [float(line['min_ns']) for line in lines] == [row['min_ns'] for row in stored['rows']]
    with open(os.path.join(folder, 'figures', 'overhead.csv'), newline='', encoding='utf-8') as source:
        costs = {(line['workload'], line['runtime']): float(line['ns_per_task']) for line in csv.DictReader(source)}
    assert costs['fib', 'heist'] == 2.76 and costs['wide', 'tbb'] == 40


def every_figure_is_a_png_too():
    if not HAVE_GNUPLOT:
        cases.ignore('there is no gnuplot')
    found = sorted(name for name in os.listdir(os.path.join(made()['folder'], 'figures')) if name.endswith('.png'))
    assert found == ['efficiency.png', 'gemm.png', 'latency.png', 'lfsr-batches.png', 'lfsr-workers.png',
                     'overhead.png', 'speedup.png', 'submit.png'], found
    for name in found:
        assert read(made()['folder'], 'figures', name, mode='rb').startswith(b'\x89PNG\r\n'), name


def the_page_can_be_made_again_from_its_results():
    folder, done = make(read(made()['folder'], 'results.json'), folder='again', name='results.json')
    assert done.returncode == 0, done.stderr
    assert read(folder, 'index.html') == made()['html']


def the_tables_are_printed():
    said = made()['done'].stdout
    for part in ('== Speed-up ==', '== What a task costs ==', r'fib +30 +heist +2\.76 ns +1\.01 ns', 'seeds GFLOP/s'):
        assert re.search(part, said), part


def without_gnuplot_there_are_words_and_tables():
    folder, done = make(sample.document(), folder='no figures', environment={'PATH': '/nonexistent'})
    assert done.returncode == 0 and 'there is no gnuplot' in done.stderr, done.stderr
    text = read(folder, 'index.html')
    assert '<svg' not in text and 'A task of fib costs heist 2.76 ns' in text
    reader_of(text)


def a_broken_file_makes_nothing():
    for text, complaint in (('{', 'not JSON'), ('[]', 'there are no "rows"'),
                            ('{"rows":[]}', 'nothing was measured: there is no row in'),
                            ('{"rows":[{"workload":"fib"}]}', 'a row lacks "runtime"'),
                            ('{"rows":[3]}', 'a row is not an object'),
                            ('{"rows":[],"machine":[1]}', '"machine" is not an object'),
                            ('{"rows":[],"machine":{"load":"x"}}', '"machine" has an impossible "load"'),
                            ('{"rows":[],"sweep":{"\\u0001":1}}', '"sweep" has a member without a readable name'),
                            ('{"rows":[{"workload":"fib","runtime":"heist","workers":0}]}',
                             'a row has an impossible "workers"'),
                            ('{"rows":[{"workload":"fib","runtime":"heist","workers":1,"min_ns":5,"median_ns":4}]}',
                             'impossible times of fib, heist')):
        folder, done = make(text, folder='broken')
        assert done.returncode == 2 and complaint in done.stderr, (text, done)
        assert 'sample.json' in done.stderr and done.stderr.count('\n') == 1, done.stderr
        assert not os.path.exists(folder), text


def a_place_that_cannot_be_written_is_said():
    read_only = os.path.join(SCRATCH, 'a file')
    with open(read_only, 'w', encoding='utf-8'):
        pass
    _, done = make(sample.document(), folder='a file')
    assert done.returncode == 2 and done.stderr.startswith('report: ') and 'a file' in done.stderr, done.stderr
    assert 'Traceback' not in done.stderr


def a_file_is_written_whole_or_not_at_all():
    path = os.path.join(SCRATCH, 'whole', 'x')
    files.write(path, 'old')

    class Interrupt(BaseException):
        pass

    def interrupted(*_):
        raise Interrupt
    original, os.replace = os.replace, interrupted
    try:
        files.write(path, 'new')
        raise AssertionError('not interrupted')
    except Interrupt:
        pass
    finally:
        os.replace = original
    assert read(path) == 'old' and os.listdir(os.path.dirname(path)) == ['x']


# --- what was measured badly, or not at all ---------------------------------------------------------------------------

def a_wrong_result_is_told_and_left_out():
    def spoil(fields):
        if fields['workload'] == 'fib' and fields['runtime'] == 'heist' and fields['workers'] == 1:
            fields['check'] = 'got 7, expected 832040'
    folder, done = make(sample.document(spoil), folder='wrong', environment={'PATH': '/nonexistent'})
    assert done.returncode == 1, done
    text = read(folder, 'index.html')
    assert 'Wrong result: fib 30, heist, 1 worker: got 7, expected 832040.' in text
    assert 'A task of fib costs' not in text


def an_interrupted_row_is_no_wrong_result():
    def cut(fields):
        if fields['workload'] == 'uts':
            for name in ('min_ns', 'median_ns', 'ns_per_task'):
                fields.pop(name, None)
            fields.update(runs=0, check='interrupted after 5 of 10 states')
    folder, done = make(sample.document(cut), '--note=uts was interrupted', folder='cut',
                        environment={'PATH': '/nonexistent'})
    assert done.returncode == 0, done
    text = read(folder, 'index.html')
    assert 'uts was interrupted.' in text and 'Wrong result' not in text and 'in the median of 9 workloads' in text


def a_busy_machine_and_noise_are_told():
    assert not summary.warnings(sample.results())
    busy = summary.warnings(sample.results(machine={'load': 3.0}))[0]
    assert 'load 3.0' in busy and 'fewer cores than another, which its noise does not show' in busy, busy
    loud = summary.warnings(sample.results(lambda fields: fields.update(median_ns=fields['min_ns'] * 2)))
    assert '215 of 215 samples are noisy' in loud[0], loud


def a_page_is_made_of_any_part_of_the_measurements():
    workloads = {fields['workload'] for fields in sample.ORIGINAL['rows']}
    runtimes = {fields['runtime'] for fields in sample.ORIGINAL['rows']}
    kept = [lambda fields, its=its: fields['workload'] == its for its in workloads]
    kept += [lambda fields, its=its: fields['runtime'] == its for its in runtimes]
    kept += [lambda fields, its=its: fields['runtime'] != its for its in runtimes]
    kept += [lambda fields, its=its: fields['workers'] == its for its in (1, 2, 4, 8)]
    kept += [lambda fields, its=its: fields['workers'] != its for its in (1, 2, 4, 8)]
    for keep in kept:
        for about in ({}, {'cpus': sample.ORIGINAL['machine']['cpus'][:1], 'workers': 1}, {'cpus': [], 'cores': None}):
            results = sample.results(keep=keep, machine=about)
            if results.all:
                reader_of(without_figures(results))
                for part in sections.make_all(results):
                    if part.figure:
                        plot.commands_of(part.figure, plot.DESK)
                        plot.commands_of(part.figure, plot.PHONE)


def any_part_of_the_measurements_can_be_drawn():
    if not HAVE_GNUPLOT:
        cases.ignore('there is no gnuplot')
    for keep in (lambda fields: fields['workers'] == 1, lambda fields: fields['runtime'] == 'heist'):
        for part in sections.make_all(sample.results(keep=keep)):
            if part.figure:
                plot.gnuplot('set terminal svg\n' + plot.commands_of(part.figure, plot.PHONE)[1])


def this_machine_can_be_looked_at():
    about = machine.look()
    assert about['cpus'] and 1 <= machine.cores(about) <= len(about['cpus'])
    assert machine.in_short(about)
    assert machine.cores({'cpus': about['cpus'], 'quota': 1.5}) == 1


def a_machine_is_told_as_it_is():
    cpus = [dict(sample.ORIGINAL['machine']['cpus'][0], cpu=i, core=i // 2) for i in range(8)]
    assert machine.cores({'cpus': cpus}) == 4, 'threads of a core are no cores'
    assert [machine.cores(its) for its in ({'cpus': cpus, 'quota': 2.9}, {'cpus': cpus, 'workers': 3}, {'cores': 6}, {},
                                           {'cpus': cpus, 'quota': 0.5})] == [2, 3, 6, 1, 1]
    assert machine.in_short({}) == '1 core of an unknown processor'
    assert machine.in_short({'cpus': cpus, 'cpu': 'A', 'virtual': True}) == '4 cores of A, virtual'
    assert [machine.cache_size(its) for its in ('512K', '1024K', '1536K', '32768K', '3M', '')] == [
        '512 KiB', '1 MiB', '1536 KiB', '32 MiB', '3M', '']
    assert machine.cpu_list('0-3,8') == [0, 1, 2, 3, 8] and machine.cpu_list('') == []
    told = dict(page.facts(sample.results(machine={'quota': 1.5, 'load': 0, 'environment': {'B': '2', 'A': '1'}})))
    assert [told[name] for name in ('usable', 'load before', 'environment')] == [
        '1 core, by a quota of 1.5 CPUs', '0.00', 'A=1 B=2'], told


def caches_and_places_of_cpus_are_read():
    folder = os.path.join(SCRATCH, 'cpus')
    for name, its in (('cpu3/cache/index0/type', 'Data'), ('cpu3/cache/index0/level', '1'), ('cpu3/cache/index0/size', '32K'),
                      ('cpu3/cache/index0/shared_cpu_list', '3'), ('cpu3/cache/index1/type', 'Instruction'),
                      ('cpu3/cache/index1/level', '1'), ('cpu3/cache/index2/type', 'Unified'),
                      ('cpu3/cache/index2/level', '3'), ('cpu3/cache/index2/size', '8192K'),
                      ('cpu3/cache/index2/shared_cpu_list', '0-1,3'), ('cpu3/topology/physical_package_id', '1'),
                      ('cpu3/topology/core_id', 'rubbish')):
        files.write(os.path.join(folder, name), its + '\n')
    real, affinity = machine.CPUS, os.sched_getaffinity
    machine.CPUS, os.sched_getaffinity = folder, lambda _: {3}
    try:
        found = machine.cpus()
    finally:
        machine.CPUS, os.sched_getaffinity = real, affinity
    assert found == [{'cpu': 3, 'package': 1, 'core': 3, 'node': found[0]['node'], 'caches': [
        {'level': 1, 'size': '32K', 'cpus': [3]}, {'level': 3, 'size': '8192K', 'cpus': [0, 1, 3]}]}], found


def the_machine_is_drawn():
    drawn = topology.draw(sample.ORIGINAL['machine'])
    assert re.sub('(<[^>]*>)+', '|', drawn).strip('|') == (
        'package 0, NUMA node 0|L3 32 MiB|core 0|L1 32 KiB|L2 1 MiB|core 1|L1 32 KiB|L2 1 MiB'), drawn
    own = [dict(cpu, core=0, node=i, caches=[dict(cache, cpus=[0, 1]) for cache in cpu['caches'][:1]])
           for i, cpu in enumerate(sample.ORIGINAL['machine']['cpus'])]
    assert 'core 0 + 1<br/>L1 32 KiB' in topology.draw({'cpus': [dict(cpu, node=0) for cpu in own]})
    assert topology.draw({'cpus': own}).count('NUMA node') == 2
    many = [dict(own[0], cpu=i, core=i) for i in range(65)]
    assert topology.draw({'cpus': many}) == '' and topology.draw({'cpus': many[:64]}) and topology.draw({}) == ''


# --- in a browser -----------------------------------------------------------------------------------------------------

# A window of Chromium is at least 500 pixels wide; a frame in it is as narrow as it is told to be.
PROBE = '''<!DOCTYPE html><html><body style="margin:0"><iframe style="border:0;width:{}px;height:900px"
        srcdoc="{}"></iframe>
<script>addEventListener("load", function () {{
  var frame = document.querySelector("iframe"), page = frame.contentDocument, wide = frame.contentWindow.innerWidth;
  page.querySelectorAll("details").forEach(function (its) {{ its.open = true; }});
  function count(selector, test) {{ return [].filter.call(page.querySelectorAll(selector), test).length; }}
  document.documentElement.setAttribute("data-probe", [wide, page.documentElement.scrollWidth,
    count("body *", function (its) {{ return !its.closest(".scroll table, svg") &&
      its.getBoundingClientRect().right > wide + 0.5; }}),
    count("svg", function () {{ return true; }}),
    count("svg", function (its) {{ return its.getBoundingClientRect().height > 50; }})].join(" "));
}});</script></body></html>'''


# A browser that asks nobody for anything.
ALONE = ('--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-quic')


def browser():
    found = next(filter(None, map(shutil.which, ('chromium', 'chromium-browser', 'google-chrome', 'chrome'))), None)
    return found or cases.ignore('there is no Chromium')


def load(text):
    """What Chromium makes of a page: its console, and the numbers of the probe."""
    path = os.path.join(SCRATCH, 'probe.html')
    files.write(path, text)
    done = subprocess.run([browser(), '--headless=new', '--no-sandbox', '--disable-gpu', '--enable-logging=stderr', *ALONE,
                           '--user-data-dir=' + os.path.join(SCRATCH, 'profile'), '--window-size=1400,900',
                           '--dump-dom',
                           'file://' + path.replace(' ', '%20')], capture_output=True, text=True, timeout=120,
                          check=False)
    console = [line for line in done.stderr.splitlines() if ':CONSOLE' in line]
    probed = re.search(r'data-probe="([^"]*)"', done.stdout)
    return console, [int(number) for number in probed.group(1).split()] if probed else None


def framed(text, width):
    return load(PROBE.format(width, html.escape(text)))


def the_console_stays_empty():
    browser()
    console, _ = load(made()['html'])
    assert not console, console
    console, _ = load(made()['html'].replace('</head>', '<script>console.error("seen")</script></head>'))
    assert console, 'this test would not see an error'


def nothing_is_wider_than_its_window():
    browser()
    for width in (320, 390, 768, 1280):
        console, probed = framed(made()['html'], width)
        assert probed and not console, console
        inner, wide, out, drawings, shown = probed
        assert inner == width, 'the window is {} wide, not {}'.format(inner, width)
        assert wide <= inner and out == 0, '{} of {}, {} elements'.format(wide, inner, out)
        assert shown * 2 == drawings, '{} of {} drawings are shown'.format(shown, drawings)
    _, probed = framed(made()['html'].replace('<main>', '<main><p style="width:900px">wide</p>'), 390)
    assert probed[1] > probed[0] and probed[2], 'this test would not see an overflow'


def nothing_is_wider_than_its_paper():
    browser()
    printed = made()['html'].replace('@media print{', '@media all{')
    assert printed != made()['html']
    for width in (640, 718):  # of A4 and Letter with usual margins
        _, probed = framed(printed, width)
        assert probed and probed[1] <= width, probed
    _, probed = framed(printed.replace('white-space:normal', 'white-space:nowrap'), 718)
    assert probed[1] > 718, 'this test would not see an overflow'


HELPERS = ('make', 'read', 'made', 'without_figures', 'Reader', 'reader_of', 'browser', 'load', 'framed')
try:
    status = cases.run('test_page', [value for name, value in list(globals().items()) if callable(value) and
                                     getattr(value, '__module__', '') == '__main__' and name not in HELPERS])
finally:
    shutil.rmtree(SCRATCH, ignore_errors=True)
sys.exit(status)
