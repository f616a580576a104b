"""The engine on processors that have less than this one, emulated.

usage: emulated_test.py TESTS_OF_THE_ENGINE TESTS_OF_THE_CALL

CARAT_FORCE_ISA shows that a level's kernels are taken; here every instruction that is executed must
be one of that processor, in what runs before and around the kernels too. Needs QEMU's user mode from
7.2 on (Debian's qemu-user), which has AVX2 and no AVX-512. Exit status 77: it is not there.
"""

import os
import re
import shutil
import subprocess
import sys
import unittest

PROGRAM, CALLER = sys.argv[1:3]
QEMU = shutil.which("qemu-x86_64")
# Every type and layout at the register tile's edges, except operands that end at inaccessible
# pages: QEMU 7.2 reads all 32 bytes of a masked load, a processor only the masked ones.
TESTS = "types/exactness.edges*:exactness.every_row*:surroundings.the*:surroundings.sub*"
EXECUTED = 9 + 1 + 2


def emulated(processor, *arguments, **settings):
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith(("CARAT_", "OMP_"))}
    return subprocess.run([QEMU, "-cpu", processor, PROGRAM, *arguments], capture_output=True,
                          text=True, check=False, timeout=1500,
                          env={**environment, "OMP_NUM_THREADS": "2", **settings})


class Emulated(unittest.TestCase):
    def check(self, processor, missing_levels):
        done = emulated(processor, f"--gtest_filter={TESTS}")
        self.assertEqual(done.returncode, 0, done.stdout[-3000:] + done.stderr[-3000:])
        executed = re.search(r"\[  PASSED  \] (\d+) tests", done.stdout)
        self.assertIsNotNone(executed, done.stdout[-3000:])
        self.assertEqual(int(executed[1]), EXECUTED)
        missing = set(re.findall(r"not tested: .*: this machine has no (\w+)$", done.stdout, re.M))
        self.assertEqual(missing, set(missing_levels))

    def test_with_avx2_alone(self):
        self.check("Haswell", ["avx512", "amx"])

    def test_without_avx(self):
        self.check("Nehalem", ["avx2", "avx512", "amx"])

    # Read as ctest does: a program that is killed has failed, whatever it printed.
    def test_a_level_that_is_not_there_is_skipped(self):
        done = subprocess.run([QEMU, "-cpu", "Haswell", CALLER], capture_output=True, text=True,
                              check=False, timeout=300,
                              env={**os.environ, "CARAT_FORCE_ISA": "avx512"})
        self.assertEqual(done.returncode, 0, done.stdout[-3000:] + done.stderr[-3000:])
        self.assertIn("this machine has no avx512", done.stdout)
        self.assertNotIn("[ RUN ", done.stdout)


if __name__ == "__main__":
    if QEMU is None:
        print("NOT TESTED: no qemu-x86_64 here (apt install qemu-user)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
