/* Dependences between siblings.
 *
 * The parent's thread alone creates children, so it alone keeps the table that says, for each address, which tasks
 * used it last: a set of the same kind (readers; members of an inoutset or mutexinoutset; or one writer), and the
 * set before, on which every member of the last one depends. A task with dependences has a node; its predecessors'
 * nodes list it as a successor. The list is closed when the predecessor is complete: who comes later need not wait.
 * Nodes outlive their tasks while a table knows them.
 *
 * Members of a mutexinoutset wait for nobody in it, but share a mutex. When all that it waits for is complete, a task
 * takes its mutexes one after another, always in the same order, and is ready when it has them all; whoever passes one
 * on goes on for the next holder. A task that is not put off waits for all other members instead.
 *
 * All memory is taken before a task is entered: if there is none, the task is not put off. One that is run at once, after
 * all that it depends on, is not entered: it is complete before its parent can create another. */
#include <stdlib.h>
#include <string.h>

#include "openmp/memory.h"
#include "openmp/mutex.h"

typedef struct edge {
    heist__omp_node *to;
    struct edge *next;
} edge;

/* Edges that lie in the node to which they lead; more come from malloc. */
enum { OWN_EDGES = 2 };

struct heist__omp_node {
    heist__omp_task *task;   /* NULL: of one who waits in depend_wait */
    heist__omp_slot *waiter; /* whose thread that is */
    /* Who knows it: its task, and places in tables. Written by: the parent's thread, and who completes the task. */
    HEIST__ATOMIC(uint32_t) references;
    /* Predecessors that are not complete, plus one while there may come more. Written by: as above. */
    HEIST__ATOMIC(uint32_t) waits;
    /* Who waits for it, or CLOSED. Written by: the parent's thread (push), who completes the task (close). */
    HEIST__ATOMIC(edge *) successors;
    /* Mutexes it needs: filled in by the parent's thread; then read by whoever takes them, and completes the task. */
    heist__omp_waiter waiter_in; /* the list of one of them */
    size_t taken, mutexes;       /* how many it has, or waits for the next of; how many there are */
    heist__omp_mutex **mutex;    /* by rising address; behind the node */
    size_t edges;                /* how many of `own` are in use. The parent's thread only. */
    edge own[OWN_EDGES];
};

static edge closed_mark;
#define CLOSED (&closed_mark)

typedef struct node_list {
    heist__omp_node **items;
    size_t count, capacity;
} node_list;

typedef struct place { /* what is known of an address */
    void *address;
    heist__omp_use kind; /* of `last` */
    node_list last;      /* the latest users */
    node_list before;
    heist__omp_mutex *mutex; /* NULL: never a mutexinoutset */
    struct place *next;
} place;

struct heist__omp_table {
    place **buckets;
    size_t size, count;   /* of buckets: a power of two; of places */
    heist__omp_node *all; /* the last task with depend(inout: omp_all_memory) */
};

/* ---- nodes ---- */

static void node_release(heist__omp_slot *self, heist__omp_node *node)
{
    if (heist__add_acq_rel(&node->references, (uint32_t)-1) != 1) return; /* all uses, before the end */
    for (size_t i = 0; i < node->mutexes; i++) heist__omp_mutex_drop(node->mutex[i]);
    heist__omp_memory_give(self, node);
}

static bool is_complete(const heist__omp_node *node)
{
    return heist__load_acquire(&node->successors) == CLOSED; /* E1: what the task did */
}

static bool node_is_complete(heist__omp_slot *self, const void *node)
{
    (void)self;
    return is_complete(node);
}

/* NULL: no memory. */
static edge *edge_new(heist__omp_node *to)
{
    edge *e = to->edges < OWN_EDGES ? &to->own[to->edges++] : malloc(sizeof *e);
    if (e) e->to = to;
    return e;
}

static bool is_own(const edge *e)
{
    return (uintptr_t)e - (uintptr_t)e->to->own < sizeof e->to->own;
}

