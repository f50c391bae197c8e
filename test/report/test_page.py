"""The page: well-formed, complete, without anything from outside; and how it is in a browser."""
import html
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

import cases
import sample
from report import files, noise, page, panels, plot, sections, summary, theme, words
from report.goals import summary as goals_summary
from report.sections import batches
from page_made import HAVE_GNUPLOT, SCRATCH, made, make, reader_of, run, without_figures


# --- the page ---------------------------------------------------------------------------------------------------------

def the_page_is_well_formed():
    for text in made()['html'], made()['goals']:
        assert text.startswith('<!DOCTYPE html>')
        xml.etree.ElementTree.fromstring(text.split('\n', 1)[1])
        reader = reader_of(text)
        twice = {name for name in reader.ids if reader.ids.count(name) > 1}
        assert not twice, 'ids that are there twice: {}'.format(twice)


def nothing_outside_is_referenced():
    for text in made()['html'], made()['goals']:
        reader = reader_of(text)
        assert reader.references
        for reference in reader.references:
            assert reference.startswith('data:') or reference[:1] == '#' and reference[1:] in reader.ids, reference
        assert not re.search(r'url\((?!["\']?(data:|#))|@import|https?://', text), 'something is fetched'
        tags = [tag for tag, _ in reader.elements]
        assert not set(tags) & {'iframe', 'object', 'embed', 'img', 'base'}, set(tags)
        assert tags.count('script') == 1 and ('script', {}) in reader.elements, 'one script, which is in the page'


def every_part_has_its_sentence_and_its_numbers():
    text = made()['html']
    parts = sections.make_all(sample.results())
    assert [part.id for part in parts] == ['speedup', 'efficiency', 'overhead', 'gemm', 'lfsr', 'batches', 'latency',
                                           'enter', 'submit', 'noise']
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
    assert [its['class'] for its in drawings] == ['desk', 'phone'] * 9, [its['class'] for its in drawings]
    assert all(its['role'] == 'img' for its in drawings)
    told = re.findall(r'<title id="[^"]*">([^<]*)</title>', made()['html'])
    assert len(told) == 18 and all(len(each) > 60 for each in told), told


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
            fields['batch_size'] = {'500': '200', '5000': '1000'}.get(fields.get('batch_size'),
                                                                      fields.get('batch_size'))
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
    for name, bars in (('overhead', True), ('gemm', True), ('enter', True), ('submit', True), ('speedup', False)):
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
            ('enter', 'median_ns', lambda value, row: [repr(value), '"{}"'.format(words.duration(value))]
             if row['from'] == 'outside' and not row.get('callers') else []),
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
                        ('gemm', ['GFLOP/s', '2000 single, 2 workers']),
                        ('submit', ['million tasks a second"', '4 workers (oversubscribed)}', '"{/:Bold 2 workers}"']),
                        ('enter', ['nanoseconds for a call, logarithmic', 'loop of 30 µs, after a pause',
                                   'run, back to back']),
                        ('batches', ['the other modes', 'hybrid', 'ideal']),
                        ('latency', ['logarithmic', '"1 µs" 1000']),
                        ('lfsr', ['{/:Bold heist, auto}', '"steal and hybrid"', '"static and shared"', '"ideal"',
                                  '"serial"',
                                  'workers']),
                        ('speedup', ['oversubscribed', 'ideal', '"4" 2.0000', 'strassen 512'])):
        for part in parts:
            assert part in commands(name), (name, part)
    for name, part in (('gemm', 'goal: 95% of the better'), ('enter', 'goal: no more'), ('lfsr', '"the seeds"')):
        assert part in plot.commands_of(sample.goal_section(name).figure, plot.DESK)[1], part
        assert part not in commands(name), part


def verdicts(results):
    """Of the tiles on the page of goals."""
    words_of = {mark: verdict for verdict, mark in goals_summary.VERDICTS.items()}
    return [words_of[tile.mark] for tile in goals_summary.tiles(results)]


