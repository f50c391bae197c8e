"""tools/sweep from outside, with programs in place of Meson and heist-perf that do nothing but pretend: what it
measures, where it writes, what it leaves behind when something goes wrong."""
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

import cases
import sample

SCRATCH = tempfile.mkdtemp(prefix='heist sweep ')
os.chmod(SCRATCH, 0o755)  # another user is to work here
TREE, SHIMS = os.path.join(SCRATCH, 'a tree'), os.path.join(SCRATCH, 'shims')
NOBODY = 65534
PATH = SHIMS + ':/usr/local/bin:/usr/bin:/bin'
WAIT = 120
NOT_MEASURED = re.compile('not measured at all: (tree-beyond )?wide (wide-beyond )?steal')  # beyond the cores, if few

MESON = '''#!/bin/sh
case $1 in
    --version) echo 1.2.0 ;;
    setup)
        if [ -n "$SETUP_WAITS" ]; then
            trap 'exit 1' INT
            touch "$WAITING"
            for i in $(seq 600); do sleep 0.1; done
        fi
        while [ $# -gt 2 ]; do shift; done
        mkdir -p "$1/meson-private" "$1/perf"
        ;;
    compile) [ -z "$NO_BUILD" ] || exit 1; cp "${0%/*}/pretended-perf" "$3/perf/heist-perf" ;;
esac
'''

PERF = '''#!/usr/bin/env python3
import json, os, signal, sys, time
workload, out = sys.argv[1], sys.argv[sys.argv.index('--out') + 1]
rows = [row for row in json.load(open(os.environ['SAMPLE']))['rows'] if row['workload'] == workload]
status = 0
if os.environ.get('FAILS') == workload:
    sys.exit(2)
if os.environ.get('WRONG') == workload:
    rows[0]['check'], status = 'wrong', 1
if os.environ.get('CRASHED') == workload:
    for row in rows:
        if row['runtime'] == 'tbb':
            row['check'] = 'crashed: signal 6 (Aborted)'
if workload in os.environ.get('ENDED', '').split(','):
    status = 124
    time.sleep(1.1)
if os.environ.get('WAITS') == workload:
    def interrupted(*_):
        global status
        status = 130
    signal.signal(signal.SIGINT, signal.SIG_DFL if os.environ.get('DIES') else interrupted)
    open(os.environ['WAITING'], 'w').close()
    deadline = time.monotonic() + 60
    while not status and time.monotonic() < deadline:
        time.sleep(0.02)
    rows = [dict(row, check='interrupted') for row in rows[:1]]
with open(out + '.part', 'w') as to:
    json.dump({'machine': {}, 'rows': rows}, to)
os.rename(out + '.part', out)
sys.exit(status)
'''


def executable(name, text):
    path = os.path.join(SHIMS, name)
    with open(path, 'w', encoding='utf-8') as out:
        out.write(text)
    os.chmod(path, 0o755)


def prepare():
    """A tree with nothing but the tools, and a PATH on which everything is installed."""
    os.mkdir(SHIMS)
    shutil.copytree(os.path.join(sample.HERE, '..', '..', 'tools'), os.path.join(TREE, 'tools'),
                    ignore=shutil.ignore_patterns('__pycache__'))
    shutil.copy(os.path.join(sample.HERE, 'sample.json'), SCRATCH)
    for path, folders, names in os.walk(SCRATCH):
        for name in folders + names:
            full = os.path.join(path, name)
            os.chmod(full, os.stat(full).st_mode | stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH)
    for name in ('gcc', 'g++', 'clang-14', 'ninja', 'pkg-config'):
        executable(name, '#!/bin/sh\n[ ! -p /dev/stdin ] || cat >/dev/null\nexit 0\n')  # a pipe needs a reader
    executable('meson', MESON)
    executable('pretended-perf', PERF)
    executable('gnuplot', '#!/bin/sh\nexit 1\n')  # drawing is what test_page is about


def command(*arguments, install=False):
    return [os.path.join(TREE, 'tools', 'sweep'), *([] if install else ['--no-install']), *arguments]


