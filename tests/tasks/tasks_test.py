"""The programs of examples/tasks: tasks_test.py SOURCE LIBCARAT CXX [Tasks.TEST]. Each is compiled where
its library is there, and prints what plain loops make of the same operands. 77: all were skipped."""

import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, LIBCARAT, CXX = (sys.argv.pop(1) for _ in range(3))
FOLDER = pathlib.Path(SOURCE, "examples/tasks")
sys.path.insert(0, str(pathlib.Path(SOURCE, "scripts")))
import task_lines  # noqa: E402

M, N, K, PRODUCTS = 4, 6, 5, 3


def numbers(rows, cols, seed, count=1):
    flat = [(i * i * 3 + i * 7 + seed * 3) % 11 - 5 for i in range(count * rows * cols)]
    lines = [flat[i:i + cols] for i in range(0, len(flat), cols)]
    return [lines[i:i + rows] for i in range(0, len(lines), rows)]


def product(a, b):
    return [sum(x * y for x, y in zip(row, column)) for row in a for column in zip(*b)]


def gelu(x):
    return x / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def expected():
    (a,), (b,), (bt,), (e,) = numbers(M, K, 1), numbers(K, N, 2), numbers(N, K, 3), numbers(M, N, 4)
    bias = numbers(1, N, 5)[0][0] * M
    plain = product(a, b)
    flat_e = [x for row in e for x in row]
    scaled = [2 * x + y for x, y in zip(product(a, [list(c) for c in zip(*bt)]), flat_e)]
    batch = zip(numbers(M, K, 1, PRODUCTS), numbers(K, N, 2, PRODUCTS))
    return {"product": plain, "bf16": plain, "bytes": plain, "prepared": plain, "scaled": scaled,
            "layer": [gelu(x + y) for x, y in zip(plain, bias)],
            "batch": [x for pair in batch for x in product(*pair)]}


class Tasks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program = pathlib.Path(folder.name, "program")

    def header(self, name, *folders):
        """-I for a library's headers; skips where they aren't."""
        for folder in folders:
            if pathlib.Path(folder, name).exists():
                return f"-I{folder}"
        return self.skipTest(f"{name} is not installed")

    def compiled(self, source, *flags):
        subprocess.run([CXX, "-std=c++20", "-Wall", "-Wextra", FOLDER / source, "-o", self.program,
                        *flags], check=True)
        return [self.program]

    def check(self, library, command, may_lack=()):
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = {line.split()[0]: [float(x) for x in line.split()[1:]]
                for line in done.stdout.splitlines()}
        marked = set(task_lines.counted()[library]) - {"set-up"}
        self.assertLessEqual(marked - set(said), set(may_lack), f"{library} leaves tasks out")
        right = expected()
        for task, values in said.items():
            self.assertEqual(len(values), len(right[task]), task)
            for got, want in zip(values, right[task]):
                self.assertAlmostEqual(got, want, delta=2e-3, msg=f"{library}, {task}")

    def test_carat(self):
        library = pathlib.Path(LIBCARAT)
        self.check("carat", self.compiled("carat.cpp", f"-I{SOURCE}/include", LIBCARAT,
                                          f"-Wl,-rpath,{library.parent}"))

    def test_numpy(self):
        python = next((p for p in (sys.executable, "/usr/bin/python3")
                       if not subprocess.run([p, "-c", "import numpy"], capture_output=True).returncode),
                      None)
        if not python:
            self.skipTest("NumPy is not installed")
        self.check("NumPy", [python, FOLDER / "numpy_tasks.py"])

    def test_eigen(self):
        folder = self.header("Eigen/Core", "/usr/include/eigen3", "/usr/local/include/eigen3")
        self.check("Eigen", self.compiled("eigen.cpp", folder.replace("-I", "-isystem")))

    def test_onednn(self):
        folder = self.header("dnnl.hpp", "/usr/include")
        version = pathlib.Path(folder[2:], "oneapi/dnnl/dnnl_version.h").read_text()
        if "DNNL_VERSION_MAJOR 2" not in version:
            self.skipTest("the program is written for oneDNN 2, another version is installed")
        self.check("oneDNN", self.compiled("onednn.cpp", "-ldnnl"), may_lack={"bf16"})

    def test_cublaslt(self):
        folder = self.header("cublasLt.h", "/usr/local/cuda/include")
        libraries = [f for f in ("/usr/local/cuda/lib64", "/usr/local/cuda/lib")
                     if list(pathlib.Path(f).glob("libcublasLt.so"))]
        if not libraries:
            self.skipTest("libcublasLt is not installed")
        command = self.compiled("cublaslt.cpp", folder, f"-L{libraries[0]}",
                                f"-Wl,-rpath,{libraries[0]}", "-lcublasLt", "-lcudart")
        if not shutil.which("nvidia-smi"):
            self.skipTest("compiled, not run: there is no GPU")
        self.check("cuBLASLt", command)

    def test_std_linalg(self):
        has = subprocess.run([CXX, "-std=c++26", "-x", "c++", "-fsyntax-only", "-"], capture_output=True,
                             input="#include <linalg>\n", text=True).returncode == 0
        flags = ["-std=c++26"] if has else [self.header(
            "experimental/linalg", os.environ.get("STDBLAS_INCLUDE", "/usr/local/include"),
            "/usr/include").replace("-I", "-isystem")]
        self.check("std::linalg", self.compiled("std_linalg.cpp", *flags), may_lack={"bf16"})

    def test_only_what_says_something_counts(self):
        text = "// task x\nf(a,\n  b);\n\n// why\n}\n// end\ng();\n# task y\nh()  # what\n# end\n"
        self.assertEqual(task_lines.lines_of(text), {"x": 2, "y": 1})


if __name__ == "__main__":
    done = unittest.main(verbosity=0, exit=False).result
    if done.skipped and len(done.skipped) == done.testsRun:
        print("SKIPPED:", "; ".join(why for _, why in done.skipped))
        sys.exit(77)
    sys.exit(not done.wasSuccessful())
