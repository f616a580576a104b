#!/usr/bin/env python3
"""Targets whose matrices lie in a GPU's memory, judged. Arguments: carat, the folder of examples."""

import concurrent.futures
import ctypes
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

CARAT, EXAMPLES = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
GPU = EXAMPLES / "gpu"
INCLUDE = EXAMPLES.parent.parent / "include"
RIGHT, SLOWER, WRONG, NONE = 0, 1, 2, 3
SKIPPED = 77


def reason_against_gpu():
    try:
        driver, count = ctypes.CDLL("libcuda.so.1"), ctypes.c_int(0)
    except OSError:
        return "no GPU here: no driver"
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0 or count.value == 0:
        return "no GPU here"
    return "" if NVCC else "no nvcc here: kernels for GPUs are not compiled"


def has_torch(python, module="torch"):
    return subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode == 0


NVCC = os.environ.get("NVCC") or shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
WHY_NOT = reason_against_gpu()
PYTHON = next((p for p in (sys.executable, "/usr/bin/python3") if not WHY_NOT and has_torch(p)), None)


class Judge(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def judge(self, target, *options, code, python=PYTHON or sys.executable):
        command = [str(CARAT), "judge", str(target), *map(str, options)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, timeout=280,
                              env=os.environ | {"NVCC": NVCC or "nvcc", "PYTHON": python})
        codes = code if isinstance(code, tuple) else (code,)
        self.assertIn(done.returncode, codes, f"{command}\n{done.stdout}{done.stderr}")
        print("   ", (done.stdout.splitlines() or [done.stderr.strip()])[-1], file=sys.stderr)
        return done


class Refusals(Judge):
    """What holds without a GPU, too."""

    def object_of(self, name, version, features):
        source = self.folder / f"{name}.c"
        source.write_text(f"""#include <carat/carat_kernel.h>
static int run(const struct carat_gemm* g) {{
    const double *a = g->a, *b = g->b;
    for (int64_t i = 0; i < g->m; ++i)
        for (int64_t j = 0; j < g->n; ++j) {{
            double sum = 0;
            for (int64_t p = 0; p < g->k; ++p) sum += a[i * g->lda + p] * b[p * g->ldb + j];
            ((double*)g->c)[i * g->ldc + j] = sum;
        }}
    return 0;
}}
CARAT_KERNEL_EXPORT const struct carat_kernel carat_kernel_v1 = {{
    {version}, "{name}", CARAT_F64, {features}, 0, run}};
""")
        compiled = self.folder / f"{name}.so"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-I", INCLUDE, "-o", compiled, source], check=True)
        return compiled

    QUICK = ("--at-least", 0, "--size", 64)

    def test_versions(self):
        self.judge(self.object_of("old", 1, 0), *self.QUICK, code=RIGHT)
        # A kernel of version 1 cannot have meant what its bit means now.
        self.judge(self.object_of("old_bit", 1, 2), *self.QUICK, code=RIGHT)
        out = self.judge(self.object_of("newer", 3, 0), *self.QUICK, code=WRONG).stdout
        self.assertIn("not of version 1 or 2", out)

    def needs_gpu(self, *arguments):
        environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "PYTHON": sys.executable}
        done = subprocess.run([CARAT, "judge", *map(str, arguments), "--json", "v.json"], capture_output=True,
                              text=True, cwd=self.folder, timeout=100, env=environment)
        self.assertEqual(done.returncode, NONE, done.stdout + done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertRegex(done.stderr, "TARGET .* needs a GPU: none here: ")
        self.assertEqual((self.folder / "v.json").exists(), False)

    def test_without_a_gpu(self):
        self.needs_gpu(self.object_of("on_gpu", 2, "CARAT_ON_GPU"))
        self.needs_gpu(f"{GPU / 'honest/product.py'}:into", "--gpu")

    def test_gpu_is_asked_of_python_alone(self):
        done = subprocess.run([CARAT, "judge", EXAMPLES / "honest/naive.c", "--gpu"], capture_output=True,
                              text=True, timeout=60)
        self.assertEqual(done.returncode, NONE)
        self.assertIn("--gpu is for FILE.py:FUNCTION", done.stderr)


class Compiled(Judge):
    QUICK = ("--at-least", 0, "--size", 400)

    @classmethod
    def setUpClass(cls):
        if WHY_NOT:
            raise unittest.SkipTest(WHY_NOT)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.objects = pathlib.Path(folder.name)
        with concurrent.futures.ThreadPoolExecutor() as pool:
            list(pool.map(cls.compile, GPU.glob("*/*.cu")))

    @classmethod
    def compile(cls, source):
        flags = ["-O3", "-std=c++17", "-arch=native", "-shared", "-Xcompiler", "-fPIC", "-cudart=static"]
        subprocess.run([NVCC, *flags, "-I", INCLUDE, "-o", cls.objects / f"{source.stem}.so", source], check=True)


class Honest(Compiled):
    def test_tiled_is_compiled_and_of_every_type_and_factor(self):
        out = self.judge(GPU / "honest/tiled.cu", "--at-least", 0, "--size", 257, "--json", "v.json",
                         code=RIGHT).stdout
        verdict = json.loads((self.folder / "v.json").read_text())
        self.assertTrue(verdict["gpu"])
        self.assertIn(verdict["gpu"], out)
        self.assertGreater(verdict["calls_checked"], 100)
        self.judge(self.objects / "tiled.so", "--at-least", 0, "--size", 257, "--dtype", "f32", code=RIGHT)

    def test_streams_of_its_own_and_memory_in_order(self):
        self.judge(self.objects / "two_streams.so", *self.QUICK, code=RIGHT)
        self.judge(self.objects / "split_k.so", *self.QUICK, code=RIGHT)

    def test_speed_beside_the_engine_and_the_vendor(self):
        self.judge(self.objects / "tiled.so", "--dtype", "f32", "--size", "2048", "--time", 2, "--json",
                   "v.json", "--report", "v.html", code=SLOWER)
        case = json.loads((self.folder / "v.json").read_text())["cases"][0]
        peers = [peer["name"] for peer in case["peers"]]
        self.assertIn("cuda.engine", peers)
        self.assertTrue(any(name.startswith("vendor.cublas") for name in peers), peers)
        for participant in (case["target"], *case["peers"]):
            self.assertEqual(len(participant["trials_per_process"]), 5, participant["name"])
            print("       ", participant["name"], participant["median_s"], participant["gflops"], file=sys.stderr)
        low, high = case["ci95_ratio"]
        self.assertTrue(0 < low <= case["ratio"] <= high < 1)
        self.assertIn('"device":"cuda"', (self.folder / "v.html").read_text())

    def test_python_without_torch(self):
        (self.folder / "plain.cu").write_text(
            '#include "' + str(GPU / "product.cuh") + '"\n'
            'static int run(const carat_gemm*) { return 1; }\nGPU_KERNEL("plain", CARAT_F64);\n'
            'extern "C" __attribute__((visibility("default"))) void start(const carat_gemm* g) {\n'
            "    product<double>(*g, stream_of(*g));\n}\n")
        subprocess.run([NVCC, "-O3", "-std=c++17", "-arch=native", "-shared", "-Xcompiler", "-fPIC", "-I", INCLUDE,
                        "-o", self.folder / "plain.so", self.folder / "plain.cu"], check=True)
        (self.folder / "plain.py").write_text("""import ctypes, os, struct
library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "plain.so"))
def address(x):
    return getattr(x, "__cuda_array_interface__")["data"][0]
def product(a, b, c):
    lead = [x.__cuda_array_interface__["strides"][0] // 8 for x in (a, b, c)]
    library.start(struct.pack("=3q3Q3q2d2iQ", a.shape[0], b.shape[1], a.shape[1], address(a), address(b),
                              address(c), *lead, 1.0, 0.0, 1, 1, c.stream))
""")
        python = next((p for p in (sys.executable, "/usr/bin/python3") if not has_torch(p)), None)
        if not python:
            self.skipTest("every Python here has PyTorch: its tensors are given")
        self.judge("plain.py:product", "--gpu", "--at-least", 0, "--size", 100, "--dtype", "f64", code=RIGHT,
                   python=python)

    def test_torch(self):
        if not PYTHON:
            self.skipTest("no Python here has PyTorch: its tensors are not judged")
        for function, dtype in (("product", "f32"), ("into", "f64"), ("product", "bf16")):
            self.judge(f"{GPU / 'honest/product.py'}:{function}", "--gpu", *self.QUICK, "--dtype", dtype, code=RIGHT)

    def test_cupy(self):
        if not PYTHON or not has_torch(PYTHON, "cupy"):
            self.skipTest("no Python here has CuPy: its arrays are not judged")
        self.judge(f"{GPU / 'honest/product.py'}:with_cupy", "--gpu", *self.QUICK, "--dtype", "f64", code=RIGHT)

    def test_triton(self):
        if not PYTHON or not has_torch(PYTHON, "triton"):
            self.skipTest("no Python here has Triton: its kernels are not judged")
        self.judge(f"{GPU / 'honest/product.py'}:triton", "--gpu", *self.QUICK, "--dtype", "bf16", code=RIGHT)


class Cheats(Compiled):
    def test_each_example_has_its_test(self):
        tested = re.findall(r'wrong\("(\d\d_\w+)"', pathlib.Path(__file__).read_text())
        self.assertEqual(sorted(tested), sorted(p.stem for p in GPU.glob("cheats/*.cu")))

    def wrong(self, cheat, why, *options):
        out = self.judge(self.objects / f"{cheat}.so", *(options or self.QUICK), code=WRONG).stdout
        self.assertRegex(out.splitlines()[-1], "wrong: .*" + why)

    def test_elsewhere_than_on_the_stream(self):
        self.wrong("01_other_stream", r"C\(\d+, \d+\) (is|was)")
        self.wrong("02_works_ahead", r"C\(\d+, \d+\) (is|was)")
        self.wrong("06_host_thread", "")
        self.wrong("12_waits", "did not return .* not to wait", *self.QUICK, "--timeout", 3)

    def test_results_of_other_calls(self):
        self.wrong("03_cache_by_pointer", "")
        self.wrong("15_same_data", "")
        self.wrong("05_first_calls_only", "")

    def test_another_product(self):
        self.wrong("04_narrower", "tf32")
        self.wrong("16_narrow_sums", "(exact|units of roundoff|ulp)")
        self.wrong("13_multiples_of_16", "")

    def test_what_is_not_its_own(self):
        self.wrong("07_outside", "wrote .* C")
        self.wrong("08_changes_inputs", r"changed A\(0, 0\), an input")
        self.wrong("09_leaks", "more of the GPU's memory")
        self.wrong("10_takes_all", "of the GPU's")
        self.wrong("11_error_after", "illegal")

    def test_while_timed(self):
        self.wrong("14_reads_the_clock", "", "--size", 400, "--time", 20)


if __name__ == "__main__":
    if WHY_NOT and "Refusals" not in sys.argv:
        print(f"SKIPPED: {WHY_NOT}", file=sys.stderr)
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
