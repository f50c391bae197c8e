"""scale.py: the arithmetic of heist-scale, and the command as a user meets it, on programs whose scaling is known: they
sleep. Reports as Unity does."""
import glob
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TREE, 'tools', 'lib'))
sys.dont_write_bytecode = True
from scale import fits, judge, runs  # noqa: E402
COMMAND = [sys.executable, os.path.join(TREE, 'tools', 'heist-scale')]
FAULTY = os.environ.get('FAULTY', '')
# A program that takes 40 ms of sleep that workers do not shorten, and 160 ms that they share.
SLEEPER = '''#!{}
import os, sys, time
n = int(os.environ['HEIST_WORKERS'])
data = b'x' * (100 << 20)
time.sleep(0.04 + 0.16 / n)
print('done')
'''


class Fits(unittest.TestCase):
    def test_amdahl_finds_the_serial_part(self):
        for share in (0.0, 0.05, 0.3, 1.0):
            found = fits.amdahl({n: 7e9 * (share + (1 - share) / n) for n in (1, 2, 4, 8)})
            self.assertAlmostEqual(share, found.serial, 6)
            self.assertAlmostEqual(0, found.error, 6)

    def test_usl_finds_contention_and_coherence(self):
        for sigma, kappa in ((0.0, 0.0), (0.1, 0.0), (0.02, 0.003), (0.0, 0.01)):
            times = {n: 5e8 * (1 + sigma * (n - 1) + kappa * n * (n - 1)) / n for n in (1, 2, 4, 8, 16)}
            found = fits.usl(times)
            self.assertAlmostEqual(sigma, found.sigma, 6)
            self.assertAlmostEqual(kappa, found.kappa, 6)
            if kappa:
                self.assertAlmostEqual(math.sqrt((1 - sigma) / kappa), found.peak, 3)

    def test_no_parameter_is_negative(self):
        found = fits.usl({1: 100, 2: 40, 4: 18, 8: 8})  # better than ideal
        self.assertGreaterEqual(min(found.sigma, found.kappa), 0)
        self.assertEqual(0, fits.amdahl({1: 100, 2: 40, 4: 18}).serial)

    def test_too_few_numbers_give_no_law(self):
        self.assertIsNone(fits.amdahl({1: 5}))
        self.assertIsNone(fits.usl({1: 5, 2: 3}))
        self.assertIsNone(fits.usl({2: 5, 4: 3, 8: 2}))

    def test_the_interval_of_a_median(self):
        middle, low, high, sure = fits.median_interval([5, 1, 9, 3, 7])
        self.assertEqual((5, 1, 9), (middle, low, high))
        self.assertAlmostEqual(1 - 2 / 32, sure)
        middle, low, high, sure = fits.median_interval(range(1, 21))  # the known interval for 20: the 6th to the 15th
        self.assertEqual((10.5, 6, 15), (middle, low, high))
        self.assertAlmostEqual(0.9586, sure, 4)
        self.assertEqual((4, 4, 4, 0), fits.median_interval([4]))


def run_of(wall, cpu=None, others=0.0, working=None, rules=()):
    statistics = None
    if working is not None:
        statistics = {'pools': [{'all': {'working': working, 'searching': 0, 'asleep': 0},
                                 'advice': [{'rule': rule, 'text': 'text of ' + rule} for rule in rules]}]}
    return runs.Run(wall, cpu or wall, 0, others, statistics, None)


