/* The detector alone. Task y runs on worker 0 and creates x, which worker 1 runs: a stolen task without children.
 * Somebody outside asks whether all is quiet.
 *
 *   asks=    how often
 *   outside  x is submitted from outside, by the thread that asks, in place of being created by y
 *   refused  x is submitted by another outsider, and refused: counted as created, then as finished, from outside */
#include "quiescence/detector.h"

const char model_harness_name[] = "quiet";

enum { X, Y, TASKS };

static heist__detector *detector;
static HEIST__ATOMIC(uint32_t) * published; /* stands for the deque or the queue: release and acquire */
static struct {
    _Alignas(8) int did;
} * effects; /* watched */
static struct {
    uint8_t created[TASKS], ended[TASKS];
} * seen;
static bool from_outside, refused;

static void create_x(void)
{
    seen->created[X] = 1;
    if (from_outside) {
        heist__detector_created_outside(detector);
    } else {
        heist__detector_created(detector, 0);
    }
    heist__store_release(published, 1);
}

static void run_y(void *unused)
{
    (void)unused;
    if (!from_outside && !refused) create_x();
    effects[Y].did = 1;
    seen->ended[Y] = 1;
    heist__detector_finished(detector, 0);
}

static void run_x(void *unused)
{
    (void)unused;
    if (!heist__load_acquire(published)) return;
    effects[X].did = 1;
    seen->ended[X] = 1;
    heist__detector_finished(detector, 1);
}

static void refuse_x(void *unused)
{
    (void)unused;
    heist__detector_created_outside(detector);
    heist__detector_finished_outside(detector);
}

static void ask(void *unused)
{
    (void)unused;
    if (from_outside) create_x();
    for (long n = model_number("asks", 1); n > 0; n--) {
        if (!heist__detector_quiet(detector)) continue;
        for (int i = 0; i < TASKS; i++) {
            if (!seen->created[i]) continue;
            model_check(seen->ended[i], "it is said to be quiet, but %c runs", i == X ? 'x' : 'y');
            model_check(effects[i].did, "it is quiet, but what %c did is not seen", i == X ? 'x' : 'y');
        }
    }
}

void model_setup(void)
{
    from_outside = model_number("outside", 0);
    refused = model_number("refused", 0);
    detector = model_alloc(sizeof *detector);
    heist__detector_init(detector, 2);
    model_unwatch(detector->tallies, 3 * sizeof *detector->tallies);
    published = model_alloc(sizeof *published);
    effects = model_payload(TASKS * sizeof *effects);
    seen = model_alloc(sizeof *seen);
    for (int i = 0; i < 3; i++) {
        model_name(&detector->tallies[i].created, 8, 8, false, "created%d", i);
        model_name(&detector->tallies[i].finished, 8, 8, false, "finished%d", i);
        if (i == 2) break;
        model_single_writer(&detector->tallies[i], sizeof detector->tallies[i], i);
    }
    model_name(published, 4, 4, false, "published");
    model_name(effects, TASKS * sizeof *effects, sizeof *effects, false, "effect");
    seen->created[Y] = 1; /* y came from outside */
    heist__store_relaxed(&detector->tallies[2].created, 1);
    model_thread(run_y, NULL);
    model_thread(refused ? refuse_x : run_x, NULL);
    model_thread(ask, NULL);
}

void model_always(void)
{
}

void model_end(unsigned blocked)
{
    model_check(!blocked, "threads %x wait for ever", blocked);
}
