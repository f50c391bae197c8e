"""Two laws of scaling, fitted by least squares of the relative errors, without other packages.

Amdahl: T(n) = serial + parallel / n.
The Universal Scalability Law: n T(n) / T(1) = 1 + sigma (n - 1) + kappa n (n - 1). sigma is the share of the work that
waits for others (contention, a serial part), kappa the cost of keeping them in agreement, which grows with the pairs.
"""
import collections
import math

Amdahl = collections.namedtuple('Amdahl', 'serial bound error')  # share; highest speed-up; mean relative error
Usl = collections.namedtuple('Usl', 'sigma kappa peak error')  # peak: workers at the best time, None: no end in sight


def least_squares(rows):
    """The two numbers, none below 0, that make a x + b y nearest to z for rows of (x, y, z)."""
    xx, xy, yy = (sum(f(*row) for row in rows) for f in (lambda x, y, z: x * x, lambda x, y, z: x * y,
                                                         lambda x, y, z: y * y))
    xz, yz = sum(x * z for x, _, z in rows), sum(y * z for _, y, z in rows)
    det = xx * yy - xy * xy
    candidates = [(max(0.0, xz / xx) if xx else 0.0, 0.0), (0.0, max(0.0, yz / yy) if yy else 0.0)]
    if det > 1e-12 * max(xx * yy, 1e-300):
        a, b = (xz * yy - yz * xy) / det, (yz * xx - xz * xy) / det
        if a >= 0 and b >= 0:
            return a, b
    return min(candidates, key=lambda c: sum((c[0] * x + c[1] * y - z) ** 2 for x, y, z in rows))


def mean_error(times, model):
    return sum(abs(model(n) / time - 1) for n, time in times.items()) / len(times)


def amdahl(times):
    """times: from workers to time. None with fewer than two numbers of workers."""
    if len(times) < 2:
        return None
    serial, parallel = least_squares([(1 / time, 1 / (n * time), 1.0) for n, time in times.items()])
    share = serial / (serial + parallel) if serial + parallel > 0 else 0.0
    return Amdahl(share, 1 / share if share > 1e-6 else math.inf,
                  mean_error(times, lambda n: serial + parallel / n))


def usl(times):
    """None with fewer than three numbers of workers, or without one worker."""
    if len(times) < 3 or 1 not in times:
        return None
    one = times[1]
    rows = []
    for n, time in times.items():
        if n > 1:
            weight = one / (n * time)  # errors count relative to the time
            rows.append(((n - 1) * weight, n * (n - 1) * weight, (n * time / one - 1) * weight))
    sigma, kappa = least_squares(rows)
    peak = math.sqrt(max(0.0, 1 - sigma) / kappa) if kappa > 1e-9 else None
    return Usl(sigma, kappa, peak, mean_error(times, lambda n: one * (1 + sigma * (n - 1) + kappa * n * (n - 1)) / n))


def median_interval(values, wanted=0.95):
    """The middle of the values, and an interval that holds the median of the distribution with at least the wanted
    probability, if there are enough values for that: (median, low, high, probability)."""
    ordered = sorted(values)
    count = len(ordered)
    middle = (ordered[(count - 1) // 2] + ordered[count // 2]) / 2
    below, best = 0.0, (ordered[0], ordered[-1], 1 - 2.0 ** (1 - count))
    for left_out in range(1, (count + 1) // 2):
        below += math.comb(count, left_out - 1) / 2.0 ** count
        after = below + math.comb(count, left_out) / 2.0 ** count
        if 1 - 2 * after < wanted:
            break
        best = (ordered[left_out], ordered[-1 - left_out], 1 - 2 * after)
    return (middle,) + best
