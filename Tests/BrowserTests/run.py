"""Runs the browser tests, some classes at a time: a test waits for its page and its programs more than it computes."""
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import time
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
# The slowest classes, which begin first.
SLOWEST = ("test_tour.PlayedTourTests", "test_console.ConsoleTests", "test_tour.TourTests", "test_demo.DemoTests")
WORKERS = (os.cpu_count() or 1) + 1


def classes():
    """Returns the names of all classes of tests. A module that cannot be imported is an error."""
    def tests(suite):
        for each in suite:
            yield from tests(each) if isinstance(each, unittest.TestSuite) else [each]

    loader = unittest.TestLoader()
    found = {f"{type(test).__module__}.{type(test).__name__}" for test in tests(loader.discover(str(FOLDER)))}
    if loader.errors:
        sys.exit("\n".join(loader.errors))
    return [name for name in SLOWEST if name in found] + sorted(found - set(SLOWEST))


def run(name):
    """Runs the tests of a class in a process of its own. Returns whether they passed, their output and the seconds."""
    start = time.monotonic()
    ended = subprocess.run([sys.executable, "-W", "ignore::ResourceWarning", "-m", "unittest", name], cwd=FOLDER,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           errors="replace")
    return ended.returncode == 0, ended.stdout, time.monotonic() - start


def main():
    failed = []
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        running = {pool.submit(run, name): name for name in classes()}
        for one in concurrent.futures.as_completed(running):
            name = running[one]
            has_passed, output, seconds = one.result()
            print(f"{'passed' if has_passed else 'FAILED'} {name}, {seconds:.0f} s", flush=True)
            if not has_passed:
                print(output, flush=True)
                failed.append(name)
    if failed:
        sys.exit(f"These browser tests failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