def environment(**more):
    inherited = {name: value for name, value in os.environ.items() if name != 'PYTHONDONTWRITEBYTECODE'}
    return dict(inherited, PATH=PATH, SAMPLE=os.path.join(SCRATCH, 'sample.json'), LC_ALL='C.UTF-8',
                XDG_CACHE_HOME=os.path.join(SCRATCH, 'cache'), **more)


def place(name):
    """A new directory to work in."""
    path = os.path.join(SCRATCH, name)
    os.mkdir(path)
    return path


def sweep(*arguments, where, prefix=(), **more):
    return subprocess.run([*prefix, *command(*arguments)], cwd=where, env=environment(**more), capture_output=True,
                          text=True, timeout=WAIT, check=False, stdin=subprocess.DEVNULL)


def page(*parts):
    with open(os.path.join(*parts, 'index.html'), encoding='utf-8') as found:
        return found.read()


def leftovers(folder):
    """Files that somebody began to write."""
    return [name for _, _, names in os.walk(folder) for name in names if name.startswith('.') or name.endswith('.part')]


# --- the cases --------------------------------------------------------------------------------------------------------

def a_report_is_made_where_paths_have_spaces():
    where = place('my own place')
    done = sweep('--out', 'my report', where=where)
    assert done.returncode == 0, done.stderr
    made = os.path.join(where, 'my report')
    assert 'A task of fib costs heist 2.76 ns' in page(made)
    assert {'index.html', 'results.json', 'results.csv', 'figures', 'runs'} <= set(os.listdir(made))
    assert done.stdout.rstrip().endswith('The report: ' + os.path.join(os.path.realpath(made), 'index.html'))
    steps = [line for line in done.stderr.splitlines() if line.startswith('[')]
    assert '/{}] fib '.format(len(steps)) in steps[0] and '[{0}/{0}] steal '.format(len(steps)) in steps[-1], steps
    assert not leftovers(where)
    assert os.path.isdir(os.path.join(TREE, 'build', 'sweep')), 'a tree that can be written to is built in'
    assert not any('__pycache__' in folders for _, folders, _ in os.walk(TREE))


def a_tree_that_is_read_only_will_do():
    if os.getuid() == 0 and not shutil.which('setpriv'):
        cases.ignore('root can write everywhere, and there is no setpriv')
    where, tree = place('elsewhere'), os.path.join(SCRATCH, 'a tree')
    os.makedirs(os.path.join(SCRATCH, 'cache'), exist_ok=True)
    prefix = ()
    if os.getuid() == 0:
        prefix = ('setpriv', '--reuid={}'.format(NOBODY), '--regid={}'.format(NOBODY), '--clear-groups')
        os.chown(where, NOBODY, NOBODY)
        os.chown(os.path.join(SCRATCH, 'cache'), NOBODY, NOBODY)
        if subprocess.run([*prefix, 'python3', '-c', ''], env=environment(), check=False).returncode:
            cases.ignore('another user cannot run python3')
    else:
        os.chmod(tree, 0o555)
    before = sorted(os.listdir(tree))
    done = sweep('--only', 'fib', where=where, prefix=prefix)
    os.chmod(tree, 0o755)
    assert done.returncode == 0, done.stderr
    assert 'A task of fib' in page(where, 'report')
    assert sorted(os.listdir(tree)) == before
    nowhere = place('read-only')
    os.chmod(nowhere, 0o555)
    os.chmod(tree, 0o555)
    done = sweep('--only', 'fib', where=nowhere, prefix=prefix)
    refused = sweep('--only', 'fib', '--out', os.path.join(tree, 'a', 'b'), where=where, prefix=prefix)
    os.chmod(tree, 0o755)
    assert done.returncode == 0, done.stderr
    assert 'A task of fib' in page(SCRATCH, 'cache', 'heist', 'report')
    assert refused.returncode == 2 and re.fullmatch('sweep: cannot write to [^\n]*\n', refused.stderr), refused


