/* Feeds a fuzz target without any engine: the named files, and then, for a given time, mutations of them that are drawn
 * from a seed. So every ordinary build replays the corpus, and may find a new mistake in a parser; a thorough search is
 * the task of the engines (tools/fuzz).
 *
 * The target runs in a child. Its current input lies in shared memory: when the child dies, or does not return, the
 * parent saves the input. Reports as Unity does, for tools/check. */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

#pragma weak LLVMFuzzerCustomMutator

enum { MOST_BYTES = 1 << 16, MOST_INPUTS = 1000, PATIENCE_S = 60, MOST_CHANGES = 4 };

typedef struct {
    uint8_t *bytes;
    size_t size;
    const char *from; /* the file's name; NULL: drawn */
} input;

static struct {
    double seconds;
    uint64_t seed;
    const char *dictionary, *save;
} asked = {.seed = 1, .save = "/tmp"};

static input corpus[MOST_INPUTS], words[MOST_INPUTS];
static size_t corpus_count, word_count;

/* The current input of the child. Written by: the child. Read by: the parent, when the child is gone. */
static struct hand {
    uint64_t inputs; /* number of inputs begun */
    char from[200];
    size_t size;
    uint8_t bytes[MOST_BYTES];
} * hand;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void give_up(const char *what, const char *name)
{
    fprintf(stderr, "%s: %s\n", name, what);
    exit(2);
}

/* ---- reading ---- */

static input read_input(const char *path)
{
    static uint8_t room[MOST_BYTES];
    FILE *file = fopen(path, "re");
    if (!file) give_up(strerror(errno), path);
    size_t size = fread(room, 1, sizeof room, file);
    fclose(file);
    uint8_t *bytes = malloc(size + 1);
    if (!bytes) give_up("no memory", path);
    memcpy(bytes, room, size);
    return (input){bytes, size, strdup(path)};
}

static void add_input(const char *path)
{
    if (corpus_count < MOST_INPUTS) corpus[corpus_count++] = read_input(path);
}

static void add_path(const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort); /* in order: a seed means the same on every machine */
    if (count < 0) {
        add_input(path);
        return;
    }
    for (int i = 0; i < count; i++) {
        char whole[4096];
        snprintf(whole, sizeof whole, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.') add_input(whole);
        free(entries[i]);
    }
    free(entries);
}

/* A dictionary as the engines read it: a line is "word", with \n, \\, \" and \xNN. */
static void add_words(const char *path)
{
    input text = read_input(path);
    for (size_t i = 0; i < text.size && word_count < MOST_INPUTS;) {
        bool comment = text.bytes[i] == '#';
        while (i < text.size && text.bytes[i] != '"' && text.bytes[i] != '\n') i++;
        uint8_t word[100];
        size_t size = 0;
        if (!comment && i < text.size && text.bytes[i] == '"') {
            for (i++; i < text.size && text.bytes[i] != '"' && size < sizeof word; i++) {
                if (text.bytes[i] != '\\' || i + 1 == text.size) {
                    word[size++] = text.bytes[i];
                } else if (text.bytes[++i] == 'x' && i + 2 < text.size) {
                    char digits[3] = {(char)text.bytes[i + 1], (char)text.bytes[i + 2], '\0'};
                    word[size++] = (uint8_t)strtoul(digits, NULL, 16);
                    i += 2;
                } else {
                    word[size++] = text.bytes[i] == 'n' ? '\n' : text.bytes[i];
                }
            }
        }
        while (i < text.size && text.bytes[i] != '\n') i++;
        i++;
        if (!size) continue;
        uint8_t *bytes = malloc(size);
        if (!bytes) give_up("no memory", path);
        memcpy(bytes, word, size);
        words[word_count++] = (input){bytes, size, NULL};
    }
    free(text.bytes);
    free((char *)(uintptr_t)text.from);
}

/* ---- drawing ---- */

static uint64_t state;

