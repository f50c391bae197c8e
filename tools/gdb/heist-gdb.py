"""heist in gdb: tasks under the names that their author gave them.

gdb loads this file by itself where libheist.so is installed below a directory of `show auto-load safe-path`; else:
    (gdb) source PREFIX/share/heist/heist-gdb.py
It reads frames and symbols only: the library needs no debug information, the program needs -g.

    break walk              the task walk; answer y where gdb offers to make the breakpoint pending
    heist break walk        the same without the question
    bt                      one frame a task, named walk; `bt -no-filters` shows all frames
    heist workers           the tasks of each thread that is a worker, or runs tasks as one
    heist parents           the parents of the selected thread's tasks, also across steals
"""
import re

import gdb
from gdb.FrameDecorator import FrameDecorator

MADE = re.compile(r'heist__gen_(task|body|exec|sync|spawn|maybe|run|detach)_(\w+)')
# gdb takes heist__x for a name of Ada, and shows heist.x.
PLUMBING = re.compile(r'heist(?:__|\.)(?:run_stolen|run_task|run_root|job_run|join_slow|push_slow|seat_run|'
                      r'switch_stack|'
                      r'call_on_stack|worker_main|run_plain)\b|^run_in$')
MOST_FRAMES = 100000


def made(frame):
    """(kind, task) of a frame that heist's macros made, else None."""
    match = MADE.search(frame.name() or '')
    return match.groups() if match else None


def task_of(frame):
    """The task whose body this frame is. A build with checks has two functions a task: the body is `task`."""
    parts = made(frame)
    if not parts:
        return None
    if parts[0] == 'task':
        return parts[1]
    newer = frame.newer()
    wraps = newer is not None and made(newer) == ('task', parts[1])
    return parts[1] if parts[0] == 'body' and not wraps else None


def hidden(frame):
    return task_of(frame) is None and (made(frame) is not None or PLUMBING.search(frame.name() or '') is not None)


# ---- backtraces ----

class TaskFrame(FrameDecorator):
    def function(self):
        return task_of(self.inferior_frame()) or super().function()

    def frame_args(self):
        arguments = super().frame_args()
        if arguments is None or task_of(self.inferior_frame()) is None:
            return arguments
        return [one for one in arguments if not str(one.symbol()).startswith('heist__')]


class OneFrameATask:
    """Leaves out the frames between a task and its parent, and names the task as its author does."""

    def __init__(self):
        self.name, self.priority, self.enabled = 'heist', 100, True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        return (TaskFrame(frame) for frame in frames if not hidden(frame.inferior_frame()))


# ---- breakpoints ----

def functions_of(task):
    """The functions that are the body of a task: the one with the user's code, and the parts that gcc split off."""
    said = gdb.execute('info functions heist__gen_[a-z]*_' + task, to_string=True)
    wanted = r'heist__gen_(?:task|body)_' + re.escape(task) + r'(?:\.part\.\d+)?(?!\w)'
    found = list(dict.fromkeys(re.findall(wanted, said)))
    bodies = [name for name in found if '_task_' in name]
    parts = [name for name in found if '.part.' in name]
    return bodies or parts or found


def break_at(task, rest):
    names = functions_of(task)
    condition = re.fullmatch(r'\s*if\b\s*(.*)', rest)
    for name in names:
        made_one = gdb.Breakpoint("'{}'".format(name) if '.' in name else name)
        if condition:
            made_one.condition = condition.group(1)
    return bool(names)


def resolve_pending(breakpoint):
    """`break walk` finds no function and becomes pending: the task of that name is meant."""
    match = re.fullmatch(r'(?:-function )?(\w+)\b.*', breakpoint.location or '')
    if getattr(breakpoint, 'pending', False) and match and functions_of(match.group(1)):
        gdb.post_event(lambda: replace(breakpoint, match.group(1)))