def interrupted_when_waiting(where, **more):
    """A sweep of four, interrupted as from a terminal when something in it waits: every process gets the signal. Gives
    its status."""
    waiting = os.path.join(where, 'waiting')
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell cannot catch what it was told to ignore
    running = subprocess.Popen(command('--only', 'fib,tree,wide,steal'), cwd=where, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, start_new_session=True, stdin=subprocess.DEVNULL,
                               env=environment(WAITING=waiting, **more))
    deadline = time.monotonic() + WAIT
    while not os.path.exists(waiting) and running.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGINT)
    running.communicate(timeout=WAIT)
    return running.returncode


def an_interrupt_leaves_what_there_is():
    where = place('interrupted')
    status = interrupted_when_waiting(where, WAITS='tree')
    assert status == 130, status
    text = page(where, 'report')
    assert 'A task of fib costs' in text and 'tree was interrupted' in text
    assert NOT_MEASURED.search(text)
    assert not leftovers(where)


def an_interrupt_that_kills_the_program_leaves_what_was_before():
    where = place('killed')
    status = interrupted_when_waiting(where, WAITS='tree', DIES='1')
    assert status == 130, status
    text = page(where, 'report')
    assert 'A task of fib costs' in text and 'A task of tree' not in text and NOT_MEASURED.search(text)
    assert not leftovers(where)


def an_interrupt_before_anything_is_measured_ends_it_and_keeps_the_build():
    where = place('unbuilt')
    before = sweep('--only', 'fib', where=where)
    assert before.returncode == 0, before
    shutil.rmtree(os.path.join(where, 'report'))
    built = os.path.join(TREE, 'build', 'sweep', 'release', 'perf', 'heist-perf')
    assert os.path.exists(built)
    status = interrupted_when_waiting(where, SETUP_WAITS='1')
    assert status == 130, status
    assert os.path.exists(built) and not os.path.exists(os.path.join(where, 'report'))


def a_wrong_result_is_status_1():
    where = place('wrong')
    done = sweep('--only', 'fib,tree', where=where, WRONG='tree')
    assert done.returncode == 1, done
    assert 'Wrong result: tree' in page(where, 'report')


def a_peer_that_crashed_is_noted_and_no_status():
    where = place('crashed')
    done = sweep('--only', 'fib,tree', where=where, CRASHED='tree')
    assert done.returncode == 0, done
    text = page(where, 'report')
    assert 'oneTBB crashed: signal 6 (Aborted) in ' in text and 'Wrong result' not in text


def what_cannot_be_measured_is_noted_and_the_rest_goes_on():
    where = place('failing')
    done = sweep('--only', 'fib,tree,wide', where=where, FAILS='tree')
    assert done.returncode == 0, done
    text = page(where, 'report')
    assert 'tree could not be measured' in text and 'A task of wide costs' in text
    done = sweep('--only', 'tree', '--out', 'none', where=where, FAILS='tree')
    assert done.returncode == 2 and 'nothing was measured' in done.stderr, done
    assert os.listdir(os.path.join(where, 'none')) == ['runs']


def what_took_too_long_is_one_note():
    where = place('slow')
    done = sweep('--only', 'tree,nqueens,for,sort', where=where, ENDED='nqueens,for')
    assert done.returncode == 0, done
    note = re.search(r'for want of time: nqueens ended after (\d+) s, for ended after (\d+) s\.', page(where, 'report'))
    before_sort = re.search(r'sort +(\d+) s', done.stderr)
    assert note and 1 <= int(note[1]) and int(note[1]) + int(note[2]) <= int(before_sort[1]), (note, done)


def what_is_lacking_is_told():
    where = place('lacking')
    executable('pkg-config', '#!/bin/sh\nexit 1\n')
    try:
        done = sweep('--only', 'fib', where=where)
    finally:
        executable('pkg-config', '#!/bin/sh\nexit 0\n')
    assert done.returncode == 0 and 'lacking: libhwloc-dev libtbb-dev' in done.stderr, done.stderr
    assert 'Left out for want of: libhwloc-dev libtbb-dev' in page(where, 'report')


