"""What scripts/code_for.py makes of cuobjdump's lists, and scripts/kernels_for.py of a compiler's words:
code_for_test.py SCRIPTS. Both tools are stand-ins."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(sys.argv[1])
HELD = """case $1 in
--list-elf) echo "ELF file    1: x.1.sm_80.cubin"; echo "ELF file    2: x.2.sm_90a.cubin"
            echo "ELF file    3: x.3.sm_80.cubin";;
--list-ptx) echo "PTX file    1: x.1.sm_120.ptx";;
esac"""
# Compiles for any GPU but 99; kernels for 75 spill.
NVCC = r"""case "$*" in *compute_99*) echo "x.cu(1): error: no such GPU" >&2; exit 1;; esac
gpu=$(echo "$*" | sed 's/.*code=\([a-z]*_[0-9a-z]*\).*/\1/')
out=$(echo "$*" | sed 's/.*-o \(\S*\).*/\1/')
cp /bin/true "$out"
spills=0; case $gpu in sm_75) spills=8;; esac
echo "ptxas info    : Compiling entry function 'kernel' for '$gpu'" >&2
echo "    0 bytes stack frame, $spills bytes spill stores, 0 bytes spill loads" >&2
echo "ptxas info    : Used 40 registers" >&2"""


class CodeFor(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def stub(self, name, text):
        tool = self.folder / name
        tool.write_text(f"#!/bin/sh\n{text}\n")
        tool.chmod(0o755)
        return tool

    def run_script(self, name, *arguments):
        done = subprocess.run([sys.executable, SCRIPTS / name, *arguments], capture_output=True,
                              text=True)
        return done.returncode, done.stdout + done.stderr

    def code_for(self, *arguments):
        return self.run_script("code_for.py", "/bin/true", "--cuobjdump",
                               self.stub("cuobjdump", HELD), *arguments)

    def test_a_library_holds_what_was_asked_for(self):
        code, told = self.code_for("--gpus", "80,90a,120-virtual", "--most-mb", "30")
        self.assertEqual(code, 0, told)
        self.assertRegex(told, r"sm_80 +2 files\n +sm_90a +1 files\n +compute_120 +1 files")

    def test_a_gpu_that_is_missing_or_too_much_is_named(self):
        code, told = self.code_for("--gpus", "80,100")
        self.assertEqual(code, 1)
        self.assertIn("no code for sm_100\n", told)
        self.assertIn("code for sm_90a, which CARAT_GPUS lacks\n", told)
        self.assertNotIn("compute_120, which", told)

    def test_code_of_8_0_for_hopper_counts_as_hoppers(self):
        self.assertIn("no code for sm_90\n", self.code_for("--gpus", "80:90")[1])

    def test_a_library_that_is_too_large_is_refused(self):
        code, told = self.code_for("--most-mb", "0.001")
        self.assertEqual(code, 1)
        self.assertRegex(told, r"MB are more than 0\.001\n")

    def test_without_cuobjdump_it_is_skipped(self):
        self.assertEqual(self.run_script("code_for.py", "/bin/true", "--cuobjdump", "/none")[0], 77)

    def kernels_for(self, gpus, *arguments):
        nvcc = self.stub("nvcc", NVCC)
        files = ["/x/families/mma/a.cu", "/x/families/wgmma/b.cu", "/x/families/mma/host.cpp"]
        (self.folder / "compile_commands.json").write_text(json.dumps(
            [{"file": file, "directory": str(self.folder),
              "command": f"ccache {nvcc} -gencode=arch=compute_90a,code=sm_90a -c {file} -o {file}.o"}
             for file in files]))
        return self.run_script("kernels_for.py", self.folder, "--gpus", gpus, *arguments)

    def test_kernels_are_compiled_for_gpus_that_are_not_there(self):
        code, told = self.kernels_for("80,120-virtual", "--json", self.folder / "out.json")
        self.assertEqual(code, 0, told)
        found = json.loads((self.folder / "out.json").read_text())
        self.assertEqual([(row["file"], row["gpu"], row["most_registers"]) for row in found],
                         [("mma/a.cu", "80", 40), ("mma/a.cu", "120-virtual", 40)])

    def test_a_spill_fails(self):
        code, told = self.kernels_for("80,75")
        self.assertEqual(code, 1)
        self.assertRegex(told, r"75 .*FAILED\n +kernel \(sm_75\): .* 8 bytes spill stores")
        self.assertIn("1 of 2 failed", told)

    def test_what_does_not_compile_fails(self):
        code, told = self.kernels_for("99")
        self.assertEqual(code, 1)
        self.assertIn("error: no such GPU", told)

    def test_no_file_is_an_error(self):
        self.assertIn("no .cu file", self.kernels_for("80", "--only", "nothing")[1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
