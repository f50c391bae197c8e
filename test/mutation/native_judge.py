"""native_judge.py: runs the test programs of a build directory against a mutant.

Nothing is configured or rebuilt: the objects that the mutant changes are compiled with the build's own commands,
into a directory of their own, and each test program is linked again with these in place of the originals. Which
programs reach a line is learnt once, from objects compiled with --coverage. A program that fails with a mutant, or
does not end, must do so twice and pass without the mutant right afterwards: otherwise a busy machine would kill
mutants.
"""
import collections
import concurrent.futures
import hashlib
import json
import os
import resource
import shlex
import shutil
import signal
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ORDERS = os.path.join(HERE, 'orders.h')
SUITES = ('unit', 'faults', 'stress', 'openmp')
MOST_ATTEMPTS = 5  # of a test that failed: it must fail a second time
LIBRARY = 'HEIST_LIBRARY'  # the scripts of test/openmp preload what this names


class Broken(Exception):
    """The build directory cannot be used. The message says why."""


class Test:
    def __init__(self, name, command, environment, product):
        self.name = name
        self.command = command
        self.environment = environment
        self.product = product  # the file that is linked again, relative to the build directory
        self.seconds = 0.0


class Compiled:
    def __init__(self, where, objects, words):
        self.where = where
        self.objects = objects  # None: it does not compile
        self.error = next((line for line in words.splitlines() if 'error' in line), words.strip()[-200:])

    def end(self):
        shutil.rmtree(self.where, ignore_errors=True)