def without_what_it_needs_it_says_what_to_install_and_leaves_nothing():
    where = place('nothing here')
    executable('meson', '#!/bin/sh\necho 0.56\n')
    try:
        done = sweep('--only', 'fib', where=where)
    finally:
        executable('meson', MESON)
    assert done.returncode == 2 and done.stderr.rstrip().endswith('apt-get install meson'), done.stderr
    assert os.listdir(where) == []


UNREACHABLE = """#!/bin/sh
echo "$@" >>"$ASKED"
case "$*" in
    *update*)
        echo "W: Failed to fetch http://archive.example/InRelease  Temporary failure resolving 'archive.example'"
        case "$*" in *Error-Mode=any*) exit 100 ;; esac
        ;;
    *install*)
        echo "E: Failed to fetch http://archive.example/meson.deb  Temporary failure resolving 'archive.example'"
        echo 'E: Unable to fetch some archives, maybe run apt-get update or try with --fix-missing?'
        exit 100
        ;;
esac
"""


def where_the_network_fails_it_is_said_and_not_tried_for_ever():
    where = place('offline')
    asked = os.path.join(where, 'asked')
    executable('meson', '#!/bin/sh\necho 0.56\n')
    executable('pkg-config', '#!/bin/sh\nexit 1\n')
    executable('apt-get', UNREACHABLE)
    executable('sudo', '#!/bin/sh\nexec "$@"\n')
    try:
        done = subprocess.run(command('--only', 'fib', install=True), cwd=where, env=environment(ASKED=asked),
                              check=False,
                              capture_output=True, text=True, timeout=WAIT, stdin=subprocess.DEVNULL)
    finally:
        executable('meson', MESON)
        executable('pkg-config', '#!/bin/sh\nexit 0\n')
        os.remove(os.path.join(SHIMS, 'apt-get'))
        os.remove(os.path.join(SHIMS, 'sudo'))
    reason = "Failed to fetch http://archive.example/{}: Temporary failure resolving 'archive.example'"
    lines = done.stderr.splitlines()
    assert done.returncode == 2 and 'apt-get update failed ({})'.format(reason.format('InRelease')) in lines[-2], done
    assert 'apt-get could not install meson: {} (log: '.format(reason.format('meson.deb')) in lines[-1], lines
    with open(asked, encoding='utf-8') as source:
        tries = [line for line in source if 'install' in line]
    assert len(tries) == 2 and tries[1].rstrip().endswith('--no-install-recommends meson'), tries
    assert os.listdir(where) == ['asked']


def a_build_that_fails_is_status_2():
    where = place('no build')
    done = sweep('--only', 'fib', where=where, NO_BUILD='1')
    assert done.returncode == 2 and 'it does not build' in done.stderr, done


def a_second_sweep_replaces_the_first():
    where = place('twice')
    runs, figures = (os.path.join(where, 'report', name) for name in ('runs', 'figures'))
    assert sweep('--only', 'fib,wide,submit', where=where).returncode == 0
    assert 'submit.csv' in os.listdir(figures) and 'submit.json' in os.listdir(runs)
    assert sweep('--only', 'fib', where=where, NO_BUILD='1').returncode == 2
    assert 'submit.json' in os.listdir(runs), 'without a build the first one stays'
    assert sweep('--only', 'fib', where=where).returncode == 0
    assert {name[:3] for name in os.listdir(runs)} == {'fib'}
    assert 'A task of wide' not in page(where, 'report')
    assert {name.split('.')[0] for name in os.listdir(figures)} <= {'speedup', 'efficiency',
                                                                    'overhead'}, os.listdir(figures)


def goals_are_written_if_asked_for():
    where = place('goals')
    assert sweep('--only', 'gemm', where=where).returncode == 0
    assert not os.path.exists(os.path.join(where, 'report', 'goals.html')) and 'goal of 95%' not in page(where,
            'report')
    assert sweep('--only', 'gemm', '--goals', where=where).returncode == 0
    with open(os.path.join(where, 'report', 'goals.html'), encoding='utf-8') as source:
        assert 'the goal of 95%' in source.read()


