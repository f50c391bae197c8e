/* From creation to completion, as clang calls it: allocate, fill in, submit; or, for if(0), begin and complete around a
 * call by the program itself.
 *
 * An untied task comes in parts: at a scheduling point it submits itself and returns, to be called again for the next
 * part. Here the thread that has begun it calls it again at once. */
#include <string.h>

#include "openmp/brief.h"
#include "openmp/create.h"
#include "openmp/kmp/kmp.h"

/* ---- memory ---- */

/* No alignment is asked for; but the size of what the compiler lays out is a multiple of it, and, since what is aligned so
 * comes after the kmp_task_t, more than once. */
static inline size_t alignment_of(size_t size)
{
    enum { MOST = 4096 };
    size_t align = size & (0 - size);
    if (align == size) align /= 2;
    return align < MOST ? align : MOST;
}

/* What there was of the reserve. */
static void *checked(void *memory)
{
    if (!memory) heist__omp_fatal("__kmpc_omp_task_alloc: no memory for a task, and none left in the reserve");
    return memory;
}

/* A head in a block of memory; heist__omp_block_free finds the block in the word before the head. */
__attribute__((noinline)) static heist__kmp_head *head_in_block(heist__omp_slot *self, heist__omp_task *record,
                                                                size_t bytes, size_t align)
{
    record->flags |= HEIST__KMP_TASK_BLOCK;
    if (align < sizeof(heist__kmp_head)) align = sizeof(heist__kmp_head);
    char *block = heist__omp_block(self, align + bytes, align);
    if (!block) {
        record->flags |= HEIST__KMP_TASK_AT_ONCE;
        size_t needed = heist__omp_block_bytes(align + bytes, align);
        block = heist__omp_block_in(checked(heist__kmp_reserve_take(self, needed)), align);
    }
    char *head = block + align - sizeof(heist__kmp_head);
    memmove(head - sizeof(void *), block - sizeof(void *), sizeof(void *));
    return (heist__kmp_head *)head;
}

static void free_block(heist__omp_slot *self, void *data)
{
    void *block;
    memcpy(&block, (char *)data - sizeof(void *), sizeof(void *));
    if (heist__kmp_reserve_has(self, block)) {
        heist__kmp_reserve_give(self, block);
    } else {
        heist__omp_block_free(self, data);
    }
}

/* ---- bodies ---- */

void heist__kmp_run_plain(void *data)
{
    heist__kmp_task *task = heist__kmp_task_of(data);
    task->routine(heist__omp_self->thread, task);
}

static void run_parts(heist__omp_slot *self, heist__omp_task *record, heist__kmp_task *task)
{
    while (record->flags & HEIST__KMP_TASK_AGAIN) {
        record->flags &= ~(uint32_t)HEIST__KMP_TASK_AGAIN;
        task->routine(self->thread, task);
    }
}

static void destruct(heist__omp_slot *self, heist__omp_task *record, heist__kmp_task *task)
{
    if (record->flags & HEIST__KMP_TASK_DESTRUCT) task->data1.destructors(self->thread, task);
}

/* Of an untied task, or one with destructors: these are called also for a task that is cancelled. */
static void run_special(void *data)
{
    heist__omp_slot *self = heist__omp_self;
    heist__kmp_head *head = data;
    heist__kmp_task *task = heist__kmp_task_of(head);
    if (!self->cancellable || !heist__omp_cancelled(self, head->task->group)) {
        head->task->flags |= HEIST__KMP_TASK_AGAIN;
        run_parts(self, head->task, task);
    }
    destruct(self, head->task, task);
}

/* ---- allocation ---- */

static inline uint32_t kind_of(heist__omp_slot *self, int32_t flags)
{
    uint32_t kind = heist__omp_inherited(self->current);
    if (self->cancellable || (self->current->flags & HEIST__TASK_CALLS)) kind |= HEIST__KMP_TASK_ASK;
    if (!(flags & HEIST__KMP_TIED) || (flags & HEIST__KMP_DESTRUCTORS)) kind |= HEIST__KMP_TASK_SPECIAL;
    if (flags & HEIST__KMP_FINAL) kind |= HEIST__TASK_FINAL;
    if (flags & HEIST__KMP_PRIORITY) kind |= HEIST__KMP_TASK_PRIORITY;
    /* Constructed data must be destructed: the core is not to drop such a task when it is cancelled. */
    if (flags & HEIST__KMP_DESTRUCTORS) kind |= HEIST__KMP_TASK_DESTRUCT | HEIST__TASK_COPIED;
    return kind;
}

