/* The table of addresses: see depend.h.
 *
 * For each address the table has the set of the tasks that used it last, all with the same kind of use (readers;
 * members of an inoutset or mutexinoutset; or one writer), and the set before. Every member of the last set depends on
 * all members of the set before.
 *
 * All memory is allocated before a task is entered. If there is none, its creator runs the task at once. A task that
 * runs at once, after all tasks that it depends on, is not entered: it is complete before its parent can create
 * another. */
#include <stdlib.h>
#include <string.h>

#include "depend/node.h"

typedef struct node_list {
    heist__depend_node **items;
    size_t count, capacity;
} node_list;

typedef struct entry { /* the users of an address */
    void *address;
    heist__depend_use kind; /* the kind of the uses in `last` */
    node_list last;         /* the latest users */
    node_list before;
    heist__depend_mutex *mutex; /* NULL: never a mutexinoutset */
    struct entry *next;
} entry;

struct heist__depend_table {
    entry **buckets;
    size_t size, count;      /* the number of buckets, a power of two; the number of entries */
    heist__depend_node *all; /* the last task that used all memory */
};

/* ---- lists of nodes ---- */

static void list_clear(heist__depend_caller by, node_list *list)
{
    for (size_t i = 0; i < list->count; i++) heist__depend_node_drop(by, list->items[i]);
    list->count = 0;
}

static void list_free(heist__depend_caller by, node_list *list)
{
    list_clear(by, list);
    free(list->items);
}

static bool list_is_complete(const node_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!heist__depend_node_is_complete(list->items[i])) return false;
    }
    return true;
}

static void list_sweep(heist__depend_caller by, node_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (heist__depend_node_is_complete(list->items[i])) {
            heist__depend_node_drop(by, list->items[i]);
        } else {
            list->items[kept++] = list->items[i];
        }
    }
    list->count = kept;
}

/* Makes room for one more. False: no memory. */
static bool list_reserve(heist__depend_caller by, node_list *list)
{
    if (list->count < list->capacity) return true;
    list_sweep(by, list);
    /* A list or table grows only if it is still more than half full after a sweep: that keeps sweeps rare. */
    if (2 * list->count < list->capacity) return true;
    size_t capacity = list->capacity ? 2 * list->capacity : 2;
    heist__depend_node **items = realloc(list->items, capacity * sizeof *items);
    if (!items) return list->count < list->capacity;
    list->items = items;
    list->capacity = capacity;
    return true;
}

/* The caller has made sure that there is room. */
static void list_add(node_list *list, heist__depend_node *node)
{
    heist__add_relaxed(&node->references, 1); /* relaxed: the task's own reference is there */
    list->items[list->count++] = node;
}

/* ---- the table ---- */

