/* heist-sim's inputs. The first line of an input says which: dag, costs, program, machine, or command (then an argument
 * a line). Bad ones are refused with one line; good ones are simulated for some thousand events. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "simulate/command.h"

/* hwloc leaks memory on bad descriptions, which is not reported: see fuzz_topology.c. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhwloc.so\n";
}

static char error[HEIST__SIM_ERROR];

static void check_refusal(int result)
{
    if (result >= 0 || !*error || fuzz_lines(error) != 1) fuzz_fail("%d: \"%s\"", result, error);
}

/* Simulates a little, and checks what any simulation must keep. */
static void simulate(heist__sim_program *p, const char *machine, const heist__sim_costs *costs)
{
    heist__sim_machine m;
    heist__sim_result r;
    if (heist__sim_machine_make(&m, machine, NULL, error, sizeof error)) fuzz_fail("%s: %s", machine, error);
    if (costs) m.costs = *costs;
    for (unsigned how = 0; how < 6; how++) {
        const heist__sim_settings s = {.workers = 1 + how % 4,
                                       .strategy = (heist__strategy)how,
                                       .seed = how,
                                       .cold = how & 1,
                                       .most_events = 3000};
        int result = heist__sim_run(&r, &m, p, &s, error, sizeof error);
        if (result == -E2BIG) continue;
        if (result) fuzz_fail("%d: %s", result, error);
        if (r.time < r.span || (r.time + 1) * s.workers < r.work)
            fuzz_fail("time %lld, work %lld, span %lld", (long long)r.time, (long long)r.work, (long long)r.span);
        heist__sim_result_free(&r);
    }
    heist__sim_machine_free(&m);
}

static void try_dag(const char *text)
{
    heist__sim_program p;
    int result = heist__sim_dag_read(&p, text, "input.dag", error, sizeof error);
    if (result) {
        check_refusal(result);
        return;
    }
    simulate(&p, "free", NULL);
    simulate(&p, "flat", NULL);
    heist__sim_program_free(&p);
}

static void try_costs(const char *text)
{
    heist__sim_costs costs = {.smt = 1};
    heist__sim_program p;
    int result = heist__sim_costs_read(&costs, text, "input", error, sizeof error);
    if (result) {
        check_refusal(result);
        return;
    }
    if (heist__sim_program_make(&p, "fib:n=7", error, sizeof error)) fuzz_fail("%s", error);
    simulate(&p, "laptop", &costs);
    heist__sim_program_free(&p);
}

/* A large number may be meant, and would only cost time and memory here. */
static bool is_large(const char *text)
{
    unsigned digits = 0;
    for (; *text; text++) {
        digits = isxdigit((unsigned char)*text) || *text == '.' ? digits + 1 : 0;
        if (digits > 3 || *text == 'k' || *text == 'M' || *text == 'G') return true;
    }
    return false;
}

static void try_program(const char *text)
{
    heist__sim_program p;
    const bool stays = !is_large(text);
    if (!stays && strncmp(text, "loop", 4) == 0) return;
    if (!stays && (strstr(text, "n=") || strchr(text, 'e'))) return;
    int result = heist__sim_program_make(&p, text, error, sizeof error);
    if (result) {
        check_refusal(result);
        return;
    }
    simulate(&p, "flat", NULL);
    heist__sim_program_free(&p);
}

static void try_machine(const char *text)
{
    heist__sim_machine m;
    if (strchr(text, '/') || strchr(text, '.')) return; /* files are fuzz_topology's */
    fuzz_listen();
    int result = heist__sim_machine_make(&m, text, NULL, error, sizeof error);
    fuzz_heard();
    if (result) {
        check_refusal(result);
        return;
    }
    if (!m.topology.pu_count || m.topology.pu_count > HEIST__DESCRIBED_MAX) fuzz_fail("%u PUs", m.topology.pu_count);
    for (unsigned i = 0; i < m.topology.pu_count; i++) {
        if (heist__sim_level(&m, 0, i) >= HEIST__SIM_LEVELS) fuzz_fail("no level of PU %u", i);
    }
    heist__sim_machine_free(&m);
}

static void try_command(char *text)
{
    enum { MOST = 40 };
    char *arguments[MOST + 2] = {(char[]){"heist-sim"}};
    heist__sim_command c;
    int count = 1;
    for (char *at = text; *at && count <= MOST;) {
        arguments[count++] = at;
        at += strcspn(at, "\n");
        if (*at) *at++ = '\0';
    }
    fuzz_listen();
    heist__sim_reading reading = heist__sim_command_read(&c, count, arguments, error, sizeof error);
    fuzz_words heard = fuzz_heard();
    if (*heard.err) fuzz_fail("told: %s", heard.err);
    if (reading == HEIST__SIM_BAD) check_refusal(-1);
    if (reading != HEIST__SIM_GO_ON) return;
    if (!c.runs || (!c.program && !c.preset)) fuzz_fail("%u runs of nothing", c.runs);
    for (unsigned i = 0; i < c.counts; i++) {
        if (!c.workers[i] || c.workers[i] > HEIST__DESCRIBED_MAX) fuzz_fail("%u workers", c.workers[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *rest = strchr(text, '\n');
    error[0] = '\0';
    fuzz_scratch();
    if (rest) {
        *rest++ = '\0';
        if (strcmp(text, "dag") == 0) try_dag(rest);
        if (strcmp(text, "costs") == 0) try_costs(rest);
        if (strcmp(text, "program") == 0) try_program(rest);
        if (strcmp(text, "machine") == 0) try_machine(rest);
        if (strcmp(text, "command") == 0) try_command(rest);
    }
    free(text);
    return 0;
}
