"""What CARAT_GPUS makes of names, lists and the GPUs of a machine: gpus_test.py CMAKE SOURCE

Neither nvcc nor a GPU is needed: both are stand-ins."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

CMAKE, SOURCE = sys.argv[1:3]
OF_CUDA_13 = "sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120 sm_121"
OF_CUDA_12 = "sm_50 sm_70 sm_75 sm_80 sm_90"
ASK = """
set(CMAKE_CUDA_COMPILER {tools}/nvcc)
set(CMAKE_CUDA_COMPILER_VERSION {version})
set(CARAT_BUILD_TESTS {tests})
include({source}/cmake/CaratGpus.cmake)
carat_chosen_gpus(gpus)
if(NOT gpus)
  return()
endif()
carat_gpus_for(hopper HOPPER ${{gpus}})
carat_gpus_for(others 80 ${{gpus}})
carat_gencode(flags ${{gpus}})
message("${{gpus}}|${{hopper}}|${{others}}|${{flags}}")
"""


class Gpus(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tools = pathlib.Path(folder.name)

    def stub(self, name, text):
        (self.tools / name).write_text(f"#!/bin/sh\n{text}\n")
        (self.tools / name).chmod(0o755)

    def ask(self, gpus=None, here=(), cuda=13, tests="OFF"):
        """(all, for Hopper's kernels, for those of 8.0, flags), or CMake's words when it stops."""
        self.stub("nvidia-smi", f"printf '{''.join(one + chr(92) + 'n' for one in here)}'"
                                if here else "exit 9")
        self.stub("nvcc", "printf '%s\\n' " + (OF_CUDA_13 if cuda == 13 else OF_CUDA_12))
        given = [] if gpus is None else [f"-DCARAT_GPUS={gpus}"]
        script = self.tools / "ask.cmake"
        script.write_text(ASK.format(tools=self.tools, version=f"{cuda}.0", tests=tests,
                                     source=SOURCE))
        done = subprocess.run([CMAKE, *given, "-P", script], capture_output=True, text=True,
                              env=dict(os.environ, PATH=f"{self.tools}:{os.environ['PATH']}"))
        self.said = done.stdout
        if done.returncode:
            return " ".join(done.stderr.split())
        return tuple(part.split(";") for part in done.stderr.strip().split("|"))

    def test_a_build_is_for_the_gpus_here(self):
        for name in (None, "auto", "native", "test"):
            self.assertEqual(self.ask(name, here=["8.6", "9.0", "8.6"])[0], ["86", "90a"])

    def test_without_a_gpu_it_depends_on_what_is_built(self):
        release = self.ask("release")[0]
        self.assertEqual(release, ["75", "80", "89", "90a", "100", "100:120", "100-virtual"])
        self.assertEqual(self.ask()[0], release)
        self.assertEqual(self.ask(tests="ON")[0], self.ask("test")[0])
        self.assertIn("nvidia-smi lists no GPU here: use release", self.ask("native"))

    def test_each_family_gets_the_gpus_it_has_code_for(self):
        every, hopper, others, _ = self.ask("75,80,90a,120")
        self.assertEqual((every, hopper, others),
                         (["75", "80", "90a", "120"], ["90a"], ["80", "90a", "120"]))
        self.assertEqual(self.ask("75")[1:3], (["75"], ["80-virtual"]))  # what nothing loads

    def test_code_of_8_0_takes_the_place_of_hoppers_for_a_test(self):
        _, hopper, others, flags = self.ask("90a,80:90")
        self.assertEqual((hopper, others), (["90a"], ["80:90"]))
        self.assertEqual(flags, ["-gencode=arch=compute_90a,code=sm_90a",
                                 "-gencode=arch=compute_80,code=sm_90"])

    def test_ptx_serves_gpus_that_are_newer_than_nvcc(self):
        every, _, _, flags = self.ask(here=["13.0"])
        self.assertEqual(every, ["121-virtual"])
        self.assertEqual(flags, ["-gencode=arch=compute_121,code=compute_121"])

    def test_a_v100_needs_cuda_12(self):
        self.assertEqual(self.ask(here=["7.0"], cuda=12)[0], ["70"])
        self.assertEqual(self.ask(here=["7.0", "8.0"])[0], ["80"])
        self.assertIn("which needs CUDA 12", self.said)
        self.assertEqual(self.ask(here=["7.0"])[0], [""])
        self.assertIn("70 needs nvcc of CUDA 12", self.ask("70"))

    def test_what_is_no_gpu_is_refused(self):
        for wrong in ("8x", "sm_80", "80-real", "8.0"):
            self.assertIn(f"'{wrong}' is no compute capability", self.ask(wrong))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
