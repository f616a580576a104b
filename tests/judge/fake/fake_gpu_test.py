#!/usr/bin/env python3
"""Targets on a GPU that is none: fake_gpu_test.py PROGRAM TARGETS."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

PROGRAM, TARGETS = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
FOUND = {
    "works_ahead": r"C\(\d+, \d+\) (is|was)",
    "waits": "did not return .*stream, which is held",
    # Timing on a busy machine decides which of these is reported first.
    "writes_later": r"it still wrote when the stream|the GPU worked on|C\(\d+, \d+\) is",
    "works_on": r"the GPU worked on for \S+ ms after the stream was done",
    "outside": "it wrote past the end of C|it wrote between the rows of C",
    "changes_input": r"it changed B\(0, 0\), an input",
    "narrower": "product in f32",
}


def imports(python, module):
    return subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode == 0


class FakeGpu(unittest.TestCase):
    def judged(self, name, code, *at_least, suffix=".cpp", **environment):
        done = subprocess.run([PROGRAM, TARGETS / f"{name}{suffix}", *at_least], capture_output=True, text=True,
                              timeout=120, env=os.environ | environment)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout.splitlines()[-1]

    def test_honest(self):
        self.assertRegex(self.judged("honest", 0), "^fake GPU: honest.cpp, honest: right")

    def test_python(self):
        python = next((p for p in (sys.executable, "/usr/bin/python3")
                       if imports(p, "numpy") and not imports(p, "torch")), None)
        if python is None:
            self.skipTest("no Python here has NumPy and not PyTorch, which gives tensors of a real GPU")
        self.assertRegex(self.judged("honest", 0, suffix=".py:product", PYTHON=python),
                         "^fake GPU: honest.py:product, product: right")

    @unittest.skipIf(pathlib.Path("/dev/nvidiactl").exists(), "a GPU is here, and carat's engine with it")
    def test_nothing_to_compare_with(self):
        self.assertIn("--at-least 0", self.judged("honest", 3, "0.5"))

    def test_each_cheat(self):
        self.assertEqual({"honest", *FOUND}, {path.stem for path in TARGETS.glob("*.cpp")})
        for name, why in FOUND.items():
            with self.subTest(name):
                self.assertTrue(re.search("wrong: .*(" + why + ")", said := self.judged(name, 2)), said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
