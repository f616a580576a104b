#!/usr/bin/env python3
"""The gate that every CUDA compilation passes through: ptxas_gate_test.py GATE [NVCC]

Compiles a kernel that must spill, one whose setmaxnreg ptxas ignores with a notice C75xx, and a
clean one. Needs no GPU; without nvcc it is skipped, with code 77.
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

GATE = sys.argv[1]
NVCC = sys.argv[2] if len(sys.argv) > 2 else ""

CLEAN = """
__global__ void clean(float* out) { out[threadIdx.x] *= 2; }
"""
# 128 sums alive at once, in a block of 1024 threads that leaves 64 registers to each.
SPILL = """
__global__ void __launch_bounds__(1024, 1) spills(float* out, const float* in) {
    float sum[128];
    for (int i = 0; i < 128; ++i) sum[i] = in[i * 1024 + threadIdx.x];
    for (int k = 1; k < 9; ++k)
        for (int i = 0; i < 128; ++i) sum[i] = sum[i] * sum[(i + k) % 128] + in[k];
    for (int i = 0; i < 128; ++i) out[i * 1024 + threadIdx.x] = sum[i];
}
"""
# ptxas needs __launch_bounds__ to know how many registers it may redistribute.
NOTICE = """
__global__ void ignored(float* out) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    out[threadIdx.x] *= 2;
}
"""


class Gate(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def compile(self, source):
        """(what the gate did, the report beside the object file or None)"""
        path = pathlib.Path(self.folder.name)
        (path / "kernel.cu").write_text(source)
        command = [NVCC, "-std=c++20", "-gencode=arch=compute_90a,code=sm_90a", "-Xptxas=-v",
                   "-c", str(path / "kernel.cu"), "-o", str(path / "kernel.o")]
        done = subprocess.run([sys.executable, GATE, *command], capture_output=True, text=True)
        report = path / "kernel.o.ptxas"
        return done, report.read_text() if report.exists() else None

    def test_a_clean_kernel_passes_and_its_resources_are_kept(self):
        done, report = self.compile(CLEAN)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("ptxas gate:", done.stderr)
        registers, _, architecture, symbol = report.split()
        self.assertGreater(int(registers), 0)
        self.assertEqual(architecture, "sm_90a")
        self.assertIn("clean", symbol)

    def test_a_spill_fails_with_its_line(self):
        done, _ = self.compile(SPILL)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"ptxas gate: \S*spills\S* \(sm_90a\): .*[1-9]\d* bytes spill")

    def test_an_ignored_hint_fails_with_its_line(self):
        done, _ = self.compile(NOTICE)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"ptxas gate: .*C75\d\d.*setmaxnreg")

    def test_the_compilers_own_failure_is_passed_on(self):
        done, report = self.compile("__global__ void broken() { this is not C++; }")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("error", done.stderr)
        self.assertIsNone(report)


if __name__ == "__main__":
    if not NVCC or "NOTFOUND" in NVCC:
        print("SKIPPED: the ptxas gate is not tested, because there is no nvcc in this build")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
