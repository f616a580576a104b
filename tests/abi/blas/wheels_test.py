#!/usr/bin/env python3
"""NumPy's and SciPy's wheels, which carry an OpenBLAS under names of its own, on libcarat_blas.

usage: wheels_test.py LIBRARY

CARAT_WHEELS_PYTHON names a Python that has them; else they are installed for this test. Exit
status 77: neither can be had.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

LIBRARY = sys.argv[1]

PRODUCTS = r"""
import numpy as np
{scipy}
rng = np.random.default_rng(1)
for t, limit in ((np.float64, 1e-10), (np.float32, 2e-3)):
    for n in (3, 64, 150):
        a = rng.standard_normal((n, n)).astype(t)
        b = rng.standard_normal((n, 2 * n)).astype(t)
        exact = np.einsum("ij,jk->ik", a.astype(np.longdouble), b.astype(np.longdouble))
        assert np.allclose(a @ b, exact, atol=limit), ("product", n)
        assert np.allclose(a @ a.T, np.einsum("ij,kj->ik", a, a), atol=10 * limit), ("gram", n)
        assert np.allclose(a @ np.linalg.solve(a, b), b, atol=100 * limit), ("solve", n)
        z = a + 1j * a.T
        assert np.allclose(z @ z, np.einsum("ij,jk->ik", z, z), atol=10 * limit * n), "complex"
        assert np.allclose(a[0] @ a[1], np.einsum("i,i", a[0], a[1]), atol=limit), "left to it"
        {of_scipy}
print("right")
"""
OF_SCIPY = """
        assert np.allclose(blas.get_blas_funcs("gemm", (a, b))(2, a, b), 2 * exact, atol=limit)
        assert np.allclose(scipy.linalg.lu_solve(scipy.linalg.lu_factor(a), a), np.eye(n),
                           atol=100 * limit)
"""
python = None


class Wheels(unittest.TestCase):
    def profile_of(self, program):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [python, "-c", program], capture_output=True, text=True, timeout=300, cwd=folder,
                check=False,
                env={**os.environ, "LD_PRELOAD": LIBRARY, "CARAT_PROFILE": f"{folder}/profile",
                     "CARAT_BLAS_FALLBACK": "/nowhere", "OMP_NUM_THREADS": "2"})
            self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])
            profile = pathlib.Path(folder, "profile")
            return done.stdout, profile.read_text() if profile.exists() else ""

    def calls(self, profile, routine):
        found = re.findall(rf"^{routine} +all shapes +(\d+) ", profile, re.M)
        return int(found[0]) if found else 0

    def test_numpy(self):
        said, profile = self.profile_of(PRODUCTS.format(scipy="", of_scipy=""))
        self.assertEqual(said, "right\n")
        for routine, least in (("dgemm", 3), ("sgemm", 3), ("dsyrk", 3), ("ssyrk", 3)):
            self.assertGreaterEqual(self.calls(profile, routine), least, profile)

    def test_numpy_beside_scipy(self):
        if subprocess.run([python, "-c", "import scipy"], capture_output=True,
                          check=False).returncode != 0:
            self.skipTest("that Python has no SciPy")
        _, alone = self.profile_of(PRODUCTS.format(scipy="", of_scipy=""))
        said, both = self.profile_of(PRODUCTS.format(
            scipy="import scipy.linalg, scipy.linalg.blas as blas", of_scipy=OF_SCIPY))
        self.assertEqual(said, "right\n")
        for routine in ("dgemm", "sgemm"):
            self.assertGreaterEqual(self.calls(both, routine), self.calls(alone, routine) + 3)

    def test_a_program_that_multiplies_nothing_says_so(self):
        _, profile = self.profile_of("import numpy")
        self.assertRegex(profile, r"^carat_blas: 0 calls in process \d+: it asked for no product, "
                                  r"which carat would take from lib\S*openblas\S+\n$")


def python_with_wheels(folder):
    if given := os.environ.get("CARAT_WHEELS_PYTHON"):
        return given
    made = subprocess.run([sys.executable, "-m", "venv", folder], capture_output=True, text=True,
                          check=False)
    if made.returncode == 0:
        made = subprocess.run([f"{folder}/bin/pip", "install", "-q", "--only-binary=:all:",
                               "--retries=0", "--timeout=5", "numpy"],
                              capture_output=True, text=True, check=False, timeout=200)
    if made.returncode == 0:
        return f"{folder}/bin/python"
    print("skipped: no NumPy from PyPI can be installed here, and CARAT_WHEELS_PYTHON names no "
          "Python that has one:", (made.stderr or made.stdout).strip().splitlines()[-1:])
    return None


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        python = python_with_wheels(scratch)
        if python is None:
            sys.exit(77)
        unittest.main(argv=sys.argv[:1], verbosity=2)