static size_t below(size_t n)
{
    state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return n ? (size_t)(z % n) : 0;
}

/* Puts `from` in the place of `gone` bytes, as far as there is room. */
static void splice(size_t at, size_t gone, const uint8_t *from, size_t size)
{
    if (hand->size - gone + size > MOST_BYTES) return;
    memmove(hand->bytes + at + size, hand->bytes + at + gone, hand->size - at - gone);
    memcpy(hand->bytes + at, from, size);
    hand->size += size - gone;
}

/* A number in the text becomes its neighbour, its double, or a boundary value. */
static void change_number(void)
{
    static const char *const odd[] = {"0",
                                      "1",
                                      "-1",
                                      "255",
                                      "65536",
                                      "2147483648",
                                      "4294967296",
                                      "9223372036854775807",
                                      "0x10",
                                      "-9223372036854775808",
                                      "18446744073709551615",
                                      "18446744073709551616"};
    size_t at = below(hand->size), digits = 0;
    while (at < hand->size && (hand->bytes[at] < '0' || hand->bytes[at] > '9')) at++;
    while (at + digits < hand->size && hand->bytes[at + digits] >= '0' && hand->bytes[at + digits] <= '9') digits++;
    if (!digits || digits > 20) return;
    char text[24] = "";
    memcpy(text, hand->bytes + at, digits);
    uint64_t number = strtoull(text, NULL, 10);
    switch (below(5)) {
    case 0: number++; break;
    case 1: number--; break;
    case 2: number *= 2; break;
    case 3: number /= 2; break;
    default: {
        const char *word = odd[below(sizeof odd / sizeof *odd)];
        splice(at, digits, (const uint8_t *)word, strlen(word));
        return;
    }
    }
    int size = snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    splice(at, digits, (const uint8_t *)text, (size_t)size);
}

static void change(void)
{
    if (LLVMFuzzerCustomMutator && below(2)) {
        hand->size = LLVMFuzzerCustomMutator(hand->bytes, hand->size, MOST_BYTES, (unsigned)below(UINT32_MAX));
        return;
    }
    uint8_t byte = (uint8_t)below(256);
    size_t at = below(hand->size + 1), left = hand->size - at, few = below(left < 20 ? left + 1 : 20);
    switch (below(7)) {
    case 0: splice(at, left ? 1 : 0, &byte, 1); break;
    case 1: splice(at, few, &byte, 0); break;
    case 2: {
        uint8_t copy[20];
        memcpy(copy, hand->bytes + at, few);
        splice(below(hand->size + 1), 0, copy, few);
        break;
    }
    case 3:
    case 4:
        if (word_count) {
            const input *word = &words[below(word_count)];
            splice(at, below(2) ? few : 0, word->bytes, word->size);
        }
        break;
    case 5: change_number(); break;
    default: { /* the end of another one */
        const input *other = &corpus[below(corpus_count)];
        size_t cut = below(other->size + 1);
        splice(at, left, other->bytes + cut, other->size - cut);
    }
    }
}

static void draw(uint64_t number)
{
    state = asked.seed * UINT64_C(0xd1342543de82ef95) + number;
    const input *from = &corpus[below(corpus_count)];
    hand->size = from->size;
    memcpy(hand->bytes, from->bytes, from->size);
    for (size_t i = 1 + below(MOST_CHANGES); i > 0; i--) change();
}

/* ---- the child ---- */

static void try_hand(void)
{
    uint8_t *exact = malloc(hand->size ? hand->size : 1); /* so that a sanitizer sees a step beyond its end */
    if (!exact) give_up("no memory", "input");
    memcpy(exact, hand->bytes, hand->size);
    hand->inputs++;
    alarm(PATIENCE_S);
    LLVMFuzzerTestOneInput(exact, hand->size);
    alarm(0);
    free(exact);
}

