#!/usr/bin/env python3
"""The reference BLAS's own test programs, run on libcarat_blas through LD_PRELOAD.

usage: netlib_test.py LIBRARY [ROOT_OF_ARM [TEST ...]]

With ROOT_OF_ARM the library and the programs, which lie under that folder, are for 64-bit Arm and run
under QEMU (scripts/try_arm.py).

The programs are Debian's package libblas-test. They read the sizes to try from our own input, up to
65, the largest they have room for. Every line of their output is counted: a program that ran nothing
fails here. Exit status 77: the programs are not installed.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

LIBRARY = sys.argv[1]
ARM = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
FOLDERS = sorted(pathlib.Path(ARM or "/", "usr/lib").glob("*/blas/xblat3d"))
PROGRAMS = FOLDERS[0].parent if FOLDERS else None
# The reference serves what carat leaves to another BLAS, since others fail these tests themselves
# (OpenBLAS 0.3.29 those of its error exits).
REFERENCE = PROGRAMS / "libblas.so.3" if FOLDERS else None

REAL, COMPLEX = "sd", "cz"
LEVEL_2 = {
    "real": "GEMV GBMV SYMV SBMV SPMV TRMV TBMV TPMV TRSV TBSV TPSV GER SYR SPR SYR2 SPR2",
    "complex": "GEMV GBMV HEMV HBMV HPMV TRMV TBMV TPMV TRSV TBSV TPSV GERC GERU HER HPR HER2 HPR2",
}
LEVEL_3 = {
    "real": "GEMM SYMM TRMM TRSM SYRK SYR2K",
    "complex": "GEMM HEMM SYMM TRMM TRSM HERK SYRK HER2K SYR2K",
}
SIZES = [0, 1, 2, 7, 33, 65]
SIZES_OF_LEVEL_2 = [0, 1, 2, 9, 33, 65]
FACTORS = {"real": ["0.0 1.0 0.7", "0.0 1.0 1.3"],
           "complex": ["(0.0,0.0) (1.0,0.0) (0.7,-0.9)", "(0.0,0.0) (1.0,0.0) (1.3,-1.1)"]}


def kind(letter):
    return "real" if letter in REAL else "complex"


def calls_of_level_3(routine, letter, sizes):
    """How many calls the program makes of a routine: sizes x options x three alphas x three betas."""
    n = len(sizes)
    if routine == "GEMM":
        return n**3 * 9 * 9
    if routine in ("SYMM", "HEMM"):
        return n**2 * 4 * 9
    if routine in ("TRMM", "TRSM"):
        return n**2 * 8 * 3 * 3
    return n**2 * 2 * (3 if letter in REAL else 2) * 9


class Netlib(unittest.TestCase):
    def run_program(self, name, lines=()):
        with tempfile.TemporaryDirectory() as folder:
            of_loader = {"LD_PRELOAD": LIBRARY, "LD_LIBRARY_PATH": str(PROGRAMS)}
            if ARM:  # these are for the program, not for the emulator
                of_loader = {"QEMU_SET_ENV": ",".join(map("=".join, of_loader.items())),
                             "QEMU_LD_PREFIX": str(ARM)}
            environment = dict(os.environ, CARAT_BLAS_FALLBACK=str(REFERENCE),
                               CARAT_PROFILE=f"{folder}/profile",
                               OMP_NUM_THREADS="1", **of_loader)
            emulator = ["qemu-aarch64"] if ARM else []
            done = subprocess.run([*emulator, PROGRAMS / name], input="\n".join(lines) + "\n", cwd=folder,
                                  text=True, capture_output=True, timeout=900, env=environment,
                                  check=False)
            summaries = [p.read_text() for p in pathlib.Path(folder).glob("*.out")]
            profile = pathlib.Path(folder, "profile")
            text = "".join([done.stdout, *summaries])
            self.assertEqual(done.returncode, 0, text[-2000:] + done.stderr)
            self.assertNotRegex(text, r"FAIL|\*\*\*\*\*|SUSPECT", name)
            return text, profile.read_text() if profile.exists() else ""

    def passed(self, text, prefix, routines, runs):
        """{routine: calls of each run}; every routine passed its error exits and `runs` runs."""
        exits = re.findall(rf"{prefix}(\w+) +PASSED THE TESTS OF ERROR-EXITS", text)
        self.assertEqual(len(exits), len(routines), text[-3000:])
        calls = {}
        for name, count in re.findall(
                rf"{prefix}(\w+) +PASSED THE (?:COLUMN-MAJOR +|ROW-MAJOR +)?COMPUTATIONAL TESTS +"
                r"\( *(\d+) CALLS\)", text):
            calls.setdefault(name.upper(), []).append(int(count))
        self.assertEqual(set(calls), set(routines))
        self.assertTrue(all(len(counts) == runs for counts in calls.values()), calls)
        return calls

    def check_level_2(self, calls):
        self.assertGreaterEqual(min(min(counts) for counts in calls.values()), 100, calls)

    def check_level_3(self, calls, letter, profile):
        for routine, counts in calls.items():
            expected = calls_of_level_3(routine, letter, SIZES)
            self.assertEqual(counts, [expected] * len(counts), routine)
        if letter in REAL:
            self.ours_were_called(profile, sum(map(sum, calls.values())))

    def fortran_input(self, letter, level, sizes, routines):
        factors = FACTORS[kind(letter)]
        head = [f"'{letter}blat{level}.out'", "6", "'SNAP'", "-1", "F", "F", "T", "16.0",
                str(len(sizes)), " ".join(map(str, sizes))]
        more = ["4", "0 1 2 4", "4", "1 2 -1 -2"] if level == 2 else []
        names = [f"{letter.upper() + r:6} T" for r in routines]
        return [*head, *more, "3", factors[0], "3", factors[1], *names]

    def cblas_input(self, letter, level, sizes, routines):
        factors = FACTORS[kind(letter)]
        head = ["'SNAP'", "-1", "F", "F", "T", "2", "16.0", str(len(sizes)),
                " ".join(map(str, sizes))]
        more = ["4", "0 1 2 4", "4", "1 2 -1 -2"] if level == 2 else []
        names = [f"{'cblas_' + letter + r.lower():12} T" for r in routines]
        return [*head, *more, "3", factors[0], "3", factors[1], *names]

    def fortran(self, letter):
        text, _ = self.run_program(f"xblat1{letter}")
        self.assertEqual(text.count("PASS"), 13 if letter in REAL else 10)
        routines = LEVEL_2[kind(letter)].split()
        text, _ = self.run_program(
            f"xblat2{letter}", self.fortran_input(letter, 2, SIZES_OF_LEVEL_2, routines))
        self.check_level_2(self.passed(text, letter.upper(), routines, runs=1))
        routines = LEVEL_3[kind(letter)].split()
        text, profile = self.run_program(
            f"xblat3{letter}", self.fortran_input(letter, 3, SIZES, routines))
        self.check_level_3(self.passed(text, letter.upper(), routines, runs=1), letter, profile)

    def ours_were_called(self, profile, at_least):
        """What passed was this library, not the one it stands before."""
        whole = re.search(r"^all +(\d+)", profile, re.M)
        self.assertIsNotNone(whole, profile)
        self.assertGreaterEqual(int(whole[1]), at_least)

    def cblas(self, letter):
        text, _ = self.run_program(f"x{letter}cblat1")
        self.assertEqual(text.count("PASS"), 10)
        routines = LEVEL_2[kind(letter)].split()
        text, _ = self.run_program(
            f"x{letter}cblat2", self.cblas_input(letter, 2, SIZES_OF_LEVEL_2, routines))
        self.check_level_2(self.passed(text, f"cblas_{letter}", routines, runs=2))
        routines = LEVEL_3[kind(letter)].split()
        text, profile = self.run_program(
            f"x{letter}cblat3", self.cblas_input(letter, 3, SIZES, routines))
        self.check_level_3(self.passed(text, f"cblas_{letter}", routines, runs=2), letter, profile)

    def test_fortran_s(self):
        self.fortran("s")

    def test_fortran_d(self):
        self.fortran("d")

    def test_fortran_c(self):
        self.fortran("c")

    def test_fortran_z(self):
        self.fortran("z")

    def test_cblas_s(self):
        self.cblas("s")

    def test_cblas_d(self):
        self.cblas("d")

    def test_cblas_c(self):
        self.cblas("c")

    def test_cblas_z(self):
        self.cblas("z")


if __name__ == "__main__":
    if PROGRAMS is None:
        print("skipped: the reference's test programs are not here (apt install libblas-test)")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
