"""What CARAT_GPUS makes of names, lists and the GPUs of a machine, and CARAT_GPU_TYPES
of files: gpus_test.py CMAKE SOURCE

Neither nvcc nor a GPU is needed: both are stand-ins."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

CMAKE, SOURCE = sys.argv[1:3]
OF_CUDA_13 = "sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120 sm_121"
OF_CUDA_12 = "sm_50 sm_70 sm_75 sm_80 sm_90"
ASK = """
cmake_minimum_required(VERSION 3.25)
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

# CMake's script mode has no files' properties: the stand-in prints what is asked of them.
ASK_TYPES = """
cmake_minimum_required(VERSION 3.25)
set(CARAT_BUILD_TESTS {tests})
include({source}/cmake/CaratGpus.cmake)
function(set_source_files_properties)
  message("${{ARGN}}")
endfunction()
file(GLOB files RELATIVE {source} {source}/src/cuda/families/{family}/*.cu)
carat_drop_other_types(files)
message("kept;${{files}}")
"""


class Types(unittest.TestCase):
    def ask(self, family, types, tests="OFF"):
        """(stems of the kernels' files that are compiled, macros of the others)"""
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder) / "ask.cmake"
            script.write_text(ASK_TYPES.format(tests=tests, source=SOURCE, family=family))
            done = subprocess.run([CMAKE, f"-DCARAT_GPU_TYPES={types}", "-P", script],
                                  capture_output=True, text=True)
        if done.returncode:
            return " ".join(done.stderr.split())
        *dropped, kept = done.stderr.strip().split("\n")
        stems = {pathlib.Path(file).stem for file in kept.split(";")[1:]}
        macros = dropped[0].split(";")[3:] if dropped else []
        return {s for s in stems if s.startswith(("kernels_", "multistage_"))}, set(macros)

    def test_files_end_in_their_type(self):
        self.assertEqual(self.ask("fma", "f32"),
                         ({"kernels_f32", "kernels_f32_straight", "kernels_f32_turned"},
                          {"CARAT_WITHOUT_KERNELS_F64", "CARAT_WITHOUT_KERNELS_F64_STRAIGHT"}))
        kept, _ = self.ask("mma", "tf32,fp8")
        self.assertEqual(kept, {"kernels_tf32", "multistage_tf32", "multistage_three_tf32", "multistage_fp8"})
        self.assertEqual(self.ask("wgmma", "f64")[0], set())
        self.assertEqual(self.ask("wgmma", "all")[1], set())

    def test_each_file_left_out_has_an_answer(self):
        for family in ("fma", "mma", "wgmma"):
            text = pathlib.Path(SOURCE, "src/cuda/families", family, "not_built.cpp").read_text()
            answered = set()
            for types in ("f32", "bf16"):
                answered |= self.ask(family, types)[1]
            self.assertEqual(set(re.findall(r"#ifdef (\w+)", text)), answered)

    def test_types_are_checked(self):
        self.assertIn("'half' has no kernels of its own", self.ask("mma", "f32,half"))
        self.assertIn("tests need the kernels of all types", self.ask("mma", "f32", tests="ON"))
        self.assertIn("CARAT_GPU_TYPES is empty: use all", self.ask("mma", ""))
        self.assertEqual(self.ask("mma", "tf32;fp8"), self.ask("mma", "tf32,fp8"))


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