def the_summary_has_the_numbers_that_matter():
    tiles = summary.tiles(sample.results())
    assert [tile.number for tile in tiles] == ['2.76 ns', '1.85', '97%', '17.3 µs', '62.0 ns', '6.49 million'], tiles
    assert page.tile(tiles[3]) == (
        '<li><strong>17.3 µs</strong><span class="label">from spawn to run, parked worker</span><span class="context">'
        'medians; when it was looking: 278 ns</span><span class="mark doubt">\u2248 noisy: 22%</span></li>\n')
    assert 'mark' not in page.tile(tiles[0])
    tiles = goals_summary.tiles(sample.results())
    assert [tile.number for tile in tiles] == ['97%', '1.96', '12 of 13'], tiles
    assert verdicts(sample.results()) == [True, True, False]
    missed = goals_summary.tiles(sample.results(sample.slower(2, workload='gemm', runtime='heist')))
    assert '<span class="mark missed">\u2717 goal missed</span>' in page.tile(missed[0])
    assert '<span class="mark met">\u2713 goal met</span>' in page.tile(tiles[0])


def noise_decides_no_goal():
    for slow in (1, 1.3):  # whether it seems to be met or not
        unclear = sample.results(sample.slower(slow, runtime='heist'), sample.noisy(1.5, runtime='serial'),
                                 sample.noisy(1.5, runtime='heist', workload='gemm'))
        assert verdicts(unclear)[:2] == [noise.UNCLEAR] * 2, verdicts(unclear)
        assert 'too noisy to judge' in page.tile(goals_summary.tiles(unclear)[0])
    one = verdicts(sample.results(sample.slower(2, runtime='heist', workload='gemm'),
                                  sample.noisy(1.5, runtime='heist', workload='gemm', workers=2)))
    assert one[0] is False, 'what is missed beyond noise is missed'
    for its in (dict(runtime='heist', workload='gemm', workers=2), dict(runtime='openblas'),
                dict(runtime='heist', workload='lfsr')):  # each side of a comparison, and one case of many
        wanted = [True, noise.UNCLEAR] if its.get('workload') == 'lfsr' else [noise.UNCLEAR, True]
        assert verdicts(sample.results(sample.noisy(1.5, **its)))[:2] == wanted, its


def strange_words_stay_words():
    evil = '<script>alert("&")</script>'
    results = sample.results(lambda fields: fields.update(check=evil) if fields['workload'] == 'uts' else None,
                             machine={'model': evil, 'environment': {'OMP_X': evil}})
    text = without_figures(results)
    assert text.count('<script') == 1 and '&lt;script&gt;' in text
    reader_of(text)


def numbers_stand_at_the_right_and_rows_of_heist_are_marked():
    shown = sample.section('overhead').tables[0].as_html()
    ours = '<tr class="ours"><td>fib</td><td>30</td><td>heist</td><td class="n" data-v="2.76">2.76 ns</td>'
    assert ours in shown, shown
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


def wide_spans_are_logarithmic_and_others_are_not():
    commands = plot.commands_of(sample.section('speedup').figure, plot.DESK)[1]
    titles = re.findall(r'Bold ([a-z]+) [^}]*?(, log scale)?}', commands)
    assert dict(titles)['fib'] and not dict(titles)['sort'], titles
    assert commands.count('set logscale y 10') == 4 and commands.count('unset logscale y') == 6, titles
    flat = plot.commands_of(sample.section('speedup',
                                           keep=lambda fields: fields['runtime'] in ('heist', 'serial')).figure,
                            plot.DESK)[1]
    assert '\nset logscale y' not in flat and 'log scale' not in flat
    wide = plot.commands_of(sample.section('submit', sample.slower(30, runtime='tbb', workload='submit')).figure,
                            plot.DESK)[1]
    assert 'set logscale x 10' in wide and 'million tasks a second, logarithmic' in wide
    assert 'logscale' not in plot.commands_of(sample.section('submit').figure, plot.DESK)[1]