static inline size_t up_to_shareds(size_t size)
{
    return (size + sizeof(void *) - 1) & ~(sizeof(void *) - 1);
}

/* Whether so many bytes are in the record, behind the head. They are aligned as they should be, then: see alignment_of. */
static inline bool fits(size_t bytes)
{
    return sizeof(heist__kmp_head) + bytes <= HEIST__OMP_INLINE;
}

/* What a new task is before the program fills it in. */
static inline heist__kmp_task *fill(heist__kmp_head *head, heist__omp_task *record, size_t size, size_t shareds,
                                    heist__kmp_routine *routine)
{
    record->data = head;
    head->mark = heist__kmp_mark(head);
    head->task = record;
    head->size = size;
    head->shareds = shareds;
    heist__kmp_task *task = heist__kmp_task_of(head);
    task->shareds = shareds ? (char *)task + up_to_shareds(size) : NULL;
    task->routine = routine;
    task->part = 0;
    return task;
}

/* A record of the reserve is made the only free one for it. */
static heist__kmp_task *allocate_of_reserve(heist__omp_slot *self, int32_t flags, size_t size, size_t shareds,
                                            heist__kmp_routine *routine)
{
    heist__omp_record_give(self, checked(heist__kmp_reserve_record(self)));
    heist__kmp_task *task = heist__kmp_task_new(self, flags, size, shareds, routine);
    heist__kmp_record_of(task)->flags |= HEIST__KMP_TASK_AT_ONCE;
    return task;
}

heist__kmp_task *heist__kmp_task_new(heist__omp_slot *self, int32_t flags, size_t size, size_t shareds,
                                     heist__kmp_routine *routine)
{
    heist__omp_task *record = heist__omp_record_take(self);
    if (__builtin_expect(!record, 0)) return allocate_of_reserve(self, flags, size, shareds, routine);
    heist__omp_task_born(self, self->current, record, kind_of(self, flags));
    size_t bytes = up_to_shareds(size) + shareds;
    heist__kmp_head *head = (heist__kmp_head *)record->room;
    if (__builtin_expect(!fits(bytes), 0)) head = head_in_block(self, record, bytes, alignment_of(size));
    return fill(head, record, size, shareds, routine);
}

__attribute__((noinline)) static heist__kmp_task *
allocate_otherwise(void *loc, int32_t gtid, int32_t flags, size_t size, size_t shareds, heist__kmp_routine *routine)
{
    heist__omp_slot *self = heist__omp_self;
    if (!self) {
        heist__omp_activate();
        return HEIST__REAL(__kmpc_omp_task_alloc)(loc, gtid, flags, size, shareds, routine);
    }
    heist__kmp_task *task = heist__kmp_task_new(self, flags, size, shareds, routine);
    if (flags & HEIST__KMP_PROXY) __kmpc_task_allow_completion_event(loc, gtid, task);
    return task;
}

heist__kmp_task *__kmpc_omp_task_alloc(void *loc, int32_t gtid, int32_t flags, size_t size, size_t shareds,
                                       heist__kmp_routine *routine)
{
    heist__omp_slot *self = heist__omp_self;
    if (__builtin_expect(!self || flags != HEIST__KMP_TIED || !fits(up_to_shareds(size) + shareds) || !*self->record ||
                             (self->current->flags & HEIST__TASK_CALLS) || self->cancellable,
                         0))
        return allocate_otherwise(loc, gtid, flags, size, shareds, routine);
    heist__omp_task *record = *self->record--; /* as heist__omp_record_take; there is one */
    heist__omp_task_born(self, self->current, record, 0);
    return fill((heist__kmp_head *)record->room, record, size, shareds, routine);
}