def replace(breakpoint, task):
    """A condition of a pending breakpoint is only in what gdb shows of it."""
    if not breakpoint.is_valid():
        return
    said = gdb.execute('info breakpoints {}'.format(breakpoint.number), to_string=True)
    rest = re.search(r'<PENDING>\s+(?:-function )?' + task + r'\b(.*)', said)
    breakpoint.delete()
    break_at(task, rest.group(1).rstrip() if rest else '')


# ---- threads and parents ----

def frames_of(thread):
    thread.switch()
    frame, count = gdb.newest_frame(), 0
    while frame is not None and count < MOST_FRAMES:
        yield frame
        frame, count = frame.older(), count + 1


def shown(frame):
    """walk (n=3) at walk.c:7"""
    values = []
    try:
        block = frame.block()
        while block.function is None:
            block = block.superblock
        for symbol in block:
            if symbol.is_argument and not symbol.name.startswith('heist__'):
                values.append('{}={}'.format(symbol.name, symbol.value(frame)))
    except (RuntimeError, gdb.error):
        pass
    line = frame.find_sal()
    where = ' at {}:{}'.format(line.symtab.filename, line.line) if line.symtab else ''
    return '{} ({}){}'.format(task_of(frame), ', '.join(values), where)


def record_of(frame):
    """The address of the child's record, which lies in its parent's frame; None: not known here."""
    try:
        return int(frame.read_var('heist__t'))
    except (ValueError, gdb.error):
        return None


def frame_around(address):
    """(thread, frame) whose stack memory holds the address."""
    for thread in gdb.selected_inferior().threads():
        for frame in frames_of(thread):
            older = frame.older()
            if older is not None and int(frame.read_register('sp')) <= address < int(older.read_register('sp')):
                return thread, frame
    return None, None


def label(thread):
    return 'thread {} "{}"'.format(thread.num, thread.name)


def kept(function):
    """Runs `function` and selects thread and frame again as they were."""
    thread, frame = gdb.selected_thread(), gdb.selected_frame() if gdb.selected_thread() else None
    try:
        function()
    finally:
        if thread is not None:
            thread.switch()
            frame.select()


def print_workers():
    for thread in sorted(gdb.selected_inferior().threads(), key=lambda one: one.num):
        tasks = [shown(frame) for frame in frames_of(thread) if task_of(frame)]
        is_worker = re.fullmatch(r'.*/\d+', thread.name or '') is not None
        if tasks:
            print('{}: {}; tasks on its stack: {}'.format(label(thread), tasks[0], len(tasks)))
        elif is_worker:
            print('{}: no task'.format(label(thread)))


def print_parents():
    """A child that was not stolen has its record in its own thread's stack: the parent is an older frame."""
    thread, seen = gdb.selected_thread(), set()
    frame = gdb.newest_frame() if thread else None
    while frame is not None:
        if task_of(frame):
            print('{}: {}'.format(label(thread), shown(frame)))
        record = record_of(frame) if made(frame) and made(frame)[0] == 'exec' else None
        if record is None:
            frame = frame.older()
            continue
        owner, around = frame_around(record)
        if owner is None or record in seen:
            print('  given to this thread; its parent was not found')
            return
        seen.add(record)
        if owner.num != thread.num:
            print('  {} {}'.format('run for' if (made(around) or ('',))[0] == 'run' else 'stolen from', label(owner)))
        thread, frame = owner, around


class Heist(gdb.Command):
    """heist break TASK [if CONDITION], heist workers, heist parents: see the head of heist-gdb.py."""

    def __init__(self):
        super().__init__('heist', gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        command, _, rest = argument.strip().partition(' ')
        task, _, condition = rest.strip().partition(' ')
        if command == 'break' and task:
            if not break_at(task, ' ' + condition if condition else ''):
                raise gdb.GdbError('there is no task {}'.format(task))
        elif command == 'workers' and not rest:
            kept(print_workers)
        elif command == 'parents' and not rest:
            kept(print_parents)
        else:
            raise gdb.GdbError('heist break TASK [if CONDITION] | heist workers | heist parents')


OneFrameATask()
Heist()
gdb.events.breakpoint_created.connect(resolve_pending)
