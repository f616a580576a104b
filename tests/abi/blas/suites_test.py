#!/usr/bin/env python3
"""The linear-algebra test suites of Debian's NumPy and SciPy on libcarat_blas through LD_PRELOAD.

usage: suites_test.py LIBRARY numpy | decompositions | lapack | rest

The last three are SciPy's in three parts, so that none comes near its time limit on a busy machine.
Needs python3-numpy, python3-scipy and python3-pytest. Exit status 77: one of them is not there.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

LIBRARY, PART = sys.argv[1:3]
PYTHON = "/usr/bin/python3"
DECOMPOSITIONS, LAPACK = ("test_decomp*.py",), ("test_lapack.py", "test_*blas.py")


def run_suite(package, only=("test_*.py",), without=()):
    """Runs files of PACKAGE.linalg's tests; gives what pytest printed and our profile."""
    where = f"import {package}.linalg, os; print(os.path.dirname({package}.linalg.__file__))"
    folder = subprocess.run([PYTHON, "-c", where], capture_output=True, text=True, check=True).stdout
    tests = pathlib.Path(folder.strip(), "tests")
    found = {file for pattern in only for file in tests.glob(pattern)}
    files = sorted(found - {file for pattern in without for file in tests.glob(pattern)})
    with tempfile.TemporaryDirectory() as scratch:
        # Two threads for carat; OpenBLAS's own, which LAPACK calls, would spin beside them.
        environment = dict(os.environ, LD_PRELOAD=LIBRARY, CARAT_PROFILE=f"{scratch}/profile",
                           CARAT_NUM_THREADS="2", OMP_NUM_THREADS="1")
        environment.pop("PYTHONPATH", None)
        done = subprocess.run(
            [PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow",
             "-W", "ignore", *files],
            capture_output=True, text=True, cwd=scratch, env=environment, check=False)
        profile = pathlib.Path(scratch, "profile")
        return done.stdout, profile.read_text() if profile.exists() else ""


def counted(text, what):
    found = re.search(rf"(\d+) {what}", text.splitlines()[-1])
    return int(found[1]) if found else 0


# The least that must have passed and been called; versions differ.
PARTS = {
    "numpy": (["numpy"], 350, {"dgemm": 1000, "sgemm": 500}),
    "decompositions": (["scipy", DECOMPOSITIONS], 900,
                       {"dgemm": 10000, "sgemm": 10000, "dsyrk": 500, "dtrmm": 300}),
    "lapack": (["scipy", LAPACK], 1500, {"dgemm": 500, "sgemm": 500, "dtrsm": 100}),
    "rest": (["scipy", ("test_*.py",), DECOMPOSITIONS + LAPACK], 350,
             {"dgemm": 5000, "sgemm": 500, "dtrmm": 1000}),
}


class Suites(unittest.TestCase):
    def test_part(self):
        files, least_passed, least_calls = PARTS[PART]
        text, profile = run_suite(*files)
        print(f"\n{PART}: {text.splitlines()[-1] if text else 'nothing'}")
        self.assertEqual((counted(text, "failed"), counted(text, "error")), (0, 0), text[-4000:])
        self.assertGreaterEqual(counted(text, "passed"), least_passed, text[-4000:])
        for routine, least in least_calls.items():
            found = re.search(rf"^{routine} +all shapes +(\d+) ", profile, re.M)
            self.assertIsNotNone(found, profile[:2000])
            self.assertGreaterEqual(int(found[1]), least, routine)


if __name__ == "__main__":
    for needed in ("numpy", "scipy", "pytest"):
        if subprocess.run([PYTHON, "-c", f"import {needed}"], capture_output=True,
                          check=False).returncode != 0:
            print(f"skipped: no {needed} for {PYTHON} (apt install python3-{needed})")
            sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