static void connect(heist__omp_slot *self, heist__omp_node *from, heist__omp_node *to)
{
    if (from == to || is_complete(from)) return;
    edge *e = edge_new(to);
    if (!e) {
        heist__omp_help(self, true, node_is_complete, from); /* no memory: wait here instead */
        return;
    }
    heist__add_relaxed(&to->waits, 1); /* relaxed: it waits for its creator besides, so this is not the last */
    e->next = heist__load_acquire(&from->successors); /* E1: closed means that the predecessor is complete */
    do {
        if (e->next == CLOSED) {
            heist__add_relaxed(&to->waits, (uint32_t)-1); /* relaxed: as above */
            if (!is_own(e)) free(e);
            return;
        }
    } while (!heist__cas_acq_rel(&from->successors, &e->next, e)); /* E2: the edge, before it is followed */
}

/* Nobody is waited for any more; the mutexes are left. */
static void take_mutexes(heist__omp_slot *self, heist__omp_node *node)
{
    while (node->taken < node->mutexes) {
        heist__omp_mutex *mutex = node->mutex[node->taken];
        if (!heist__omp_mutex_take(mutex, &node->waiter_in)) return; /* whoever passes it on goes on */
        node->taken++;
    }
    heist__omp_task_ready(self, node->task);
}

static void pass_mutexes(heist__omp_slot *self, heist__omp_node *node)
{
    for (size_t i = 0; i < node->mutexes; i++) {
        heist__omp_waiter *waiter = heist__omp_mutex_pass(node->mutex[i]);
        if (!waiter) continue;
        heist__omp_node *next = (heist__omp_node *)((char *)waiter - offsetof(heist__omp_node, waiter_in));
        next->taken++;
        take_mutexes(self, next);
    }
}

/* One predecessor less; the last makes it ready. */
static void satisfy(heist__omp_slot *self, heist__omp_node *node)
{
    heist__omp_task *task = node->task; /* read now: the node may be gone below */
    heist__omp_slot *waiter = node->waiter;
    if (heist__add_acq_rel(&node->waits, (uint32_t)-1) != 1) return; /* E1: what all predecessors did */
    if (task) {
        take_mutexes(self, node);
    } else if (waiter != self) {
        heist__omp_wake(waiter);
    }
}

void heist__omp_depend_release(heist__omp_slot *self, heist__omp_task *task)
{
    heist__omp_node *node = task->node;
    edge *e = heist__exchange_acq_rel(&node->successors, CLOSED); /* E1, E2 */
    while (e) {
        edge *next = e->next;
        edge *extra = is_own(e) ? NULL : e; /* asked now: the node, and its own edges, may be gone below */
        satisfy(self, e->to);
        free(extra);
        e = next;
    }
    pass_mutexes(self, node);
    node_release(self, node);
}

/* ---- lists of nodes ---- */

static void list_clear(heist__omp_slot *self, node_list *list)
{
    for (size_t i = 0; i < list->count; i++) node_release(self, list->items[i]);
    list->count = 0;
}

static void list_free(heist__omp_slot *self, node_list *list)
{
    list_clear(self, list);
    free(list->items);
}

static bool list_is_complete(const node_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!is_complete(list->items[i])) return false;
    }
    return true;
}

static void list_sweep(heist__omp_slot *self, node_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (is_complete(list->items[i])) {
            node_release(self, list->items[i]);
        } else {
            list->items[kept++] = list->items[i];
        }
    }
    list->count = kept;
}

/* Room for one more. False: no memory. */
static bool list_reserve(heist__omp_slot *self, node_list *list)
{
    if (list->count < list->capacity) return true;
    list_sweep(self, list);
    /* Growing only when it is still more than half full keeps the sweeps rare. */
    if (2 * list->count < list->capacity) return true;
    size_t capacity = list->capacity ? 2 * list->capacity : 2;
    heist__omp_node **items = realloc(list->items, capacity * sizeof *items);
    if (!items) return list->count < list->capacity;
    list->items = items;
    list->capacity = capacity;
    return true;
}