/* A task like others: its body has the device, or the host in its place, do the work and waits for it. */
heist__kmp_task *__kmpc_omp_target_task_alloc(void *loc, int32_t gtid, int32_t flags, size_t size, size_t shareds,
                                              heist__kmp_routine *routine, int64_t device)
{
    heist__omp_slot *self = heist__omp_self;
    if (self) return heist__kmp_task_new(self, flags, size, shareds, routine);
    heist__omp_activate();
    return HEIST__REAL(__kmpc_omp_target_task_alloc)(loc, gtid, flags, size, shareds, routine, device);
}

/* ---- submission ---- */

/* The body has ended, within the call that created the task. */
static inline void ended_now(heist__omp_slot *self, heist__omp_task *record)
{
    void *block = record->flags & HEIST__KMP_TASK_BLOCK ? record->data : NULL; /* now: the record may be gone below */
    if (__builtin_expect(!(record->flags & HEIST__TASK_EVENT), 1)) {
        heist__omp_task_gone(self, record);
    } else {
        heist__omp_task_left(self, record);
    }
    if (block) free_block(self, block);
}

void heist__kmp_task_ended(heist__omp_slot *self, heist__omp_task *record)
{
    ended_now(self, record);
}

static void run_now(heist__omp_slot *self, heist__omp_task *record, heist__omp_body *body)
{
    heist__omp_task *parent = self->current;
    record->flags |= HEIST__TASK_NOW;
    heist__omp_task_call(self, parent, record, body, record->data, parent->nested + 1);
    ended_now(self, record);
}

/* The same without a way round, for what the program makes most of. */
static inline void run_plain_now(heist__omp_slot *self, heist__omp_task *record, heist__kmp_task *task)
{
    heist__omp_task *parent = self->current;
    record->flags |= HEIST__TASK_NOW;
    heist__omp_task_begin(self, record, parent->nested + 1);
    task->routine(self->thread, task);
    heist__omp_task_end(self, parent);
    ended_now(self, record);
}

static heist__omp_body *body_of(const heist__omp_task *record)
{
    return record->flags & HEIST__KMP_TASK_SPECIAL ? run_special : heist__kmp_run_plain;
}

/* What a task that does not run at once has beside. */
static inline void keep(heist__omp_slot *self, heist__omp_task *record)
{
    record->fn = body_of(record);
    record->home = self;
    heist__omp_task_counted(self, record);
}

void heist__kmp_task_discard(heist__omp_slot *self, heist__omp_task *record)
{
    heist__kmp_head *head = record->data;
    destruct(self, record, heist__kmp_task_of(head));
    if (record->flags & HEIST__TASK_EVENT) { /* kept for ever: somebody may still fulfil its event */
        return;
    }
    if ((char *)head != record->room) free_block(self, head);
    heist__omp_record_give(self, record);
}

/* Whether a task had better not run at once because its creator would have to wait for others. A creator of very many
 * dependent tasks has to; not for one with an event, which whatever comes after may depend on when its body is over. */
static bool has_to_wait(heist__omp_slot *self, const heist__omp_task *record, const void *clauses)
{
    if (!clauses) return false;
    return (record->flags & HEIST__TASK_EVENT) ||
           (!heist__omp_depend_over(self, clauses) && !heist__omp_many_children(self));
}

static int32_t priority_of(heist__omp_slot *self, heist__omp_task *record)
{
    if (!(record->flags & HEIST__KMP_TASK_PRIORITY)) return 0;
    int most = self->team->max_priority, asked = heist__kmp_task_of(record->data)->data2.priority;
    return asked < 0 ? 0 : asked < most ? asked : most;
}

