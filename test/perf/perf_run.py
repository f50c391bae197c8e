"""What perf.py, perf_input.py and perf_signals.py share: running heist-perf, and reporting.

Their arguments are HEIST_PERF FAULTY RUNTIMES [CASE...]: HEIST_PERF is the program, FAULTY the same program with a
problem that goes wrong in every way (faulty.c), RUNTIMES the runtimes of this build, with commas. If cases are named,
only those are tried. Reports as Unity does: a line for each case, then `N Tests N Failures N Ignored`.
"""
import json
import os
import subprocess
import sys
import tempfile

PERF, FAULTY, RUNTIMES = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3].split(',')
WAIT = 120

os.environ['OMP_WAIT_POLICY'] = 'passive' # tests share their machine with others
os.environ['KMP_USE_YIELD'] = '0' # libomp's yields hand its time to these others: seconds for a millisecond's work
scratch = tempfile.mkdtemp(prefix='heist-perf-test.')
cases = []


class Ignored(Exception):
    """This machine lacks a requirement of the case."""


def case(function):
    cases.append((function.__name__, function))
    return function


def expect(condition, *what):
    if not condition:
        raise AssertionError(' '.join(str(w) for w in what))


def run(*arguments, program=PERF, environment=None):
    return subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=WAIT,
                          env=dict(os.environ, **(environment or {})), cwd=scratch, check=False)


def rows_of(result):
    return json.loads(result.stdout)['rows']


def faulty(*arguments, status=0):
    """Runs FAULTY and returns its rows and its output on stderr."""
    result = run('faulty', '--format', 'json', *arguments, program=FAULTY)
    expect(result.returncode == status, 'status', result.returncode, 'not', status, result.stderr)
    return rows_of(result), result.stderr


def by(rows, runtime, workers):
    found = [r for r in rows if r['runtime'] == runtime and r['workers'] == workers]
    expect(len(found) == 1, len(found), 'rows of', runtime, workers)
    return found[0]


def offered(workload):
    text = run(workload, '--help').stdout
    line = [l for l in text.splitlines() if l.startswith('Runtimes: ')][0]
    return set(line[len('Runtimes: '):].split(', '))


def main(program):
    """Tries the cases, or those named on the command line; gives the status."""
    failed = ignored = 0
    chosen = [(name, function) for name, function in cases if name in sys.argv[4:] or not sys.argv[4:]]
    for name, function in chosen:
        try:
            function()
            print(f'{program}:{name}:PASS', flush=True)
        except Ignored as reason:
            ignored += 1
            print(f'{program}:{name}:IGNORE: {reason}', flush=True)
        except Exception as problem: # any problem: the other cases are tried, too
            failed += 1
            print(f'{program}:{name}:FAIL: {type(problem).__name__}: {problem}', flush=True)
    subprocess.run(['rm', '-rf', '--', scratch], check=False)
    print(f'\n-----------------------\n{len(chosen)} Tests {failed} Failures {ignored} Ignored')
    return 1 if failed or not chosen else 0
