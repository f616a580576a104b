#!/usr/bin/env python3
"""carat.f90 and eigen.hpp: a program of each, compiled, linked and run.

usage: other_test.py COMPILER INCLUDE LIBRARY
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

COMPILER = sys.argv[1]
INCLUDE, LIBRARY = (pathlib.Path(path).resolve() for path in sys.argv[2:4])
PROGRAMS = pathlib.Path(__file__).parent / "other"
EIGEN = [pathlib.Path(place) for place in ("/usr/include/eigen3", "/usr/local/include/eigen3")]


class Other(unittest.TestCase):
    def require_right(self, *command):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([*command, LIBRARY, f"-Wl,-rpath,{LIBRARY.parent}", "-o",
                                   f"{folder}/program"], capture_output=True, text=True,
                                  check=False, cwd=folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            done = subprocess.run([f"{folder}/program"], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (0, "right\n"), done.stderr)

    def test_fortran(self):
        if shutil.which("gfortran") is None:
            self.skipTest("no gfortran here (apt install gfortran)")
        for program in ("product.f90", "hooks.f90"):
            with self.subTest(program):
                self.require_right("gfortran", "-std=f2018", "-Wall", "-Werror",
                                   INCLUDE / "carat/carat.f90", PROGRAMS / program)

    def test_eigen(self):
        found = [place for place in EIGEN if (place / "Eigen/Core").exists()]
        if not found:
            self.skipTest("no Eigen here (apt install libeigen3-dev)")
        self.require_right(COMPILER, "-std=c++20", "-O0", "-Wall", "-Wextra", "-Werror",
                           f"-I{INCLUDE}", "-isystem", found[0], PROGRAMS / "eigen.cpp")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
