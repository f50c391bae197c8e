/* The members that a problem adds to heist-perf's rows, as its parent reads them. Walking them one by one and judging
 * them as a whole must give the same result, and each member lies inside the text. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "harness/json.h"

/* Whether every bracket outside of strings closes one that was open. */
static bool balanced(const char *value, size_t length)
{
    long depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < length && depth >= 0; i++) {
        if (in_string && value[i] == '\\') {
            i++;
        } else if (value[i] == '"') {
            in_string = !in_string;
        } else if (!in_string) {
            depth += strchr("[{", value[i]) != NULL;
            depth -= strchr("]}", value[i]) != NULL;
        }
    }
    return depth == 0 && !in_string;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    const char *at = text, *end = text + strlen(text);
    struct perf_member member;
    while (*at) {
        const char *before = at;
        if (!perf_json_member(&at, &member)) break;
        if (at <= before || at > end) fuzz_fail("it goes from %td to %td", before - text, at - text);
        if (member.name < before || member.name + member.name_length > member.value || !member.value_length ||
            member.value + member.value_length > end)
            fuzz_fail("a member reaches beyond the text");
        if (!balanced(member.value, member.value_length)) fuzz_fail("brackets are open at %td", member.value - text);
    }
    if (perf_json_members_valid(text) != (*at == '\0')) fuzz_fail("two opinions of the same text");
    char *copy = NULL;
    size_t copy_size;
    FILE *to = open_memstream(&copy, &copy_size);
    if (!to) fuzz_fail("no memory");
    perf_json_string(to, text);
    fclose(to);
    for (size_t i = 0; i < copy_size; i++) {
        if ((unsigned char)copy[i] < 0x20) fuzz_fail("a control character in a string");
    }
    free(copy);
    free(text);
    return 0;
}
