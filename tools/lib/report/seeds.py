"""What the programs that this project began from had measured, on other machines: shown beside ours, never as ours."""

# The threads of a pool on C = A*B of 1000 by 1000: threads -> (GFLOP/s, efficiency).
GEMM_1000 = {1: (3.5, 1.00), 2: (6.9, 0.99), 4: (13.5, 0.97), 8: (28.2, 1.01), 16: (48.8, 0.87)}

# The cycle structure of an LFSR in processes that share a queue of batches: workers -> speed-up over serial.
LFSR_DYNAMIC = {2: 0.79, 4: 0.62, 8: 0.38}
# The same, as it was to be at last.
LFSR_TARGET = {2: 1.5, 4: 1.2, 8: 1.0}
