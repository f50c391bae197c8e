/* Names of functions: /proc/self/maps says which file an address comes from, the file's symbol table says the rest.
 * dladdr knows only exported functions, and takes the loader's lock. The file may have been changed since it was
 * loaded: nothing in it is trusted. */
#include "platform/symbol_name.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- which file ---- */

typedef struct {
    uintptr_t address;
    char path[PATH_MAX];
    uint64_t offset; /* of the address in the file */
} place;

static const char *hex(const char *text, uint64_t *value)
{
    *value = 0;
    for (;; text++) {
        unsigned digit = *text >= '0' && *text <= '9'   ? (unsigned)(*text - '0')
                         : *text >= 'a' && *text <= 'f' ? (unsigned)(*text - 'a') + 10
                                                        : 16;
        if (digit == 16) return text;
        *value = *value << 4 | digit;
    }
}

/* A line is "from-to rights offset device inode path". True: it is about the address. */
static bool read_line(const char *line, place *p)
{
    uint64_t from, to, offset;
    line = hex(line, &from);
    if (*line != '-') return false;
    line = hex(line + 1, &to);
    if (p->address < from || p->address >= to || strlen(line) < 6) return false;
    line = hex(line + 6, &offset); /* " r-xp " */
    line = strchr(line, '/');
    if (!line) return false;
    strcpy(p->path, line); /* a line is not longer than a path */
    p->offset = p->address - from + offset;
    return true;
}

static bool find_place(place *p)
{
    char line[PATH_MAX], piece[512];
    size_t length = 0;
    bool found = false;
    int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    for (ssize_t n; !found && (n = read(file, piece, sizeof piece)) > 0;) {
        for (ssize_t i = 0; !found && i < n; i++) {
            if (piece[i] != '\n') {
                if (length < sizeof line - 1) line[length++] = piece[i];
                continue;
            }
            line[length] = '\0';
            length = 0;
            found = read_line(line, p);
        }
    }
    close(file);
    return found;
}

/* ---- which symbol ---- */

typedef struct {
    const char *bytes;
    uint64_t size;
} image;

/* `count` elements of `each` bytes at `offset`, or NULL if the file does not have them. */
static const void *part(const image *m, uint64_t offset, uint64_t count, uint64_t each)
{
    if (offset > m->size || each == 0 || count > (m->size - offset) / each || offset % sizeof(ElfW(Addr))) return NULL;
    return m->bytes + offset;
}

/* The address that the file itself gives to the byte at `offset`. */
static bool link_address(const image *m, const ElfW(Ehdr) * head, uint64_t offset, uint64_t *address)
{
    const ElfW(Phdr) *segments = part(m, head->e_phoff, head->e_phnum, sizeof *segments);
    for (unsigned i = 0; segments && i < head->e_phnum; i++) {
        const ElfW(Phdr) *s = &segments[i];
        if (s->p_type != PT_LOAD || offset < s->p_offset || offset - s->p_offset >= s->p_filesz) continue;
        *address = offset - s->p_offset + s->p_vaddr;
        return true;
    }
    return false;
}

static bool copy_name(const image *m, const ElfW(Shdr) * strings, uint64_t at, char *name, size_t size)
{
    if (strings->sh_offset > m->size || strings->sh_size > m->size - strings->sh_offset || at >= strings->sh_size)
        return false;
    const char *from = m->bytes + strings->sh_offset + at;
    size_t most = strings->sh_size - at, i = 0;
    for (; i < most && i < size - 1 && from[i] && from[i] != '.'; i++) name[i] = from[i];
    name[i] = '\0';
    return i > 0;
}

static bool search_table(const image *m, const ElfW(Shdr) * sections, unsigned count, const ElfW(Shdr) * table,
                         uint64_t address, char *name, size_t size)
{
    const uint64_t symbols = table->sh_size / sizeof(ElfW(Sym));
    const ElfW(Sym) *symbol = part(m, table->sh_offset, symbols, sizeof *symbol);
    if (!symbol || table->sh_link >= count) return false;
    for (uint64_t i = 0; i < symbols; i++) {
        const ElfW(Sym) *s = &symbol[i];
        if ((s->st_info & 15) != STT_FUNC || s->st_shndx == SHN_UNDEF) continue;
        if (address < s->st_value || address - s->st_value >= s->st_size) continue;
        return copy_name(m, &sections[table->sh_link], s->st_name, name, size);
    }
    return false;
}

/* The complete table first, then that of exported functions, which a stripped file still has. */
static bool search_image(const image *m, uint64_t offset, char *name, size_t size)
{
    static const unsigned kinds[] = {SHT_SYMTAB, SHT_DYNSYM};
    const ElfW(Ehdr) *head = part(m, 0, 1, sizeof *head);
    uint64_t address;
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) return false;
    if (head->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)) return false;
    const ElfW(Shdr) *sections = part(m, head->e_shoff, head->e_shnum, sizeof *sections);
    if (!sections || !link_address(m, head, offset, &address)) return false;
    for (unsigned k = 0; k < 2; k++) {
        for (unsigned i = 0; i < head->e_shnum; i++) {
            if (sections[i].sh_type == kinds[k] &&
                search_table(m, sections, head->e_shnum, &sections[i], address, name, size))
                return true;
        }
    }
    return false;
}

bool heist__symbol_name(uintptr_t address, char *name, size_t size)
{
    place p = {.address = address};
    struct stat about;
    bool found = false;
    if (size < 2 || !find_place(&p)) return false;
    int file = open(p.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return false;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
        image m = {.size = (uint64_t)about.st_size};
        void *bytes = mmap(NULL, m.size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes != MAP_FAILED) {
            m.bytes = bytes;
            found = search_image(&m, p.offset, name, size);
            munmap(bytes, m.size);
        }
    }
    close(file);
    return found;
}
