/* Looks through the dynamic symbols of all loaded objects: see task_creators.h. */
#include "openmp/preload/task_creators.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "openmp/preload/runtime_symbols.h"

static const char *const creators[] = {HEIST__CREATORS};
static const char *const foreign_creators[] = {HEIST__FOREIGN_CREATORS};

typedef struct symbols {
    const ElfW(Sym) * table;
    const char *names;
    size_t count; /* up to the last undefined one */
} symbols;

/* Some loaders leave addresses in the dynamic section as they are in the file. */
static const void *at(ElfW(Addr) base, ElfW(Addr) address)
{
    return (const void *)(address < base ? base + address : address);
}

static symbols symbols_of(const struct dl_phdr_info *object)
{
    symbols s = {0};
    const ElfW(Dyn) *dynamic = NULL;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    }
    for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
        const uint32_t *words = at(object->dlpi_addr, dynamic->d_un.d_ptr);
        switch (dynamic->d_tag) {
        case DT_SYMTAB: s.table = (const void *)words; break;
        case DT_STRTAB: s.names = (const void *)words; break;
        case DT_HASH: s.count = words[1]; break;
        case DT_GNU_HASH:
            if (!s.count) s.count = words[1]; /* undefined symbols come before those that are hashed */
            break;
        default: break;
        }
    }
    return s;
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0) return true;
    }
    return false;
}

#define IS_ONE_OF(name, names) is_one_of(name, names, sizeof(names) / sizeof *(names))

static bool is_foreign(const char *name)
{
    static const char prefix[] = HEIST__FOREIGN;
    return strncmp(name, prefix, sizeof prefix - 1) == 0;
}

/* An entry of this runtime that has to do with tasks, and that this library does not know: of a later version, or one
 * that looks into the runtime's own records of tasks. */
static bool is_unknown(const char *name)
{
    static const char prefix[] = HEIST__PREFIX;
    static const char *const harmless[] = {HEIST__HARMLESS};
    static const char *const unserved[] = {HEIST__UNSERVED};
    if (strncmp(name, prefix, sizeof prefix - 1) != 0) return false;
    if (IS_ONE_OF(name, unserved)) return true;
    return strstr(name, "task") && !IS_ONE_OF(name, harmless) && !heist__library_has(name);
}

static int look_at(struct dl_phdr_info *object, size_t size, void *found)
{
    (void)size;
    heist__omp_creators *f = found;
    symbols s = symbols_of(object);
    if (!s.table || !s.names) return 0;
    const char *file = object->dlpi_name[0] ? object->dlpi_name : "the program";
    for (size_t i = 1; i < s.count; i++) {
        const char *name = s.names + s.table[i].st_name;
        if (s.table[i].st_shndx != SHN_UNDEF) continue;
        if (!f->creator && IS_ONE_OF(name, creators)) f->creator = file;
        if (!f->foreign && is_foreign(name)) f->foreign = file;
        if (IS_ONE_OF(name, foreign_creators)) f->foreign_tasks = true;
        if (strcmp(name, HEIST__YIELD_ENTRY) == 0) f->yields = true;
        if (!f->unknown && is_unknown(name)) f->unknown = name;
    }
    return 0;
}

heist__omp_creators heist__omp_find_creators(void)
{
    heist__omp_creators found = {0};
    dl_iterate_phdr(look_at, &found);
    return found;
}
