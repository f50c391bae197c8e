"""One run of the program, and a series of them: time, CPU time, peak memory, heist's statistics, the output."""
import collections
import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

from report import words

Run = collections.namedtuple('Run', 'wall cpu memory others statistics output')
# What is run: the name of the runtime, the program with its arguments, and variables, as pairs.
Setting = collections.namedtuple('Setting', 'workload runtime workers command variables', defaults=((),))


class Failed(Exception):
    """The program could not be run, or it failed; the message is a line."""


def busy_ns():
    """What all CPUs have worked since the start of the machine; None where that is not known."""
    try:
        with open('/proc/stat', encoding='ascii') as source:
            ticks = [int(each) for each in source.readline().split()[1:9]]
        return (sum(ticks) - ticks[3] - ticks[4] - ticks[7]) * 10 ** 9 // os.sysconf('SC_CLK_TCK')
    except (OSError, ValueError, IndexError):
        return None


def statistics_of(path):
    try:
        with open(path, encoding='utf-8') as source:
            return json.load(source)
    except (OSError, ValueError):
        return None


def last_words(stream):
    stream.seek(0, os.SEEK_END)
    stream.seek(max(0, stream.tell() - 2000))
    lines = [line for line in stream.read().decode(errors='replace').splitlines() if line.strip()]
    return lines[-1][:200] if lines else 'it said nothing'


def how_it_ended(status):
    if status >= 0:
        return 'ended with status {}'.format(status)
    try:
        return 'was ended by {}'.format(signal.Signals(-status).name)
    except ValueError:
        return 'was ended by signal {}'.format(-status)


def peak_memory(used):
    """In bytes. The kernel counts what this process had when it made the other: less than that is not known."""
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used.ru_maxrss * 1024 if used.ru_maxrss > own else None


def run(setting, keep_output, scratch):
    """Runs the program once."""
    path = os.path.join(scratch, 'statistics.json')
    if os.path.exists(path):
        os.unlink(path)
    environment = dict(os.environ, HEIST_WORKERS=str(setting.workers), OMP_NUM_THREADS=str(setting.workers),
                       HEIST_STATS=path, **dict(setting.variables))
    with tempfile.TemporaryFile(dir=scratch) as out, tempfile.TemporaryFile(dir=scratch) as err:
        busy, began = busy_ns(), time.monotonic_ns()
        try:
            child = subprocess.Popen(setting.command, stdin=subprocess.DEVNULL, env=environment, stderr=err,
                                     stdout=out if keep_output else subprocess.DEVNULL)
        except OSError as error:
            raise Failed('{}: {}'.format(setting.command[0], error.strerror or error)) from None
        try:
            _, status, used = os.wait4(child.pid, 0)
        except BaseException:
            child.kill()
            child.wait()
            raise
        wall = time.monotonic_ns() - began
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise Failed('{} with {} {}: {}'.format(' '.join(setting.command), words.plural(setting.workers, 'worker'),
                                                    how_it_ended(child.returncode), last_words(err)))
        digest = None
        if keep_output:
            out.seek(0)
            digest = hashlib.sha256(out.read()).hexdigest()
    cpu, now = int((used.ru_utime + used.ru_stime) * 1e9), busy_ns()
    others = max(0.0, (now - busy - cpu) / wall) if busy is not None and now is not None and wall else None
    return Run(wall, cpu, peak_memory(used), others, statistics_of(path), digest)


class Progress:
    """A line that says how far it is; only on a terminal, unless it was asked for."""

    def __init__(self, total, wanted):
        self.total, self.done, self.began = total, 0, time.monotonic()
        self.shown = sys.stderr.isatty() if wanted is None else wanted

    def step(self, setting):
        if not self.shown:
            return
        left = ''
        if self.done:
            seconds = (time.monotonic() - self.began) / self.done * (self.total - self.done)
            left = ', about {}:{:02d} left'.format(int(seconds) // 60, int(seconds) % 60)
        print('\r\x1b[Krun {} of {}: {} with {}{}'.format(
            self.done + 1, self.total, setting.runtime, words.plural(setting.workers, 'worker'), left),
              end='', file=sys.stderr, flush=True)
        self.done += 1

    def end(self):
        if self.shown:
            print('\r\x1b[K', end='', file=sys.stderr, flush=True)


def series(settings, times, keep_output, wanted):
    """Runs all settings `times` times, interleaved: each round begins with another setting, so that none always comes
    after the same one. Returns the runs of each, and whether the series was interrupted."""
    found = {setting: [] for setting in settings}
    progress = Progress(times * len(settings), wanted)
    with tempfile.TemporaryDirectory(prefix='heist-scale-') as scratch:
        try:
            for round_number in range(times):
                first = round_number % len(settings)
                for setting in settings[first:] + settings[:first]:
                    progress.step(setting)
                    found[setting].append(run(setting, keep_output, scratch))
        except KeyboardInterrupt:
            return found, True
        finally:
            progress.end()
    return found, False
