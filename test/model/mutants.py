"""mutants.py: every edge of DEQUE.md, IDLE.md and TERMINATION.md, and A1 and A2 of OPENMP.md, weakened.

A mutant names the edge, says what is done to it, and gives the text of the source that is replaced, which must occur
there exactly once. `survives` is the reason why no run can show the difference; then the checker must not find one.
"""
import re

import scenarios


class Mutant:
    def __init__(self, edge, what, file, old, new, harnesses, first='', survives='', slow=False, elsewhere=''):
        self.edge = edge
        self.what = what
        self.file = file
        self.old = old
        self.new = new
        self.harnesses = harnesses.split()
        self.first = first  # scenarios to try before the harness's own, "harness: scenario"
        self.survives = survives
        self.elsewhere = elsewhere  # out of reach of the scenarios: what shows it instead
        self.slow = slow  # left to the full run
        self.header = file.endswith('.h')

    def slug(self):
        return re.sub(r'[^A-Za-z0-9]+', '-', self.edge + ' ' + self.what)

    def scenarios(self):
        """Which to try, in this order: (harness, scenarios). The one known to kill comes first."""
        first = [self.first] if self.first else []
        return [(name, first + [s for s in scenarios.HARNESSES[name].quick if s not in first])
                for name in self.harnesses]


RING = 'deque/ring_deque.c'
TASK_DEQUE = 'deque/task_deque.c'
TASK = 'heist/task.h'
JOIN = 'schedule/join.c'
NESTING = 'schedule/nesting.c'
SPAWN = 'schedule/spawn.c'
WORKER = 'schedule/worker.c'
IDLE = 'idle/idle.c'
LENDING = 'idle/lending.c'
SEAT = 'schedule/seat.c'
RUN = 'schedule/run.c'
JOB = 'schedule/job.c'
SCOPE_WAIT = 'schedule/scope_wait.c'
SCOPE_CORE = 'schedule/scope_core.c'
SCOPE_CORE_H = 'schedule/scope_core.h'
SUBMIT = 'schedule/submit.c'
RETURNED = 'memory/returned.h'
WAITERS = 'quiescence/waiters.c'
STEAL = 'schedule/steal.c'
INBOX_FIND = 'schedule/inbox_find.c'
THREADS = 'schedule/worker_threads.c'
POOL = 'schedule/pool.c'
OUTSIDERS = 'schedule/outsiders.h'
DETECTOR = 'quiescence/detector.c'
INBOX = 'schedule/inbox_builtin.c'
FUTURE = 'async/future.h'
COMPLETE = 'async/complete.c'
SOURCES = 'async/sources.c'
START = 'async/start.c'
TAIL = 'openmp/core/private_tail.h'
DECIDE = 'openmp/core/decide.h'
TAIL_THIEF = 'openmp/core/private_tail.c'

# Scenarios that kill several.
OLDER = 'shape=older park --preemptions 3 --stale 1'
JOINING = 'bare pusher=ppj --preemptions 2 --stale 0'
HANDED_OVER = 'bare outside=R --preemptions 3 --stale 1'