def forked():
    """In the child: a mutant may write and crash without end."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 20, 64 << 20))
    try:
        with open('/proc/self/oom_score_adj', 'w', encoding='ascii') as out:
            out.write('1000')
    except OSError:
        pass


class Judge:
    def __init__(self, tree, build, directory, scale, jobs, timeout, only_tests, seconds):
        self.tree = tree
        self.build = os.path.abspath(build)
        self.dir = directory
        self.scale = scale
        self.jobs = jobs
        self.timeout = timeout
        self.only_tests = only_tests
        self.seconds = seconds
        self.name = 'native ' + os.path.basename(self.build)

    # ---- what the build directory says ----

    def ask(self, arguments):
        done = subprocess.run(arguments, cwd=self.build, capture_output=True, text=True)
        if done.returncode != 0:
            raise Broken('{}: {}'.format(' '.join(arguments), done.stderr.strip()[-500:]))
        return done.stdout

    def prepare(self, say):
        if not os.path.exists(os.path.join(self.build, 'build.ninja')):
            raise Broken('{} is no build directory of Meson; make one with meson setup'.format(self.build))
        say('bringing {} up to date'.format(self.build))
        self.ask(['ninja'])
        os.makedirs(self.dir, exist_ok=True)
        self.read_compile_commands()
        self.read_dependents()
        self.links, self.members = {}, {}
        self.tests = self.read_tests()
        if not self.tests:
            raise Broken('{} has no tests; was it configured without Unity?'.format(self.build))
        self.learn(say)

    def read_compile_commands(self):
        with open(os.path.join(self.build, 'compile_commands.json'), encoding='utf-8') as text:
            self.commands = {entry['output']: shlex.split(entry['command']) for entry in json.load(text)}
            text.seek(0)
            self.is_tsan = any('-fsanitize=thread' in command for command in self.commands.values())
            self.source_of = {entry['output']: os.path.normpath(os.path.join(entry['directory'], entry['file']))
                              for entry in json.load(text)}

    def read_dependents(self):
        """For each file of the tree, the objects that are made from it."""
        self.dependents, output = collections.defaultdict(set), None
        for line in self.ask(['ninja', '-t', 'deps']).splitlines():
            if line and not line.startswith(' '):
                output = line.split(':')[0]
            elif line.strip():
                path = os.path.normpath(os.path.join(self.build, line.strip()))
                self.dependents[path].add(output)

    def read_tests(self):
        made = []
        for test in json.loads(self.ask(['meson', 'introspect', '--tests', self.build])):
            suites = {suite.split(':')[-1] for suite in test['suite']}
            if not suites & set(SUITES) or (self.only_tests and not self.only_tests.search(test['name'])):
                continue
            path = test['env'].get(LIBRARY) or test['cmd'][0]
            product = os.path.relpath(path, self.build)
            if product.startswith('..'):
                continue  # a script about something else
            made.append(Test(test['name'], test['cmd'], test['env'], product))
        return made

    def link_command(self, product):
        if product not in self.links:
            lines = [shlex.split(line) for line in self.ask(['ninja', '-t', 'commands', product]).splitlines()
                     if ' -o ' + product + ' ' in line]
            if not lines:
                raise Broken('no command links ' + product)
            self.links[product] = lines[-1]
        return self.links[product]

    def members_of(self, archive):
        """The objects in an archive. Meson's are thin: they name the paths of their members."""
        if archive not in self.members:
            self.members[archive] = {os.path.normpath(name) for name in self.ask(['ar', 't', archive]).split()}
        return self.members[archive]

    # ---- building ----

    def objects_of(self, file):
        """The objects that a file of the library becomes part of."""
        path = os.path.join(self.tree, file)
        made = {output for output, source in self.source_of.items() if source == path and output in self.commands}
        return sorted(made | {o for o in self.dependents.get(path, ()) if o in self.commands})

    def compile(self, output, directory, source=None, header_directory=None, extra=()):
        """One object with the build's own command; gives its path, or None and the compiler's words."""
        command = list(self.commands[output])
        made = os.path.join(directory, output.replace('/', '_'))
        original = command[-1]
        command[command.index('-o') + 1] = made
        for flag, value in (('-MF', made + '.d'), ('-MQ', made)):
            if flag in command:
                command[command.index(flag) + 1] = value
        command[-1] = source or original
        if source:  # __FILE__ is what it was: else code that has it would always differ
            below = os.path.relpath(source, directory)
            extra = list(extra) + ['-ffile-prefix-map={}={}'.format(directory + os.sep, original[:-len(below)])]
        command = [word for word in command if word not in ('-g', '-Werror')]
        command[1:1] = ['-I' + header_directory] if header_directory else []
        command[-2:-2] = ['-w', '-g0', '-include', ORDERS] + list(extra)  # before -c SOURCE: the last option wins
        done = subprocess.run(command, cwd=self.build, capture_output=True, text=True)
        return (made, '') if done.returncode == 0 else (None, done.stderr)

    def link(self, product, replaced, directory, extra=()):
        """Links `product` with the objects of `replaced` in place of theirs; gives the new path, or None if it contains
        none of them, or cannot be linked. What comes before an archive is taken in place of the archive's own."""
        command, used = [], False
        for word in self.link_command(product):
            new = [replaced[word]] if word in replaced else []
            if word.endswith('.a') and not os.path.isabs(word):
                new = [path for output, path in replaced.items() if output in self.members_of(word)] + [word]
            used = used or new not in ([], [word])
            command += new or [word]
        if not used:
            return None
        out = os.path.join(directory, os.path.basename(product))
        command[command.index('-o') + 1] = out
        done = subprocess.run(command + list(extra), cwd=self.build, capture_output=True, text=True)
        return out if done.returncode == 0 else None

    # ---- running ----

    def run(self, test, program, limit, more=None):
        """(status, seconds, output); the status None: it did not end within the limit."""
        environment = dict(os.environ, HEIST_TEST_SCALE=str(self.scale), **test.environment)
        environment.update(more or {})
        command = list(test.command)
        if LIBRARY in test.environment:
            environment[LIBRARY] = program
        else:
            command[0] = program
        began = time.time()
        with tempfile.TemporaryFile(dir=self.dir) as out:
            child = subprocess.Popen(command, cwd=self.build, env=environment, stdin=subprocess.DEVNULL, stdout=out,
                                     stderr=subprocess.STDOUT, preexec_fn=forked)
            try:
                status = child.wait(limit)
            except subprocess.TimeoutExpired:
                status = None
            finally:
                try:
                    os.killpg(child.pid, signal.SIGKILL)  # what it started, too
                except (ProcessLookupError, PermissionError):
                    pass
                child.wait()
            out.seek(0)
            return status, time.time() - began, out.read().decode(errors='replace')

    def original(self, test):
        return os.path.join(self.build, test.product)

    # ---- which program reaches what, and how long each takes ----

    def learn(self, say):
        """Times every test, and finds the lines that it reaches. What was learnt is kept for as long as no source
        changes."""
        path, digest = os.path.join(self.dir, 'reached.json'), self.digest()
        try:
            with open(path, encoding='utf-8') as kept:
                known = json.load(kept)
        except (OSError, ValueError):
            known = {}
        if known.get('digest') != digest:
            known = {'digest': digest, 'tests': self.learn_all(say)}
            with open(path, 'w', encoding='utf-8') as out:
                json.dump(known, out)
        self.reached = {name: its['lines'] for name, its in known['tests'].items()}
        for test in self.tests:
            test.seconds = known['tests'].get(test.name, {}).get('seconds', 0.0)
        for test in [t for t in self.tests if not t.seconds]:
            say('{} does not pass here without any mutant, and is left out'.format(test.name))
        self.tests = [test for test in self.tests if test.seconds]

    def digest(self):
        made = hashlib.sha1(repr((sorted(test.name for test in self.tests), self.scale, self.commands)).encode())
        for directory in ('include', 'lib', 'test'):
            for at, below, names in os.walk(os.path.join(self.tree, directory)):
                below.sort()
                for name in sorted(n for n in names if n.endswith(('.c', '.h', '.cpp', '.cc', '.sh'))):
                    with open(os.path.join(at, name), 'rb') as source:
                        made.update(name.encode() + source.read())
        return made.hexdigest()

    def learn_all(self, say):
        outputs = sorted({o for o, s in self.source_of.items()
                          if s.startswith(os.path.join(self.tree, 'lib') + os.sep)})
        where = os.path.join(self.dir, 'coverage')
        shutil.rmtree(where, ignore_errors=True)
        os.makedirs(where)
        say('compiling {} objects to learn which test reaches what'.format(len(outputs)))
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            jobs = {o: pool.submit(self.compile, o, where, None, None,
                                   ['--coverage', '-fprofile-update=atomic', '-O0', '-U_FORTIFY_SOURCE'])
                    for o in outputs}
            made = {o: job.result() for o, job in jobs.items()}
            bad = [words for path, words in made.values() if not path]
            if bad:
                raise Broken('the library does not compile for coverage: ' + bad[0][-500:])
            objects = {o: path for o, (path, _) in made.items()}
            say('running {} tests, each with coverage and without'.format(len(self.tests)))
            jobs = [(t, pool.submit(self.learn_test, t, objects, where)) for t in self.tests]
            learnt = {test.name: {'lines': job.result(), 'seconds': test.seconds} for test, job in jobs}
        shutil.rmtree(where, ignore_errors=True)
        shutil.rmtree(os.path.join(self.dir, 'base'), ignore_errors=True)
        return learnt

    def learn_test(self, test, objects, where):
        """The lines that a test reaches: file -> lines. And its time, without coverage."""
        status, test.seconds, output = self.run(test, self.original(test), 300)
        if status not in (0, 77):
            test.seconds = 0.0
            return {}
        mine = os.path.join(where, test.name)
        os.makedirs(mine)
        program = self.link(test.product, objects, mine, ['--coverage'])
        if not program:
            return {}
        self.run(test, program, 300, {'GCOV_PREFIX': mine})
        reached = collections.defaultdict(set)
        counts = [os.path.join(at, name) for at, _, names in os.walk(mine) for name in names if name.endswith('.gcda')]
        for path in counts:
            notes = os.path.join(where, os.path.basename(path)[:-5] + '.gcno')
            if os.path.exists(notes):
                shutil.copy(notes, os.path.dirname(path))
        if counts:
            done = subprocess.run(['gcov', '--json-format', '--stdout'] + counts, cwd=self.build, capture_output=True,
                                  text=True)
            for line in done.stdout.splitlines():
                for file in json.loads(line)['files']:
                    path = os.path.relpath(os.path.normpath(os.path.join(self.build, file['file'])), self.tree)
                    reached[path].update(l['line_number'] for l in file['lines'] if l['count'])
        shutil.rmtree(mine, ignore_errors=True)
        return {file: sorted(lines) for file, lines in reached.items()}

    def reaches(self, test, mutant, first, last):
        return any(first <= line <= last for line in self.reached.get(test.name, {}).get(mutant.file, ()))

    def tests_for(self, mutant):
        """Those that reach the mutated lines, or if none does (not every statement has code), the function. Of these
        the one that is named after the file, and the quickest, as many as there is time for."""
        reaching = [t for t in self.tests if self.reaches(t, mutant, mutant.line, mutant.last_line)] or \
            [t for t in self.tests if self.reaches(t, mutant, *mutant.function_lines)]
        stem = os.path.splitext(os.path.basename(mutant.file))[0]
        made, left = [], self.seconds
        for test in sorted(reaching, key=lambda test: (stem not in test.name, test.seconds)):
            if not made or test.seconds <= left:
                made.append(test)
                left -= test.seconds
        return made

    # ---- judging ----

    def changed_objects(self, mutant, where):
        """Compiles the mutant. Gives the objects that differ from the original, output -> path; or None and the
        compiler's words."""
        source = os.path.join(where, mutant.file.split('/', 1)[1])
        os.makedirs(os.path.dirname(source), exist_ok=True)
        with open(source, 'w', encoding='utf-8') as out:
            out.write(mutant.mutated())
        is_header = mutant.file.endswith('.h')
        made = {}
        for output in self.objects_of(mutant.file):
            path, words = self.compile(output, where, None if is_header else source, where if is_header else None)
            if not path:
                return None, words
            with open(path, 'rb') as one, open(self.base_object(output), 'rb') as other:
                if one.read() != other.read():
                    made[output] = path
        return made, ''

    def base_object(self, output):
        """The original, compiled as mutants are."""
        directory = os.path.join(self.dir, 'base')
        path = os.path.join(directory, output.replace('/', '_'))
        if not os.path.exists(path):
            os.makedirs(directory, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=self.dir) as scratch:
                made, words = self.compile(output, scratch)
                if not made:
                    raise Broken('the original of {} does not compile: {}'.format(output, words[-500:]))
                os.replace(made, path)
        return path

    def leaves_out(self, mutant, compiled):
        """Whether the preprocessor leaves out what the mutant changes, as the other branch of an #if."""
        if compiled.objects or mutant.file.endswith('.h'):
            return False
        outputs = self.objects_of(mutant.file)
        below = mutant.file.split('/', 1)[1]
        mutated = os.path.join(compiled.where, below)
        return all(self.preprocessed(output) == self.preprocessed(output, mutated, ['-ffile-prefix-map={}={}'.format(
            compiled.where + os.sep, self.commands[output][-1][:-len(below)])]) for output in outputs)

    def preprocessed(self, output, source=None, extra=()):
        command = list(self.commands[output])
        del command[command.index('-o'):command.index('-o') + 2]
        command = [word for word in command if word not in ('-c', '-MD')]
        command[-1:] = ['-w', '-E', '-P', *extra, source or command[-1]]
        for flag in ('-MF', '-MQ'):
            if flag in command:
                del command[command.index(flag):command.index(flag) + 2]
        done = subprocess.run(command, cwd=self.build, capture_output=True, text=True)
        return done.stdout if done.returncode == 0 else done.stderr + str(source)

    def begin(self, mutant):
        """Compiles the mutant: a Compiled, to be judged and then ended."""
        where = tempfile.mkdtemp(dir=self.dir, prefix=mutant.id + '.')
        objects, words = self.changed_objects(mutant, where)
        return Compiled(where, objects, words)

    def can_judge(self, mutant):
        """Only ThreadSanitizer knows of orders that the processor gives anyway."""
        return self.is_tsan or not mutant.changes_order_only()

    def steps(self, mutant, compiled):
        """What can be tried against the mutant: (name, seconds, function). The function says how the mutant fails; ''
        if it passes, None if that decides nothing."""
        return [(self.name + ': ' + test.name, test.seconds,
                 lambda test=test: self.try_test(test, compiled.objects, compiled.where))
                for test in (self.tests_for(mutant) if compiled.objects else [])]

    def try_test(self, test, objects, where):
        """How the mutant fails the test; '' if it passes, None if the test does not contain what differs."""
        program = self.link(test.product, objects, where)
        if not program:
            return None
        limit = max(self.timeout, 4 * test.seconds)
        failures = []
        for attempts in range(1, 1 + MOST_ATTEMPTS):
            status, _, output = self.run(test, program, limit)
            if status not in (0, 77):
                failures.append('does not end' if status is None else describe(status, output))
            if not failures or len(failures) == 2:
                break
        os.unlink(program)
        if len(failures) < 2:
            return ''
        again, _, _ = self.run(test, self.original(test), limit)
        return '{} ({} of {} runs)'.format(failures[0], len(failures), attempts) if again in (0, 77) else ''


def describe(status, output):
    if status < 0:
        return 'ends with ' + signal.Signals(-status).name
    for line in output.splitlines():
        if ':FAIL' in line:
            return ':'.join(line.split(':')[2:])[:160]
    return 'exit status {}'.format(status)
