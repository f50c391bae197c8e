"""The command heist-scale; heist-scale(1) explains it."""
import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

import report.__main__ as sweep
from report import compare, files, machine, page, rows, summary

from . import runs, study

USAGE = '''usage: heist-scale [OPTIONS] -- PROGRAM [ARGS...]
       heist-scale compare BEFORE AFTER
       heist-scale --help | --version

Runs PROGRAM with different numbers of workers (HEIST_WORKERS and OMP_NUM_THREADS are set), interleaved, and shows how
its time changes and what limits it. PROGRAM need not know of it.

  --workers LIST       numbers of workers, such as 1,2,4 (default: 1, 2, 4 ... up to the cores)
  --runs K             runs of each (default: 5)
  --out DIR            write a page, DIR/index.html, with results.json, results.csv and figures
  --heist-omp WHAT     PROGRAM is an OpenMP program: on (its tasks on heist), off (its own runtime), both
  --weak 'ARGS {n}'    weak scaling: these arguments in place of ARGS, {n} becomes the number of workers
  --same-output        refuse a program whose output differs between runs
  --csv                print CSV instead of the table
  --json               print JSON instead of the table
  --progress           show the progress also where standard error is no terminal
  -h, --help           print this text
  --version            print the version of heist

compare prints what became faster and what slower, beyond the noise, from one study to another: two directories of
--out. An interrupted study (Ctrl-C) keeps what it has. Status: 1 if the program failed or its output differs, 2 for bad
usage, 130 if it was interrupted.
'''


class BadUsage(Exception):
    """The message is a line."""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise BadUsage(message)


def worker_list(text):
    counts = [int(each) for each in text.split(',') if re.fullmatch(r'[1-9][0-9]{0,3}', each)]
    if len(counts) != len(text.split(',')) or max(counts) > 4096:
        raise BadUsage('--workers: {} is no list of numbers from 1 to 4096'.format(text))
    return sorted(set(counts))


def usual_workers():
    cores = machine.cores(machine.look())
    counts = [1]
    while counts[-1] * 2 <= cores:
        counts.append(counts[-1] * 2)
    return sorted(set(counts + [cores]))


def parse(arguments):
    parser = Parser(prog='heist-scale', add_help=False, allow_abbrev=False)
    parser.add_argument('--workers')
    parser.add_argument('--runs', default='5')
    parser.add_argument('--out')
    parser.add_argument('--heist-omp', choices=('both', 'on', 'off'))
    parser.add_argument('--weak')
    for flag in ('--same-output', '--csv', '--json', '--progress'):
        parser.add_argument(flag, action='store_true')
    own, command = arguments, []
    if '--' in arguments:
        at = arguments.index('--')
        own, command = arguments[:at], arguments[at + 1:]
    options, rest = parser.parse_known_args(own)
    if rest and rest[0].startswith('-'):
        raise BadUsage('unknown option {}'.format(rest[0]))
    if rest:
        raise BadUsage('{}: put -- before the program'.format(rest[0]))
    if not command:
        raise BadUsage('which program?')
    if not re.fullmatch(r'[1-9][0-9]{0,3}', options.runs):
        raise BadUsage('--runs: {} is no number from 1 to 9999'.format(options.runs))
    if options.csv and options.json:
        raise BadUsage('--csv or --json, not both')
    if options.weak is not None and '{n}' not in options.weak:
        raise BadUsage('--weak: {} has no {{n}}'.format(options.weak))
    options.runs = int(options.runs)
    options.workers = worker_list(options.workers) if options.workers is not None else usual_workers()
    options.command = command
    return options


def find_program(name):
    found = shutil.which(name)
    if not found:
        raise BadUsage('{}: there is no such program, or it cannot be executed'.format(name))
    return found


def heist_omp():
    """The command beside this one, or in PATH."""
    here = os.path.dirname(os.path.abspath(sys.argv[0]))
    beside = os.path.join(here, 'heist-omp')
    if os.path.isfile(beside) and os.access(beside, os.X_OK) and not os.path.isdir(os.path.join(here, 'lib', 'scale')):
        return beside
    found = shutil.which('heist-omp')  # in the tree, where heist-omp does not know the libraries, it is named by PATH
    if not found:
        raise BadUsage('--heist-omp: there is no heist-omp beside heist-scale or in PATH')
    return found


def preloading(command):
    """The variables with which heist-omp runs a program. Its own time, which is that of a shell script, is not to count
    for the program."""
    clean = {name: value for name, value in os.environ.items() if name not in ('HEIST_STATS', 'HEIST_OMP_STATS')}
    done = subprocess.run([command, shutil.which('env') or '/usr/bin/env', '-0'], stdout=subprocess.PIPE, env=clean,
                          stderr=subprocess.PIPE, text=True, errors='replace', check=False)
    found = dict(each.split('=', 1) for each in done.stdout.split('\0') if '=' in each)
    if done.returncode or not found.get('LD_PRELOAD'):
        raise BadUsage('--heist-omp: {}'.format((done.stderr.strip().splitlines() or ['it sets no library'])[-1]))
    return tuple((name, found[name]) for name in ('LD_PRELOAD', 'LD_LIBRARY_PATH') if name in found)