void heist__kmp_task_submit(heist__omp_slot *self, heist__omp_task *record, const void *clauses, bool now)
{
    heist__omp_task *parent = self->current;
    if (self->cancellable && heist__omp_cancelled(self, parent->group)) {
        heist__kmp_task_discard(self, record);
        return;
    }
    now = now || (parent->flags & HEIST__TASK_CALLS) || (record->flags & HEIST__KMP_TASK_AT_ONCE);
    int32_t priority = priority_of(self, record);
    bool crowded = clauses ? heist__omp_crowded_dependent(self, priority) : heist__omp_crowded_for(self, priority);
    uint32_t fate = HEIST__SITE_ASK;
    if (!now && crowded && !clauses && priority == 0 && !(record->flags & HEIST__TASK_EVENT)) {
        fate = heist__omp_site_says(self, (uintptr_t)heist__kmp_task_of(record->data)->routine);
        crowded = fate == HEIST__SITE_AT_ONCE;
    }
    bool waits = !now && (!crowded || has_to_wait(self, record, clauses)) &&
                 (!clauses || heist__omp_depend_prepare(self, record, clauses));
    if (!waits && clauses) heist__omp_depend_wait(self, clauses);
    if (!waits && (now || !(record->flags & HEIST__TASK_EVENT))) {
        int64_t begin = clauses ? heist__omp_brief_begin(self) : 0;
        run_now(self, record, body_of(record));
        if (clauses) heist__omp_brief_end(self, begin);
        return;
    }
    keep(self, record);
    if (!waits) { /* its creator may be the one to fulfil its event: not waited for here */
        heist__omp_task_run_within(self, record);
        return;
    }
    record->priority = priority;
    if (clauses) {
        heist__omp_depend(self, record, clauses);
    } else {
        heist__omp_task_put(self, record, fate);
    }
}

/* A task that libomp made for GOMP_task, in a region of heist's: libomp's own queue is looked at by nobody here. */
static void run_foreign(void *loc, int32_t gtid, heist__kmp_task *task)
{
    HEIST__REAL(__kmpc_omp_task_begin_if0)(loc, gtid, task);
    task->routine(gtid, task);
    HEIST__REAL(__kmpc_omp_task_complete_if0)(loc, gtid, task);
}

__attribute__((noinline)) static void submit_otherwise(void *loc, int32_t gtid, heist__kmp_task *task)
{
    heist__omp_slot *self = heist__omp_self;
    heist__omp_task *record = heist__kmp_record_of(task);
    if (!self) {
        HEIST__REAL(__kmpc_omp_task)(loc, gtid, task);
    } else if (!record) {
        run_foreign(loc, gtid, task);
    } else if (record == self->current) {
        record->flags |= HEIST__KMP_TASK_AGAIN;
    } else {
        heist__kmp_task_submit(self, record, NULL, false);
    }
}

__attribute__((noinline)) static void submit_asking(heist__omp_slot *self, heist__omp_task *record,
                                                    heist__kmp_task *task, uint32_t fate)
{
    if (fate == HEIST__SITE_ASK) fate = heist__omp_fate_asked(self, (uintptr_t)task->routine);
    if (fate == HEIST__SITE_AT_ONCE) {
        run_plain_now(self, record, task);
        return;
    }
    keep(self, record);
    record->priority = 0;
    heist__omp_task_put(self, record, fate);
}

/* An untied task that submits itself again is special, too. */
enum {
    SPECIAL = HEIST__TASK_EVENT | HEIST__KMP_TASK_PRIORITY | HEIST__KMP_TASK_SPECIAL | HEIST__KMP_TASK_AT_ONCE |
              HEIST__KMP_TASK_ASK
};

int32_t __kmpc_omp_task(void *loc, int32_t gtid, heist__kmp_task *task)
{
    heist__omp_slot *self = heist__omp_self;
    heist__omp_task *record = heist__kmp_record_of(task);
    if (__builtin_expect(!self || !record || (record->flags & SPECIAL), 0)) {
        submit_otherwise(loc, gtid, task);
        return 0;
    }
    uint32_t fate = heist__omp_fate(self, (uintptr_t)task->routine);
    if (fate == HEIST__SITE_AT_ONCE) {
        run_plain_now(self, record, task);
    } else {
        submit_asking(self, record, task, fate);
    }
    return 0;
}

int32_t __kmpc_omp_task_parts(void *loc, int32_t gtid, heist__kmp_task *task)
{
    return __kmpc_omp_task(loc, gtid, task);
}

/* ---- dependences ---- */

typedef struct clauses {
    size_t counts[2]; /* of those that may name an address twice, and of those that do not */
    const heist__kmp_depend *lists[2];
} clauses;

size_t heist__omp_use_count(const void *what)
{
    const clauses *c = what;
    return c->counts[0] + c->counts[1];
}

