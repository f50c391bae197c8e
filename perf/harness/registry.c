/* The tables of registry.h. perf/meson.build writes a list for each program:
 *   PERF_WORKLOAD(name)                    a workload that this program describes
 *   PERF_OWN(workload, runtime)            an implementation in this program
 *   PERF_OFFER(workload, runtime, program) one in this program (NULL) or another
 *   PERF_RUNTIME(name, missing)            a runtime, and NULL or why it is not here
 *   PERF_CONTEST(workload, sizes)          a part of `peers` */
#include "harness/registry.h"

#define PERF_WORKLOAD(name) extern const struct perf_workload perf_##name##_workload;
#define PERF_OWN(workload, runtime) extern const struct perf_implementation perf_##workload##_##runtime;
#define PERF_OFFER(workload, runtime, program)
#define PERF_RUNTIME(name, missing)
#define PERF_CONTEST(workload, sizes)
#include PERF_REGISTRY
#undef PERF_WORKLOAD
#undef PERF_OWN

#define PERF_WORKLOAD(name)
#define PERF_OWN(workload, runtime) &perf_##workload##_##runtime,
const struct perf_implementation *const perf_implementations[] = {
#include PERF_REGISTRY
    NULL};
#undef PERF_WORKLOAD
#undef PERF_OWN

#define PERF_WORKLOAD(name) &perf_##name##_workload,
#define PERF_OWN(workload, runtime)
const struct perf_workload *const perf_workloads[] = {
#include PERF_REGISTRY
    NULL};
#undef PERF_WORKLOAD
#undef PERF_OFFER

#define PERF_WORKLOAD(name)
#define PERF_OFFER(workload, runtime, program) {#workload, #runtime, program},
const struct perf_offer perf_offers[] = {
#include PERF_REGISTRY
    {NULL, NULL, NULL}};
#undef PERF_OFFER
#undef PERF_RUNTIME

#define PERF_OFFER(workload, runtime, program)
#define PERF_RUNTIME(name, missing) {#name, missing},
const struct perf_runtime perf_runtimes[] = {
#include PERF_REGISTRY
    {NULL, NULL}};
#undef PERF_RUNTIME
#undef PERF_CONTEST

#define PERF_RUNTIME(name, missing)
#define PERF_CONTEST(workload, sizes) {#workload, sizes},
const struct perf_contest perf_contests[] = {
#include PERF_REGISTRY
    {NULL, NULL}};
