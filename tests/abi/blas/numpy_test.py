#!/usr/bin/env python3
"""NumPy's linear algebra on libcarat_blas through LD_PRELOAD: right, and really ours by the profile.

usage: numpy_test.py LIBRARY

Needs a NumPy that calls the system's BLAS, as Debian's python3-numpy does; wheels carry their own.
Exit status 77: there is none.
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

PROGRAM = r"""
import numpy as np
rng = np.random.default_rng(1)
executed = 0
for t, limit in ((np.float64, 1e-10), (np.float32, 2e-3)):
    for n in (1, 3, 17, 64, 150):
        a = rng.standard_normal((n, n)).astype(t)
        b = rng.standard_normal((n, 2 * n)).astype(t)
        exact = np.einsum("ij,jk->ik", a.astype(np.longdouble), b.astype(np.longdouble))
        assert np.allclose(a @ b, exact, atol=limit), ("product", n)
        assert np.allclose(b.T @ a.T, exact.T, atol=limit), ("transposed", n)
        assert np.allclose(a @ a.T, np.einsum("ij,kj->ik", a, a), atol=10 * limit), ("gram", n)
        assert np.allclose((a + 20 * np.eye(n, dtype=t)) @ np.linalg.solve(
            a + 20 * np.eye(n, dtype=t), b), b, atol=limit), ("solve", n)
        q, r = np.linalg.qr(a)
        assert np.allclose(q @ r, a, atol=limit), ("qr", n)
        u, s, v = np.linalg.svd(a)
        assert np.allclose(u * s @ v, a, atol=limit), ("svd", n)
        spd = a @ a.T + n * np.eye(n, dtype=t)
        low = np.linalg.cholesky(spd)
        assert np.allclose(low @ low.T, spd, atol=10 * limit * n), ("cholesky", n)
        z = a + 1j * a.T
        assert np.allclose(z @ z, (a @ a - a.T @ a.T) + 1j * (a @ a.T + a.T @ a),
                           atol=10 * limit * n), ("complex", n)
        executed += 8
print("executed", executed)
"""

# A routine that is left to the other BLAS: "T" is no option of a Hermitian update.
WRONG = r"""
import numpy as np
from scipy.linalg.blas import cherk
try:
    cherk(1, np.ones((2, 2), order="F"), trans=1)
except Exception as why:
    print(repr(why))
"""


class Numpy(unittest.TestCase):
    def run_python(self, *arguments, preload):
        with tempfile.TemporaryDirectory() as folder:
            environment = dict(os.environ, CARAT_PROFILE=f"{folder}/profile", OMP_NUM_THREADS="2")
            environment.pop("PYTHONPATH", None)
            if preload:
                environment["LD_PRELOAD"] = LIBRARY
            done = subprocess.run([PYTHON, *arguments], capture_output=True, text=True,
                                  timeout=900, cwd=folder, env=environment, check=False)
            profile = pathlib.Path(folder, "profile")
            self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])
            return done.stdout, profile.read_text() if profile.exists() else ""

    def calls(self, profile, routine):
        found = re.findall(rf"^{routine} +all shapes +(\d+) ", profile, re.M)
        self.assertEqual(len(found), 1, profile)
        return int(found[0])

    def test_linear_algebra_is_right_and_ours(self):
        text, profile = self.run_python("-c", PROGRAM, preload=True)
        self.assertEqual(text, "executed 80\n")
        for routine, least in (("dgemm", 30), ("sgemm", 10), ("dsyrk", 5), ("ssyrk", 5)):
            self.assertGreaterEqual(self.calls(profile, routine), least, profile)
        self.assertRegex(profile, r"cblas_zgemm +the other BLAS +\d+")

    def test_without_preload_nothing_is_counted(self):
        text, profile = self.run_python("-c", PROGRAM, preload=False)
        self.assertEqual((text, profile), ("executed 80\n", ""))


    def test_a_wrong_argument_raises_as_without_preload(self):
        if subprocess.run([PYTHON, "-c", "import scipy.linalg"], capture_output=True,
                          check=False).returncode != 0:
            self.skipTest("SciPy is not installed (apt install python3-scipy)")
        told = [self.run_python("-c", WRONG, preload=preload)[0] for preload in (False, True)]
        self.assertRegex(told[0], "ValueError.*HERK.*2")
        self.assertEqual(told[1], told[0])


def uses_the_system_blas():
    code = ("import numpy, ctypes; a = numpy.ones((9, 9)); a @ a; "
            "print(any('libblas' in l or 'libopenblas.' in l for l in open('/proc/self/maps')))")
    done = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout == "True\n"


if __name__ == "__main__":
    if not uses_the_system_blas():
        print("skipped: no NumPy on the system's BLAS (apt install python3-numpy)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
