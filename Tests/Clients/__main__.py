"""Runs the trials: all of them side by side, or the modules and tests that are named."""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import time
import unittest

FOLDER = pathlib.Path(__file__).parent
# These mostly wait, so they begin first.
SLOW = ["trial_console", "trial_hostile", "trial_stop", "trial_disk", "trial_stalled",
        "trial_assets"]
COUNTS = re.compile(r"^(\d+) of (\d+) tests passed, (\d+) were skipped$", re.MULTILINE)


class SharedServiceEnds(unittest.TestCase):
    """Runs last: the service that the other tests shared ends well, and has revealed no secret."""

    def runTest(self):
        from support import service

        service.end_shared()


class TimedResult(unittest.TextTestResult):
    """Reports how long each test took."""

    def startTest(self, test):
        self.begun = time.monotonic()
        super().startTest(test)

    def addSuccess(self, test):
        self.stream.write(f"{time.monotonic() - self.begun:.1f} s ")
        super().addSuccess(test)


def run_here(names):
    """Runs tests in this process."""
    suite = unittest.TestLoader().loadTestsFromNames(names)
    suite.addTest(SharedServiceEnds())
    runner = unittest.TextTestRunner(
        stream=sys.stdout, verbosity=2, descriptions=False, resultclass=TimedResult)
    result = runner.run(suite)
    for test, reason in result.skipped:
        print(f"skipped: {test}: {reason}")
    # The last test is the shared service's own.
    wrong = len(result.failures) + len(result.errors)
    count = result.testsRun - 1
    print(f"{count - wrong - len(result.skipped)} of {count} tests passed, "
          f"{len(result.skipped)} were skipped")
    return 0 if result.wasSuccessful() and count > 0 else 1


def run_apart(name):
    """Runs a module in a process of its own."""
    return subprocess.run(
        [sys.executable, "-B", str(FOLDER), name], stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, check=False)


def run_all():
    from support.premises import make_premises

    begun = time.monotonic()
    make_premises()
    modules = sorted(path.stem for path in FOLDER.glob("trial_*.py"))
    modules.sort(key=lambda name: SLOW.index(name) if name in SLOW else len(SLOW))
    totals, failed = [0, 0, 0], []
    with concurrent.futures.ThreadPoolExecutor(max(2, min(4, os.cpu_count() or 2))) as pool:
        for name, done in zip(modules, pool.map(run_apart, modules)):
            print(done.stdout, flush=True)
            found = COUNTS.search(done.stdout)
            if found:
                totals = [one + int(more) for one, more in zip(totals, found.groups())]
            if done.returncode != 0 or not found:
                failed.append(name)
    if failed:
        print(f"failed: {', '.join(failed)}")
    print(f"{totals[0]} of {totals[1]} tests passed, {totals[2]} were skipped, "
          f"in {time.monotonic() - begun:.0f} s")
    return 1 if failed else 0


def main():
    sys.path.insert(0, str(FOLDER))
    if sys.argv[1:] == ["--load"]:
        from support.load import measure

        return measure()
    return run_here(sys.argv[1:]) if sys.argv[1:] else run_all()


if __name__ == "__main__":
    sys.exit(main())