static size_t bucket_of(const heist__depend_table *table, const void *address)
{
    return (size_t)(((uintptr_t)address >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (table->size - 1);
}

static heist__depend_table *table_new(void)
{
    heist__depend_table *table = calloc(1, sizeof *table);
    if (!table) return NULL;
    table->buckets = calloc(table->size = 16, sizeof *table->buckets);
    if (table->buckets) return table;
    free(table);
    return NULL;
}

/* Without memory the chains grow longer instead. */
static void table_grow(heist__depend_table *table)
{
    size_t old_size = table->size;
    entry **old = table->buckets;
    entry **buckets = calloc(2 * old_size, sizeof *buckets);
    if (!buckets) return;
    table->buckets = buckets;
    table->size = 2 * old_size;
    for (size_t i = 0; i < old_size; i++) {
        for (entry *p = old[i]; p;) {
            entry *next = p->next;
            size_t b = bucket_of(table, p->address);
            p->next = buckets[b];
            buckets[b] = p;
            p = next;
        }
    }
    free(old);
}

static entry *find_entry(const heist__depend_table *table, const void *address)
{
    entry *p = table->buckets[bucket_of(table, address)];
    while (p && p->address != address) p = p->next;
    return p;
}

static entry *add_entry(heist__depend_table *table, void *address, heist__depend_use kind)
{
    if (table->count >= table->size) table_grow(table);
    entry *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    size_t b = bucket_of(table, address);
    p->address = address;
    p->kind = kind;
    p->next = table->buckets[b];
    table->buckets[b] = p;
    table->count++;
    return p;
}

static void entry_free(heist__depend_caller by, entry *p)
{
    list_free(by, &p->last);
    list_free(by, &p->before);
    if (p->mutex) heist__depend_mutex_drop(p->mutex);
    free(p);
}

/* Forgets addresses whose users are all complete: no task has to wait for them any more. */
static void table_sweep(heist__depend_caller by, heist__depend_table *table)
{
    for (size_t i = 0; i < table->size; i++) {
        for (entry **link = &table->buckets[i]; *link;) {
            entry *p = *link;
            if (list_is_complete(&p->last) && list_is_complete(&p->before)) {
                *link = p->next;
                entry_free(by, p);
                table->count--;
            } else {
                link = &p->next;
            }
        }
    }
}

/* Makes room for `more` entries, before any of them is added: an entry without users would be swept. */
static void table_reserve(heist__depend_caller by, heist__depend_table *table, size_t more)
{
    if (table->count + more <= table->size) return;
    table_sweep(by, table);
    if (table->count + more > table->size / 2) table_grow(table);
}

static void table_clear(heist__depend_caller by, heist__depend_table *table)
{
    for (size_t i = 0; i < table->size; i++) {
        for (entry *p = table->buckets[i]; p;) {
            entry *next = p->next;
            entry_free(by, p);
            p = next;
        }
    }
    memset(table->buckets, 0, table->size * sizeof *table->buckets);
    table->count = 0;
    if (table->all) heist__depend_node_drop(by, table->all);
    table->all = NULL;
}

void heist__depend_table_free(heist__depend_caller by, heist__depend_table *table)
{
    if (!table) return;
    table_clear(by, table);
    free(table->buckets);
    free(table);
}

/* ---- uses ---- */

typedef struct user { /* a task, or a waiting thread, with clauses */
    heist__depend_caller by;
    heist__depend_node *node;
    heist__depend_table *table;
    bool stays; /* false: a thread that only waits, and is not added to the table */
} user;

static void connect_list(const user *u, const node_list *list)
{
    for (size_t i = 0; i < list->count; i++) heist__depend_connect(u->by, list->items[i], u->node);
}

/* Whether a use of this kind makes its task a member of the last set. */
static bool joins(const entry *p, heist__depend_use kind)
{
    return kind == p->kind && kind != HEIST__USE_OUT;
}

static void use(const user *u, void *address, heist__depend_use kind)
{
    entry *p = find_entry(u->table, address);
    if (!p) return; /* a thread that only waits: no task used the address */
    if (p->last.count && p->last.items[p->last.count - 1] == u->node) return; /* named twice: the stronger use counts */
    bool one_more = joins(p, kind);
    connect_list(u, one_more ? &p->before : &p->last);
    if (!u->stays) return;
    if (!one_more) {
        node_list old = p->before;
        list_clear(u->by, &old);
        p->before = p->last;
        p->last = old;
        p->kind = kind;
    }
    if (kind == HEIST__USE_MUTEX) heist__depend_need_mutex(u->node, p->mutex);
    list_add(&p->last, u->node);
}

static void use_all_memory(const user *u)
{
    for (size_t i = 0; i < u->table->size; i++) {
        for (const entry *p = u->table->buckets[i]; p; p = p->next) {
            connect_list(u, &p->before);
            connect_list(u, &p->last);
        }
    }
    if (!u->stays) return;
    table_clear(u->by, u->table);
    heist__add_relaxed(&u->node->references, 1); /* relaxed: the task's own reference is there */
    u->table->all = u->node;
}

/* ---- clauses ---- */

enum { ALL_MEMORY = 1 << (HEIST__USE_IN + 1) };

/* A bit for each kind that the clauses name, and one for all memory. */
static unsigned kinds_of(const heist__depend_clauses *c)
{
    unsigned kinds = 0;
    for (size_t i = 0; i < c->count; i++) {
        void *address;
        heist__depend_use kind = c->at(c->list, i, &address);
        kinds |= 1u << kind | (kind == HEIST__USE_OUT && !address ? ALL_MEMORY : 0u);
    }
    return kinds;
}

static void use_all(const user *u, const heist__depend_clauses *c)
{
    unsigned kinds = kinds_of(c);
    if (c->count && u->table->all) heist__depend_connect(u->by, u->table->all, u->node);
    if (kinds & ALL_MEMORY) {
        use_all_memory(u);
        return;
    }
    for (heist__depend_use kind = HEIST__USE_OUT; kind <= HEIST__USE_IN; kind++) { /* the strongest first: see use() */
        for (size_t i = 0; i < c->count && kinds & 1u << kind; i++) {
            void *address;
            if (c->at(c->list, i, &address) != kind) continue;
            /* A thread that only waits takes no mutex: it waits for the other members, too. */
            use(u, address, kind == HEIST__USE_MUTEX && !u->stays ? HEIST__USE_OUT : kind);
        }
    }
}

/* Makes an entry for the address, with room for one more user of this kind. False: no memory. */
static bool prepare_entry(heist__depend_caller by, heist__depend_table *table, void *address, heist__depend_use kind)
{
    entry *p = find_entry(table, address);
    if (!p) p = add_entry(table, address, kind);
    if (!p) return false;
    if (kind == HEIST__USE_MUTEX && !p->mutex && !(p->mutex = heist__depend_mutex_new())) return false;
    /* The first member of a new set uses the list of the set before. */
    return joins(p, kind) ? list_reserve(by, &p->last) : p->before.capacity || list_reserve(by, &p->before);
}

heist__depend_node *heist__depend_prepare(heist__depend_caller by, heist__depend_table **table, void *task,
                                          const heist__depend_clauses *c)
{
    size_t mutexes = 0;
    bool everything = kinds_of(c) & ALL_MEMORY;
    if (!*table && !(*table = table_new())) return NULL;
    if (!everything) table_reserve(by, *table, c->count);
    for (size_t i = 0; i < c->count && !everything; i++) {
        void *address;
        heist__depend_use kind = c->at(c->list, i, &address);
        if (!prepare_entry(by, *table, address, kind)) return NULL;
        mutexes += kind == HEIST__USE_MUTEX;
    }
    return heist__depend_node_new(by, task, mutexes);
}

void heist__depend_forget(heist__depend_caller by, heist__depend_node *node)
{
    heist__depend_node_drop(by, node);
}

void heist__depend_enter(heist__depend_caller by, heist__depend_table *table, heist__depend_node *node,
                         const heist__depend_clauses *c)
{
    user u = {by, node, table, true};
    use_all(&u, c);
    heist__depend_satisfy(by, node);
}

bool heist__depend_over(const heist__depend_table *table, const heist__depend_clauses *c)
{
    if (table->all && !heist__depend_node_is_complete(table->all)) return false;
    for (size_t i = 0; i < c->count; i++) {
        void *address;
        heist__depend_use kind = c->at(c->list, i, &address);
        const entry *p = find_entry(table, address);
        if (kind == HEIST__USE_OUT && !address) return false; /* all memory: not looked through */
        /* A task that is not entered takes no mutex: it waits for the other members, too. */
        if (p && !list_is_complete(kind != HEIST__USE_MUTEX && joins(p, kind) ? &p->before : &p->last)) return false;
    }
    return true;
}

static bool has_no_waits(const void *node)
{
    return heist__load_acquire(&((const heist__depend_node *)node)->waits) == 0; /* E1 */
}

void heist__depend_wait(heist__depend_caller by, heist__depend_table *table, const heist__depend_clauses *c)
{
    heist__depend_node node;
    heist__depend_node_init_waiter(&node, by.thread);
    user u = {by, &node, table, false};
    use_all(&u, c);
    heist__depend_satisfy(by, &node);
    by.host->wait(by.thread, has_no_waits, &node);
}
