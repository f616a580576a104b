#!/usr/bin/env python3
"""NumPy's and SciPy's own tests, of their newest wheels, with libcarat_blas.so preloaded and without.

    scripts/wheel_suites.py LIBRARY [--python PYTHON] [--suite numpy|numpy.linalg|scipy.linalg ...]

PYTHON has numpy, scipy, pytest and hypothesis; without it they are installed into an environment made
for the run. Exit status 1, with their names, where a test fails only with the library.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

SUITES = ("numpy", "numpy.linalg", "scipy.linalg")
# f2py's tests, which multiply nothing, want a Fortran compiler and more packages.
WITHOUT = "/*/f2py/*"
NEEDED = ("numpy", "scipy", "pytest", "hypothesis")


def fresh_environment(folder):
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", "--only-binary=:all:", *NEEDED], check=True)
    return python


def run_suite(python, package, scratch, environment):
    """{outcome: {tests}} of PACKAGE, and what the library says it multiplied."""
    report, profiles = scratch / "report.xml", scratch / "profiles"
    shutil.rmtree(profiles, ignore_errors=True)
    profiles.mkdir()
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow", "-W", "ignore",
         f"--ignore-glob={WITHOUT}", f"--junitxml={report}", "--pyargs", package],
        cwd=scratch, capture_output=True, text=True, check=False,
        env={**os.environ, "CARAT_PROFILE": str(profiles / "of-%p"), "CARAT_NUM_THREADS": "2", **environment})
    if done.returncode not in (0, 1):
        sys.exit(f"wheel_suites: {package}: pytest ended with {done.returncode}\n{done.stdout[-3000:]}"
                 f"{done.stderr[-1000:]}")
    told = {"passed": set(), "failed": set(), "skipped": set()}
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        kinds = {child.tag for child in case}
        outcome = ("failed" if kinds & {"failure", "error"} else
                   "skipped" if "skipped" in kinds else "passed")
        told[outcome].add(f"{case.get('classname')}::{case.get('name')}")
    report.unlink()
    return told, "".join(file.read_text() for file in profiles.iterdir())


def compare(python, package, scratch, library):
    """Prints a line for the suite; gives the tests that fail only with the library."""
    plain, _ = run_suite(python, package, scratch, {})
    ours, profile = run_suite(python, package, scratch, {"LD_PRELOAD": str(library)})
    calls = sum(map(int, re.findall(r"^\w+ +all shapes +(\d+) ", profile, re.M)))
    new = ours["failed"] - plain["failed"]
    counts = [f"{len(of['passed'])} passed, {len(of['failed'])} failed, {len(of['skipped'])} skipped"
              for of in (ours, plain)]
    print(f"{package}: {counts[0]}; without: {counts[1]}; {calls} calls; "
          f"{len(new)} fail only with the library", flush=True)
    if calls == 0:
        sys.exit(f"wheel_suites: {package} made no call of {library}: it proves nothing")
    return sorted(new)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("--python", type=pathlib.Path)
    parser.add_argument("--suite", action="append", choices=SUITES)
    asked = parser.parse_args()
    library = asked.library.resolve(strict=True)
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        python = asked.python or fresh_environment(scratch / "wheels")
        versions = subprocess.run(
            [python, "-c", "import numpy, scipy; print('numpy', numpy.__version__, 'scipy', scipy.__version__)"],
            capture_output=True, text=True, check=True, cwd=scratch).stdout
        print(versions, end="")
        new = [test for suite in asked.suite or SUITES
               for test in compare(python, suite, scratch, library)]
    print(*new, sep="\n")
    sys.exit(1 if new else 0)


if __name__ == "__main__":
    main()
