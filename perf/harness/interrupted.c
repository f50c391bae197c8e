/* A file of its own: a test that links the problems without the harness may define the variable itself. */
#include "harness/app.h"

volatile bool perf_interrupted;