heist__omp_use heist__omp_use_at(const void *what, size_t i, void **address)
{
    const clauses *c = what;
    const heist__kmp_depend *d = i < c->counts[0] ? &c->lists[0][i] : &c->lists[1][i - c->counts[0]];
    if ((d->kind & HEIST__KMP_DEPEND_ALL) || d->address == HEIST__KMP_ALL_MEMORY) {
        *address = NULL;
        return HEIST__USE_OUT;
    }
    *address = d->address ? d->address : (void *)1; /* NULL is an address like others, and means all memory here */
    if (d->kind & HEIST__KMP_DEPEND_SET) return HEIST__USE_SET;
    if (d->kind == HEIST__KMP_DEPEND_MUTEX) return HEIST__USE_MUTEX;
    return d->kind == HEIST__KMP_DEPEND_IN ? HEIST__USE_IN : HEIST__USE_OUT;
}

static int32_t do_nothing(int32_t gtid, heist__kmp_task *task)
{
    (void)gtid;
    (void)task;
    return 0;
}

int32_t __kmpc_omp_task_with_deps(void *loc, int32_t gtid, heist__kmp_task *task, int32_t count,
                                  heist__kmp_depend *list, int32_t noalias_count, heist__kmp_depend *noalias_list)
{
    heist__omp_slot *self = heist__omp_self;
    if (!self) return HEIST__REAL(__kmpc_omp_task_with_deps)(loc, gtid, task, count, list, noalias_count, noalias_list);
    clauses c = {{(size_t)count, (size_t)noalias_count}, {list, noalias_list}};
    heist__omp_task *record = heist__kmp_record_of(task);
    if (!task->routine) task->routine = do_nothing; /* taskwait nowait, by some compilers */
    if (record) {
        heist__kmp_task_submit(self, record, &c, false);
    } else {
        heist__omp_depend_wait(self, &c);
        run_foreign(loc, gtid, task);
    }
    return 0;
}

void __kmpc_omp_wait_deps(void *loc, int32_t gtid, int32_t count, heist__kmp_depend *list, int32_t noalias_count,
                          heist__kmp_depend *noalias_list)
{
    heist__omp_slot *self = heist__omp_self;
    if (self) {
        clauses c = {{(size_t)count, (size_t)noalias_count}, {list, noalias_list}};
        heist__omp_depend_wait(self, &c);
    } else {
        HEIST__REAL(__kmpc_omp_wait_deps)(loc, gtid, count, list, noalias_count, noalias_list);
    }
}

void __kmpc_omp_taskwait_deps_51(void *loc, int32_t gtid, int32_t count, heist__kmp_depend *list, int32_t noalias_count,
                                 heist__kmp_depend *noalias_list, int32_t nowait)
{
    heist__omp_slot *self = heist__omp_self;
    if (!self) {
        HEIST__REAL(__kmpc_omp_taskwait_deps_51)(loc, gtid, count, list, noalias_count, noalias_list, nowait);
    } else if (nowait) {
        heist__kmp_task *task = heist__kmp_task_new(self, HEIST__KMP_TIED, sizeof *task, 0, NULL);
        __kmpc_omp_task_with_deps(loc, gtid, task, count, list, noalias_count, noalias_list);
    } else {
        __kmpc_omp_wait_deps(loc, gtid, count, list, noalias_count, noalias_list);
    }
}

/* ---- if(0): the program calls the task itself ---- */

void __kmpc_omp_task_begin_if0(void *loc, int32_t gtid, heist__kmp_task *task)
{
    heist__omp_slot *self = heist__omp_self;
    heist__omp_task *record = self ? heist__kmp_record_of(task) : NULL;
    if (!record) {
        HEIST__REAL(__kmpc_omp_task_begin_if0)(loc, gtid, task);
        return;
    }
    record->flags |= HEIST__TASK_NOW;
    if (self->ending_group) record->flags |= HEIST__KMP_TASK_ENDING;
    record->nested = self->current->nested + 1;
    record->base = heist__load_relaxed(&self->tail); /* relaxed: its own */
    self->current = record;
    self->ending_group = false;
}

void __kmpc_omp_task_complete_if0(void *loc, int32_t gtid, heist__kmp_task *task)
{
    heist__omp_slot *self = heist__omp_self;
    heist__omp_task *record = self ? heist__kmp_record_of(task) : NULL;
    if (!record) {
        HEIST__REAL(__kmpc_omp_task_complete_if0)(loc, gtid, task);
        return;
    }
    run_parts(self, record, task);
    destruct(self, record, task);
    heist__omp_task *outer = heist__load_relaxed(&record->parent); /* relaxed: its own */
    if (outer->icvs != self->icvs) heist__omp_icvs_install(self, outer->icvs);
    self->current = outer;
    self->ending_group = (record->flags & HEIST__KMP_TASK_ENDING) != 0;
    ended_now(self, record);
}

