"""scripts/as_on.py: a command finds the level it names, and no better one.

usage: as_on_test.py AS_ON TESTS_OF_THE_LADDER
"""

import os
import subprocess
import sys
import unittest

AS_ON, TESTS = sys.argv[1:3]
LEVELS = ["baseline", "avx2", "avx512", "amx"]


def run(*arguments, **settings):
    return subprocess.run([sys.executable, AS_ON, *arguments], capture_output=True, text=True,
                          check=False, timeout=60, env={**os.environ, **settings})


class AsOn(unittest.TestCase):
    def test_finds_the_level_and_no_better_one(self):
        tried = 0
        for level, better in zip(LEVELS, LEVELS[1:] + [None]):
            if run(level, "true").returncode == 77:
                continue
            tried += 1
            for forced in filter(None, (level, better)):
                done = run(level, TESTS, "--gtest_filter=isa.*", CARAT_FORCE_ISA=forced)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn("[  PASSED  ] 1 test." if forced == level else
                              f"this machine has no {better}", done.stdout)
        self.assertGreater(tried, 0)

    def test_refuses_what_it_does_not_know(self):
        for arguments, told in ((("sse9", "true"), "unknown level 'sse9': use baseline, avx2"),
                                (("baseline", "/nowhere"), "can't run /nowhere: No such file")):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
            self.assertIn(told, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