class Judgement(unittest.TestCase):
    def said(self, runs_by_workers, cores=8):
        return judge.limit({n: [run] for n, run in runs_by_workers.items()}, cores)

    def test_a_program_that_scales_has_no_limit(self):
        self.assertIn('nothing to speak of', self.said({1: run_of(800), 2: run_of(405), 4: run_of(210)}))

    def test_advice_comes_first(self):
        self.assertIn('text of task-size', self.said({1: run_of(800, working=800),
                                                      4: run_of(400, working=1600, rules=('cpu-quota', 'task-size'))}))

    def test_more_time_for_the_same_work_is_memory(self):
        self.assertIn('memory bandwidth', self.said({1: run_of(800, working=800), 4: run_of(400, working=1500)}))

    def test_a_serial_part_is_told_with_its_size(self):
        found = self.said({n: run_of(1000 * (0.4 + 0.6 / n), cpu=1000) for n in (1, 2, 4)})
        self.assertIn('serial part of 40.0%', found)

    def test_agreement_is_told(self):
        found = self.said({n: run_of(int(10000 * (1 + 0.05 * n * (n - 1)) / n), cpu=10000) for n in (1, 2, 4)})
        self.assertIn('agreement', found)

    def test_other_programs_are_told(self):
        self.assertIn('other programs used 1.5', self.said({1: run_of(800), 4: run_of(700, cpu=400, others=1.5)}))

    def test_workers_beyond_the_cores_are_left_out(self):
        self.assertIn('With 2 workers', self.said({1: run_of(800), 2: run_of(420), 4: run_of(900)}, cores=2))


