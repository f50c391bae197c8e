/* From creation to completion, as clang calls it: allocate, fill in, submit.
 *
 * An untied task comes in parts: at a scheduling point it submits itself and returns, to be called again for the next
 * part. Here the thread that has begun it calls it again at once. */
#include "openmp/kmp/task.h"

#include <string.h>

#include "openmp/core/block.h"
#include "openmp/core/call.h"
#include "openmp/core/cancel.h"
#include "openmp/core/create.h"
#include "openmp/core/dependent_cost.h"
#include "openmp/kmp/reserve.h"
#include "openmp/preload/load.h"
#include "openmp/preload/message.h"
#include "openmp/preload/runtime_symbols.h"

/* ---- memory ---- */

/* The compiler asks for no alignment. But the size that it asks for is a multiple of the alignment, and at least
 * twice as large, because aligned data comes after the kmp_task_t. */
static inline size_t alignment_of(size_t size)
{
    enum { MOST = 4096 };
    size_t align = size & (0 - size);
    if (align == size) align /= 2;
    return align < MOST ? align : MOST;
}

/* Memory of the reserve, if there was any. */
static void *checked(void *memory)
{
    if (!memory) heist__omp_fatal("__kmpc_omp_task_alloc: no memory for a task, and none left in the reserve");
    return memory;
}

/* A head in a block of memory. heist__omp_block_free finds the block in the word before the head. */
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
    void *memory = heist__omp_block_memory(data);
    if (heist__kmp_reserve_has(self, memory)) {
        heist__kmp_reserve_give(self, memory);
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

void heist__kmp_run_rest(heist__omp_slot *self, heist__omp_task *record, heist__kmp_task *task)
{
    run_parts(self, record, task);
    destruct(self, record, task);
}

/* The body of an untied task, or of one with destructors. These are called also for a task that is cancelled. */
static void run_special(void *data)
{
    heist__omp_slot *self = heist__omp_self;
    heist__kmp_head *head = data;
    if (!self->cancellable || !heist__omp_cancelled(self, head->task->group))
        head->task->flags |= HEIST__KMP_TASK_AGAIN;
    heist__kmp_run_rest(self, head->task, heist__kmp_task_of(head));
}

/* ---- allocation ---- */

static inline uint32_t kind_of(heist__omp_slot *self, int32_t flags)
{
    uint32_t kind = heist__omp_inherited(self->current);
    if (self->cancellable || (self->current->flags & HEIST__OMP_TASK_CALLS)) kind |= HEIST__KMP_TASK_ASK;
    if (!(flags & HEIST__KMP_TIED) || (flags & HEIST__KMP_DESTRUCTORS)) kind |= HEIST__KMP_TASK_SPECIAL;
    if (flags & HEIST__KMP_FINAL) kind |= HEIST__OMP_TASK_FINAL;
    if (flags & HEIST__KMP_PRIORITY) kind |= HEIST__KMP_TASK_PRIORITY;
    /* Constructed data must be destructed: the core must not drop such a task when it is cancelled. */
    if (flags & HEIST__KMP_DESTRUCTORS) kind |= HEIST__KMP_TASK_DESTRUCT | HEIST__OMP_TASK_COPIED;
    return kind;
}

static inline size_t up_to_shareds(size_t size)
{
    return (size + sizeof(void *) - 1) & ~(sizeof(void *) - 1);
}

/* Whether `bytes` fit into the record, behind the head. They are aligned then: see alignment_of. */
static inline bool fits(size_t bytes)
{
    return sizeof(heist__kmp_head) + bytes <= HEIST__OMP_INLINE;
}

/* Fills in heist's part of a new task, before the program fills in the rest. */
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

/* Makes a record of the reserve the only free one, and takes it. */
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
    heist__omp_task_init(self, self->current, record, kind_of(self, flags));
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
        return HEIST__RUNTIME(__kmpc_omp_task_alloc)(loc, gtid, flags, size, shareds, routine);
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
                             (self->current->flags & HEIST__OMP_TASK_CALLS) || self->cancellable,
                         0))
        return allocate_otherwise(loc, gtid, flags, size, shareds, routine);
    heist__omp_task *record = *self->record--; /* as heist__omp_record_take; there is a record */
    heist__omp_task_init(self, self->current, record, 0);
    return fill((heist__kmp_head *)record->room, record, size, shareds, routine);
}

