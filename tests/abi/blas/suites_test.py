#!/usr/bin/env python3
"""The linear-algebra test suites of Debian's NumPy and SciPy on libcarat_blas through LD_PRELOAD.

usage: suites_test.py LIBRARY

Needs python3-numpy, python3-scipy and python3-pytest. Exit status 77: one of them is not there.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

LIBRARY = sys.argv[1]
PYTHON = "/usr/bin/python3"


def run_suite(package):
    """Runs PACKAGE.linalg's tests; gives what pytest printed and our profile."""
    where = f"import {package}.linalg, os; print(os.path.dirname({package}.linalg.__file__))"
    folder = subprocess.run([PYTHON, "-c", where], capture_output=True, text=True, check=True).stdout
    with tempfile.TemporaryDirectory() as scratch:
        # Two threads for ours; OpenBLAS's own, which LAPACK calls, would spin beside them.
        environment = dict(os.environ, LD_PRELOAD=LIBRARY, CARAT_PROFILE=f"{scratch}/profile",
                           CARAT_NUM_THREADS="2", OMP_NUM_THREADS="1")
        environment.pop("PYTHONPATH", None)
        done = subprocess.run(
            [PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow",
             "-W", "ignore", f"{folder.strip()}/tests"],
            capture_output=True, text=True, cwd=scratch, env=environment, check=False)
        profile = pathlib.Path(scratch, "profile")
        return done.stdout, profile.read_text() if profile.exists() else ""


def counted(text, what):
    found = re.search(rf"(\d+) {what}", text.splitlines()[-1])
    return int(found[1]) if found else 0


class Suites(unittest.TestCase):
    def check(self, package, least_passed, least_calls):
        text, profile = run_suite(package)
        print(f"\n{package}: {text.splitlines()[-1] if text else 'nothing'}")
        self.assertEqual((counted(text, "failed"), counted(text, "error")), (0, 0), text[-4000:])
        self.assertGreaterEqual(counted(text, "passed"), least_passed, text[-4000:])
        for routine, least in least_calls.items():
            found = re.search(rf"^{routine} +all shapes +(\d+) ", profile, re.M)
            self.assertIsNotNone(found, profile[:2000])
            self.assertGreaterEqual(int(found[1]), least, routine)

    def test_numpy(self):
        self.check("numpy", 350, {"dgemm": 1000, "sgemm": 500})

    def test_scipy(self):
        self.check("scipy", 3000, {"dgemm": 10000, "sgemm": 10000, "dtrmm": 1000, "dtrsm": 100})


if __name__ == "__main__":
    for needed in ("numpy", "scipy", "pytest"):
        if subprocess.run([PYTHON, "-c", f"import {needed}"], capture_output=True,
                          check=False).returncode != 0:
            print(f"skipped: no {needed} for {PYTHON} (apt install python3-{needed})")
            sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
