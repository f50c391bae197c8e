"""The parts of the page, in its order. Each module has make(results): a Section, or None when none of it was
measured."""
from . import batches, efficiency, gemm, latency, overhead, seeds_lfsr, speedup, submit

ORDER = (speedup, efficiency, overhead, gemm, seeds_lfsr, batches, latency, submit)


def make_all(results):
    return [section for section in (module.make(results) for module in ORDER) if section]