/* A task like others: its body has the device, or the host in its place, do the work, and waits for that. */
heist__kmp_task *__kmpc_omp_target_task_alloc(void *loc, int32_t gtid, int32_t flags, size_t size, size_t shareds,
                                              heist__kmp_routine *routine, int64_t device)
{
    heist__omp_slot *self = heist__omp_self;
    if (self) return heist__kmp_task_new(self, flags, size, shareds, routine);
    heist__omp_activate();
    return HEIST__RUNTIME(__kmpc_omp_target_task_alloc)(loc, gtid, flags, size, shareds, routine, device);
}

/* ---- submission ---- */

/* heist__kmp_task_ended. */
static inline void ended_now(heist__omp_slot *self, heist__omp_task *record)
{
    /* read now: the record may be gone below */
    void *block = record->flags & HEIST__KMP_TASK_BLOCK ? record->data : NULL;
    if (__builtin_expect(!(record->flags & HEIST__OMP_TASK_EVENT), 1)) {
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
    record->flags |= HEIST__OMP_TASK_NOW;
    heist__omp_task_call(self, parent, record, body, record->data, parent->nested + 1);
    ended_now(self, record);
}

/* The same without an indirect call of the body: for most tasks. */
static inline void run_plain_now(heist__omp_slot *self, heist__omp_task *record, heist__kmp_task *task)
{
    heist__omp_task *parent = self->current;
    record->flags |= HEIST__OMP_TASK_NOW;
    heist__omp_task_begin(self, record, parent->nested + 1);
    task->routine(self->thread, task);
    heist__omp_task_end(self, parent);
    ended_now(self, record);
}

static heist__omp_body *body_of(const heist__omp_task *record)
{
    return record->flags & HEIST__KMP_TASK_SPECIAL ? run_special : heist__kmp_run_plain;
}

/* Fills in the fields that only a task needs that does not run at once. */
static inline void complete_record(heist__omp_slot *self, heist__omp_task *record)
{
    record->fn = body_of(record);
    record->home = self;
}

void heist__kmp_task_discard(heist__omp_slot *self, heist__omp_task *record)
{
    heist__kmp_head *head = record->data;
    destruct(self, record, heist__kmp_task_of(head));
    if (record->flags & HEIST__OMP_TASK_EVENT) return; /* kept for ever: its event may still be fulfilled */
    if ((char *)head != record->room) free_block(self, head);
    heist__omp_record_give(self, record);
}

static int32_t priority_of(heist__omp_slot *self, heist__omp_task *record)
{
    if (!(record->flags & HEIST__KMP_TASK_PRIORITY)) return 0;
    int most = self->team->max_priority, asked = heist__kmp_task_of(record->data)->data2.priority;
    return asked < 0 ? 0 : asked < most ? asked : most;
}

/* Runs a task within this call, after its predecessors. */
static void run_measured(heist__omp_slot *self, heist__omp_task *record, const heist__depend_clauses *clauses)
{
    int64_t begin = clauses ? heist__omp_dependent_cost_begin(self) : 0;
    run_now(self, record, body_of(record));
    if (clauses) heist__omp_dependent_cost_end(self, begin);
}

void heist__kmp_task_submit(heist__omp_slot *self, heist__omp_task *record, const heist__depend_clauses *clauses,
                            bool must)
{
    const heist__omp_task *parent = self->current;
    if (self->cancellable && heist__omp_cancelled(self, parent->group)) {
        heist__kmp_task_discard(self, record);
        return;
    }
    heist__omp_request request = {
        .function = (uintptr_t)heist__kmp_task_of(record->data)->routine,
        .clauses = clauses,
        .priority = priority_of(self, record),
        .event = record->flags & HEIST__OMP_TASK_EVENT,
        .must = must || (parent->flags & HEIST__OMP_TASK_CALLS) || (record->flags & HEIST__KMP_TASK_AT_ONCE),
        .bytes = ((heist__kmp_head *)record->data)->size,
    };
    uint32_t decision = heist__omp_decide(self, &request);
    if (decision != HEIST__RUN_AT_ONCE && (!clauses || heist__omp_depend_prepare(self, record, clauses))) {
        complete_record(self, record);
        heist__omp_task_submit(self, record, &request, decision);
        return;
    }
    if (clauses) heist__omp_depend_wait(self, clauses);
    if (request.must || !request.event) {
        run_measured(self, record, clauses);
        return;
    }
    /* The creator may be the one that fulfils the event later: the event is not waited for. */
    complete_record(self, record);
    heist__omp_task_counted(self, record);
    heist__omp_task_run_within(self, record);
}

void heist__kmp_run_foreign(void *loc, int32_t gtid, heist__kmp_task *task)
{
    HEIST__RUNTIME(__kmpc_omp_task_begin_if0)(loc, gtid, task);
    task->routine(gtid, task);
    HEIST__RUNTIME(__kmpc_omp_task_complete_if0)(loc, gtid, task);
}

__attribute__((noinline)) static void submit_otherwise(void *loc, int32_t gtid, heist__kmp_task *task)
{
    heist__omp_slot *self = heist__omp_self;
    heist__omp_task *record = heist__kmp_record_of(task);
    if (!self) {
        HEIST__RUNTIME(__kmpc_omp_task)(loc, gtid, task);
    } else if (!record) {
        heist__kmp_run_foreign(loc, gtid, task);
    } else if (record == self->current) {
        record->flags |= HEIST__KMP_TASK_AGAIN;
    } else {
        heist__kmp_task_submit(self, record, NULL, false);
    }
}

/* `decision`: that of heist__omp_decide_quickly. */
__attribute__((noinline)) static void submit_deciding(heist__omp_slot *self, heist__omp_task *record,
                                                      heist__kmp_task *task, uint32_t decision)
{
    if (decision == HEIST__PUT_OFF) decision = heist__omp_decide_fully(self, (uintptr_t)task->routine);
    if (decision == HEIST__RUN_AT_ONCE || heist__omp_holds_too_much(self, heist__kmp_head_of(task)->size)) {
        run_plain_now(self, record, task);
        return;
    }
    complete_record(self, record);
    heist__omp_task_counted(self, record);
    record->priority = 0;
    heist__omp_task_put(self, record, decision);
}

/* An untied task that submits itself again is special, too. */
enum {
    SPECIAL = HEIST__OMP_TASK_EVENT | HEIST__KMP_TASK_PRIORITY | HEIST__KMP_TASK_SPECIAL | HEIST__KMP_TASK_AT_ONCE |
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
    uint32_t decision = heist__omp_decide_quickly(self, (uintptr_t)task->routine);
    if (decision == HEIST__RUN_AT_ONCE) {
        run_plain_now(self, record, task);
    } else {
        submit_deciding(self, record, task, decision);
    }
    return 0;
}

int32_t __kmpc_omp_task_parts(void *loc, int32_t gtid, heist__kmp_task *task)
{
    return __kmpc_omp_task(loc, gtid, task);
}

/* A hint, which libomp does not use either. */
int32_t __kmpc_omp_reg_task_with_affinity(void *loc, int32_t gtid, heist__kmp_task *task, int32_t count, void *list)
{
    HEIST__SELF_OR_RUNTIME(self, __kmpc_omp_reg_task_with_affinity, (loc, gtid, task, count, list));
    (void)self;
    return 0;
}
