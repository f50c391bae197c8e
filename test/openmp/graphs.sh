#!/usr/bin/env bash
# graphs.sh: random task graphs give what a serial evaluation gives.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../abi/cases.sh
. "$(dirname "$0")/../abi/cases.sh"
# shellcheck source-path=SCRIPTDIR source=programs.sh
. "$(dirname "$0")/programs.sh"
make_scratch
run_case heist_is_there heist_is_there
compile graph

for threads in 1 2 3 8; do
    for seed in 1 2 3; do
        run_case "graphs_of_seed_${seed}_with_${threads}_threads" with_heist "$threads" "$scratch/graph" "$seed" 10
    done
    OMP_MAX_TASK_PRIORITY=0 OMP_WAIT_POLICY=passive \
        run_case "graphs_without_priorities_and_passive_with_${threads}_threads" \
        with_heist "$threads" "$scratch/graph" 4 10
done
end_cases