def panels_are_large():
    for width, wide, tall in ((plot.DESK, 200, 180), (plot.PHONE, 120, 130)):
        sheet = plot.Sheet(width)
        for count in range(1, 12):
            for left, top, right, bottom in panels.grid(sheet, count, 20):
                assert right - left >= wide and bottom - top >= tall and right <= sheet.width, (width, count)


def every_point_and_bar_has_a_tooltip():
    for name, least, words_ in (
            ('speedup', 130, 'fib 30, heist with 2 workers: 1.25 times as fast as the serial program, noise 3%'),
            ('efficiency', 130, 'fib 30, heist with 1 worker: 100%, noise 2%'),
            ('overhead', 15, 'fib 30: two tasks a level: oneTBB, 31.0 ns, 11 times the value of heist'),
            ('gemm', 24, '1000 double, 1 worker: heist, 33.5'), ('lfsr', 20, 'auto, 2 workers: 1.96 times as fast'),
            ('batches', 25, 'steal, automatic batches: 1.96 times'), ('submit', 8, '1 worker: heist, 6.49 million'),
            ('latency', 8, 'wake: parked worker, task spawned: median 17.3 µs, from 11.4 µs to 56.8 µs, noise 22%'),
            ('enter', 20, 'run, back to back: oneTBB, 50.0 ns, 0.81 times the value of heist')):
        for width in (plot.DESK, plot.PHONE):
            sheet = plot.commands_of(sample.section(name).figure, width)[0]
            told = [its for _, its in sheet.spots]
            assert len(told) >= least and any(words_ in its for its in told), (name, len(told), told[:9])
    if HAVE_GNUPLOT:
        drawn = plot.draw(sample.section('overhead').figure)
        assert drawn.desk.count('<rect class="spot"') == drawn.phone.count('<rect class="spot"') == 15
        assert '<title>fib 30: two tasks a level: heist, 2.76 ns</title></rect>' in drawn.desk


def tooltips_lie_where_gnuplot_draws():
    if not HAVE_GNUPLOT:
        cases.ignore('there is no gnuplot')
    part = sample.section('lfsr')
    sheet, _ = plot.commands_of(part.figure, plot.DESK)
    points = [tuple(map(float, its)) for its in re.findall(r"<use [^>]*translate\(([\d.]+),([\d.]+)\)",
                                                           plot.draw(part.figure).desk)]
    spots = [tuple(map(float, re.findall(r'c[xy]="([\d.]+)"', element))) for element, _ in sheet.spots]
    assert len(spots) == 20 and points
    for x, y in spots:
        assert any(abs(x - px) < 2 and abs(y - py) < 2 for px, py in points), (x, y)


# --- the page of goals ------------------------------------------------------------------------------------------------

def the_goals_have_a_page_of_their_own_if_asked_for():
    assert 'the goal of 95% is met in all' in made()['goals'] and 'seeds GFLOP/s' in made()['goals']
    assert page.GOALS_TITLE in made()['goals'] and page.GOALS_TITLE not in made()['html']
    visible = re.sub(r'<style.*?</style>|<script.*?</script>|href="[^"]*"|<[^>]*>', '', made()['html'], flags=re.DOTALL)
    assert not re.search('goal|seeds', visible), re.findall('.{30}(?:goal|seeds).{30}', visible)
    folder, done = make(sample.document(), folder=os.path.basename(made()['folder']) + ' again',
                        environment={'PATH': '/nonexistent'})
    assert done.returncode == 0 and not os.path.exists(os.path.join(folder, 'goals.html'))
    make(sample.document(), '--goals', folder='dropped', environment={'PATH': '/nonexistent'})
    folder, _ = make(sample.document(), folder='dropped', environment={'PATH': '/nonexistent'})
    assert not os.path.exists(os.path.join(folder, 'goals.html')), 'goals of an earlier report are left'
    assert 'goals-gemm.csv' not in os.listdir(os.path.join(folder, 'figures'))


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


