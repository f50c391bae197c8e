"""The parts of the second page: the goals of the project, and the seeds, an earlier program. They are about heist, not
about the machine of a user, and so are not on the first page."""
from ..sections import doubts
from . import enter, gemm, lfsr

ORDER = (gemm, lfsr, enter)


def make_all(results):
    parts = [part for part in (module.make(results) for module in ORDER) if part]
    return parts + ([doubts.make(results, parts)] if any(part.doubts for part in parts) else [])