def two_reports_are_compared():
    where = place('compared')
    for name in ('one', 'two'):
        assert sweep('--only', 'fib', '--out', name, where=where).returncode == 0
    done = sweep_compare('one', os.path.join('two', 'results.json'), where=where)
    assert done.returncode == 0 and 'heist: 0 faster, 0 slower' in done.stdout and not done.stderr, done
    assert sorted(os.listdir(where)) == ['one', 'two'], 'comparing writes nothing'


def reports_that_are_not_there_are_one_line_and_status_2():
    where = place('not compared')
    os.mkdir(os.path.join(where, 'empty'))
    for arguments, complaint in ((['empty', 'nothing'], 'sweep: compare: there is no nothing'),
                                 (['empty'], 'sweep: compare wants two reports, not 1; see --help'),
                                 ([], 'sweep: compare wants two reports, not 0; see --help'),
                                 (['a', 'b', 'c'], 'sweep: compare wants two reports, not 3; see --help'),
                                 (['empty', 'empty'], 'report: empty: there is no report')):
        done = sweep_compare(*arguments, where=where)
        assert done.returncode == 2 and done.stderr == complaint + '\n' and not done.stdout, done


def sweep_compare(*arguments, where):
    return subprocess.run([os.path.join(TREE, 'tools', 'sweep'), 'compare', *arguments], cwd=where, env=environment(),
                          check=False, capture_output=True, text=True, timeout=WAIT, stdin=subprocess.DEVNULL)


def a_directory_of_somebody_else_is_left_alone():
    where = place('foreign')
    os.mkdir(os.path.join(where, 'photos'))
    with open(os.path.join(where, 'photos', 'one.json'), 'w', encoding='utf-8') as out:
        out.write('dear')
    done = sweep('--only', 'fib', '--out', 'photos', where=where)
    assert done.returncode == 2 and 'is no report' in done.stderr, done
    assert os.listdir(os.path.join(where, 'photos')) == ['one.json']


def results_and_runs_of_somebody_else_are_left_alone():
    where = place('alike')
    for folder, name, text in (('a', 'results.json', '{"score": 1}'), ('b/runs', 'one.json', '{"score": 1}'),
                               ('c/runs', 'weights.bin', 'dear'), ('d', 'runs', 'a file')):
        os.makedirs(os.path.join(where, folder), exist_ok=True)
        with open(os.path.join(where, folder, name), 'w', encoding='utf-8') as out:
            out.write(text)
        done = sweep('--only', 'fib', '--out', folder[0], where=where)
        assert done.returncode == 2 and 'is no report' in done.stderr, (folder, done)
        assert os.listdir(os.path.join(where, folder)) == [name]


def what_a_sweep_that_was_killed_has_left_is_replaced():
    where = place('left')
    os.makedirs(os.path.join(where, 'report', 'runs'))
    shutil.copy(sample.__file__.replace('sample.py', 'sample.json'), os.path.join(where, 'report', 'runs', 'tree.json'))
    assert sweep('--only', 'fib', where=where).returncode == 0
    assert 'tree.json' not in os.listdir(os.path.join(where, 'report', 'runs'))


def a_bad_command_line_is_one_line_and_status_2():
    where = place('bad')
    for arguments, complaint in ((['--bogus'], 'unknown argument: --bogus'), (['--only', 'nothing'], "no measurement "
                                 "'nothing'"), (['--out'], '--out wants a value'),
                                 (['--only='], '--only wants a value'), (['--only', ','], "no measurement ''"),
                                 (['--only', 'fib,,lfsr'], "no measurement ''"),
                                 (['--only', 'fib '], "no measurement 'fib '"),
                                 (['--only', 'fib tree'], "no measurement 'fib tree'"),
                                 (['--only', 'fib,'], "no measurement ''"), (['--only', '*'], "no measurement '*'"),
                                 (['--out', '--full'], '--out wants a value, not --full'),
                                 (['--builddir', '--full'], '--builddir wants a value, not --full'),
                                 (['--builddir='], '--builddir wants a value'),
                                 (['--builddir'], '--builddir wants a value'),
                                 (['--builddir', '/proc/x'], 'cannot make /proc/x; name another with --builddir'),
                                 (['--out', '/proc/x'], 'cannot write to /proc/x')):
        done = sweep(*arguments, where=where)
        assert done.returncode == 2 and complaint in done.stderr and len(done.stderr.splitlines()) == 1, done
        assert done.stderr == done.stderr.rstrip() + '\n', 'it ends in a blank'
    assert os.listdir(where) == []
    done = sweep('--help', where=where)
    assert done.returncode == 0 and done.stdout.startswith('usage: tools/sweep') and 'lfsr-batches' in done.stdout