static void try_corpus(void)
{
    for (size_t i = 0; i < corpus_count; i++) {
        snprintf(hand->from, sizeof hand->from, "%s", corpus[i].from);
        hand->size = corpus[i].size;
        memcpy(hand->bytes, corpus[i].bytes, corpus[i].size);
        try_hand();
    }
}

static void try_mutations(void)
{
    const double until = now() + asked.seconds;
    for (uint64_t number = 0; now() < until; number++) {
        snprintf(hand->from, sizeof hand->from, "seed %llu, number %llu", (unsigned long long)asked.seed,
                 (unsigned long long)number);
        draw(number);
        try_hand();
    }
}

/* ---- the parent ---- */

static void save(const char *program)
{
    char path[4096];
    static int saved;
    snprintf(path, sizeof path, "%s/%s-%d-%d", asked.save, program, (int)getpid(), ++saved);
    FILE *file = fopen(path, "wxe"); /* x: not through a link of another user */
    if (!file || fwrite(hand->bytes, 1, hand->size, file) != hand->size || fclose(file)) {
        printf("the input cannot be saved in %s\n", asked.save);
        return;
    }
    printf("the input, from %s, is saved: repeat it with\n    %s %s\n", hand->from, program_invocation_name, path);
}

/* Whether a child that does all of this ends normally. */
static bool survives(const char *sentence, void (*all)(void))
{
    const char *program = program_invocation_short_name;
    hand->inputs = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        all();
        exit(0); /* here the leaks are found */
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    bool good = child > 0 && status == 0;
    printf("%s:%s:%s: %llu inputs\n", program, sentence, good ? "PASS" : "FAIL", (unsigned long long)hand->inputs);
    if (good) return true;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) printf("one did not end within %d s\n", PATIENCE_S);
    save(program);
    return false;
}

static void usage(FILE *to)
{
    fprintf(to,
            "usage: %s [OPTION...] FILE|DIRECTORY...\n"
            "Gives each file to the parser, and then mutations of them.\n\n"
            "  --for SECONDS        how long mutations are tried (none)\n"
            "  --seed N             what they are drawn from (1)\n"
            "  --dictionary FILE    words that they may have, as libFuzzer and AFL++ read them\n"
            "  --save DIRECTORY     where an input goes that does harm (/tmp)\n"
            "  --help               print this text\n",
            program_invocation_short_name);
}

int main(int argc, char **argv)
{
    mallopt(M_PERTURB, 0); /* Meson sets it for tests; filling the memory of an extreme input would take minutes */
    static const struct option options[] = {{"for", required_argument, NULL, 'f'},
                                            {"seed", required_argument, NULL, 's'},
                                            {"dictionary", required_argument, NULL, 'd'},
                                            {"save", required_argument, NULL, 'o'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) >= 0;) {
        switch (option) {
        case 'f': asked.seconds = atof(optarg); break;
        case 's': asked.seed = strtoull(optarg, NULL, 0); break;
        case 'd': asked.dictionary = optarg; break;
        case 'o': asked.save = optarg; break;
        case 'h': usage(stdout); return 0;
        default: usage(stderr); return 2;
        }
    }
    for (int i = optind; i < argc; i++) add_path(argv[i]);
    if (!corpus_count) {
        usage(stderr);
        return 2;
    }
    if (asked.dictionary) add_words(asked.dictionary);
    hand = mmap(NULL, sizeof *hand, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (hand == MAP_FAILED) give_up("no memory", "input");
    int cases = 1, failed = !survives("no_input_of_the_corpus_does_harm", try_corpus);
    if (asked.seconds > 0) {
        cases++;
        failed += !survives("no_mutation_of_them_does_harm", try_mutations);
    }
    printf("\n-----------------------\n%d Tests %d Failures 0 Ignored\n", cases, failed);
    for (size_t i = 0; i < corpus_count; i++) {
        free(corpus[i].bytes);
        free((char *)(uintptr_t)corpus[i].from);
    }
    for (size_t i = 0; i < word_count; i++) free(words[i].bytes);
    return failed ? 1 : 0;
}
