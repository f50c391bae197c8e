"""What the programs that this project began from had measured, on other machines: shown beside ours, never as ours."""

# The threads of a pool on C = A*B of 1000 by 1000: threads -> (GFLOP/s, efficiency).
GEMM_1000 = {1: (3.5, 1.00), 2: (6.9, 0.99), 4: (13.5, 0.97), 8: (28.2, 1.01), 16: (48.8, 0.87)}


def lfsr(results):
    """The cycle structure of an LFSR in processes that share a queue of batches: workers -> speed-up over serial.
    heist-perf knows it, and tells it in the rows, as it tells what it was to be at last (seeds_target)."""
    return {row.workers: row.more('seeds') for row in results.of('lfsr', 'heist') if row.more('seeds')}
