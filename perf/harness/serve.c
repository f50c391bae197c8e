/* The child's side: one implementation, prepared once and run as often as the parent asks. Part of every program. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "harness/cpu_time.h"
#include "harness/protocol.h"
#include "harness/registry.h"

static void note_interruption(int signal)
{
    (void)signal;
    perf_interrupted = true;
}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static const struct perf_implementation *find(const char *workload, const char *runtime)
{
    for (const struct perf_implementation *const *p = perf_implementations; *p; p++)
        if (strcmp((*p)->workload, workload) == 0 && strcmp((*p)->runtime, runtime) == 0) return *p;
    return NULL;
}

static const struct perf_implementation *prepare(const struct perf_request *request, void **state,
                                                 struct perf_answer *answer)
{
    const char *settings[128];
    size_t count = 0;
    for (const char *text = request->settings; *text && count < 126; text += strlen(text) + 1) settings[count++] = text;
    settings[count] = NULL;
    struct perf_input input = {request->size, request->workers, settings};
    const struct perf_implementation *implementation = find(request->workload, request->runtime);
    if (!implementation) {
        answer->result = -ENOENT;
        snprintf(answer->error, sizeof answer->error, "this build has no %s for %s", request->runtime,
                 request->workload);
        return NULL;
    }
    answer->result = implementation->prepare(&input, state, answer->error, sizeof answer->error);
    return answer->result ? NULL : implementation;
}

/* The process was stopped until now, with every thread of the runtime. Each thread wakes, if only to sleep again; that
 * must not disturb a run of a millisecond. */
static void settle(void)
{
    const struct timespec moment = {0, 500000};
    nanosleep(&moment, NULL);
}

static void run(const struct perf_implementation *implementation, void *state, struct perf_answer *answer)
{
    settle();
    if (implementation->reset) implementation->reset(state);
    perf_cpu_time_begin();
    uint64_t began = now();
    implementation->run(state);
    answer->ns = now() - began;
    answer->cpu_ns = perf_cpu_time_end();
    implementation->check(state, &answer->outcome);
    if (answer->outcome.ns) {
        answer->ns = answer->outcome.ns;
        answer->cpu_ns = 0;
    }
    if (!answer->outcome.check[0]) snprintf(answer->outcome.check, sizeof answer->outcome.check, "not checked");
}

int perf_serve(const char *descriptor)
{
    static struct perf_request request;
    static struct perf_answer answer;
    const struct perf_implementation *implementation = NULL;
    void *state = NULL;
    int socket = atoi(descriptor);
    struct sigaction action = {.sa_handler = note_interruption, .sa_flags = SA_RESTART};
    sigset_t interrupt;
    sigaction(SIGINT, &action, NULL);
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigprocmask(SIG_UNBLOCK, &interrupt, NULL); /* the parent blocked it: until now it would have ended this process */
    dup2(STDERR_FILENO, STDOUT_FILENO);         /* messages of a runtime are not results */
    for (;;) {
        ssize_t got = recv(socket, &request, sizeof request, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got != (ssize_t)sizeof request || request.order == PERF_QUIT) break;
        memset(&answer, 0, sizeof answer);
        if (request.order == PERF_PREPARE)
            implementation = prepare(&request, &state, &answer);
        else if (implementation)
            run(implementation, state, &answer);
        perf_cpu_time_look(); /* now: before the next run it would disturb */
        if (send(socket, &answer, sizeof answer, MSG_NOSIGNAL) != (ssize_t)sizeof answer) break;
    }
    if (implementation && implementation->discard) implementation->discard(state);
    return 0;
}
