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


RING = 'deque/deque.c'
FRAMES = 'deque/frames.c'
TASK = 'heist/task.h'
JOIN = 'schedule/join.c'
LEVEL = 'schedule/level.c'
SPAWN = 'schedule/spawn.c'
WORKER = 'schedule/worker.c'
IDLE = 'idle/idle.c'
LOOSE = 'schedule/loose.c'
SUBMIT = 'schedule/submit.c'
WAIT = 'schedule/wait.c'
POOL = 'schedule/pool.c'
DETECTOR = 'quiescence/detector.c'
INBOX = 'schedule/inbox_builtin.c'
ASIDE = 'openmp/aside.h'
CREATE = 'openmp/create.h'
FIND = 'openmp/find.c'

MUTANTS = [
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
    Mutant('R3', 'no fence in pop', RING, '    heist__fence_seq_cst();                  /* R3: bottom', '    /* R3: bottom',
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
    Mutant('R trap', 'unsigned compare', RING, 'return theft->length > 0 ?', 'return (uint64_t)theft->length > 0 ?',
           'ring'),

    # --- tasks of OpenMP programs that are set aside ---
    Mutant('A1', 'setting aside publishes relaxed', ASIDE, 'heist__store_release(&self->tail, tail + 1)',
           'heist__store_relaxed(&self->tail, tail + 1)', 'aside'),
    Mutant('A1', 'who forces reads the tail relaxed', FIND, 'heist__load_acquire(&victim->tail)', 'heist__load_relaxed(&victim->tail)',
           'aside'),
    Mutant('A1', 'the owner lowers the tail relaxed', ASIDE, 'heist__store_release(&self->tail, tail);     ',
           'heist__store_relaxed(&self->tail, tail);     ', 'aside'),
    Mutant('A2', 'no barrier before something is forced', FIND, 'heist__heavy_barrier(false) && look_aside(victim, &theft)',
           'look_aside(victim, &theft)', 'aside'),
    Mutant('A2', 'the owner does not ask who forces', ASIDE, 'heist__load_acquire(&self->forced) == 0', 'true', 'aside'),
    Mutant('A2', 'the owner asks relaxed who forces', ASIDE, 'heist__load_acquire(&self->forced) == 0',
           'heist__load_relaxed(&self->forced) == 0', 'aside'),
    Mutant('A2', 'the owner asks before it lowers the tail', ASIDE,
           'uint64_t tail = heist__load_relaxed(&self->tail) - 1;        /* relaxed: as the ring */\n'
           '    heist__store_release(&self->tail, tail);                     /* A1 */\n'
           '    heist__compiler_barrier();                                   /* A2: the light half. Pairs with A2 in find.c. */\n'
           '    /* A2; relaxed: if no thief was there since, the top is that of its last visit or a newer one */\n'
           '    if (__builtin_expect(heist__load_acquire(&self->forced) == 0, 1) &&',
           'uint64_t tail = heist__load_relaxed(&self->tail) - 1;\n'
           '    bool none_forces = heist__load_acquire(&self->forced) == 0;\n'
           '    heist__store_release(&self->tail, tail);\n'
           '    if (none_forces &&', 'aside'),
    Mutant('A2', 'the owner does not look how far the top is', ASIDE,
           '__builtin_expect((int64_t)(tail - heist__load_relaxed(&deque->top)) >= 0, 1)', 'true', 'aside'),
    Mutant('A2', 'who forces does not say so', FIND, 'heist__add_seq_cst(&victim->forced, 1);', 'heist__add_seq_cst(&victim->forced, 0);',
           'aside'),
    Mutant('A2', 'who has forced leaves relaxed', FIND, 'heist__add_acq_rel(&victim->forced, (uint32_t)-1)',
           'heist__add_relaxed(&victim->forced, (uint32_t)-1)', 'aside'),
    Mutant('A2', 'who has forced leaves before it has taken', FIND,
           'if (heist__heavy_barrier(false) && look_aside(victim, &theft))\n'
           '        task = seen(self, heist__omp_deque_of(victim), &theft, within);\n'
           '    heist__add_acq_rel(&victim->forced, (uint32_t)-1); /* A2: after the theft */',
           'bool any = heist__heavy_barrier(false) && look_aside(victim, &theft);\n'
           '    heist__add_acq_rel(&victim->forced, (uint32_t)-1);\n'
           '    if (any) task = seen(self, heist__omp_deque_of(victim), &theft, within);', 'aside'),
    Mutant('A2', 'who forces says so relaxed', FIND, 'heist__add_seq_cst(&victim->forced, 1)', 'heist__add_relaxed(&victim->forced, 1)',
           'aside', survives='the fence and the heavy barrier that follow order it'),
    Mutant('A2', 'what is seen already is set aside again', CREATE,
           'if (length < self->enough && (self->held || !heist__omp_show_enough(self))) return false;',
           'if ((self->held || !heist__omp_show_enough(self)) && length < self->enough) return false;', 'aside',
           first='script=ppasoo thieves=tt --preemptions 2 --stale 1'),
    Mutant('R3', 'no fence in look_aside', FIND, '    heist__fence_seq_cst();                                              /* R3: top before tail',
           '    /* R3: top before tail', 'aside'),
    Mutant('A2', 'the owner takes what somebody forces without a CAS', FIND,
           '    heist__omp_aside_show(self, tail + 1);\n    bool got = heist_deque_pop(self->deque, &task) == HEIST_STEAL_GOT;',
           '    const heist__ring *ring = heist__load_relaxed(&self->deque->ring);\n'
           '    bool got = (int64_t)(tail - heist__load_acquire(&self->deque->top)) >= 0;\n'
           '    if (got) task = heist__load_relaxed(&ring->slots[tail & ring->mask]);\n'
           '    heist__omp_aside_show(self, got ? tail : heist__load_acquire(&self->deque->top));', 'aside'),

    # --- the frame deque ---
    Mutant('D1', 'push publishes relaxed', TASK, 'heist__store_release(&w->bottom, bottom); /* D1',
           'heist__store_relaxed(&w->bottom, bottom); /* D1', 'frames'),
    Mutant('D1', 'pop lowers bottom relaxed', TASK, 'heist__store_release(&w->bottom, slot);   /* D2',
           'heist__store_relaxed(&w->bottom, slot);   /* D2', 'frames',
           first='script=abBA tries=2 --preemptions 3 --stale 2'),
    Mutant('D1', 'the thief reads bottom relaxed before it publishes', FRAMES,
           'heist_slot *bottom = heist__load_acquire(&f->face.bottom); /* D1, D2 */',
           'heist_slot *bottom = heist__load_relaxed(&f->face.bottom); /* D1, D2 */', 'frames',
           first='script=abAB tries=2 --preemptions 3 --stale 1'),
    Mutant('D1', 'take_out raises bottom relaxed', FRAMES, 'heist__store_release(&f->face.bottom, bottom); /* D1 */',
           'heist__store_relaxed(&f->face.bottom, bottom); /* D1 */', 'frames',
           first='script=abAB tries=2 --preemptions 3 --stale 1'),
    Mutant('D1', 'absorb lowers bottom relaxed at the end', FRAMES,
           'heist__store_release(&f->face.bottom, bottom - 1);                                   /* D1 */',
           'heist__store_relaxed(&f->face.bottom, bottom - 1);', 'frames',
           survives='who publishes on the strength of this value has read published as absorb has just written it '
                    '(its CAS says so), and that was with release, after the slots: D5'),
    Mutant('D2', 'no heavy barrier', FRAMES, 'if (!heist__heavy_barrier(f->fenced)) return HEIST_STEAL_LOST;', '',
           'frames'),
    Mutant('D2', 'the thief does not shut the gate', FRAMES,
           '    heist__store_relaxed(f->pop_gate, HEIST__POP_SHUT);\n    heist__store_relaxed(f->push_gate',
           '    heist__store_relaxed(f->push_gate', 'frames'),
    Mutant('D2', 'no fence in claim, fence mode', FRAMES, '        heist__fence_seq_cst(); /* D2, fence mode', '        /*',
           'frames',
           first='script=aA tries=2 fenced'),
    Mutant('D2', 'pop does not lower bottom before the gate', TASK,
           '    heist__store_release(&w->bottom, slot);   /* D2', '    /* D2', 'frames'),
    Mutant('D2', 'take_out does not lower bottom', FRAMES, '    heist__store_release(&f->face.bottom, slot); /* D2 */\n', '',
           'frames',
           first='script=abAB tries=2 --preemptions 3 --stale 1'),
    Mutant('D3', 'the thief does not shut the push gate', FRAMES,
           '    heist__store_relaxed(f->push_gate, HEIST__PUSH_SHUT);\n    for', '    for', 'frames',
           survives='D3 is for speed alone: a request that no push hears is heard by the next pop or join, or the '
                    'thief'
                    'publishes by itself'),
    Mutant('D4', 'the gate is opened after the tag', FRAMES,
           '    heist__store_relaxed(f->pop_gate, f->slots + number);\n    if (heist__cas_acq_rel(&f->published, &published, '
           'renumbered(published, number))) return true;',
           '    if (heist__cas_acq_rel(&f->published, &published, renumbered(published, number))) {\n'
           '        heist__store_relaxed(f->pop_gate, f->slots + number);\n        return true;\n    }', 'frames',
           first='script=abBA tries=2 --preemptions 3 --stale 2'),
    Mutant('D4', 'the owner publishes relaxed', FRAMES,
           'heist__cas_acq_rel(&f->published, &published, renumbered(published, number))',
           'heist__cas_relaxed(&f->published, &published, renumbered(published, number))', 'frames',
           first='script=abBA tries=2 --preemptions 3 --stale 2'),
    Mutant('D4', 'the owner publishes under the old tag', FRAMES,
           'heist__cas_acq_rel(&f->published, &published, renumbered(published, number))',
           'heist__cas_acq_rel(&f->published, &published, published >> 32 << 32 | number)', 'frames'),
    Mutant('D4', 'the thief reads published relaxed', FRAMES,
           'uint64_t published = heist__load_acquire(&f->published); /* D4, D5, D6 */',
           'uint64_t published = heist__load_relaxed(&f->published);', 'frames',
           first='script=abBA tries=2 --preemptions 3 --stale 2'),
    Mutant('D4', 'the gate is not shut again after a lost CAS', FRAMES,
           '    heist__store_relaxed(f->pop_gate, HEIST__POP_SHUT); /* relaxed: for', '    /* relaxed: for', 'frames',
           first='script=abBA tries=2 --preemptions 3 --stale 2'),
    Mutant('D5', 'the thief publishes relaxed', FRAMES,
           'return heist__cas_acq_rel(&f->published, &published, renumbered(published, offer)) /* D4, D5 */',
           'return heist__cas_relaxed(&f->published, &published, renumbered(published, offer))', 'frames',
           first='script=bc leave begin=1 thieves=2 tries=2 --preemptions 3 --stale 0'),
    Mutant('D5', 'the thief reads published relaxed after asking', FRAMES,
           'published = heist__load_acquire(&f->published); /* D5 */', 'published = heist__load_relaxed(&f->published);',
           'frames',
           first='script=abAB tries=2 --preemptions 3 --stale 1'),
    Mutant('D6', 'claim does not change the tag of top', FRAMES, '            heist__frames_renew(f);\n            stolen',
           '            stolen', 'frames'),
    Mutant('D6', 'top is renewed relaxed', FRAMES, 'heist__cas_acq_rel(&f->top, &top, renumbered(top, number_of(top)))',
           'heist__cas_relaxed(&f->top, &top, renumbered(top, number_of(top)))', 'frames'),
    Mutant('D6', 'the thief looks at top relaxed', FRAMES, 'return heist__load_acquire(&f->top); /* D6, D7, J4 */',
           'return heist__load_relaxed(&f->top);', 'frames'),
    Mutant('D6', 'the thief takes by a relaxed CAS', FRAMES, 'return heist__cas_acq_rel(&f->top, &seen, seen + 1)',
           'return heist__cas_relaxed(&f->top, &seen, seen + 1)', 'frames',
           survives='the acquire is in the look, of the same value; and nobody needs its release: the slot is used '
                    'again only when the child has been joined, after J2'),
    Mutant('D6', 'claim does not bring published up to top', FRAMES,
           '            while (stolen > number_of(published = heist__load_relaxed(&f->published)) &&\n'
           '                   !move_published(f, published, stolen)) {\n            }\n', '', 'frames',
           first='script=abcABC tries=3 --preemptions 3 --stale 0'),
    Mutant('D7', 'absorb lowers top before published', FRAMES,
           '    while (!move_published(f, heist__load_relaxed(&f->published), stolen - 1)) {\n    } /* relaxed: the CAS checks '
           'it */\n    heist__store_release(&f->top, renumbered(heist__load_relaxed(&f->top), stolen - 1));',
           '    heist__store_release(&f->top, renumbered(heist__load_relaxed(&f->top), stolen - 1));\n'
           '    while (!move_published(f, heist__load_relaxed(&f->published), stolen - 1)) {\n    }', 'frames'),
    Mutant('D7', 'absorb leaves published where it was', FRAMES,
           '    while (!move_published(f, heist__load_relaxed(&f->published), stolen - 1)) {\n    } /* relaxed: the CAS checks '
           'it */\n', '', 'frames'),
    Mutant('D7', 'absorb lowers bottom last', FRAMES,
           'heist__store_release(&f->face.bottom, end > stolen ? f->slots : bottom - 1); /* D2, D7 */',
           'if (end > stolen) heist__store_release(&f->face.bottom, f->slots);', 'frames'),
    Mutant('D7', 'absorb lowers top relaxed', FRAMES, 'heist__store_release(&f->top, renumbered',
           'heist__store_relaxed(&f->top, renumbered', 'frames'),
    Mutant('D7', 'absorb lowers top under the old tag', FRAMES,
           'heist__store_release(&f->top, renumbered(heist__load_relaxed(&f->top), stolen - 1))',
           'heist__store_release(&f->top, heist__load_relaxed(&f->top) >> 32 << 32 | (stolen - 1))', 'frames',
           first='script=abBA thieves=2 --preemptions 2 --stale 1'),
    Mutant('D7', 'absorb does not withdraw the younger ones', FRAMES, 'end > stolen ? f->slots : bottom - 1); /* D2, D7 */',
           'end > stolen ? bottom : bottom - 1);', 'frames',
           first='script=abAB tries=2 --preemptions 3 --stale 1'),
    Mutant('D7', 'absorb does not claim', FRAMES, '        heist__frames_claim(f, f->slots);', '        ;', 'frames',
           first='script=abAB tries=2 --preemptions 3 --stale 1'),
    Mutant('D7', 'absorb does not move the youngest', FRAMES,
           '            heist__store_relaxed(&f->slots[stolen - 1], youngest);\n', '', 'frames',
           first='script=abAB tries=2 --preemptions 3 --stale 1'),

    # --- the join ---
    Mutant('J1', 'the thief says relaxed that it has the task', JOIN,
           'heist__store_release(&task->state, HEIST__TASK_TAKEN', 'heist__store_relaxed(&task->state, HEIST__TASK_TAKEN',
           'join'),
    Mutant('J1', 'the thief says so before its level', JOIN,
           '    heist__level_enter(w, stolen->core, stolen->from);\n    uint64_t waits_on',
           '    heist__store_release(&task->state, HEIST__TASK_TAKEN | (uintptr_t)w->index << 3);\n'
           '    heist__level_enter(w, stolen->core, stolen->from);\n    uint64_t waits_on', 'join'),
    Mutant('J1', 'the thief keeps what it said it waits on', JOIN,
           '    heist__store_relaxed(&w->waits_on, 0);                                            /* relaxed: J1', '    /*',
           'join',
           first='shape=crossed --preemptions 2 --stale 0'),
    Mutant('J1', 'the waiter reads the state relaxed', JOIN,
           'uintptr_t state = heist__load_acquire(&task->state); /* J1, J2 */',
           'uintptr_t state = heist__load_relaxed(&task->state);', 'join frames'),
    Mutant('J2', 'done is stored relaxed', JOIN, 'heist__store_release(&task->state, HEIST__TASK_DONE)',
           'heist__store_relaxed(&task->state, HEIST__TASK_DONE)', 'frames join'),
    Mutant('J2', 'a leapfrogger does not look whether it still waits', JOIN,
           '        if (!link_holds(&l)) return false;\n        heist__stolen found;', '        heist__stolen found;', 'join'),
    Mutant('J3', 'children_done is not counted', JOIN,
           '    heist__add_seq_cst(&home->children_done, 1);          /* J3 */\n', '', 'join',
           first='shape=below park'),
    Mutant('J3', 'children_done is counted relaxed', JOIN, 'heist__add_seq_cst(&home->children_done, 1)',
           'heist__add_relaxed(&home->children_done, 1)', 'join',
           first='shape=below park'),
    Mutant('J3', 'children_done is counted after the tag', JOIN,
           '    heist__add_seq_cst(&home->children_done, 1);          /* J3 */\n'
           '    heist__frames_renew(&w->frames);                      /* J4 */',
           '    heist__frames_renew(&w->frames);\n    heist__add_seq_cst(&home->children_done, 1);', 'join',
           first='shape=chain --preemptions 3 --stale 0', slow=True),
    Mutant('J3', 'the waiter says relaxed that it sleeps', JOIN, 'heist__store_seq_cst(&w->join_asleep, 1)',
           'heist__store_relaxed(&w->join_asleep, 1)', 'join',
           first='shape=below park'),
    Mutant('J3', 'the thief looks relaxed whether the waiter sleeps', JOIN,
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
           first='shape=chain --preemptions 3 --stale 0'),
    Mutant('J4', 'the tag of top does not change when a stolen task ends', JOIN,
           '    heist__frames_renew(&w->frames);                      /* J4 */\n', '', 'join',
           first='shape=pair --preemptions 2 --stale 1'),
    Mutant('J4', 'the tag changes before done', JOIN,
           '    heist__store_release(&task->state, HEIST__TASK_DONE); /* J2: last touch of *task */\n',
           '    heist__frames_renew(&w->frames);\n    heist__store_release(&task->state, HEIST__TASK_DONE);\n'
           '    if (0)', 'join',
           first='shape=below park'),
    Mutant('J4', 'top is renewed relaxed', FRAMES, 'heist__cas_acq_rel(&f->top, &top, renumbered(top, number_of(top)))',
           'heist__cas_relaxed(&f->top, &top, renumbered(top, number_of(top)))', 'join',
           first='shape=pair --preemptions 3 --stale 2', slow=True),
    Mutant('J4', 'a leapfrogger looks at top relaxed', FRAMES, 'return heist__load_acquire(&f->top); /* D6, D7, J4 */',
           'return heist__load_relaxed(&f->top);', 'join',
           first='shape=pair --preemptions 2 --stale 1'),
    Mutant('L1', 'depth is raised relaxed', LEVEL, 'heist__store_release(&w->depth, depth + 1)',
           'heist__store_relaxed(&w->depth, depth + 1)', 'join',
           first='shape=nested --stale 2'),
    Mutant('L1', 'the floor is read relaxed', LEVEL,
           'uint32_t depth = heist__load_acquire(&w->depth);                    /* L1, L2 */',
           'uint32_t depth = heist__load_relaxed(&w->depth);', 'join',
           first='shape=nested --stale 2'),
    Mutant('L1', 'no floor', JOIN, 'uint32_t floor = heist__level_floor(thief);', 'uint32_t floor = 0;', 'join'),
    Mutant('L2', 'the level is left before the tag changes', JOIN,
           '    heist__frames_renew(&w->frames);                      /* J4 */\n    heist__level_leave(w);',
           '    heist__level_leave(w);\n    heist__frames_renew(&w->frames);', 'join',
           survives='a leapfrogger that reads the lower depth sees with it (release, acquire) that the task is done, '
                    'and gives up; so one of the two, the place after J4 or the order of L2, would do'),

    Mutant('L2', 'the level is left relaxed and before the tag changes', JOIN,
           '    heist__frames_renew(&w->frames);                      /* J4 */\n    heist__level_leave(w);',
           '    heist__store_relaxed(&w->depth, heist__load_relaxed(&w->depth) - 1);\n    heist__frames_renew(&w->frames);', 'join',
           first='shape=below --stale 2'),

    # --- sleeping and waking ---
    Mutant('I1', 'the sleeper does not ring', IDLE, '    calls->ring(calls->context);                        /* I1, I2 */\n', '',
           'pool'),
    Mutant('I1', 'no heavy barrier before the last look', IDLE, 'if (!heist__heavy_barrier(idle->fenced) || calls->any_work',
           'if (calls->any_work', 'pool'),
    Mutant('I1', 'no last look', IDLE, ' || calls->any_work(calls->context)) {', ') {', 'pool'),
    Mutant('I1', 'no fence in a push, fence mode', SPAWN, '    if (f->fenced) heist__fence_seq_cst();', '    ', 'pool',
           first='bare pusher=p fenced'),
    Mutant('I2', 'the sleeper rings before it is counted', IDLE,
           '    heist__add_seq_cst(&idle->asleep, 1);               /* I2: before the ring, so that who hears it finds a sleeper '
           '*/\n    heist__add_seq_cst(&idle->searching, (uint32_t)-1); /* I4: from here on a push must wake somebody */\n'
           '    calls->ring(calls->context);                        /* I1, I2 */\n',
           '    calls->ring(calls->context);\n    heist__add_seq_cst(&idle->asleep, 1);\n'
           '    heist__add_seq_cst(&idle->searching, (uint32_t)-1);\n', 'pool',
           first='bare pusher=pp --stale 1'),
    Mutant('I2', 'the ring is relaxed', WORKER,
           'heist__store_release(pool->workers[i]->frames.push_gate, HEIST__PUSH_SHUT)',
           'heist__store_relaxed(pool->workers[i]->frames.push_gate, HEIST__PUSH_SHUT)', 'pool',
           first='bare pusher=hp --preemptions 2 --stale 2 --late-sc',
           survives='the fence before it makes a release of it'),
    Mutant('I2', 'no fence before the ring', WORKER, '    heist__fence_seq_cst();\n    for (unsigned i = 0; i < pool->count; i++) {',
           '    for (unsigned i = 0; i < pool->count; i++) {', 'pool',
           first='workers=2 pusher=ll bodies=LLL --preemptions 3 --stale 1', slow=True),
    Mutant('I2', 'the ring is heard by a plain store', SPAWN, 'heist__exchange_seq_cst(f->push_gate, f->end)',
           'heist__store_relaxed(f->push_gate, f->end)', 'pool',
           first='bare pusher=pp --stale 1',
           survives='the fences before the ring and after this store: if it overwrites a ring, the load of asleep that follows sees '
                    'who rang'),
    Mutant('I2', 'the ring is heard by a relaxed exchange', SPAWN, 'heist__exchange_seq_cst(f->push_gate, f->end)',
           'model__exchange_relaxed(f->push_gate, f->end)', 'pool',
           first='',
           survives='the fence with which wake_one begins makes an acquire of it'),
    Mutant('I2', 'who hears the ring wakes nobody', SPAWN,
           '    if (heist__idle_wake_one(&w->pool->idle)) heist__count(&w->counters.wakes);\n', '', 'pool'),
    Mutant('I3', 'the sleeper counts itself before its word says so', IDLE,
           '    heist__store_seq_cst(&self->asleep, word);          /* I3: who counts us finds us */\n'
           '    heist__add_seq_cst(&idle->asleep, 1);',
           '    heist__add_seq_cst(&idle->asleep, 1);\n    heist__store_seq_cst(&self->asleep, word);', 'pool',
           survives='a waker that counts a sleeper and does not find it looks again (I4) until it does'),
    Mutant('I3', 'the word is taken back by a load and a store', IDLE,
           '    uint32_t word = heist__exchange_seq_cst(&s->asleep, 0); /* I3 */\n    if (word == 0) return false;',
           '    uint32_t word = heist__load_seq_cst(&s->asleep);\n    if (word == 0) return false;\n    heist__store_seq_cst(&s->asleep, 0);', 'pool'),
    Mutant('I3', 'the word is taken back relaxed', IDLE, 'heist__exchange_seq_cst(&s->asleep, 0)',
           'model__exchange_relaxed(&s->asleep, 0)', 'pool',
           survives='I3 needs the exchange, not its order: of one location, exactly one gets the 1, and nothing is '
                    'read on the strength of it'),
    Mutant('I4', 'no fence before the waker looks', IDLE, '    heist__fence_seq_cst(); /* I4: the work made', '    /* I4:', 'pool',
           first='bare outside=sw fenced --preemptions 3 --stale 1'),
    Mutant('I4', 'the last searcher wakes nobody', IDLE,
           'return left_something(idle, calls) && heist__idle_wake_one(idle);', 'return false;', 'pool',
           first='bare workers=2 pusher=pp bodies=LLL --preemptions 2 --stale 0'),
    Mutant('I4', 'the last searcher leaves without a ring', IDLE,
           '    calls->ring(calls->context);                                                   /* I1, I2 */\n', '', 'pool',
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
           '    if (heist__load_seq_cst(&idle->asleep) == 0) return false; /* I4: who goes to sleep later looks later */\n'
           '    return left_something(idle, calls) && heist__idle_wake_one(idle);',
           '    bool left = left_something(idle, calls);\n'
           '    return heist__add_seq_cst(&idle->searching, (uint32_t)-1) == 1 && left && heist__idle_wake_one(idle);', 'pool',
           first='bare workers=2 outside=ss bodies=LLL --preemptions 2 --stale 0'),
    Mutant('I4', 'the sleeper leaves the search after its last look', IDLE,
           '    heist__add_seq_cst(&idle->searching, (uint32_t)-1); /* I4: from here on a push must wake somebody */\n'
           '    calls->ring(calls->context);                        /* I1, I2 */\n'
           '    /* I1: every push is either seen by any_work or has heard the ring. A refused barrier concludes nothing: go on. '
           '*/\n    if (!heist__heavy_barrier(idle->fenced) || calls->any_work(calls->context)) {\n'
           '        if (rouse(idle, self)) heist__add_seq_cst(&idle->searching, 1);\n',
           '    calls->ring(calls->context);\n    bool any = !heist__heavy_barrier(idle->fenced) || calls->any_work(calls->context);'
           '\n    heist__add_seq_cst(&idle->searching, (uint32_t)-1);\n    if (any) {\n'
           '        if (rouse(idle, self)) heist__add_seq_cst(&idle->searching, 1);\n', 'pool'),
    Mutant('I4', 'a waker that found no sleeper does not look again', IDLE,
           '        heist__add_seq_cst(&idle->searching, (uint32_t)-1);\n        heist__pause();',
           '        heist__add_seq_cst(&idle->searching, (uint32_t)-1);\n        return false;', 'pool',
           elsewhere='needs four threads: idle.pml shows it (NO_SECOND_LOOK)'),
    Mutant('I4', 'the waker looks relaxed', IDLE,
           '        if (heist__load_seq_cst(&idle->asleep) == 0) return false;\n'
           '        uint32_t searching = heist__load_seq_cst(&idle->searching);',
           '        if (heist__load_relaxed(&idle->asleep) == 0) return false;\n'
           '        uint32_t searching = heist__load_relaxed(&idle->searching);', 'pool',
           elsewhere='argued: in the first round the fence orders the looks; in a second one an old value of asleep would be '
                     'as bad as not looking again'),
    Mutant('I4', 'a searcher that finds leaves relaxed', IDLE,
           'uint32_t before = heist__add_seq_cst(&idle->searching, (uint32_t)-1);',
           'uint32_t before = heist__add_relaxed(&idle->searching, (uint32_t)-1);', 'pool',
           survives='the barrier, or the fence with which wake_one begins, stands between this and the looks that count'),
    Mutant('I5', 'who stood by counts as doing so for ever', IDLE,
           '    heist__add_seq_cst(&idle->standing_by, (uint32_t)-1); /* I5: it searches after this */\n', '', 'pool',
           first='bare pusher=pp crowd --preemptions 2 --stale 0'),
    Mutant('I5', 'who stands by is relied upon until it sleeps', IDLE,
           '    heist__add_seq_cst(&idle->standing_by, (uint32_t)-1); /* I5: it searches after this */\n}\n\n'
           'bool heist__idle_sleep(heist__idle *idle, heist__sleeper *self, const heist__idle_calls *calls)\n{\n'
           '    sleep_unless_work(idle, self, calls);\n',
           '}\n\nbool heist__idle_sleep(heist__idle *idle, heist__sleeper *self, const heist__idle_calls *calls)\n{\n'
           '    sleep_unless_work(idle, self, calls);\n'
           '    if (heist__load_seq_cst(&idle->standing_by)) heist__add_seq_cst(&idle->standing_by, (uint32_t)-1);\n', 'pool',
           first='bare pusher=pp crowd --preemptions 2 --stale 0'),

    # --- termination ---
    Mutant('T1', 'finished is stored relaxed', DETECTOR,
           'heist__store_release(&t->finished, heist__load_relaxed(&t->finished) + 1)',
           'heist__store_relaxed(&t->finished, heist__load_relaxed(&t->finished) + 1)', 'quiet'),
    Mutant('T1', 'finished is read relaxed', DETECTOR, 'finished += heist__load_acquire(&d->tallies[i].finished)',
           'finished += heist__load_relaxed(&d->tallies[i].finished)', 'quiet'),
    Mutant('T1', 'outsiders count finished relaxed', DETECTOR,
           'heist__add_acq_rel(&d->tallies[d->workers].finished, 1)', 'heist__add_relaxed(&d->tallies[d->workers].finished, 1)',
           'quiet',
           first='asks=2 refused'),
    Mutant('T1', 'created is read before finished', DETECTOR,
           '    for (unsigned i = 0; i <= d->workers; i++) finished += heist__load_acquire(&d->tallies[i].finished);\n',
           '    for (unsigned i = 0; i <= d->workers; i++) created += heist__load_acquire(&d->tallies[i].created);\n'
           '    for (unsigned i = 0; i <= d->workers; i++) finished += heist__load_acquire(&d->tallies[i].finished);\n'
           '    return finished == created;\n', 'quiet'),
    Mutant('T2', 'created is counted after the push', LOOSE,
           '    heist__count_created(pool, w, core);\n    if (heist_deque_push(w->loose, l) < 0) {\n',
           '    int full = heist_deque_push(w->loose, l);\n    heist__count_created(pool, w, core);\n    if (full < 0) {\n', 'pool',
           first='workers=2 outside=sw bodies=d. --preemptions 2 --stale 0'),
    Mutant('T2', 'a task is finished before its body has run', LOOSE,
           "    bool run = heist__load_acquire(&pool->state) != HEIST__POOL_CANCELLING; /* S2: pairs with end_pool's store */\n",
           '    bool run = heist__load_acquire(&pool->state) != HEIST__POOL_CANCELLING;\n    heist__count_finished(pool, w, core);\n'
           '    heist__count_created(pool, w, core);\n', 'pool',
           first='bare outside=sw --preemptions 3 --stale 1'),
    Mutant('T3', 'a submitter counts after it put', SUBMIT,
           '    heist__count_created(pool, NULL, core);\n    heist__fence_seq_cst(); /* S2: counted before the look. Pairs with the fence '
           'in heist_pool_close. */\n'
           '    int error = heist__load_relaxed(&pool->state) == HEIST__POOL_OPEN ? 0 : -ESHUTDOWN; /* relaxed: S2 orders it */\n'
           '    if (!error && !heist__inbox_put(inbox, parcel))\n',
           '    heist__fence_seq_cst();\n'
           '    int error = heist__load_relaxed(&pool->state) == HEIST__POOL_OPEN ? 0 : -ESHUTDOWN;\n'
           '    bool put = !error && heist__inbox_put(inbox, parcel);\n    heist__count_created(pool, NULL, core);\n    if (!error && !put)\n',
           'pool',
           first='bare outside=s second=Tx --preemptions 3 --stale 0'),
    Mutant('T4', 'no heavy barrier in the waiter', WAIT, 'return heist__heavy_barrier(pool->idle.fenced); /* T4 */',
           'return true;', 'pool',
           first='bare outside=sw --preemptions 3 --stale 1'),
    Mutant('T4', 'no fence in the finisher, fence mode', WAIT,
           '    if (pool->idle.fenced) heist__fence_seq_cst();        /* T4, fence mode */\n', '', 'pool',
           first='bare outside=s second=q fenced --preemptions 2 --stale 1'),
    Mutant('T4', 'the waiter looks before it says so', WAIT,
           '    heist__waiter *waiter;\n    int64_t nap_ns = heist__waiter_begin(pool, detector, &waiter) ? -1 : 1000000;\n',
           '    heist__waiter *waiter;\n    bool over = heist__detector_quiet(detector);\n'
           '    int64_t nap_ns = heist__waiter_begin(pool, detector, &waiter) ? -1 : 1000000;\n'
           '    while (!over && !heist__waiter_sleep(waiter, nap_ns)) {\n    }\n'
           '    heist__waiter_end(pool, waiter);\n    return;\n', 'pool',
           first='bare outside=sw --preemptions 3 --stale 1'),
    Mutant('T5', 'the finisher tells relaxed', WAIT, 'heist__store_release(&waiter->quiet, 1); /* T5',
           'heist__store_relaxed(&waiter->quiet, 1); /* T5', 'pool',
           survives='the waiter does not go on before it has seen, by T7, that the finisher looks no more'),
    Mutant('T5', 'the waiter reads relaxed', WAIT, 'return waiter && heist__load_acquire(&waiter->quiet); /* T5 */',
           'return waiter && heist__load_relaxed(&waiter->quiet);', 'pool',
           survives='as above'),

    Mutant('T6', 'no word is left', WAIT,
           'if (heist__exchange_seq_cst(&waiter->looker, LOOKS_AGAIN) != NOBODY_LOOKS) return;',
           'uint32_t first = NOBODY_LOOKS;\n    if (!heist__cas_seq_cst(&waiter->looker, &first, LOOKS)) return;', 'pool',
           first='bare workers=2 outside=ssw --preemptions 2 --stale 0'),
    Mutant('T6', 'word is left relaxed', WAIT,
           'if (heist__exchange_seq_cst(&waiter->looker, LOOKS_AGAIN)', 'if (model__exchange_relaxed(&waiter->looker, LOOKS_AGAIN)',
           'pool',
           elsewhere='argued: an old count, read by one of two workers after the word of the other, is beyond the bounds; the other '
                     'end of the edge is killed'),
    Mutant('T6', 'the word is taken back relaxed', WAIT,
           '        heist__exchange_seq_cst(&waiter->looker, LOOKS);', '        model__exchange_relaxed(&waiter->looker, LOOKS);',
           'pool', first='bare workers=2 outside=ssw --preemptions 2 --stale 1'),
    Mutant('T6', 'who looks does not look again', WAIT,
           '} while (!heist__cas_seq_cst(&waiter->looker, &looks, NOBODY_LOOKS)); /* T6;',
           '} while (0);\n    heist__store_seq_cst(&waiter->looker, NOBODY_LOOKS); /* T6;',
           'pool', first='bare workers=2 outside=ssw --preemptions 2 --stale 0'),
    Mutant('T7', 'the waiter leaves while somebody looks', WAIT,
           'heist__load_seq_cst(&waiter->looker) != NOBODY_LOOKS; looks++', 'looks < 0; looks++', 'pool',
           first='bare outside=Se --preemptions 3 --stale 1'),
    Mutant('T7', 'the finisher reads the detector relaxed', WAIT, '= heist__load_seq_cst(&waiter->detector); /* T7 */',
           '= heist__load_relaxed(&waiter->detector);', 'pool', first='bare outside=Se --preemptions 3 --stale 1'),
    Mutant('T7', 'the waiter takes its detector away with release only', WAIT, 'heist__store_seq_cst(&waiter->detector, NULL)',
           'heist__store_release(&waiter->detector, NULL)', 'pool', first='bare outside=Se --preemptions 3 --stale 1'),
    Mutant('T7', 'the waiter looks relaxed whether somebody looks', WAIT,
           'heist__load_seq_cst(&waiter->looker) != NOBODY_LOOKS', 'heist__load_relaxed(&waiter->looker) != NOBODY_LOOKS', 'pool',
           first='bare outside=Se --preemptions 3 --stale 1'),
    Mutant('T7', 'the finisher ends its look without release', WAIT, 'heist__cas_seq_cst(&waiter->looker, &looks, NOBODY_LOOKS)',
           'model__cas_acquire(&waiter->looker, &looks, NOBODY_LOOKS)', 'pool',
           first='bare outside=Se --preemptions 3 --stale 1'),
    Mutant('T7', 'a place is given back relaxed', WAIT, 'heist__store_release(&waiter->taken, 0)',
           'heist__store_relaxed(&waiter->taken, 0)', 'pool', first='bare outside=Se second=Se --preemptions 3 --stale 1'),
    Mutant('T7', 'a place is taken relaxed', WAIT, 'heist__cas_acq_rel(&some->places[i].taken, &free_one, 1)',
           'heist__cas_relaxed(&some->places[i].taken, &free_one, 1)', 'pool',
           first='bare outside=Se second=Se --preemptions 3 --stale 1'),
    Mutant('T8', 'new places are published relaxed', WAIT, 'heist__cas_acq_rel(&some->more, &more, made)',
           'heist__cas_relaxed(&some->more, &more, made)', 'pool',
           elsewhere='argued: memory that calloc has cleared was never anything else here'),
    Mutant('T8', 'the finisher goes on to new places relaxed', WAIT, 'some; some = heist__load_acquire(&some->more)) { /* T8 */',
           'some; some = heist__load_relaxed(&some->more)) {', 'pool',
           elsewhere='as above'),

    # --- submission and shutdown ---
    Mutant('Q1', 'put publishes relaxed', INBOX, 'heist__store_release(&slot->sequence, tail + 1)',
           'heist__store_relaxed(&slot->sequence, tail + 1)', 'inbox'),
    Mutant('Q1', 'take reads the number relaxed', INBOX,
           'uint64_t sequence = heist__load_acquire(&slot->sequence);\n    int64_t ahead = ahead_of(sequence, position + 1)',
           'uint64_t sequence = heist__load_relaxed(&slot->sequence);\n    int64_t ahead = ahead_of(sequence, position + 1)',
           'inbox'),
    Mutant('Q2', 'take gives the slot back without release', INBOX,
           'heist__cas_acq_rel(&slot->sequence, &sequence, position + inbox->mask + 1)',
           'model__cas_acquire(&slot->sequence, &sequence, position + inbox->mask + 1)', 'inbox',
           first='threads=pppp,tt full=1'),
    Mutant('Q2', 'put reads the number relaxed', INBOX, 'ahead_of(heist__load_acquire(&slot->sequence), tail)',
           'ahead_of(heist__load_relaxed(&slot->sequence), tail)', 'inbox',
           first='threads=pppp,tt full=1'),
    Mutant('S1', 'no fence before the look for those who want room', SUBMIT,
           '    heist__fence_seq_cst(); /* S1: the room made', '    /* S1: the room made', 'pool',
           elsewhere='argued: two workers would have to take at once and each read an old value; one alone passes the fence of '
                     'wake_one before its second take'),
    Mutant('S1', 'nobody is told of room', SUBMIT, '    heist__futex_wake(&pool->room, INT_MAX);\n', '', 'pool',
           first='bare outside=sss --preemptions 2 --stale 1'),
    Mutant('S2', 'no fence in a submission', SUBMIT, '    heist__fence_seq_cst(); /* S2: counted', '    /* S2: counted', 'pool',
           first='bare outside=s second=q fenced --preemptions 2 --stale 1'),
    Mutant('S2', 'no fence in close', POOL, '    heist__fence_seq_cst(); /* S2: pairs', '    /* S2: pairs', 'pool',
           survives='whoever waits after it passes the fence of T4 in heist__waiter_begin'),
    Mutant('S3', 'shutdown does not wait for submitters', POOL,
           '        while (heist__load_acquire(&pool->outsiders)) sched_yield();', '        ', 'pool',
           first='bare outside=s second=Tx --preemptions 3 --stale 0'),
    Mutant('S3', 'sleepers are not woken at the end', POOL, '    heist__idle_wake_all(&pool->idle);\n', '', 'pool',
           first='bare outside=sx --preemptions 3 --stale 1'),
]
