/* Children of heist-perf; see process.h. Signals that end this program are blocked except while it waits for a child:
 * only there they are noticed, so none is lost between a check and a wait. */
#include "harness/process.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Time limit for a child to free its memory and end. */
#define QUIT_SECONDS 10
/* Time limit for a run after an interruption. Some peers cannot end a run; the results of the others must not wait for
 * that, because the user, or a supervisor, may soon send SIGKILL. */
#define INTERRUPTED_SECONDS 5

/* ---- signals ---- */

static volatile sig_atomic_t caught, times_caught;
static sigset_t while_waiting;

static void note_signal(int signal)
{
    if (!caught) caught = signal;
    times_caught++;
}

void perf_catch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = note_signal};
    sigset_t blocked;
    sigemptyset(&blocked);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        sigaddset(&blocked, signals[i]);
        sigaction(signals[i], &action, NULL);
    }
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an ordinary error, with cleanup */
    sigprocmask(SIG_BLOCK, &blocked, &while_waiting);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigdelset(&while_waiting, signals[i]);
}

int perf_caught_signal(void)
{
    sigset_t pending;
    sigpending(&pending);
    if (!caught && (sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) || sigismember(&pending, SIGHUP))) {
        struct timespec none = {0, 0};
        ppoll(NULL, 0, &none, &while_waiting);
    }
    return caught;
}

/* ---- starting ---- */

static void set_number(const char *variable, unsigned number)
{
    char text[16];
    snprintf(text, sizeof text, "%u", number);
    setenv(variable, text, 1);
}

/* In the child. It has its own process group: a key pressed on the terminal reaches it through the parent, once. SIGINT
 * stays blocked until perf_serve() has its handler: the parent uses it to end a run, and it must not end a starting
 * program. */
static void become(const char *path, int socket, unsigned workers, pid_t parent)
{
    char descriptor[16];
    sigset_t at_start = while_waiting;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    setpgid(0, 0);
    signal(SIGXFSZ, SIG_DFL);
    sigaddset(&at_start, SIGINT);
    sigprocmask(SIG_SETMASK, &at_start, NULL);
    fcntl(socket, F_SETFD, 0);
    set_number("OMP_NUM_THREADS", workers);
    set_number("OPENBLAS_NUM_THREADS", workers);
    set_number("BLIS_NUM_THREADS", workers);
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
    snprintf(descriptor, sizeof descriptor, "%d", socket);
    execl(path, path, PERF_SERVE, descriptor, (char *)NULL);
    _exit(127);
}

/* The path of a program in the directory of this one. */
static int beside(const char *program, char *path, size_t room)
{
    char own[PATH_MAX];
    if (!program) return snprintf(path, room, "/proc/self/exe") > 0 ? 0 : -1;
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length < 0) return -1;
    own[length] = '\0';
    int written = snprintf(path, room, "%s/%s", dirname(own), program);
    return written > 0 && (size_t)written < room ? 0 : -1;
}

int perf_child_start(struct perf_child *child, const char *program, unsigned workers, char *error, size_t room)
{
    char path[PATH_MAX];
    int sockets[2];
    if (beside(program, path, sizeof path) || access(path, X_OK)) {
        snprintf(error, room, "%s is not beside heist-perf", program ? program : "heist-perf");
        return -1;
    }
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets)) {
        snprintf(error, room, "no socket: %s", strerror(errno));
        return -1;
    }
    pid_t self = getpid(), pid = fork();
    if (pid == 0) become(path, sockets[1], workers, self);
    int failed = errno;
    close(sockets[1]);
    if (pid < 0) {
        close(sockets[0]);
        snprintf(error, room, "no process: %s", strerror(failed));
        return -1;
    }
    *child = (struct perf_child){pid, sockets[0]};
    return 0;
}

/* ---- ending ---- */

/* Whether a signal that ends this program also ended the child: one that came before the child had its own process
 * group. */
static bool is_interrupted(int status)
{
    if (!WIFSIGNALED(status) || !perf_caught_signal()) return false;
    return WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM || WTERMSIG(status) == SIGHUP;
}

/* Waits for the end of the child and describes it. Returns 0 for a normal end. */
static int reap(struct perf_child *child, char *error, size_t room)
{
    int status = 0;
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR) {
    }
    close(child->socket);
    *child = (struct perf_child){0, -1};
    if (is_interrupted(status))
        snprintf(error, room, "interrupted");
    else if (WIFSIGNALED(status))
        snprintf(error, room, "crashed: signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status))
        snprintf(error, room, "ended with status %d", WEXITSTATUS(status));
    else
        snprintf(error, room, "ended before its time");
    return status;
}

void perf_child_kill(struct perf_child *child)
{
    char unused[64];
    if (!child->pid) return;
    kill(child->pid, SIGKILL); /* also if it is stopped */
    reap(child, unused, sizeof unused);
}

/* ---- asking ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Waits until the child has answered or is gone. Returns false when its time is up, when the short time after a signal
 * is up, or when a second signal came. */
static bool wait_for(struct perf_child *child, double seconds)
{
    double end = now() + seconds;
    int told = times_caught;
    for (;;) {
        double left = end - now();
        if (left <= 0) return false;
        struct timespec wait = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
        struct pollfd socket = {child->socket, POLLIN, 0};
        if (ppoll(&socket, 1, &wait, &while_waiting) > 0) return true;
        if (times_caught > told) {
            if (times_caught > 1) return false;
            kill(child->pid, SIGINT);
            told = times_caught;
            if (end > now() + INTERRUPTED_SECONDS) end = now() + INTERRUPTED_SECONDS;
        }
    }
}

/* Stops the child and waits until it is stopped. */
static void stop(struct perf_child *child)
{
    siginfo_t information;
    kill(child->pid, SIGSTOP);
    /* WNOWAIT leaves the death of the child for reap() at the next request */
    while (waitid(P_PID, (id_t)child->pid, &information, WSTOPPED | WEXITED | WNOWAIT) < 0 && errno == EINTR) {
    }
    if (information.si_code == CLD_STOPPED) waitid(P_PID, (id_t)child->pid, &information, WSTOPPED);
}

int perf_child_ask(struct perf_child *child, const struct perf_request *request, struct perf_answer *answer,
                   double seconds, char *error, size_t room)
{
    kill(child->pid, SIGCONT);
    if (send(child->socket, request, sizeof *request, MSG_NOSIGNAL) == (ssize_t)sizeof *request) {
        if (!wait_for(child, seconds)) {
            perf_child_kill(child);
            if (times_caught > 0)
                snprintf(error, room, "interrupted");
            else
                snprintf(error, room, "no answer within %g seconds", seconds);
            return -1;
        }
        if (recv(child->socket, answer, sizeof *answer, 0) == (ssize_t)sizeof *answer) {
            stop(child);
            return 0;
        }
    }
    reap(child, error, room);
    return -1;
}

int perf_child_quit(struct perf_child *child, char *error, size_t room)
{
    struct perf_request request;
    if (!child->pid) return 0;
    memset(&request, 0, sizeof request);
    request.order = PERF_QUIT;
    kill(child->pid, SIGCONT);
    send(child->socket, &request, sizeof request, MSG_NOSIGNAL);
    if (!wait_for(child, QUIT_SECONDS)) {
        perf_child_kill(child);
        snprintf(error, room, "did not end within %d seconds", QUIT_SECONDS);
        return -1;
    }
    return reap(child, error, room) ? -1 : 0;
}