def workers_are_counted_up_to_the_cores_and_to_eight():
    script = ('. "$0"; for c in 1 2 6 12 64; do printf "%s/%s/%s " "$(worker_counts $c)" '
              '"$(within $c "$(worker_counts $c)")" "$(beyond $c 1,2,4,8,16)"; done')
    said = subprocess.run(['bash', '-c', script, os.path.join(TREE, 'tools', 'lib', 'plan.sh')], capture_output=True,
                          text=True, check=True).stdout
    assert said == ('1,2,4,8/1/2,4,8,16 1,2,4,8/1,2/4,8,16 1,2,4,6,8/1,2,4,6/8,16 1,2,4,8,12/1,2,4,8,12/16 '
                    '1,2,4,8,16,32,64/1,2,4,8,16,32,64/ '), said


def a_late_step_on_a_busy_machine_has_less_time():
    script = '. "$0"; for spent in 0 159 161 190 199 250; do printf "%s " "$(allowed 40 200 $spent)"; done'
    said = subprocess.run(['bash', '-c', script, os.path.join(TREE, 'tools', 'lib', 'plan.sh')], capture_output=True,
                          text=True, check=False).stdout
    assert said == '40 40 39 10 5 5 ', said


def the_documents_tell_what_the_plan_and_their_own_table_tell():
    tree = os.path.join(sample.HERE, '..', '..')
    pages = {}
    for name in ('README.md', 'doc/measuring.md', 'doc/benchmarks.md'):
        with open(os.path.join(tree, name), encoding='utf-8') as source:
            pages[name] = source.read()
    said = sweep('--help', where=SCRATCH).stdout
    left_out = [name for name in sorted(os.listdir(os.path.join(tree, 'perf', 'apps')))
                if not re.search(r'\b{}\b'.format(name), said.split('these measurements: ')[1].split('--out')[0])]
    told = re.search(r'runs every problem under `perf/apps`(?: but ((?:`\w+`(?:, | and )?)+))?',
                     pages['doc/measuring.md'])
    assert told and re.findall(r'`(\w+)`', told.group(1) or '') == left_out, left_out
    # The README's line for each number of workers has the least and the most of each peer in benchmarks.md's table.
    for column, workers in ((2, 'one worker'), (3, 'two workers')):
        line = re.search(r'\| a task of fib\(32\), {} \|.*'.format(workers), pages['README.md']).group()
        for name, beginning in (('OpenMP', '| OpenMP tasks'), ('oneTBB', '| oneTBB')):
            cells = [float(row.split('|')[column]) for row in pages['doc/benchmarks.md'].splitlines()
                     if row.startswith(beginning)]
            head = re.search(name + r' ([\d.]+)(?: to ([\d.]+))?', line)
            told = [float(end) for end in head.groups() if end]
            assert told == sorted({min(cells), max(cells)}), (line, cells)


prepare()
HELPERS = ('executable', 'prepare', 'command', 'environment', 'place', 'sweep', 'sweep_compare', 'page', 'leftovers',
           'interrupted_when_waiting')
try:
    status = cases.run('test_sweep', [value for name, value in list(globals().items()) if callable(value) and
                                      getattr(value, '__module__', '') == '__main__' and name not in HELPERS])
finally:
    shutil.rmtree(SCRATCH, ignore_errors=True)
sys.exit(status)