/* There is room. */
static void list_add(node_list *list, heist__omp_node *node)
{
    heist__add_relaxed(&node->references, 1); /* relaxed: the task's own reference is there */
    list->items[list->count++] = node;
}

/* ---- the table ---- */

static size_t bucket_of(const heist__omp_table *table, const void *address)
{
    return (size_t)(((uintptr_t)address >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (table->size - 1);
}

static heist__omp_table *table_new(void)
{
    heist__omp_table *table = calloc(1, sizeof *table);
    if (!table) return NULL;
    table->buckets = calloc(table->size = 16, sizeof *table->buckets);
    if (table->buckets) return table;
    free(table);
    return NULL;
}

/* When memory is short chains grow longer, that is all. */
static void table_grow(heist__omp_table *table)
{
    size_t old_size = table->size;
    place **old = table->buckets;
    place **buckets = calloc(2 * old_size, sizeof *buckets);
    if (!buckets) return;
    table->buckets = buckets;
    table->size = 2 * old_size;
    for (size_t i = 0; i < old_size; i++) {
        for (place *p = old[i]; p;) {
            place *next = p->next;
            size_t b = bucket_of(table, p->address);
            p->next = buckets[b];
            buckets[b] = p;
            p = next;
        }
    }
    free(old);
}

static place *find_place(heist__omp_table *table, void *address)
{
    place *p = table->buckets[bucket_of(table, address)];
    while (p && p->address != address) p = p->next;
    return p;
}

static place *add_place(heist__omp_table *table, void *address, heist__omp_use kind)
{
    if (table->count >= table->size) table_grow(table);
    place *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    size_t b = bucket_of(table, address);
    p->address = address;
    p->kind = kind;
    p->next = table->buckets[b];
    table->buckets[b] = p;
    table->count++;
    return p;
}

/* Calls `visit` for every place, which it may then free. */
static void each_place(heist__omp_table *table, void (*visit)(place *, void *), void *argument)
{
    for (size_t i = 0; i < table->size; i++) {
        for (place *p = table->buckets[i]; p;) {
            place *next = p->next;
            visit(p, argument);
            p = next;
        }
    }
}

static void place_free(place *p, void *argument)
{
    heist__omp_slot *self = argument;
    list_free(self, &p->last);
    list_free(self, &p->before);
    if (p->mutex) heist__omp_mutex_drop(p->mutex);
    free(p);
}

/* Forgets addresses whose users are all complete: nobody has to wait for them any more. */
static void table_sweep(heist__omp_slot *self, heist__omp_table *table)
{
    for (size_t i = 0; i < table->size; i++) {
        for (place **link = &table->buckets[i]; *link;) {
            place *p = *link;
            if (list_is_complete(&p->last) && list_is_complete(&p->before)) {
                *link = p->next;
                place_free(p, self);
                table->count--;
            } else {
                link = &p->next;
            }
        }
    }
}

/* Room for `more` places, before any of them is there: one without users would be swept. */
static void table_reserve(heist__omp_slot *self, heist__omp_table *table, size_t more)
{
    if (table->count + more <= table->size) return;
    table_sweep(self, table);
    /* Growing only when it is still more than half full keeps the sweeps rare. */
    if (table->count + more > table->size / 2) table_grow(table);
}

static void table_clear(heist__omp_slot *self, heist__omp_table *table)
{
    each_place(table, place_free, self);
    memset(table->buckets, 0, table->size * sizeof *table->buckets);
    table->count = 0;
    if (table->all) node_release(self, table->all);
    table->all = NULL;
}

void heist__omp_table_free(heist__omp_slot *self, heist__omp_table *table)
{
    if (!table) return;
    table_clear(self, table);
    free(table->buckets);
    free(table);
}

/* ---- uses ---- */

typedef struct user { /* who comes with a depend clause */
    heist__omp_slot *self;
    heist__omp_node *node;
    heist__omp_table *table;
    bool stays; /* false: it only waits, and leaves no trace in the table */
} user;

static void connect_list(const user *u, const node_list *list)
{
    for (size_t i = 0; i < list->count; i++) connect(u->self, list->items[i], u->node);
}

/* Whether it is one more of the last set. */
static bool joins(const place *p, heist__omp_use kind)
{
    return kind == p->kind && kind != HEIST__USE_OUT;
}

/* One of several mutexes, in the order in which everybody takes them. */
static void need_mutex(heist__omp_node *node, heist__omp_mutex *mutex)
{
    size_t i = node->mutexes++;
    for (; i > 0 && (uintptr_t)node->mutex[i - 1] > (uintptr_t)mutex; i--) node->mutex[i] = node->mutex[i - 1];
    node->mutex[i] = mutex;
    heist__omp_mutex_keep(mutex);
}

static void use(const user *u, void *address, heist__omp_use kind)
{
    place *p = find_place(u->table, address);
    if (!p) return; /* of one who only waits: nobody else used it */
    if (p->last.count && p->last.items[p->last.count - 1] == u->node)
        return; /* twice in one clause: the stronger counts */
    bool one_more = joins(p, kind);
    connect_list(u, one_more ? &p->before : &p->last);
    if (!u->stays) return;
    if (!one_more) {
        node_list old = p->before;
        list_clear(u->self, &old);
        p->before = p->last;
        p->last = old;
        p->kind = kind;
    }
    if (kind == HEIST__USE_MUTEX) need_mutex(u->node, p->mutex);
    list_add(&p->last, u->node);
}

static void connect_place(place *p, void *argument)
{
    const user *u = argument;
    connect_list(u, &p->before);
    connect_list(u, &p->last);
}

static void use_all_memory(user *u)
{
    each_place(u->table, connect_place, u);
    if (!u->stays) return;
    table_clear(u->self, u->table);
    heist__add_relaxed(&u->node->references, 1); /* relaxed: the task's own reference is there */
    u->table->all = u->node;
}

/* ---- clauses ---- */

enum { ALL_MEMORY = 1 << (HEIST__USE_IN + 1) };

/* The kinds that are named, a bit for each, and whether all memory is. */
static unsigned kinds_of(const void *clauses, size_t count)
{
    unsigned kinds = 0;
    for (size_t i = 0; i < count; i++) {
        void *address;
        heist__omp_use kind = heist__omp_use_at(clauses, i, &address);
        kinds |= 1u << kind | (kind == HEIST__USE_OUT && !address ? ALL_MEMORY : 0u);
    }
    return kinds;
}

static void enter(user *u, const void *clauses)
{
    size_t count = heist__omp_use_count(clauses);
    unsigned kinds = kinds_of(clauses, count);
    if (count && u->table->all) connect(u->self, u->table->all, u->node);
    if (kinds & ALL_MEMORY) {
        use_all_memory(u);
        return;
    }
    for (heist__omp_use kind = HEIST__USE_OUT; kind <= HEIST__USE_IN; kind++) { /* the strongest first: see use() */
        for (size_t i = 0; i < count && kinds & 1u << kind; i++) {
            void *address;
            if (heist__omp_use_at(clauses, i, &address) != kind) continue;
            /* Who only waits has no mutex: it waits for the other members, too. */
            use(u, address, kind == HEIST__USE_MUTEX && !u->stays ? HEIST__USE_OUT : kind);
        }
    }
}

/* A place for the address, with room for one more user of this kind. False: no memory. */
static bool prepare_place(heist__omp_slot *self, heist__omp_table *table, void *address, heist__omp_use kind)
{
    place *p = find_place(table, address);
    if (!p) p = add_place(table, address, kind);
    if (!p) return false;
    if (kind == HEIST__USE_MUTEX && !p->mutex && !(p->mutex = heist__omp_mutex_new())) return false;
    /* The first of a new set comes where the set before was. */
    return joins(p, kind) ? list_reserve(self, &p->last) : p->before.capacity || list_reserve(self, &p->before);
}

static heist__omp_node *node_new(heist__omp_slot *self, heist__omp_task *task, size_t mutexes)
{
    heist__omp_node *node = heist__omp_memory_take(self, sizeof *node + mutexes * sizeof *node->mutex);
    if (!node) return NULL;
    node->task = task;
    node->waiter = NULL;
    node->taken = node->mutexes = node->edges = 0;
    node->mutex = (heist__omp_mutex **)(node + 1);
    /* relaxed: nobody knows the node yet */
    heist__store_relaxed(&node->references, 1);
    heist__store_relaxed(&node->waits, 1);
    heist__store_relaxed(&node->successors, NULL);
    return node;
}

bool heist__omp_depend_prepare(heist__omp_slot *self, heist__omp_task *task, const void *clauses)
{
    heist__omp_task *parent = self->current;
    size_t count = heist__omp_use_count(clauses), mutexes = 0;
    bool everything = kinds_of(clauses, count) & ALL_MEMORY;
    if (!parent->table && !(parent->table = table_new())) return false;
    if (!everything) table_reserve(self, parent->table, count);
    bool prepared = true;
    for (size_t i = 0; i < count && !everything && prepared; i++) {
        void *address;
        heist__omp_use kind = heist__omp_use_at(clauses, i, &address);
        prepared = prepare_place(self, parent->table, address, kind);
        mutexes += kind == HEIST__USE_MUTEX;
    }
    if (prepared) task->node = node_new(self, task, mutexes);
    if (!task->node) heist__omp_depend_forget(self, task);
    return task->node != NULL;
}

void heist__omp_depend_forget(heist__omp_slot *self, heist__omp_task *task)
{
    heist__omp_task *parent = self->current;
    if (task->node) node_release(self, task->node);
    task->node = NULL;
    if (parent->spawned == 0) { /* then nobody else frees it: see run_now in task.c */
        heist__omp_table_free(self, parent->table);
        parent->table = NULL;
    }
}

void heist__omp_depend(heist__omp_slot *self, heist__omp_task *task, const void *clauses)
{
    user u = {self, task->node, self->current->table, true};
    enter(&u, clauses);
    satisfy(self, task->node);
}

bool heist__omp_depend_over(heist__omp_slot *self, const void *clauses)
{
    heist__omp_table *table = self->current->table;
    if (!table || heist__omp_children_done(self->current)) return true;
    if (table->all && !is_complete(table->all)) return false;
    for (size_t i = 0, count = heist__omp_use_count(clauses); i < count; i++) {
        void *address;
        heist__omp_use kind = heist__omp_use_at(clauses, i, &address);
        const place *p = find_place(table, address);
        if (kind == HEIST__USE_OUT && !address) return false; /* all memory: not looked through */
        /* One who is not entered has no mutex: it is after the other members, too. */
        if (p && !list_is_complete(kind != HEIST__USE_MUTEX && joins(p, kind) ? &p->before : &p->last)) return false;
    }
    return true;
}

static bool has_no_waits(heist__omp_slot *self, const void *node)
{
    (void)self;
    return heist__load_acquire(&((const heist__omp_node *)node)->waits) == 0; /* E1 */
}

void heist__omp_depend_wait(heist__omp_slot *self, const void *clauses)
{
    heist__omp_table *table = self->current->table;
    if (!table || heist__omp_children_done(self->current)) return;
    heist__omp_node node = {.waiter = self};
    /* relaxed: nobody knows the node yet */
    heist__store_relaxed(&node.waits, 1);
    user u = {self, &node, table, false};
    enter(&u, clauses);
    satisfy(self, &node);
    heist__omp_help(self, true, has_no_waits, &node);
}