def settings_of(options):
    program = find_program(options.command[0])
    kinds = {None: ['heist'], 'on': ['heist-omp'], 'off': ['openmp'], 'both': ['openmp', 'heist-omp']}
    name = os.path.basename(program) + (' (weak)' if options.weak is not None else '')
    variables = {kind: preloading(heist_omp()) if kind == 'heist-omp' else () for kind in kinds[options.heist_omp]}
    found = []
    for workers in options.workers:
        arguments = options.command[1:]
        if options.weak is not None:
            try:
                arguments = [word.replace('{n}', str(workers)) for word in shlex.split(options.weak)]
            except ValueError as problem:
                raise BadUsage('--weak: {}'.format(problem)) from None
        for kind in kinds[options.heist_omp]:
            found.append(runs.Setting(name, kind, workers, tuple([program] + arguments), variables[kind]))
    return found


def without_heist(found, options):
    """Whether no run had statistics: the program does not use heist, or not in these runs."""
    return not options.heist_omp and not any(run.statistics for its in found.values() for run in its)


def outputs_differ(found, weak):
    by_work = {}
    for setting, its in found.items():
        by_work.setdefault(setting.workers if weak else 0, set()).update(run.output for run in its)
    return any(len(outputs) > 1 for outputs in by_work.values())


def write_report(folder, results, sections, weak, warnings):
    drawings = sweep.draw_all(sections)
    made = page.page(results, sections, drawings, study.tiles(results, weak), warnings,
                     'The scaling of {}'.format(results.rows[0].workload))
    sweep.store(folder, results, {'': sections}, drawings, {sweep.INDEX: made})


def run_study(options):
    settings = settings_of(options)
    if options.out:
        os.makedirs(options.out, exist_ok=True)  # an unwritable place is told before hours of measuring
        files.write(os.path.join(options.out, '.heist-scale'), '')
        os.unlink(os.path.join(options.out, '.heist-scale'))
    weak = options.weak is not None
    found, interrupted = runs.series(settings, options.runs, options.same_output, options.progress or None)
    if not any(found.values()):
        print('heist-scale: interrupted before the first run was over', file=sys.stderr)
        return 130
    if options.same_output and outputs_differ(found, weak):
        raise runs.Failed('the output of {} differs between runs'.format(options.command[0]))
    if without_heist(found, options):
        print('heist-scale: {} wrote no statistics: it seems not to use heist, and HEIST_WORKERS may mean nothing to '
              'it'.format(options.command[0]), file=sys.stderr)
    results = study.results_of(found, options.command)
    if interrupted:
        results.sweep['notes'].append('The study was interrupted: some rows have fewer runs.')
    sections = study.make_sections(results, found, weak)
    warnings = summary.warnings(results)
    if options.out:
        write_report(options.out, results, sections, weak, warnings)
    if options.json:
        print(sweep.document(results), end='')
    elif options.csv:
        print(page.everything(results).as_csv(), end='')
    else:
        sweep.show(sections, warnings)
    sys.stdout.flush()
    return 130 if interrupted else 0


def run_compare(names):
    if len(names) != 2:
        raise BadUsage('compare wants two studies, not {}'.format(len(names)))
    for name in names:
        if not os.path.exists(name):
            raise BadUsage('compare: there is no {}'.format(name))
    return compare.run(argparse.Namespace(before=names[0], after=names[1]))


def main(arguments, version):
    if '--' not in arguments[:1] and any(each in ('-h', '--help') for each in before_program(arguments)):
        print(USAGE, end='')
        return 0
    if '--version' in before_program(arguments):
        print('heist-scale ' + version)
        return 0
    try:
        return run_compare(arguments[1:]) if arguments[:1] == ['compare'] else run_study(parse(arguments))
    except BadUsage as problem:
        print('heist-scale: {}; see heist-scale --help'.format(problem), file=sys.stderr)
        return 2
    except rows.Malformed as problem:
        print('heist-scale: {}'.format(problem), file=sys.stderr)
        return 2
    except runs.Failed as problem:
        print('heist-scale: {}'.format(problem), file=sys.stderr)
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 2
    except OSError as problem:
        where = '{}: '.format(problem.filename) if problem.filename else 'the output could not be written: '
        print('heist-scale: {}{}'.format(where, problem.strerror), file=sys.stderr)
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        except OSError:
            pass
        return 2


def before_program(arguments):
    return arguments[:arguments.index('--')] if '--' in arguments else arguments