class Command(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory(prefix='heist-scale-test-')
        self.addCleanup(self.dir.cleanup)
        self.sleeper = self.script('sleeper', SLEEPER.format(sys.executable))

    def at(self, *names):
        return os.path.join(self.dir.name, *names)

    def script(self, name, text):
        with open(self.at(name), 'w', encoding='utf-8') as out:
            out.write(text)
        os.chmod(self.at(name), 0o755)
        return self.at(name)

    def scale(self, *arguments, **more):
        return subprocess.run(COMMAND + list(arguments), capture_output=True, text=True, check=False, **more)

    def refused(self, status, pattern, *arguments, **more):
        done = self.scale(*arguments, **more)
        self.assertEqual(status, done.returncode, done)
        self.assertEqual('', done.stdout)
        self.assertRegex(done.stderr, r'\Aheist-scale: ' + pattern)
        self.assertEqual(1, done.stderr.count('\n'), done.stderr)

    def test_bad_usage_is_one_line(self):
        for pattern, arguments in (
                ('which program', []), ('unknown option --what', ['--what', '--', 'true']),
                ('true: put -- before', ['true']), ('--workers: 0 is no', ['--workers', '0', '--', 'true']),
                ('--workers: 1,x is no', ['--workers', '1,x', '--', 'true']),
                ('--workers: 5000', ['--workers', '5000', '--', 'true']),
                ('--runs: many is no', ['--runs', 'many', '--', 'true']),
                ('--weak: 5 has no', ['--weak', '5', '--', 'true']),
                ('--weak: No closing', ['--weak', '"{n}', '--workers', '1', '--', 'true']),
                ('argument --heist-omp', ['--heist-omp', 'perhaps', '--', 'true']),
                ('--csv or --json', ['--csv', '--json', '--', 'true']),
                ('no-such-program: there is no', ['--', 'no-such-program']), ('compare wants two', ['compare', 'x']),
                ('compare: there is no', ['compare', 'no-such', 'other'])):
            self.refused(2, pattern, *arguments)

    def test_help_man_page_and_version(self):
        self.assertEqual(0, self.scale('--help').returncode)
        self.assertRegex(self.scale('--version').stdout, r'^heist-scale \d+\.\d+\.\d+\n$')
        script = ('cd "$0" && . test/tools/commands.sh && '
                  'help_has_every_option tools/heist-scale tools/man/heist-scale.1 && '
                  'completes_every_option tools/heist-scale tools/completion/heist-scale')
        done = subprocess.run(['bash', '-c', script, TREE], capture_output=True, text=True, check=False)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)

    def test_a_study_has_all_files_and_the_known_serial_part(self):
        done = self.scale('--workers', '1,2,4', '--runs', '2', '--out', self.at('study'), '--', self.sleeper)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn('wrote no statistics', done.stderr.splitlines()[0])
        with open(self.at('study', 'results.json'), encoding='utf-8') as source:
            rows = json.load(source)['rows']
        self.assertEqual([(1, 2), (2, 2), (4, 2)], [(row['workers'], row['runs']) for row in rows])
        for row in rows:  # no run is shorter than its sleep
            self.assertGreaterEqual(row['min_ns'], (0.04 + 0.16 / row['workers']) * 1e9)
            self.assertTrue(100 << 20 <= row['memory'] < 300 << 20, row['memory'])
            self.assertTrue(row['min_ns'] <= row['low_ns'] <= row['median_ns'] <= row['high_ns'])
        with open(self.at('study', 'index.html'), encoding='utf-8') as source:
            text = source.read()
        self.assertIn('The scaling of sleeper', text)
        self.assertNotIn('http://', text.replace('http://www.w3.org', ''))

    def test_csv_and_json_are_of_the_same_rows(self):
        done = self.scale('--json', '--workers', '2', '--runs', '1', '--', self.sleeper)
        self.assertEqual(2, json.loads(done.stdout)['rows'][0]['workers'])
        done = self.scale('--csv', '--workers', '2', '--runs', '1', '--', self.sleeper)
        self.assertEqual(2, len(done.stdout.splitlines()))
        self.assertIn('min_ns', done.stdout.splitlines()[0])

    def test_weak_scaling_passes_the_number(self):
        program = self.script('args', '#!/bin/sh\n[ "$#:$1:$2" = "2:size=$HEIST_WORKERS:a b" ]\n')
        done = self.scale('--weak', 'size={n} "a b"', '--workers', '1,3', '--runs', '1', '--', program, 'other')
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn('Weak scaling', done.stdout)

    def test_an_openmp_program_is_run_both_ways(self):
        os.mkdir(self.at('bin'))
        self.script('bin/heist-omp', '#!/bin/sh\nexport LD_PRELOAD=libc.so.6\nexec "$@"\n')
        program = self.script('omp', '#!/bin/sh\necho "$OMP_NUM_THREADS:$LD_PRELOAD" >>{}\n'.format(self.at('ran')))
        path = self.at('bin') + ':' + os.environ['PATH']
        done = self.scale('--heist-omp', 'both', '--workers', '1,2', '--runs', '1', '--', program,
                          env=dict(os.environ, PATH=path))
        self.assertEqual(0, done.returncode, done.stderr)
        with open(self.at('ran'), encoding='utf-8') as source:
            self.assertEqual(['1:', '1:libc.so.6', '2:', '2:libc.so.6'], sorted(source.read().split()))
        self.assertIn('heist-omp takes', done.stdout)
        self.script('bin/heist-omp', '#!/bin/sh\necho heist-omp: no library >&2\nexit 2\n')
        self.refused(2, '--heist-omp: heist-omp: no library', '--heist-omp', 'on', '--', program,
                     env=dict(os.environ, PATH=path))

    def test_a_program_that_fails_is_one_line_and_leaves_nothing(self):
        program = self.script('bad', '#!/bin/sh\necho no luck >&2\nexit 3\n')
        self.refused(1, '.*bad with 1 worker ended with status 3: no luck', '--workers', '1', '--out',
                     self.at('study'), '--', program)
        self.assertEqual([], glob.glob(self.at('study', '*')))
        killed = self.script('killed', '#!/bin/sh\nkill -SEGV $$\n')
        self.refused(1, '.*killed with 1 worker was ended by SIGSEGV', '--workers', '1', '--', killed)

    def test_an_output_that_differs_is_told(self):
        program = self.script('differs', '#!/bin/sh\necho $HEIST_WORKERS\n')
        self.refused(1, 'the output of .*differs differs', '--same-output', '--workers', '1,2', '--runs', '1', '--',
                     program)
        done = self.scale('--same-output', '--workers', '1,2', '--runs', '1', '--', self.sleeper)
        self.assertEqual(0, done.returncode, done.stderr)

    def test_an_unwritable_place_is_told_before_the_runs(self):
        with open(self.at('file'), 'w', encoding='utf-8'):
            pass
        self.refused(2, '.*file', '--out', self.at('file'), '--', self.script('never', '#!/bin/sh\nsleep 100\n'))

    def test_a_full_disk_is_told(self):
        if os.path.exists('/dev/full'):
            with open('/dev/full', 'w', encoding='utf-8') as full:
                done = subprocess.run(COMMAND + ['--workers', '1', '--runs', '1', '--', self.sleeper], stdout=full,
                                      stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(2, done.returncode)
            self.assertIn('heist-scale: the output could not be written', done.stderr)

    def test_progress_and_time_left(self):
        done = self.scale('--progress', '--workers', '1', '--runs', '3', '--', self.sleeper)
        self.assertRegex(done.stderr, r'run 3 of 3: heist with 1 worker, about 0:0\d left')

    def test_an_interrupt_keeps_what_there_is(self):
        """The program marks each of its runs; the interrupt comes in the third."""
        program = self.script('marks', '#!/bin/sh\necho >>{0}\n[ $(wc -l <{0}) -lt 3 ] || sleep 100\n'.format(
            self.at('marked')))
        arguments = ['--workers', '1,2', '--runs', '5', '--out', self.at('study'), '--', program]
        child = subprocess.Popen(COMMAND + arguments,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        while not os.path.exists(self.at('marked')) or len(open(self.at('marked'), encoding='utf-8').read()) < 3:
            time.sleep(0.02)
        os.killpg(child.pid, signal.SIGINT)
        said = child.communicate()
        self.assertEqual(130, child.returncode, said)
        with open(self.at('study', 'results.json'), encoding='utf-8') as source:
            document = json.load(source)
        self.assertEqual([(1, 1), (2, 1)], [(row['workers'], row['runs']) for row in document['rows']])
        self.assertIn('interrupted', ' '.join(document['sweep']['notes']))

    def test_compare_tells_slower_from_equal(self):
        slow = self.at('slow')
        os.mkdir(slow)
        for folder, factor in (('before', 1), ('after', 1), ('worse', 4)):
            rows = [{'workload': 'w', 'size': '', 'runtime': 'heist', 'workers': n, 'runs': 5, 'check': 'ok',
                     'min_ns': 10 ** 9 * factor // n, 'median_ns': 10 ** 9 * factor // n + 1000} for n in (1, 2)]
            os.mkdir(self.at(folder))
            with open(self.at(folder, 'results.json'), 'w', encoding='utf-8') as out:
                json.dump({'machine': {}, 'sweep': {}, 'rows': rows}, out)
        same = self.scale('compare', self.at('before'), self.at('after'))
        worse = self.scale('compare', self.at('before'), self.at('worse'))
        self.assertEqual((0, 0), (same.returncode, worse.returncode), same.stderr + worse.stderr)
        self.assertIn('slower', worse.stdout)
        self.assertNotEqual(same.stdout, worse.stdout)
        self.refused(2, '.*there is no report', 'compare', slow, self.at('before'))
        self.script('before/results.json', 'rubbish')
        self.refused(2, '.*not JSON', 'compare', self.at('before'), self.at('after'))

    @unittest.skipUnless(FAULTY, 'FAULTY is not set')
    def test_a_program_on_heist_has_statistics(self):
        done = self.scale('--json', '--workers', '1,2', '--runs', '1', '--', FAULTY, 'small')
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual('', done.stderr)
        for row in json.loads(done.stdout)['rows']:
            self.assertEqual(24157817, row['tasks'])
            self.assertGreater(row['working'], 0)
            self.assertIsInstance(row['advice'], list)


class Result(unittest.TextTestResult):
    """A line for each case, as Unity writes it."""

    def say(self, test, word):
        print('scale:{}:{}'.format(test.id().split('.')[-1], word), flush=True)

    def addSuccess(self, test):
        self.say(test, 'PASS')

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.say(test, 'FAIL')

    def addError(self, test, err):
        super().addError(test, err)
        self.say(test, 'FAIL')

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.say(test, 'IGNORE: ' + reason)


if __name__ == '__main__':
    for name in [name for name in os.environ if name.startswith(('HEIST_', 'OMP_'))]:
        del os.environ[name]
    result = unittest.TextTestRunner(stream=sys.stderr, resultclass=Result, verbosity=0).run(
        unittest.defaultTestLoader.loadTestsFromModule(sys.modules['__main__']))
    failed = len(result.failures) + len(result.errors)
    print('\n-----------------------\n{} Tests {} Failures {} Ignored'.format(result.testsRun, failed,
                                                                              len(result.skipped)))
    sys.exit(bool(failed))