/* ---- events ---- */

void *__kmpc_task_allow_completion_event(void *loc, int32_t gtid, heist__kmp_task *task)
{
    heist__omp_task *record = heist__omp_self ? heist__kmp_record_of(task) : NULL;
    if (!record) return HEIST__REAL(__kmpc_task_allow_completion_event)(loc, gtid, task);
    uintptr_t handle;
    /* Run at once, it would be waited for; but its event may be fulfilled by what comes after. */
    bool alone = (record->flags & HEIST__TASK_ALONE) && !(record->flags & HEIST__TASK_FINAL);
    if (alone || heist__kmp_reserve_has(heist__omp_self, record->data))
        heist__omp_fatal("__kmpc_task_allow_completion_event: no memory for a task with an event");
    record->flags &= ~(uint32_t)HEIST__KMP_TASK_AT_ONCE;
    record->home = heist__omp_self; /* where it is fulfilled, that is looked at */
    heist__omp_event_attach(record, &handle, NULL);
    return (void *)handle;
}

/* A proxy task is complete when whoever does its work says so: as with an event. */
static bool complete_proxy(heist__kmp_task *task)
{
    heist__omp_task *record = heist__kmp_record_of(task);
    if (record) omp_fulfill_event((uintptr_t)record | HEIST__EVENT_BIT);
    return record != NULL;
}

void __kmpc_proxy_task_completed(int32_t gtid, heist__kmp_task *task)
{
    if (!complete_proxy(task)) HEIST__REAL(__kmpc_proxy_task_completed)(gtid, task);
}

void __kmpc_proxy_task_completed_ooo(heist__kmp_task *task)
{
    if (!complete_proxy(task)) HEIST__REAL(__kmpc_proxy_task_completed_ooo)(task);
}

/* ---- the rest ---- */

/* A hint, which libomp does not use either. */
int32_t __kmpc_omp_reg_task_with_affinity(void *loc, int32_t gtid, heist__kmp_task *task, int32_t count, void *list)
{
    return heist__omp_self ? 0 : HEIST__REAL(__kmpc_omp_reg_task_with_affinity)(loc, gtid, task, count, list);
}

int32_t __kmpc_omp_taskwait(void *loc, int32_t gtid)
{
    heist__omp_slot *self = heist__omp_self;
    if (__builtin_expect(!self, 0)) return HEIST__REAL(__kmpc_omp_taskwait)(loc, gtid);
    heist__omp_taskwait(self);
    return 0;
}

int32_t __kmpc_omp_taskyield(void *loc, int32_t gtid, int end_part)
{
    heist__omp_slot *self = heist__omp_self;
    if (!self) return HEIST__REAL(__kmpc_omp_taskyield)(loc, gtid, end_part);
    heist__omp_taskyield(self);
    return 0;
}

/* Recorded task graphs, of clangs to come: libomp would record nothing here. */
int32_t __kmpc_start_record_task(void *loc, int32_t gtid, int32_t flags, int32_t id)
{
    if (heist__omp_self) heist__omp_fatal("__kmpc_start_record_task: recorded task graphs are not served");
    return HEIST__REAL(__kmpc_start_record_task)(loc, gtid, flags, id);
}

void __kmpc_end_record_task(void *loc, int32_t gtid, int32_t flags, int32_t id)
{
    if (heist__omp_self) heist__omp_fatal("__kmpc_end_record_task: recorded task graphs are not served");
    HEIST__REAL(__kmpc_end_record_task)(loc, gtid, flags, id);
}

void __kmpc_taskgraph(void *loc, int32_t gtid, int32_t flags, uint32_t id, void *entry, void *data)
{
    if (heist__omp_self) heist__omp_fatal("__kmpc_taskgraph: recorded task graphs are not served");
    HEIST__REAL(__kmpc_taskgraph)(loc, gtid, flags, id, entry, data);
}