MUTANTS = [
    # --- futures ---
    Mutant('Y1', 'a task that may begin is published relaxed', START,
           'heist__store_release(&f->task.state, HEIST__TASK_READY);',
           'heist__store_relaxed(&f->task.state, HEIST__TASK_READY);', 'future',
           first='actors=wk'),
    Mutant('Y1', 'the task is claimed with a store', START,
           'if (state == HEIST__TASK_READY) {\n'
           '            if (heist__cas_acq_rel(&f->task.state, &state, to)) return true;',
           'if (state == HEIST__TASK_READY) {\n'
           '            heist__store_release(&f->task.state, to);\n            return true;', 'future',
           first='actors=wi'),
    Mutant('Y1', 'the task is claimed relaxed', START,
           'if (state == HEIST__TASK_READY) {\n'
           '            if (heist__cas_acq_rel(&f->task.state, &state, to)) return true;',
           'if (state == HEIST__TASK_READY) {\n'
           '            if (heist__cas_relaxed(&f->task.state, &state, to)) return true;', 'future',
           survives='a thread that waits loads the state with acquire before it claims the task, and a worker that '
                    'gets the job has the order of its queue'),
    Mutant('J2', 'the end of a future is stored relaxed', START,
           'heist__store_release(&f->task.state, HEIST__TASK_DONE); /* J2 */',
           'heist__store_relaxed(&f->task.state, HEIST__TASK_DONE); /* J2 */', 'future', first='actors=wo'),
    Mutant('J2', 'a future is looked at relaxed', FUTURE,
           'return heist__load_acquire(&f->task.state) == HEIST__TASK_DONE;',
           'return heist__load_relaxed(&f->task.state) == HEIST__TASK_DONE;', 'future', first='actors=wo'),
    Mutant('Y2', 'the list is closed with a store', COMPLETE,
           'uintptr_t list = heist__exchange_acq_rel(&f->list, HEIST__CLOSED);',
           'uintptr_t list = heist__load_acquire(&f->list);\n'
           '    heist__store_release(&f->list, HEIST__CLOSED);', 'future', first='actors=wo'),
    Mutant('Y2', 'the list is closed relaxed', COMPLETE,
           'uintptr_t list = heist__exchange_acq_rel(&f->list, HEIST__CLOSED);',
           'uintptr_t list = model__exchange_relaxed(&f->list, HEIST__CLOSED);', 'future',
           first='actors=wtd --preemptions 3 --stale 1'),
    Mutant('Y2', 'a follower is put into the list relaxed', COMPLETE,
           '} while (!heist__cas_acq_rel(&f->list, &list, (uintptr_t)first | (list & HEIST__SLEEPERS)));',
           '} while (!heist__cas_relaxed(&f->list, &list, (uintptr_t)first | (list & HEIST__SLEEPERS)));', 'future',
           first='actors=wtd --preemptions 3 --stale 1'),
    Mutant('Y2', 'a thread that adds a follower forgets the sleepers', COMPLETE,
           '(uintptr_t)first | (list & HEIST__SLEEPERS)));', '(uintptr_t)first));', 'future',
           first='actors=wot --preemptions 2 --stale 1'),
    Mutant('Y2', 'a sleeper forgets the followers', COMPLETE,
           'if (heist__cas_acq_rel(&f->list, &list, list | HEIST__SLEEPERS)) break;',
           'if (heist__cas_acq_rel(&f->list, &list, HEIST__SLEEPERS)) break;', 'future',
           first='actors=wot --preemptions 2 --stale 1'),
    Mutant('Y2', 'all sources are counted relaxed', COMPLETE,
           'if (heist__add_acq_rel(&s->left, (size_t)-1) != 1) return NULL;',
           'if (heist__add_relaxed(&s->left, (size_t)-1) != 1) return NULL;', 'future',
           first='actors=wap --preemptions 2 --stale 1'),
    Mutant('Y2', 'two sources are the first of any', COMPLETE,
           'return heist__cas_acq_rel(&s->first, &none, (size_t)(follower - s->followers) + 1);',
           'heist__store_release(&s->first, (size_t)(follower - s->followers) + 1);\n    return none == 0;', 'future',
           first='actors=wbp --preemptions 2 --stale 1'),
    Mutant('Y2', 'followers that were taken out are lost when the list is closed', COMPLETE,
           '        last->next = NULL;\n        tell_all(first);\n', '        last->next = NULL;\n', 'future',
           first='actors=wtt --preemptions 3 --stale 0'),
    Mutant('Y3', 'sleepers are woken and the word does not say so', COMPLETE,
           'heist__store_release(&f->wake, 1);', ';', 'future', first='actors=wo'),
    Mutant('Y3', 'the word of the sleepers is stored relaxed', COMPLETE,
           'heist__store_release(&f->wake, 1);', 'heist__store_relaxed(&f->wake, 1);', 'future',
           survives='a woken thread looks at the state itself, and looks again until it reads "done"'),
    Mutant('Y4', 'a worker takes a claimed task without keeping the pool', START,
           'heist__outsider_enter(&f->pool->outsiders);                      /* Y4: before the CAS */', ';', 'future',
           first='actors=woe seat=2 --preemptions 3 --stale 1'),
    Mutant('Y4', 'the count of a worker that took the task is not taken back', START,
           '    heist__outsider_leave(&f->pool->outsiders);                      /* Y4: the worker\'s count */\n', '',
           'future', first='actors=woe seat=2 --preemptions 3 --stale 1'),
    Mutant('Y4', 'a thread from outside does not count itself', START,
           'heist__outsider_enter(&pool->outsiders);', ';', 'future',
           first='actors=woe seat=2 --preemptions 3 --stale 1'),
    Mutant('Y5', 'references are given up relaxed', FUTURE,
           'if (heist__add_acq_rel(&f->refs, (uint32_t)-1) == 1)',
           'if (heist__add_relaxed(&f->refs, (uint32_t)-1) == 1)', 'future', first='actors=wo'),
    Mutant('Y5', 'sources are dropped while a worker reads them', SOURCES,
           'if (heist__add_acq_rel(&s->readers, DONE_WITH) == 0) drop_sources(s);',
           'heist__add_acq_rel(&s->readers, DONE_WITH);\n    drop_sources(s);', 'future',
           first='actors=wkk --preemptions 2 --stale 1'),
    Mutant('Y5', 'the last reader forgets the sources', SOURCES,
           'if (heist__add_acq_rel(&s->readers, (uint32_t)-2) == (2 | DONE_WITH)) drop_sources(s);',
           'heist__add_acq_rel(&s->readers, (uint32_t)-2);', 'future',
           first='actors=wkk --preemptions 2 --stale 1'),

    # --- the ring deque ---
    Mutant('R1', 'push publishes relaxed', RING, 'heist__store_release(&deque->bottom, bottom + 1)',
           'heist__store_relaxed(&deque->bottom, bottom + 1)', 'ring'),
    Mutant('R1', 'look reads bottom relaxed', RING, 'return heist__load_acquire(&deque->bottom)',
           'return heist__load_relaxed(&deque->bottom)', 'ring'),
    Mutant('R1', 'pop lowers bottom relaxed', RING, 'heist__store_release(&deque->bottom, bottom);\n    heist__fence',
           'heist__store_relaxed(&deque->bottom, bottom);\n    heist__fence', 'ring'),
    Mutant('R2', 'the grown ring is published relaxed', RING, 'heist__store_seq_cst(&deque->ring, next)',
           'heist__store_relaxed(&deque->ring, next)', 'ring',
           first='script=pppoo tries=2'),
    Mutant('R2', 'the thief loads the ring relaxed', RING, 'heist__load_seq_cst(&deque->ring)',
           'heist__load_relaxed(&deque->ring)', 'ring',
           first='script=pppoo tries=2'),
    Mutant('R3', 'no fence in pop', RING, '    heist__fence_seq_cst();                  /* R3: bottom',
           '    /* R3: bottom',
           'ring'),
    Mutant('R3', 'no fence in look', RING, '    heist__fence_seq_cst();                  /* R3: top', '    /* R3: top',
           'ring'),
    Mutant('R4', 'push reads top relaxed', RING, 'uint64_t top = heist__load_acquire(&deque->top)',
           'uint64_t top = heist__load_relaxed(&deque->top)', 'ring',
           first='script=pppoo tries=2'),
    Mutant('R4', 'settle moves top without release', RING, 'heist__cas_seq_cst(&deque->top, &expected, theft->top + 1)',
           'model__cas_acquire(&deque->top, &expected, theft->top + 1)', 'ring',
           first='script=pppoo tries=2'),
    Mutant('R5', 'the owner takes the last without a CAS', RING,
           'if (left == 0 && !heist__cas_seq_cst(&deque->top, &top, top + 1)) {',
           'if (left == 0 && (heist__store_seq_cst(&deque->top, top + 1), false)) {', 'ring'),
    Mutant('R5', 'the owner takes the last by a relaxed CAS', RING,
           'if (left == 0 && !heist__cas_seq_cst(&deque->top, &top, top + 1)) {',
           'if (left == 0 && !heist__cas_relaxed(&deque->top, &top, top + 1)) {', 'ring',
           survives='R5 needs the CAS, not its order: top is one location, whose stores have one order anyhow; what '
                    'it must be ordered with, bottom and the ring, R3 and R4 order'),
    Mutant('R5', 'a thief takes by a CAS that is not seq_cst', RING,
           'heist__cas_seq_cst(&deque->top, &expected, theft->top + 1)',
           'heist__cas_acq_rel(&deque->top, &expected, theft->top + 1)', 'ring',
           survives='as above; its release half is R4'),
    Mutant('R6', 'enter counts acq_rel', RING, 'heist__add_seq_cst(&deque->readers[side].count, 1)',
           'heist__add_acq_rel(&deque->readers[side].count, 1)', 'ring',
           first='script=pppoo tries=2'),
    Mutant('R6', 'the thief loads the ring acquire', RING, 'heist__load_seq_cst(&deque->ring)',
           'heist__load_acquire(&deque->ring)', 'ring',
           first='script=pppoo tries=2'),
    Mutant('R6', 'the ring is replaced with release', RING, 'heist__store_seq_cst(&deque->ring, next)',
           'heist__store_release(&deque->ring, next)', 'ring',
           first='script=pppoo tries=2'),
    Mutant('R6', 'the counters are read acquire', RING, 'heist__load_seq_cst(&deque->readers[side].count)',
           'heist__load_acquire(&deque->readers[side].count)', 'ring',
           first='script=pppoo tries=2'),
    Mutant('R7', 'leave counts relaxed', RING, 'heist__add_acq_rel(&deque->readers[side].count, -1)',
           'heist__add_relaxed(&deque->readers[side].count, -1)', 'ring',
           first='script=pppoo tries=2'),
    Mutant('R7', 'leave counts acquire', RING, 'heist__add_acq_rel(&deque->readers[side].count, -1)',
           'model__add_acquire(&deque->readers[side].count, -1)', 'ring',
           first='script=pppoo tries=2'),
    Mutant('R7', 'the counters are read relaxed', RING, 'heist__load_seq_cst(&deque->readers[side].count)',
           'heist__load_relaxed(&deque->readers[side].count)', 'ring',
           first='script=pppoo tries=2'),
    Mutant('R6', 'one counter at 0 suffices', RING, 'ring->idle_seen == BOTH_SIDES', 'ring->idle_seen', 'ring',
           first='script=pppoo tries=2'),
    Mutant('R trap', 'the grown ring is not cleared', RING, 'deque->allocate(1, sizeof *ring +',
           'malloc(sizeof *ring +', 'ring',
           first='script=pppoo tries=2'),
    Mutant('R3', 'a thief that takes half does not look anew for each element', RING,
           'more = --attempts > 0 && heist__deque_look(deque, &theft) == HEIST_STEAL_GOT;',
           'more = --attempts > 0;\n        theft.top++;', 'ring', first='script=ppppoo tries=2 half'),
    Mutant('R trap', 'unsigned compare', RING, 'return theft->length > 0 ?', 'return (uint64_t)theft->length > 0 ?',
           'ring'),

    # --- the private tail of an OpenMP thread's deque ---
    Mutant('A1', 'setting aside publishes relaxed', TAIL, 'heist__store_release(&self->tail, tail + 1)',
           'heist__store_relaxed(&self->tail, tail + 1)', 'private_tail'),
    Mutant('A1', 'a forcing thief reads the tail relaxed', TAIL_THIEF, 'heist__load_acquire(&victim->tail)',
           'heist__load_relaxed(&victim->tail)',
           'private_tail'),
    Mutant('A1', 'the owner lowers the tail relaxed', TAIL, 'heist__store_release(&self->tail, tail);     ',
           'heist__store_relaxed(&self->tail, tail);     ', 'private_tail'),
    Mutant('A2', 'no barrier before a task is forced', TAIL_THIEF,
           'heist__heavy_barrier(false) && look_at_tail(victim, &theft)',
           'look_at_tail(victim, &theft)', 'private_tail'),
    Mutant('A2', 'the owner does not read forced', TAIL, 'heist__load_acquire(&self->forced) == 0', 'true',
           'private_tail'),
    Mutant('A2', 'the owner reads forced relaxed', TAIL, 'heist__load_acquire(&self->forced) == 0',
           'heist__load_relaxed(&self->forced) == 0', 'private_tail'),
    Mutant('A2', 'the owner reads forced before it lowers the tail', TAIL,
           'uint64_t tail = heist__load_relaxed(&self->tail) - 1;        /* relaxed: as the ring */\n'
           '    heist__store_release(&self->tail, tail);                     /* A1 */\n'
           '    heist__compiler_barrier();                                   /* A2: the light half. Pairs with A2 in '
           'private_tail.c. */\n'
           '    /* A2. relaxed: if no thief was there since, the top is that of its last visit, or newer */\n'
           '    if (__builtin_expect(heist__load_acquire(&self->forced) == 0, 1) &&',
           'uint64_t tail = heist__load_relaxed(&self->tail) - 1;\n'
           '    bool none_forces = heist__load_acquire(&self->forced) == 0;\n'
           '    heist__store_release(&self->tail, tail);\n'
           '    if (none_forces &&', 'private_tail'),
    Mutant('A2', 'the owner does not look how far the top is', TAIL,
           '__builtin_expect((int64_t)(tail - heist__load_relaxed(&deque->top)) >= 0, 1)', 'true', 'private_tail'),
    Mutant('A2', 'a forcing thief does not count itself', TAIL_THIEF, 'heist__add_seq_cst(&victim->forced, 1);',
           'heist__add_seq_cst(&victim->forced, 0);',
           'private_tail'),
    Mutant('A2', 'a forcing thief leaves relaxed', TAIL_THIEF, 'heist__add_acq_rel(&victim->forced, (uint32_t)-1)',
           'heist__add_relaxed(&victim->forced, (uint32_t)-1)', 'private_tail'),
    Mutant('A2', 'a forcing thief leaves before it has taken', TAIL_THIEF,
           'if (heist__heavy_barrier(false) && look_at_tail(victim, &theft))\n'
           '        task = heist__omp_steal_seen(self, heist__omp_deque_of(victim), &theft, within);\n'
           '    heist__add_acq_rel(&victim->forced, (uint32_t)-1); /* A2: after the theft */',
           'bool any = heist__heavy_barrier(false) && look_at_tail(victim, &theft);\n'
           '    heist__add_acq_rel(&victim->forced, (uint32_t)-1);\n'
           '    if (any) task = heist__omp_steal_seen(self, heist__omp_deque_of(victim), &theft, within);',
           'private_tail'),
    Mutant('A2', 'a forcing thief counts itself relaxed', TAIL_THIEF, 'heist__add_seq_cst(&victim->forced, 1)',
           'heist__add_relaxed(&victim->forced, 1)',
           'private_tail', survives='the fence and the heavy barrier that follow order it'),
    Mutant('A2', 'what thieves see already is made private again', DECIDE,
           'if (length < self->enough && (self->lock_depth || !heist__omp_show_enough(self))) return false;',
           'if ((self->lock_depth || !heist__omp_show_enough(self)) && length < self->enough) return false;',
           'private_tail',
           first='script=ppasoo thieves=tt --preemptions 2 --stale 1'),
    Mutant('R3', 'no fence in look_at_tail', TAIL_THIEF,
           '    heist__fence_seq_cst();                                              /* R3: top before tail',
           '    /* R3: top before tail', 'private_tail'),
    Mutant('A2', 'the owner takes a task that a thief forces without a CAS', TAIL_THIEF,
           '    heist__omp_tail_show(self, tail + 1);\n'
           '    bool got = heist_deque_pop(self->deque, &task) == HEIST_STEAL_GOT;',
           '    const heist__ring *ring = heist__load_relaxed(&self->deque->ring);\n'
           '    bool got = (int64_t)(tail - heist__load_acquire(&self->deque->top)) >= 0;\n'
           '    if (got) task = heist__load_relaxed(&ring->slots[tail & ring->mask]);\n'
           '    heist__omp_tail_show(self, got ? tail : heist__load_acquire(&self->deque->top));', 'private_tail'),

    # --- the task deque ---
    Mutant('D1', 'push publishes relaxed', TASK, 'heist__store_release(&w->bottom, bottom); /* D1',
           'heist__store_relaxed(&w->bottom, bottom); /* D1', 'task_deque'),
    Mutant('D1', 'pop lowers bottom relaxed', TASK, 'heist__store_release(&w->bottom, slot);   /* D2',
           'heist__store_relaxed(&w->bottom, slot);   /* D2', 'task_deque',
           first='script=abBA tries=2 --preemptions 3 --stale 2'),
    Mutant('D1', 'the thief reads bottom relaxed before it publishes', TASK_DEQUE,
           'heist_slot *bottom = heist__load_acquire(&f->face.bottom); /* D1, D2 */',
           'heist_slot *bottom = heist__load_relaxed(&f->face.bottom); /* D1, D2 */', 'task_deque',
           first='script=abAB tries=2 --preemptions 3 --stale 1'),
    Mutant('D1', 'take_out raises bottom relaxed', TASK_DEQUE,
           'heist__store_release(&f->face.bottom, bottom); /* D1 */',
           'heist__store_relaxed(&f->face.bottom, bottom); /* D1 */', 'task_deque',
           first='script=abAB tries=2 --preemptions 3 --stale 1'),
    Mutant('D1', 'absorb lowers bottom relaxed at the end', TASK_DEQUE,
           'heist__store_release(&f->face.bottom, bottom - 1);                                   /* D1 */',
           'heist__store_relaxed(&f->face.bottom, bottom - 1);', 'task_deque',
           survives='a thief that publishes on the strength of this value has read published as absorb has just '
                    'written it '
                    '(its CAS says so), and that was with release, after the slots: D5'),
    Mutant('D2', 'no heavy barrier', TASK_DEQUE, 'if (!heist__heavy_barrier(f->fenced)) return HEIST_STEAL_LOST;', '',
           'task_deque'),
    Mutant('D2', 'the thief does not shut the gate', TASK_DEQUE,
           '    heist__store_relaxed(f->pop_gate, HEIST__POP_SHUT);\n    heist__store_relaxed(f->push_gate',
           '    heist__store_relaxed(f->push_gate', 'task_deque'),
    Mutant('D2', 'no fence in claim, fence mode', TASK_DEQUE, '        heist__fence_seq_cst(); /* D2, fence mode',
           '        /*',
           'task_deque',
           first='script=aA tries=2 fenced'),
    Mutant('D2', 'pop does not lower bottom before the gate', TASK,
           '    heist__store_release(&w->bottom, slot);   /* D2', '    /* D2', 'task_deque'),
    Mutant('D2', 'take_out does not lower bottom', TASK_DEQUE,
           '    heist__store_release(&f->face.bottom, slot); /* D2 */\n', '',
           'task_deque',
           first='script=abAB tries=2 --preemptions 3 --stale 1'),
    Mutant('D3', 'the thief does not shut the push gate', TASK_DEQUE,
           '    heist__store_relaxed(f->push_gate, HEIST__PUSH_SHUT);\n    for', '    for', 'task_deque',
           survives='D3 is for speed alone: a request that no push hears is heard by the next pop or join, or the '
                    'thief'
                    'publishes by itself'),
    Mutant('D4', 'the gate is opened after the tag', TASK_DEQUE,
           '    heist__store_relaxed(f->pop_gate, f->slots + number);\n'
           '    if (heist__cas_acq_rel(&f->published, &published, '
           'renumbered(published, number))) return true;',
           '    if (heist__cas_acq_rel(&f->published, &published, renumbered(published, number))) {\n'
           '        heist__store_relaxed(f->pop_gate, f->slots + number);\n        return true;\n    }', 'task_deque',
           first='script=abBA tries=2 --preemptions 3 --stale 2'),
    Mutant('D4', 'the owner publishes relaxed', TASK_DEQUE,
           'heist__cas_acq_rel(&f->published, &published, renumbered(published, number))',
           'heist__cas_relaxed(&f->published, &published, renumbered(published, number))', 'task_deque',
           first='script=abBA tries=2 --preemptions 3 --stale 2'),
    Mutant('D4', 'the owner publishes under the old tag', TASK_DEQUE,
           'heist__cas_acq_rel(&f->published, &published, renumbered(published, number))',
           'heist__cas_acq_rel(&f->published, &published, published >> 32 << 32 | number)', 'task_deque'),
    Mutant('D4', 'the thief reads published relaxed', TASK_DEQUE,
           'uint64_t published = heist__load_acquire(&f->published); /* D4, D5, D6 */',
           'uint64_t published = heist__load_relaxed(&f->published);', 'task_deque',
           first='script=abBA tries=2 --preemptions 3 --stale 2'),
    Mutant('D4', 'the gate is not shut again after a lost CAS', TASK_DEQUE,
           '    heist__store_relaxed(f->pop_gate, HEIST__POP_SHUT); /* relaxed: for', '    /* relaxed: for',
           'task_deque',
           first='script=abBA tries=2 --preemptions 3 --stale 2'),
    Mutant('D5', 'the thief publishes relaxed', TASK_DEQUE,
           'return heist__cas_acq_rel(&f->published, &published, renumbered(published, offer)) /* D4, D5 */',
           'return heist__cas_relaxed(&f->published, &published, renumbered(published, offer))', 'task_deque',
           first='script=bc leave begin=1 thieves=2 tries=2 --preemptions 3 --stale 0'),
    Mutant('D5', 'the thief publishes without release', TASK_DEQUE,
           'return heist__cas_acq_rel(&f->published, &published, renumbered(published, offer))',
           'return model__cas_acquire(&f->published, &published, renumbered(published, offer))', 'task_deque',
           first='script=bc leave begin=1 thieves=2 tries=2 --preemptions 3 --stale 0'),
    Mutant('D5', 'the thief reads published relaxed after asking', TASK_DEQUE,
           'published = heist__load_acquire(&f->published); /* D5 */',
           'published = heist__load_relaxed(&f->published);',
           'task_deque',
           first='script=abAB tries=2 --preemptions 3 --stale 1'),
    Mutant('D6', 'claim does not change the tag of top', TASK_DEQUE,
           '            heist__task_deque_renew(f);\n            stolen',
           '            stolen', 'task_deque'),
    Mutant('D6', 'top is renewed relaxed', TASK_DEQUE,
           'heist__cas_acq_rel(&f->top, &top, renumbered(top, number_of(top)))',
           'heist__cas_relaxed(&f->top, &top, renumbered(top, number_of(top)))', 'task_deque'),
    Mutant('D6', 'the thief looks at top relaxed', TASK_DEQUE, 'return heist__load_acquire(&f->top); /* D6, D7, J4 */',
           'return heist__load_relaxed(&f->top);', 'task_deque'),
    Mutant('D6', 'the thief takes by a relaxed CAS', TASK_DEQUE, 'return heist__cas_acq_rel(&f->top, &seen, seen + 1)',
           'return heist__cas_relaxed(&f->top, &seen, seen + 1)', 'task_deque',
           survives='the acquire is in the look, of the same value; and nobody needs its release: the slot is used '
                    'again only when the child has been joined, after J2'),
    Mutant('D6', 'claim does not bring published up to top', TASK_DEQUE,
           '            while (stolen > number_of(published = heist__load_relaxed(&f->published)) &&\n'
           '                   !move_published(f, published, stolen)) {\n            }\n', '', 'task_deque',
           first='script=abcABC tries=3 --preemptions 3 --stale 0'),
    Mutant('D7', 'absorb lowers top before published', TASK_DEQUE,
           '    while (!move_published(f, heist__load_relaxed(&f->published), stolen - 1)) {\n'
           '    } /* relaxed: the CAS checks '
           'it */\n    heist__store_release(&f->top, renumbered(heist__load_relaxed(&f->top), stolen - 1));',
           '    heist__store_release(&f->top, renumbered(heist__load_relaxed(&f->top), stolen - 1));\n'
           '    while (!move_published(f, heist__load_relaxed(&f->published), stolen - 1)) {\n    }', 'task_deque'),
    Mutant('D7', 'absorb leaves published where it was', TASK_DEQUE,
           '    while (!move_published(f, heist__load_relaxed(&f->published), stolen - 1)) {\n'
           '    } /* relaxed: the CAS checks '
           'it */\n', '', 'task_deque'),
    Mutant('D7', 'absorb lowers bottom last', TASK_DEQUE,
           'heist__store_release(&f->face.bottom, end > stolen ? f->slots : bottom - 1); /* D2, D7 */',
           'if (end > stolen) heist__store_release(&f->face.bottom, f->slots);', 'task_deque'),
    Mutant('D7', 'absorb lowers top relaxed', TASK_DEQUE, 'heist__store_release(&f->top, renumbered',
           'heist__store_relaxed(&f->top, renumbered', 'task_deque'),
    Mutant('D7', 'absorb lowers top under the old tag', TASK_DEQUE,
           'heist__store_release(&f->top, renumbered(heist__load_relaxed(&f->top), stolen - 1))',
           'heist__store_release(&f->top, heist__load_relaxed(&f->top) >> 32 << 32 | (stolen - 1))', 'task_deque',
           first='script=abBA thieves=2 --preemptions 2 --stale 1'),
    Mutant('D7', 'absorb does not withdraw the younger ones', TASK_DEQUE,
           'end > stolen ? f->slots : bottom - 1); /* D2, D7 */',
           'end > stolen ? bottom : bottom - 1);', 'task_deque',
           first='script=abAB tries=2 --preemptions 3 --stale 1'),
    Mutant('D7', 'absorb does not claim', TASK_DEQUE, '        heist__task_deque_claim(f, f->slots);', '        ;',
           'task_deque',
           first='script=abAB tries=2 --preemptions 3 --stale 1'),
    Mutant('D7', 'absorb does not move the youngest', TASK_DEQUE,
           '            heist__store_relaxed(&f->slots[stolen - 1], youngest);\n', '', 'task_deque',
           first='script=abAB tries=2 --preemptions 3 --stale 1'),

    # --- the join ---
    Mutant('J1', 'an owner takes back a slot that holds another child by now', JOIN,
           'return *slot < bottom && heist__load_relaxed(*slot) == task;', 'return *slot < bottom;', 'task_deque',
           first='script=abcABC thieves=2 --preemptions 2 --stale 0'),
    Mutant('J1', 'a leapfrogger reads relaxed what its victim waits for', JOIN,
           'heist__load_acquire(&thief->waits_on)', 'heist__load_relaxed(&thief->waits_on)', 'join', first=OLDER),
    Mutant('J1', 'a waiter names its thief relaxed', JOIN, 'heist__store_release(&w->waits_on, done << 16',
           'heist__store_relaxed(&w->waits_on, done << 16', 'join', first=OLDER),
    Mutant('J2', 'a leapfrogger follows a wait without looking whether its own link still holds', JOIN,
           'if (next == 0 || !link_holds(&l)) return false;', 'if (next == 0) return false;', 'join', first=OLDER),
    Mutant('J3', 'a waiter reads relaxed the count that it names its thief with', JOIN,
           'uint64_t done = heist__load_acquire(&w->children_done);',
           'uint64_t done = heist__load_relaxed(&w->children_done);', 'join', first=OLDER),
    Mutant('J3', 'an older wait is taken up before the count', STEAL, 'heist__add_seq_cst(&home->children_done, 1);',
           'heist__store_release(&w->waits_on, waits_on);\n    heist__add_seq_cst(&home->children_done, 1);', 'join',
           first=OLDER),
    Mutant('J3', 'an older wait is taken up relaxed', STEAL, 'heist__store_release(&w->waits_on, waits_on);',
           'heist__store_relaxed(&w->waits_on, waits_on);', 'join', first=OLDER),
    Mutant('J1', 'the thief says relaxed that it has the task', STEAL,
           'heist__store_release(&task->state, HEIST__TASK_TAKEN',
           'heist__store_relaxed(&task->state, HEIST__TASK_TAKEN',
           'join'),
    Mutant('J1', 'the thief says so before its level', STEAL,
           '    heist__nesting_enter(w, task, stolen->core, stolen->from);\n    uint64_t waits_on',
           '    heist__store_release(&task->state, HEIST__TASK_TAKEN | (uintptr_t)w->index << 3);\n'
           '    heist__nesting_enter(w, task, stolen->core, stolen->from);\n    uint64_t waits_on', 'join'),
    Mutant('J1', 'the thief keeps what it said it waits on', STEAL,
           '    heist__store_relaxed(&w->waits_on, 0);                                            /* relaxed: J1',
           '    /*',
           'join',
           first='shape=crossed --preemptions 3 --stale 0'),
    Mutant('J1', 'the waiter reads the state relaxed', JOIN,
           'uintptr_t state = heist__load_acquire(&task->state); /* J1, J2 */',
           'uintptr_t state = heist__load_relaxed(&task->state);', 'join task_deque'),
    Mutant('J2', 'done is stored relaxed', STEAL, 'heist__store_release(&task->state, HEIST__TASK_DONE)',
           'heist__store_relaxed(&task->state, HEIST__TASK_DONE)', 'task_deque join'),
    Mutant('J2', 'a leapfrogger does not look whether it still waits', JOIN,
           '        if (!link_holds(&l)) return false;\n        heist__stolen found;', '        heist__stolen found;',
           'join'),
    Mutant('J3', 'children_done is not counted', STEAL,
           '    heist__add_seq_cst(&home->children_done, 1);          /* J3 */\n', '', 'join',
           first='shape=below park'),
    Mutant('J3', 'children_done is counted relaxed', STEAL, 'heist__add_seq_cst(&home->children_done, 1)',
           'heist__add_relaxed(&home->children_done, 1)', 'join',
           first='shape=below park'),
    Mutant('J3', 'children_done is counted after the tag', STEAL,
           '    heist__add_seq_cst(&home->children_done, 1);          /* J3 */\n'
           '    heist__task_deque_renew(&w->tasks);                      /* J4 */',
           '    heist__task_deque_renew(&w->tasks);\n    heist__add_seq_cst(&home->children_done, 1);', 'join',
           first='shape=chain --preemptions 3 --stale 0', slow=True),
    Mutant('J3', 'the waiter says relaxed that it sleeps', JOIN, 'heist__store_seq_cst(&w->join_asleep, 1)',
           'heist__store_relaxed(&w->join_asleep, 1)', 'join',
           first='shape=below park'),
    Mutant('J3', 'the thief looks relaxed whether the waiter sleeps', STEAL,
           'if (heist__load_seq_cst(&home->join_asleep))', 'if (heist__load_relaxed(&home->join_asleep))', 'join',
           first='shape=below park'),
    Mutant('J3', 'the waiter reads children_done after the state', JOIN,
           '    uint32_t done = heist__load_seq_cst(&w->children_done);      /* J3: the futex compares it */\n'
           '    if (heist__load_acquire(&task->state) != HEIST__TASK_DONE) { /* J2 */\n',
           '    if (heist__load_acquire(&task->state) != HEIST__TASK_DONE) {\n'
           '        uint32_t done = heist__load_seq_cst(&w->children_done);\n', 'join',
           first='shape=below park'),
    Mutant('J3', 'a waiter names its thief without looking again', JOIN,
           '    if (heist__load_acquire(&task->state) != taken) return; /* J2 */\n', '', 'join',
           first=OLDER),
    Mutant('J4', 'the tag of top does not change when a stolen task ends', STEAL,
           '    heist__task_deque_renew(&w->tasks);                      /* J4 */\n', '', 'join',
           first='shape=pair --preemptions 2 --stale 1'),
    Mutant('J4', 'the tag changes before done', STEAL,
           '    heist__store_release(&task->state, HEIST__TASK_DONE); /* J2: last touch of *task */\n',
           '    heist__task_deque_renew(&w->tasks);\n    heist__store_release(&task->state, HEIST__TASK_DONE);\n'
           '    if (0)', 'join',
           first='shape=below park'),
    Mutant('J4', 'top is renewed relaxed', TASK_DEQUE,
           'heist__cas_acq_rel(&f->top, &top, renumbered(top, number_of(top)))',
           'heist__cas_relaxed(&f->top, &top, renumbered(top, number_of(top)))', 'join',
           first='shape=pair --preemptions 3 --stale 2', slow=True),
    Mutant('J4', 'a leapfrogger looks at top relaxed', TASK_DEQUE,
           'return heist__load_acquire(&f->top); /* D6, D7, J4 */',
           'return heist__load_relaxed(&f->top);', 'join',
           first='shape=pair --preemptions 2 --stale 1'),
    Mutant('L1', 'depth is raised relaxed', NESTING, 'heist__store_release(&w->depth, depth + 1)',
           'heist__store_relaxed(&w->depth, depth + 1)', 'join',
           first='shape=nested --stale 2'),
    Mutant('L1', 'the floor is read relaxed', NESTING,
           'uint32_t depth = heist__load_acquire(&w->depth);                    /* L1, L2 */',
           'uint32_t depth = heist__load_relaxed(&w->depth);', 'join',
           first='shape=nested --stale 2'),
    Mutant('L1', 'the level of a stolen child is read relaxed', NESTING, 'heist__load_acquire(&victim->depth)',
           'heist__load_relaxed(&victim->depth)', 'scope_of',
           first='owner=dwcdwje tries=1 --preemptions 3 --stale 1'),
    Mutant('L1', 'a stolen child gets the scope of what its victim does now', NESTING,
           'heist__load_relaxed(&victim->nestings[depth - 1].base) > number', 'false', 'scope_of'),
    Mutant('L1', 'no floor', JOIN, 'uint32_t floor = heist__nesting_floor(thief);', 'uint32_t floor = 0;', 'join'),
    Mutant('L2', 'the level is left before the tag changes', STEAL,
           '    heist__task_deque_renew(&w->tasks);                      /* J4 */\n    heist__nesting_leave(w);',
           '    heist__nesting_leave(w);\n    heist__task_deque_renew(&w->tasks);', 'join',
           survives='a leapfrogger that reads the lower depth sees with it (release, acquire) that the task is done, '
                    'and gives up; so one of the two, the place after J4 or the order of L2, would do'),

    Mutant('L2', 'the level is left relaxed and before the tag changes', STEAL,
           '    heist__task_deque_renew(&w->tasks);                      /* J4 */\n    heist__nesting_leave(w);',
           '    heist__store_relaxed(&w->depth, heist__load_relaxed(&w->depth) - 1);\n'
           '    heist__task_deque_renew(&w->tasks);', 'join',
           first='shape=below --stale 2'),

    Mutant('J5', 'the end of a run is stored relaxed', RUN, 'heist__store_release(word,',
           'heist__store_relaxed(word,', 'pool',
           first=HANDED_OVER),
    Mutant('J5', 'the caller reads the end of a run relaxed', RUN,
           'while (heist__load_acquire(&r.state) == ROOT_WAITS)',
           'while (heist__load_relaxed(&r.state) == ROOT_WAITS)', 'pool', first=HANDED_OVER),
    Mutant('J5', 'the caller of a run is not woken', RUN, 'heist__futex_wake(word, 1);', '(void)word;', 'pool',
           first=HANDED_OVER),

    Mutant('D8', 'a push that is wanted is not heard', TASK_DEQUE,
           '    heist__store_release(f->push_gate, HEIST__PUSH_SHUT);\n    return true;', '    return true;', 'pool',
           survives='it costs time only: a thief that finds a task asks for it (D2, D3); unit/test_task_deque shows '
                    'that it is heard'),
    Mutant('D8', 'the gate is shut relaxed', TASK_DEQUE,
           '    heist__store_release(f->push_gate, HEIST__PUSH_SHUT);\n    return true;',
           '    heist__store_relaxed(f->push_gate, HEIST__PUSH_SHUT);\n    return true;', 'pool',
           survives='nothing is read on the strength of it'),

    # --- sleeping and waking ---
    Mutant('I1', 'no notice after a join out of order', JOIN,
           'heist__task_deque_take_out(&w->tasks, slot, *bottom);\n        heist__notice(w);',
           'heist__task_deque_take_out(&w->tasks, slot, *bottom);', 'pool', first=JOINING),
    Mutant('I1', 'no notice after absorb', JOIN,
           'heist__notice(w);\n    return bottom;', 'return bottom;', 'pool', first=JOINING),
    Mutant('I1', 'no notice after a wait for a scope has moved tasks of others', SCOPE_WAIT,
           'for (size_t i = ours; i > 1; i--) put(w, taken[i - 1]);\n    heist__notice(w);',
           'for (size_t i = ours; i > 1; i--) put(w, taken[i - 1]);', 'scope',
           first='creator=s own=f sleeper --preemptions 1 --stale 0'),
    Mutant('I1', 'the sleeper does not ring', IDLE,
           '    calls->ring(calls->context); /* I1, I2 */\n    /* I1: every push', '    /* I1: every push',
           'pool'),
    Mutant('I1', 'no heavy barrier before the last look', IDLE,
           'if (!heist__heavy_barrier(idle->fenced) || calls->any_work',
           'if (calls->any_work', 'pool'),
    Mutant('I1', 'no last look', IDLE, ' || calls->any_work(calls->context)) {', ') {', 'pool'),
    Mutant('I1', 'no fence in a push, fence mode', SPAWN, '    if (f->fenced) heist__fence_seq_cst();', '    ', 'pool',
           first='bare pusher=p fenced'),
    Mutant('I2', 'the sleeper rings before it is counted', IDLE,
           '    heist__add_seq_cst(&idle->asleep, 1); /* I2: before the ring, so that a pusher that hears it finds a '
           'sleeper */\n'
           '    heist__add_seq_cst(&idle->searching, (uint32_t)-1); /* I4: from here on a push must wake a worker */\n'
           '    heist__lending_vacated(idle);                       /* K4 */\n'
           '    calls->ring(calls->context);                        /* I1, I2 */\n',
           '    calls->ring(calls->context);\n    heist__add_seq_cst(&idle->asleep, 1);\n'
           '    heist__add_seq_cst(&idle->searching, (uint32_t)-1);\n', 'pool',
           first='bare pusher=pp --stale 1'),
    Mutant('I2', 'the ring is relaxed', WORKER,
           'heist__store_release(pool->workers[i]->tasks.push_gate, HEIST__PUSH_SHUT)',
           'heist__store_relaxed(pool->workers[i]->tasks.push_gate, HEIST__PUSH_SHUT)', 'pool',
           first='bare pusher=hp --preemptions 2 --stale 2 --late-sc',
           survives='the fence before it makes a release of it'),
    Mutant('I2', 'no fence before the ring', WORKER,
           '    heist__fence_seq_cst();\n    for (unsigned i = 0; i < pool->count; i++) {',
           '    for (unsigned i = 0; i < pool->count; i++) {', 'pool',
           first='workers=2 pusher=ll bodies=LLL --preemptions 3 --stale 1', slow=True),
    Mutant('I2', 'the ring is heard by a plain store', SPAWN, 'heist__exchange_seq_cst(f->push_gate, f->end)',
           'heist__store_relaxed(f->push_gate, f->end)', 'pool',
           first='bare pusher=pp --stale 1',
           survives='the fences before the ring and after this store: if it overwrites a ring, the load of asleep '
                    'that follows sees '
                    'the sleeper that rang'),
    Mutant('I2', 'the ring is heard by a relaxed exchange', SPAWN, 'heist__exchange_seq_cst(f->push_gate, f->end)',
           'model__exchange_relaxed(f->push_gate, f->end)', 'pool',
           first='',
           survives='the fence with which wake_one begins makes an acquire of it'),
    Mutant('I2', 'a deque that grows opens the gate by a plain store', TASK_DEQUE,
           '    heist__cas_relaxed(f->push_gate, &before, f->end);',
           '    heist__store_relaxed(f->push_gate, f->end);', 'pool',
           first='bare pusher=pp slots=1 more=2 --stale 1'),
    Mutant('I2', 'a deque that grows leaves the gate where it is', TASK_DEQUE,
           '    heist__cas_relaxed(f->push_gate, &before, f->end);', '', 'pool',
           first='bare pusher=pp slots=1 more=2 --stale 1',
           survives='costs time only: every push beyond comes to the library, which sees the ring by itself'),
    Mutant('I2', 'a pusher that hears the ring wakes nobody', SPAWN,
           '    if (heist__idle_wake_one(&w->pool->idle)) heist__count(&w->counters.wakes);\n', '', 'pool'),
    Mutant('I3', 'the sleeper counts itself before its word says so', IDLE,
           '    heist__store_seq_cst(&self->asleep, word);\n    heist__add_seq_cst(&idle->asleep, 1);',
           '    heist__add_seq_cst(&idle->asleep, 1);\n    heist__store_seq_cst(&self->asleep, word);', 'pool',
           survives='a waker that counts a sleeper and does not find it looks again (I4) until it does'),
    Mutant('I3', 'the word is taken back by a load and a store', IDLE,
           '    do {\n        if (!heist__is_asleep(word)) return false;\n'
           '    } while (!heist__cas_seq_cst(&s->asleep, &word, 0));',
           '    if (!heist__is_asleep(word)) return false;\n    heist__store_seq_cst(&s->asleep, 0);', 'pool'),
    Mutant('I3', 'the word is taken back relaxed', IDLE, 'heist__cas_seq_cst(&s->asleep, &word, 0)',
           'heist__cas_relaxed(&s->asleep, &word, 0)', 'pool',
           survives='I3 needs the CAS, not its order: of one location, exactly one gets the word, and nothing is '
                    'read on the strength of it'),
    Mutant('I4', 'no fence before the waker looks', IDLE, '    heist__fence_seq_cst(); /* I4: the caller',
           '    /* I4:', 'pool',
           first='bare outside=sw fenced --preemptions 3 --stale 1'),
    Mutant('I4', 'the last searcher wakes nobody', IDLE,
           'return left_something(idle, calls) && heist__idle_wake_one(idle);', 'return false;', 'pool',
           first='bare workers=2 pusher=pp bodies=LLL --preemptions 2 --stale 0'),
    Mutant('I4', 'the last searcher leaves without a ring', IDLE,
           '    calls->ring(calls->context); /* I1, I2 */\n    return', '    return', 'pool',
           first='workers=2 pusher=ll bodies=LLL --preemptions 2 --stale 0'),
    Mutant('I4', 'the last searcher leaves without a barrier', IDLE,
           'return !heist__heavy_barrier(idle->fenced) || calls->any_work(calls->context); /* I1 */',
           'return calls->any_work(calls->context);', 'pool',
           first='workers=2 pusher=ll bodies=LLL --preemptions 2 --stale 1'),
    Mutant('I4', 'the last searcher does not look after its ring', IDLE,
           'return !heist__heavy_barrier(idle->fenced) || calls->any_work(calls->context); /* I1 */',
           'return !heist__heavy_barrier(idle->fenced);', 'pool',
           first='workers=2 pusher=ll bodies=LLL --preemptions 2 --stale 0'),
    Mutant('I4', 'the last searcher does not leave before it looks', IDLE,
           '    uint32_t before = heist__add_seq_cst(&idle->searching, (uint32_t)-1);\n'
           '    if (others_search(idle, before - 1)) return false;\n'
           '    if (heist__load_seq_cst(&idle->asleep) == 0) return false; /* I4: a worker that goes to sleep later '
           'looks later */\n'
           '    return left_something(idle, calls) && heist__idle_wake_one(idle);',
           '    bool left = left_something(idle, calls);\n'
           '    return heist__add_seq_cst(&idle->searching, (uint32_t)-1) == 1 && left && '
           'heist__idle_wake_one(idle);', 'pool',
           first='bare workers=2 outside=ss bodies=LLL --preemptions 2 --stale 0'),
    Mutant('I4', 'the sleeper leaves the search after its last look', IDLE,
           '    heist__add_seq_cst(&idle->searching, (uint32_t)-1); /* I4: from here on a push must wake a worker */\n'
           '    heist__lending_vacated(idle);                       /* K4 */\n'
           '    calls->ring(calls->context);                        /* I1, I2 */\n'
           '    /* I1: every push either is seen by any_work or hears the ring. After a refused barrier that is not '
           'certain: '
           'search\n     * on. */\n    if (!heist__heavy_barrier(idle->fenced) || calls->any_work(calls->context)) {\n',
           '    calls->ring(calls->context);\n    bool any = !heist__heavy_barrier(idle->fenced) || '
           'calls->any_work(calls->context);'
           '\n    heist__add_seq_cst(&idle->searching, (uint32_t)-1);\n    if (any) {\n', 'pool'),
    Mutant('I4', 'a waker that found no sleeper does not look again', IDLE,
           '        if (!heist__idle_any_asleep(idle)) return false;',
           '        return false;', 'pool',
           elsewhere='needs four threads: idle.pml shows it (NO_SECOND_LOOK)'),
    Mutant('I4', 'the waker looks relaxed', IDLE,
           '        uint32_t asleep = heist__load_seq_cst(&idle->asleep);\n'
           '        uint32_t searching = heist__load_seq_cst(&idle->searching);',
           '        uint32_t asleep = heist__load_relaxed(&idle->asleep);\n'
           '        uint32_t searching = heist__load_relaxed(&idle->searching);', 'pool',
           elsewhere='argued: in the first round the fence orders the looks; in a second one an old value of asleep '
                     'would be '
                     'as bad as not looking again'),
    Mutant('I4', 'a searcher that finds leaves relaxed', IDLE,
           'uint32_t before = heist__add_seq_cst(&idle->searching, (uint32_t)-1);',
           'uint32_t before = heist__add_relaxed(&idle->searching, (uint32_t)-1);', 'pool',
           survives='the barrier, or the fence with which wake_one begins, stands between this and the looks that '
                    'count'),
    Mutant('I6', 'a waker that found no sleeper looks again before it takes its announcement back', IDLE,
           '        heist__add_seq_cst(&idle->searching, (uint32_t)-1); /* I6: before the look below */\n'
           '        if (!heist__idle_any_asleep(idle)) return false;',
           '        bool any = heist__idle_any_asleep(idle);\n'
           '        heist__add_seq_cst(&idle->searching, (uint32_t)-1);\n'
           '        if (!any) return false;', 'pool',
           elsewhere='needs four threads: idle.pml shows it (LOOKS_BEFORE_IT_TAKES_BACK)'),
    Mutant('I6', 'a waker that found no sleeper goes by the count', IDLE,
           '        if (!heist__idle_any_asleep(idle)) return false;', '       ', 'pool',
           first='bare pusher=p alone --stale 1'),
    Mutant('I5', 'a worker that stood by counts as doing so for ever', IDLE,
           '    heist__add_seq_cst(&idle->standing_by, (uint32_t)-1); /* I5: it searches after this */\n', '', 'pool',
           first='bare pusher=pp crowd --preemptions 2 --stale 0'),
    Mutant('I5', 'a worker that stands by is relied upon until it sleeps', IDLE,
           '    heist__add_seq_cst(&idle->standing_by, (uint32_t)-1); /* I5: it searches after this */\n}\n\n'
           'bool heist__idle_sleep(heist__idle *idle, heist__sleeper *self, const heist__idle_calls *calls)\n{\n',
           '}\n\nbool heist__idle_sleep(heist__idle *idle, heist__sleeper *self, const heist__idle_calls *calls)\n{\n'
           '    sleep_unless_work(idle, self, calls, -1);\n'
           '    if (heist__load_seq_cst(&idle->standing_by)) heist__add_seq_cst(&idle->standing_by, (uint32_t)-1);\n',
           'pool',
           first='bare pusher=pp crowd --preemptions 2 --stale 0'),

    # --- seats that are lent ---
    Mutant('K1', 'a caller that takes a seat does not acquire it', LENDING,
           'heist__cas_seq_cst(&s->asleep, &word, (word & ~HEIST__OFFERED) | HEIST__LENT)',
           'heist__cas_relaxed(&s->asleep, &word, (word & ~HEIST__OFFERED) | HEIST__LENT)', 'pool',
           first='bare outside=r offers bodies=d. --preemptions 2 --stale 1',
           survives='the counts do it as well: a thread that gives a seat up has changed asleep, or searching, and '
                    'one that takes it changes '
                    'the same word next'),
    Mutant('K1', 'giving back does not release', LENDING,
           'heist__cas_seq_cst(&s->asleep, &word, word & ~(HEIST__LENT | HEIST__SETTLED))',
           'heist__cas_relaxed(&s->asleep, &word, word & ~HEIST__LENT)', 'pool',
           first='bare outside=r second=r bodies=ff.. --preemptions 2 --stale 1',
           survives='the count does it as well: a caller that gives a seat back raises `asleep` before the word, and a '
                    'thread that takes the seat lowers it after'),
    Mutant('K1', 'an offer does not release', LENDING,
           'heist__store_release(&self->asleep, HEIST__OFFERED | (place + 1))',
           'heist__store_relaxed(&self->asleep, HEIST__OFFERED | (place + 1))', 'pool',
           first='bare outside=r offers bodies=d. --preemptions 2 --stale 1'),
    Mutant('K1', 'the home thread does not acquire its seat', LENDING,
           'uint32_t word = heist__load_acquire(&self->asleep); /* I3, K1 */',
           'uint32_t word = heist__load_relaxed(&self->asleep);', 'pool',
           first='bare outside=rr bodies=d. --preemptions 2 --stale 1'),
    Mutant('K1', 'a sleeper takes back a seat that is lent', IDLE,
           '    do {\n        if (!heist__is_asleep(word)) return false;',
           '    do {\n        if (word == 0) return false;', 'pool', first='bare pusher=p outside=r bodies=ff.. '
                                                                           '--preemptions 2 --stale 0'),
    Mutant('K2', 'a caller that gives back does not look for jobs that are left', LENDING,
           'if (calls->left(calls->context)) {', 'if (false) {',
           'pool', first='bare outside=rr bodies=d. --preemptions 2 --stale 1'),
    Mutant('K2', 'a caller that gives back looks before the word says so', LENDING,
           '    while (!heist__cas_seq_cst(&s->asleep, &word, word & ~(HEIST__LENT | HEIST__SETTLED))) {\n'
           '    } /* K1, I3: wakers and callers find it */\n',
           '    if (calls->left(calls->context)) heist__idle_wake_one(idle);\n'
           '    while (!heist__cas_seq_cst(&s->asleep, &word, word & ~HEIST__LENT)) {\n    }\n    return;\n', 'pool',
           first='bare outside=r second=s --preemptions 2 --stale 1'),
    Mutant('K2', 'no fence before a caller that gives back looks', LENDING,
           '    heist__fence_seq_cst(); /* K2: some of the looks', '    /* K2: some of the looks', 'pool',
           first='bare outside=r second=s --preemptions 2 --stale 1'),
    Mutant('K2', 'a caller leaves its gate open', SEAT,
           '    if (others_sleep) heist__store_relaxed(w->tasks.push_gate, HEIST__PUSH_SHUT);\n', '', 'pool',
           first='bare workers=2 rested outside=r bodies=P. --preemptions 2 --stale 1'),
    Mutant('K2', 'the seat of one that searches is taken without the duty of the last', LENDING,
           '        heist__idle_found(idle, s, calls); /*',
           '        heist__add_seq_cst(&idle->searching, (uint32_t)-1); /*', 'pool',
           first='bare workers=2 pusher=p outside=r offers bodies=LL. --preemptions 2 --stale 0'),
    Mutant('K2', 'nobody looks after a give-back beside an active worker', LENDING,
           '        heist__pause();\n    }\n    return true;', '        heist__pause();\n    }\n    return false;',
           'pool',
           first='bare pusher=p outside=r --preemptions 2 --stale 1'),
    Mutant('K3', 'the home thread is not told to look', LENDING,
           'if (heist__cas_seq_cst(&s->asleep, &word, word | HEIST__DOUBT)) heist__futex_wake(&s->asleep, 1);',
           'heist__cas_seq_cst(&s->asleep, &word, word | HEIST__DOUBT);', 'pool',
           first='bare pusher=p outside=r --preemptions 2 --stale 1'),
    Mutant('K3', 'the doubt ends after the look', LENDING,
           '    do {\n        if (!(word & HEIST__DOUBT)) return; /* a waker has cleared the word */\n'
           '    } while (!heist__cas_seq_cst(&self->asleep, &word, word & ~HEIST__DOUBT)); /* K3: before the ring '
           'and the look */\n'
           '    if (!heist__is_asleep(word)) return; /* the seat is lent; the caller that gives it back raises the '
           'doubt again '
           '*/\n    calls->ring(calls->context);         /* I1, I2 */\n'
           '    if (heist__heavy_barrier(idle->fenced) && !calls->any_work(calls->context)) return; /* I1 */\n',
           '    if (!(word & HEIST__DOUBT)) return;\n    calls->ring(calls->context);\n'
           '    bool none = heist__heavy_barrier(idle->fenced) && !calls->any_work(calls->context);\n'
           '    do {\n        if (!(word & HEIST__DOUBT)) return;\n'
           '    } while (!heist__cas_seq_cst(&self->asleep, &word, word & ~HEIST__DOUBT));\n'
           '    if (!heist__is_asleep(word) || none) return;\n', 'pool',
           first='bare pusher=p outside=rr --preemptions 2 --stale 0'),
    Mutant('K3', 'the home thread looks without a barrier', LENDING,
           'if (heist__heavy_barrier(idle->fenced) && !calls->any_work', 'if (!calls->any_work', 'pool',
           first='bare pusher=pp outside=r --preemptions 2 --stale 1'),
    Mutant('K3', 'the home thread looks without a ring', LENDING,
           '    calls->ring(calls->context);         /* I1, I2 */\n    if (heist', '    if (heist', 'pool',
           first='bare pusher=pp outside=r --preemptions 3 --stale 0'),
    Mutant('K4', 'a caller that gives back tells nobody', LENDING, '    }\n    heist__lending_vacated(idle);\n}',
           '    }\n}', 'pool',
           first='bare outside=r second=r bodies=ff.. --preemptions 2 --stale 1'),
    Mutant('K4', 'a worker that goes to sleep tells nobody', IDLE,
           '    heist__lending_vacated(idle);                       /* K4 */\n', '', 'pool',
           first='bare outside=r second=s --preemptions 2 --stale 1'),
    Mutant('K4', 'a caller that waits for a seat says so too late', LENDING,
           '    uint32_t seen = heist__load_seq_cst(&idle->vacancies); /* K4: first: telling after the next line '
           'changes it */\n'
           '    heist__store_seq_cst(&idle->heir, 0);',
           '    heist__store_seq_cst(&idle->heir, 0);\n    uint32_t seen = heist__load_seq_cst(&idle->vacancies);',
           'pool',
           first='bare outside=r second=s --preemptions 2 --stale 1'),
    Mutant('K4', 'a caller that wants a seat sleeps without a look', SEAT,
           '        w = take_seat(pool);\n        if (w) break;\n        over', '        over', 'pool',
           first='bare outside=r second=r bodies=ff.. --preemptions 2 --stale 1'),
    Mutant('K4', 'a caller that got a seat does not tell the next', LENDING,
           '    if (heist__idle_any_asleep(idle)) heist__lending_vacated(idle);', '   ', 'pool',
           elsewhere='needs three callers: test_seat has two seats that are given up at once, and two callers that '
                     'wait for each other'),
    Mutant('K5', 'nobody is woken for work that was seen from a lent seat', IDLE,
           '        heist__idle_wake_one(idle);\n    } else {', '    } else {', 'pool',
           first='bare workers=2 pusher=p outside=r bodies=LL. --preemptions 2 --stale 0'),
    Mutant('K5', 'nor when the home thread looks again', LENDING,
           'if (!heist__idle_rouse_self(idle, self)) heist__idle_wake_one(idle);',
           'heist__idle_rouse_self(idle, self);', 'pool',
           first='bare workers=2 pusher=p outside=rr bodies=.LL --preemptions 2 --stale 0', slow=True),

    # --- termination ---
    Mutant('T1', 'finished is stored relaxed', DETECTOR,
           'heist__store_release(&t->finished, heist__load_relaxed(&t->finished) + 1)',
           'heist__store_relaxed(&t->finished, heist__load_relaxed(&t->finished) + 1)', 'quiet'),
    Mutant('T1', 'finished is read relaxed', DETECTOR, 'finished += heist__load_acquire(&d->tallies[i].finished)',
           'finished += heist__load_relaxed(&d->tallies[i].finished)', 'quiet'),
    Mutant('T1', 'outsiders count finished relaxed', DETECTOR,
           'heist__add_acq_rel(&d->tallies[d->workers].finished, 1)',
           'heist__add_relaxed(&d->tallies[d->workers].finished, 1)',
           'quiet',
           first='asks=2 refused'),
    Mutant('T1', 'created is read before finished', DETECTOR,
           '    for (unsigned i = 0; i <= d->workers; i++) finished += heist__load_acquire(&d->tallies[i].finished);\n',
           '    uint64_t created = all_created(d);\n    heist__fence_acquire();\n'
           '    for (unsigned i = 0; i <= d->workers; i++) finished += heist__load_acquire(&d->tallies[i].finished);\n'
           '    return finished == created;\n', 'quiet'),
    Mutant('T2', 'created is counted after the push', SUBMIT,
           '    heist__count_created(pool, w, core);\n    if (heist_deque_push(w->jobs, job) < 0) {\n',
           '    int full = heist_deque_push(w->jobs, job);\n    heist__count_created(pool, w, core);\n'
           '    if (full < 0) {\n', 'pool',
           first='workers=2 outside=sw bodies=d. --preemptions 2 --stale 0'),
    Mutant('T2', 'a task is finished before its body has run', JOB,
           "    bool run = heist__load_acquire(&pool->state) != HEIST__POOL_CANCELLING; /* S2: pairs with end_pool's "
           "store */\n",
           '    bool run = heist__load_acquire(&pool->state) != HEIST__POOL_CANCELLING;\n'
           '    heist__count_finished(pool, w, core);\n'
           '    heist__count_created(pool, w, core);\n', 'pool',
           first='bare outside=sw --preemptions 3 --stale 1'),
    Mutant('T3', 'a submitter counts after it put', SUBMIT,
           '    heist__count_created(pool, NULL, core);\n'
           '    heist__fence_seq_cst(); /* S2: counted before the look. Pairs with the fence '
           'in heist_pool_close. */\n'
           '    int error = heist__load_relaxed(&pool->state) == HEIST__POOL_OPEN ? 0 : -ESHUTDOWN; /* relaxed: S2 '
           'orders it */\n'
           '    if (!error && !heist__inbox_put(inbox, parcel))\n',
           '    heist__fence_seq_cst();\n'
           '    int error = heist__load_relaxed(&pool->state) == HEIST__POOL_OPEN ? 0 : -ESHUTDOWN;\n'
           '    bool put = !error && heist__inbox_put(inbox, parcel);\n    heist__count_created(pool, NULL, core);\n'
           '    if (!error && !put)\n',
           'pool',
           first='bare outside=s second=Tx --preemptions 3 --stale 0'),
    Mutant('T4', 'waiters are told only when the own deque is empty', WORKER,
           '->core != core) heist__tell_waiters(w->pool);', '->size == (size_t)-1) heist__tell_waiters(w->pool);',
           'pool',
           first='bare outside=Sse batch=2 bodies=.L --preemptions 2 --stale 0'),
    Mutant('T4', 'no heavy barrier in the waiter', WAITERS, 'return heist__heavy_barrier(fenced); /* T4 */',
           'return true;', 'pool',
           first='bare outside=sw --preemptions 3 --stale 1'),
    Mutant('T4', 'no fence in the finisher, fence mode', WAITERS,
           '    if (fenced) heist__fence_seq_cst(); /* T4, fence mode */\n', '', 'pool',
           first='bare outside=s second=q fenced --preemptions 2 --stale 1'),
    Mutant('T4', 'the waiter looks before it says so', WAITERS,
           '    heist__waiter *waiter;\n    int64_t nap_ns = heist__waiter_begin(all, fenced, detector, &waiter) ? '
           '-1 : 1000000;\n',
           '    heist__waiter *waiter;\n    bool over = heist__detector_quiet(detector);\n'
           '    int64_t nap_ns = heist__waiter_begin(all, fenced, detector, &waiter) ? -1 : 1000000;\n'
           '    while (!over && !heist__waiter_sleep(waiter, nap_ns)) {\n    }\n'
           '    heist__waiter_end(all, waiter);\n    return;\n', 'pool',
           first='bare outside=sw --preemptions 3 --stale 1'),
    Mutant('T5', 'the finisher tells relaxed', WAITERS, 'heist__store_release(&waiter->quiet, QUIET); /* T5',
           'heist__store_relaxed(&waiter->quiet, QUIET); /* T5', 'pool',
           survives='the waiter does not go on before it has seen, by T7, that the finisher looks no more'),
    Mutant('T5', 'the waiter reads relaxed', WAITERS, 'heist__load_acquire(&waiter->quiet) : NOT_QUIET; /* T5 */',
           'heist__load_relaxed(&waiter->quiet) : NOT_QUIET;', 'pool',
           survives='as above'),

    Mutant('U1', 'the detached side is published with a store', SCOPE_CORE,
           'if (heist__cas_acq_rel(&scope->core, &there, core)) return core;',
           'heist__store_release(&scope->core, core);\n    return core;', 'scope_core', first='makers=2'),
    Mutant('U1', 'it is published relaxed', SCOPE_CORE,
           'if (heist__cas_acq_rel(&scope->core, &there, core)) return core;',
           'if (heist__cas_relaxed(&scope->core, &there, core)) return core;', 'scope_core', first='makers=2'),
    Mutant('U1', 'it is read relaxed', SCOPE_CORE_H, 'return heist__load_acquire(&scope->core); /* U1',
           'return heist__load_relaxed(&scope->core); /* U1', 'scope_core', first='makers=2'),
    Mutant('U1', 'the loser keeps its own', SCOPE_CORE,
           '    free_core(core);\n    return there;', '    return core;', 'scope_core', first='makers=2'),

    Mutant('V1', 'returning is a load and a store', RETURNED,
           'void *older = heist__exchange_relaxed(list, block);',
           'void *older = heist__load_acquire(list); heist__store_release(list, block);', 'remote_free',
           first='givers=2 takes=2'),
    Mutant('V1', 'the link is stored relaxed', RETURNED, 'heist__store_release(link, (uintptr_t)older); /* V1',
           'heist__store_relaxed(link, (uintptr_t)older); /* V1', 'remote_free', first='givers=1 takes=1'),
    Mutant('V1', 'the link is loaded relaxed', RETURNED, 'uintptr_t older = heist__load_acquire(link); /* V1',
           'uintptr_t older = heist__load_relaxed(link); /* V1', 'remote_free', first='givers=1 takes=1'),
    Mutant('V1', 'the owner does not look whether the link is there', RETURNED, 'if (older & 1) return false;',
           'older &= ~(uintptr_t)1;', 'remote_free', first='givers=1 takes=1'),
    Mutant('V1', 'the link is written first', RETURNED,
           'void *older = heist__exchange_relaxed(list, block); /* relaxed: V1 orders all uses of the block */\n'
           '    heist__store_release(link, (uintptr_t)older); /* V1: last touch of *block. Pairs with '
           'heist__returned_next. */\n',
           'void *older = heist__load_acquire(list);\n    heist__store_release(link, (uintptr_t)older);\n'
           '    heist__exchange_acq_rel(list, block);\n', 'remote_free', first='givers=2 takes=2'),

    Mutant('T10', 'a creator offers nothing', SUBMIT,
           '    heist__notice(w); /* T10: in fence mode it has a fence */\n'
           '    if (core) heist__waiters_offer(&pool->waiters, &core->detector);\n',
           '    heist__notice(w);\n', 'scope', first='creator=s'),
    Mutant('T10', 'a submitter offers nothing', SUBMIT,
           '        heist__idle_wake_one(&pool->idle); /* T10: begins with a fence */\n'
           '        if (core) heist__waiters_offer(&pool->waiters, &core->detector);\n',
           '        heist__idle_wake_one(&pool->idle);\n', 'scope', first='outside=s --preemptions 3 --stale 1'),
    Mutant('T10', 'the waiter is hungry only after its barrier', SCOPE_WAIT,
           '    heist__add_relaxed(&all->hungry, 1); /* relaxed: T10, the barrier in heist__waiter_begin orders it */\n'
           '    bool sure = heist__waiter_begin(all, w->pool->idle.fenced, detector, &waiter);\n',
           '    bool sure = heist__waiter_begin(all, w->pool->idle.fenced, detector, &waiter);\n'
           '    heist__add_relaxed(&all->hungry, 1);\n', 'scope', first='creator=s'),
    Mutant('T10', 'the waiter does not look again after its barrier', SCOPE_WAIT,
           'const bool wanted = s->may_run && heist__detector_unbegun(detector); /* T10 */',
           'const bool wanted = false;',
           'scope', first='creator=s'),
    Mutant('T10', 'no heavy barrier before that look', WAITERS, 'return heist__heavy_barrier(fenced); /* T4 */',
           'return true;', 'scope', first='creator=s'),
    Mutant('T10', 'no fence in the creator, fence mode', SPAWN,
           '    if (f->fenced) heist__fence_seq_cst();                                   /* I1, fence mode */\n', '',
           'scope',
           first='creator=s fenced'),
    Mutant('T6', 'no word is left', WAITERS,
           'if (heist__exchange_seq_cst(&waiter->looker, LOOKS_AGAIN) != NOBODY_LOOKS) return;',
           'uint32_t first = NOBODY_LOOKS;\n    if (!heist__cas_seq_cst(&waiter->looker, &first, LOOKS)) return;',
           'pool',
           first='bare workers=2 outside=ssw --preemptions 2 --stale 0'),
    Mutant('T6', 'word is left relaxed', WAITERS,
           'if (heist__exchange_seq_cst(&waiter->looker, LOOKS_AGAIN)',
           'if (model__exchange_relaxed(&waiter->looker, LOOKS_AGAIN)',
           'pool',
           elsewhere='argued: an old count, read by one of two workers after the word of the other, is beyond the '
                     'bounds; the other '
                     'end of the edge is killed'),
    Mutant('T6', 'the word is taken back relaxed', WAITERS,
           '        heist__exchange_seq_cst(&waiter->looker, LOOKS);',
           '        model__exchange_relaxed(&waiter->looker, LOOKS);',
           'pool', first='bare workers=2 outside=ssw --preemptions 2 --stale 1'),
    Mutant('T6', 'a finisher that looks does not look again', WAITERS,
           '} while (!heist__cas_seq_cst(&waiter->looker, &looks, NOBODY_LOOKS)); /* T6;',
           '} while (0);\n    heist__store_seq_cst(&waiter->looker, NOBODY_LOOKS); /* T6;',
           'pool', first='bare workers=2 outside=ssw --preemptions 2 --stale 0'),
    Mutant('T7', 'the waiter leaves while somebody looks', WAITERS,
           'heist__load_seq_cst(&waiter->looker) != NOBODY_LOOKS; looks++', 'looks < 0; looks++', 'pool',
           first='bare outside=Se --preemptions 3 --stale 1'),
    Mutant('T7', 'the finisher reads the detector relaxed', WAITERS,
           '= heist__load_seq_cst(&waiter->detector); /* T7 */',
           '= heist__load_relaxed(&waiter->detector);', 'pool', first='bare outside=Se --preemptions 3 --stale 1'),
    Mutant('T7', 'the waiter takes its detector away with release only', WAITERS,
           'heist__store_seq_cst(&waiter->detector, NULL)',
           'heist__store_release(&waiter->detector, NULL)', 'pool', first='bare outside=Se --preemptions 3 --stale 1'),
    Mutant('T7', 'the waiter looks relaxed whether somebody looks', WAITERS,
           'heist__load_seq_cst(&waiter->looker) != NOBODY_LOOKS',
           'heist__load_relaxed(&waiter->looker) != NOBODY_LOOKS', 'pool',
           first='bare outside=Se --preemptions 3 --stale 1'),
    Mutant('T7', 'the finisher ends its look without release', WAITERS,
           'heist__cas_seq_cst(&waiter->looker, &looks, NOBODY_LOOKS)',
           'model__cas_acquire(&waiter->looker, &looks, NOBODY_LOOKS)', 'pool',
           first='bare outside=Se --preemptions 3 --stale 1'),
    Mutant('T7', 'a place is given back relaxed', WAITERS, 'heist__store_release(&waiter->taken, 0)',
           'heist__store_relaxed(&waiter->taken, 0)', 'pool', first='bare outside=Se second=Se --preemptions 3 '
                                                                    '--stale 1'),
    Mutant('T7', 'a place is taken relaxed', WAITERS, 'heist__cas_acq_rel(&some->places[i].taken, &free_one, 1)',
           'heist__cas_relaxed(&some->places[i].taken, &free_one, 1)', 'pool',
           first='bare outside=Se second=Se --preemptions 3 --stale 1'),
    Mutant('T9', 'the finisher does not wake a waiter that leaves', WAITERS,
           '    if (heist__load_seq_cst(&waiter->leaving)) heist__futex_wake(&waiter->looker, 1);', '   ', 'pool',
           first='bare outside=Se --preemptions 3 --stale 1'),
    Mutant('T9', 'the waiter looks before it says that it leaves', WAITERS,
           '    heist__store_seq_cst(&waiter->leaving, 1); /* T9: before the look below */\n'
           '    uint32_t looker = heist__load_seq_cst(&waiter->looker); /* T9: the futex compares it */\n'
           '    if (looker != NOBODY_LOOKS) heist__futex_wait(&waiter->looker, looker, -1);',
           '    uint32_t looker = heist__load_seq_cst(&waiter->looker);\n'
           '    if (looker != NOBODY_LOOKS) heist__futex_wait(&waiter->looker, looker, -1);\n'
           '    heist__store_seq_cst(&waiter->leaving, 1);', 'pool',
           first='bare outside=Se --preemptions 3 --stale 1'),
    Mutant('T9', 'the finisher looks relaxed whether the waiter leaves', WAITERS,
           'if (heist__load_seq_cst(&waiter->leaving))', 'if (heist__load_relaxed(&waiter->leaving))', 'pool',
           first='bare outside=Se --preemptions 3 --stale 1'),
    Mutant('T9', 'the waiter says relaxed that it leaves', WAITERS,
           'heist__store_seq_cst(&waiter->leaving, 1);', 'heist__store_relaxed(&waiter->leaving, 1);', 'pool',
           first='bare outside=Se --preemptions 3 --stale 1'),
    Mutant('T8', 'new places are published relaxed', WAITERS, 'heist__cas_acq_rel(&some->more, &more, made)',
           'heist__cas_relaxed(&some->more, &more, made)', 'pool',
           elsewhere='argued: memory that calloc has cleared was never anything else here'),
    Mutant('T8', 'the finisher goes on to new places relaxed', WAITERS,
           'some; some = heist__load_acquire(&some->more)) { /* T8 */',
           'some; some = heist__load_relaxed(&some->more)) {', 'pool',
           elsewhere='as above'),

    # --- submission and shutdown ---
    Mutant('Q1', 'put publishes relaxed', INBOX, 'heist__store_release(&slot->sequence, tail + 1)',
           'heist__store_relaxed(&slot->sequence, tail + 1)', 'inbox'),
    Mutant('Q1', 'take reads the number relaxed', INBOX,
           'uint64_t sequence = heist__load_acquire(&slot->sequence);\n'
           '    int64_t ahead = ahead_of(sequence, position + 1)',
           'uint64_t sequence = heist__load_relaxed(&slot->sequence);\n'
           '    int64_t ahead = ahead_of(sequence, position + 1)',
           'inbox'),
    Mutant('Q2', 'take gives the slot back without release', INBOX,
           'heist__cas_acq_rel(&slot->sequence, &sequence, position + inbox->mask + 1)',
           'model__cas_acquire(&slot->sequence, &sequence, position + inbox->mask + 1)', 'inbox',
           first='threads=pppp,tt full=1'),
    Mutant('Q2', 'put reads the number relaxed', INBOX, 'ahead_of(heist__load_acquire(&slot->sequence), tail)',
           'ahead_of(heist__load_relaxed(&slot->sequence), tail)', 'inbox',
           first='threads=pppp,tt full=1'),
    Mutant('S1', 'no fence before the look for submitters that want room', INBOX_FIND,
           '    heist__fence_seq_cst(); /* S1: the room made', '    /* S1: the room made', 'pool',
           elsewhere='argued: two workers would have to take at once and each read an old value; one alone passes '
                     'the fence of '
                     'wake_one before its second take'),
    Mutant('S1', 'nobody is told of room', INBOX_FIND, '    heist__futex_wake(&pool->room, INT_MAX);\n', '', 'pool',
           first='bare outside=sss --preemptions 2 --stale 1'),
    Mutant('S2', 'no fence in a submission', SUBMIT, '    heist__fence_seq_cst(); /* S2: counted',
           '    /* S2: counted', 'pool',
           first='bare outside=s second=q fenced --preemptions 2 --stale 1'),
    Mutant('S2', 'no fence in close', POOL, '    heist__fence_seq_cst(); /* S2: pairs', '    /* S2: pairs', 'pool',
           survives='a thread that waits after it passes the fence of T4 in heist__waiter_begin'),
    Mutant('S3', 'shutdown does not wait for submitters', POOL,
           '        heist__outsiders_await(&pool->outsiders);', '        ', 'pool',
           first='bare outside=s second=Tx --preemptions 3 --stale 0'),
    Mutant('S3', 'the last to leave wakes nobody', OUTSIDERS,
           '    if (before == (HEIST__OUTSIDERS_AWAITED | 1)) heist__futex_wake(outsiders, 1);', '    (void)before;',
           'pool',
           first='bare outside=s second=Tx --preemptions 3 --stale 0'),
    Mutant('S3', 'shutdown does not say that it waits for submitters', OUTSIDERS,
           'heist__add_acq_rel(outsiders, HEIST__OUTSIDERS_AWAITED) + HEIST__OUTSIDERS_AWAITED;',
           'heist__load_acquire(outsiders);\n#define HEIST__OUTSIDERS_AWAITED 0', 'pool',
           first='bare outside=s second=Tx --preemptions 3 --stale 0'),
    Mutant('S3', 'a submitter leaves relaxed', OUTSIDERS, 'heist__add_acq_rel(outsiders, (uint32_t)-1);',
           'heist__add_relaxed(outsiders, (uint32_t)-1);', 'pool',
           elsewhere='argued: plain accesses to the pool are not watched here, so that its being freed races with '
                     'none'),
    Mutant('S3', 'sleepers are not woken at the end', THREADS, '    heist__idle_wake_all(&pool->idle);\n', '', 'pool',
           first='bare outside=sx --preemptions 3 --stale 1'),
]
