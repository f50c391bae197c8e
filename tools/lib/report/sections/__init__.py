"""The parts of the page, in its order. Each module has make(results): a Section, or None when none of it was
measured."""
from . import batches, doubts, efficiency, enter, gemm, latency, lfsr, overhead, speedup, submit

ORDER = (speedup, efficiency, overhead, gemm, lfsr, batches, latency, enter, submit)


def make_all(results):
    """The part about noise comes last: it lists samples of all others."""
    parts = [section for section in (module.make(results) for module in ORDER) if section]
    return parts + [part for part in [doubts.make(results, parts)] if part]