# A browser without network access.
ALONE = ('--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
         '--disable-quic')


def browser():
    found = next(filter(None, map(shutil.which, ('chromium', 'chromium-browser', 'google-chrome', 'chrome'))), None)
    return found or cases.ignore('there is no Chromium')


def load(text):
    """What Chromium makes of a page: its console, and the numbers of the probe."""
    path = os.path.join(SCRATCH, 'probe.html')
    files.write(path, text)
    done = subprocess.run([browser(), '--headless=new', '--no-sandbox', '--disable-gpu', '--enable-logging=stderr',
                           *ALONE,
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


def probed(script):
    """What a script finds in the page after its own has run."""
    console, _ = load(made()['html'].replace('</body>', ''))
    files.write(os.path.join(SCRATCH, 'probe.html'), made()['html'].replace(
        '</body>', '<script>document.documentElement.setAttribute("data-found", (function () {' + script +
        '}()));</script></body>'))
    done = subprocess.run([browser(), '--headless=new', '--no-sandbox', '--disable-gpu', *ALONE,
                           '--user-data-dir=' + os.path.join(SCRATCH, 'profile'), '--dump-dom',
                           'file://' + os.path.join(
                               SCRATCH, 'probe.html').replace(' ', '%20')],
                          capture_output=True, text=True, timeout=120, check=False)
    assert not console, console
    found = re.search(r'data-found="([^"]*)"', done.stdout)
    return html.unescape(found.group(1)) if found else None


def tables_are_sorted_by_a_click():
    browser()
    found = probed("""
        var table = document.querySelector("#overhead table"), heads = table.tHead.rows[0].cells;
        function column(i) { return Array.from(table.tBodies[0].rows).map(function (row) {
            return row.cells[i].textContent; }).join("|"); }
        function click(i) { heads[i].querySelector("button").click(); return column(i); }
        return [click(3), heads[3].getAttribute("aria-sort"), click(3), heads[3].getAttribute("aria-sort"), click(4),
            click(0), heads[3].getAttribute("aria-sort")].join("#");""").split('#')
    latencies = probed("""
        var table = document.querySelector("#latency table");
        table.tHead.rows[0].cells[3].querySelector("button").click();
        return Array.from(table.tBodies[0].rows).map(function (row) { return row.cells[3].textContent; }).join("|");""")
    assert latencies == '199 ns|207 ns|278 ns|473 ns|480 ns|2.53 µs|17.3 µs|19.3 µs', latencies
    times = ['1.75 ns', '1.77 ns', '2.76 ns', '3.49 ns', '3.93 ns', '8.09 ns', '31.0 ns', '36.0 ns', '40.0 ns',
             '62.0 ns',
             '70.0 ns', '110 ns', '120 ns', '150 ns', '160 ns']
    assert found[0].split('|') == times and found[1] == 'ascending', found
    assert found[2].split('|') == times[::-1] and found[3] == 'descending', found
    assert found[4].split('|')[-3:] == [''] * 3, 'empty cells come last'
    assert found[5].split('|') == ['fib'] * 5 + ['tree'] * 5 + ['wide'] * 5 and found[6] == '', found


def a_tooltip_shows_the_words_of_its_point():
    browser()
    if not HAVE_GNUPLOT:
        cases.ignore('there is no gnuplot')
    found = probed("""
        var spot = document.querySelector("#overhead svg.desk .spot"), tip = document.querySelector(".tip");
        var before = tip.hidden;
        spot.dispatchEvent(new PointerEvent("pointerenter", {clientX: 50, clientY: 50}));
        var shown = [before, tip.hidden, tip.textContent];
        spot.dispatchEvent(new PointerEvent("pointerleave"));
        return shown.concat([tip.hidden, spot.querySelectorAll("title").length]).join("#");""")
    assert found == 'true#false#fib 30: two tasks a level: heist, 2.76 ns#true#0', found


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


HELPERS = ('verdicts', 'browser', 'load', 'framed', 'probed')
sys.exit(run('test_page', globals()))
