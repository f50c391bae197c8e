"""Lets a Python script report as a Unity program does: a line per case, then `N Tests N Failures N Ignored`, which is
what tools/check counts. A case is a function with a sentence for a name."""
import sys
import traceback


class Ignored(Exception):
    """What a case needs is not on this machine; the message says what."""


def ignore(reason):
    raise Ignored(reason)


def run(name, cases):
    """Runs them all, or those named on the command line; gives the status."""
    failed = ignored = ran = 0
    for case in cases:
        if sys.argv[1:] and case.__name__ not in sys.argv[1:]:
            continue
        ran += 1
        try:
            case()
            print('{}:{}:PASS'.format(name, case.__name__), flush=True)
        except Ignored as reason:
            ignored += 1
            print('{}:{}:IGNORE: {}'.format(name, case.__name__, reason), flush=True)
        except Exception:  # pylint: disable=broad-except
            failed += 1
            print('{}:{}:FAIL\n{}'.format(name, case.__name__, traceback.format_exc()), flush=True)
    print('\n-----------------------\n{} Tests {} Failures {} Ignored'.format(ran, failed, ignored))
    return 1 if failed or not ran else 0
