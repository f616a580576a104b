#!/usr/bin/env python3
"""What scripts/sanitize_gpu.py makes of the checker's answers: sanitize_gpu_test.py SCRIPT

A checker and a driver tool of its own stand in for NVIDIA's; needs no GPU.
"""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SCRIPT = sys.argv.pop(1)
CLEAN = "========= ERROR SUMMARY: 0 errors"
NO_HAZARD = "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)"
PASSED = "[  PASSED  ] 3 tests."


class Sanitize(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.at = pathlib.Path(self.folder.name)
        self.gpu("echo 'GPU 0: of a test'")
        self.program = self.write("tests", "exit 0")

    def write(self, name, body):
        path = self.at / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return path

    def gpu(self, body):
        self.write("nvidia-smi", body)

    def checker(self, *lines, code=0, before=""):
        said = "\n".join(f"echo '{line}'" for line in lines)
        self.write("compute-sanitizer", f"{before}\n{said}\nexit {code}")

    def run_script(self, *options):
        path = {**os.environ, "PATH": str(self.at)}
        done = subprocess.run([sys.executable, SCRIPT, "--shards", "2", *options, self.program],
                              env=path, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_clean_runs_of_all_tools_pass(self):
        self.checker(CLEAN, NO_HAZARD, PASSED)
        code, said = self.run_script()
        self.assertEqual(code, 0, said)
        for tool in ("memcheck", "racecheck", "synccheck"):
            self.assertIn(f"{tool}: 6 tests passed, 0 of 2 processes with findings", said)

    def test_each_process_has_a_shard_of_its_own_and_the_tool_asked_for(self):
        self.checker(CLEAN, PASSED,
                     before=f'echo "$2 $GTEST_SHARD_INDEX of $GTEST_TOTAL_SHARDS, $CARAT_TEST_THIN,'
                            f' $8" >> {self.at}/calls')
        code, said = self.run_script("--tools", "synccheck", "--thin", "5", "--filter", "*wide*")
        self.assertEqual(code, 0, said)
        calls = sorted((self.at / "calls").read_text().splitlines())
        self.assertEqual(calls, [f"synccheck {i} of 2, 5, --gtest_filter=*wide*" for i in (0, 1)])

    def test_the_fuzzer_is_told_its_cases_and_a_seed_of_each_shard(self):
        self.program = self.write("carat_fuzz", "exit 0")
        self.checker(CLEAN, "gpu: 40 cases, 9 entries", before=f'shift 7; echo "$*" >> {self.at}/calls')
        code, said = self.run_script("--tools", "initcheck", "--cases", "40", "--seed", "7")
        self.assertEqual(code, 0, said)
        self.assertIn("initcheck: 80 tests passed", said)
        calls = sorted((self.at / "calls").read_text().splitlines())
        self.assertEqual(calls, [f"--gpu --here --cases 40 --seed {seed}" for seed in (7, 8)])

    def test_findings_failed_tests_and_silence_do_not_pass(self):
        for lines, code, fault in (
                (("========= ERROR SUMMARY: 4 errors", PASSED), 86, "4 findings"),
                (("========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)", PASSED),
                 0, "1 findings"),
                ((CLEAN, "[  FAILED  ] 1 test"), 1, "tests failed"),
                ((PASSED,), 0, "the checker gave no summary")):
            with self.subTest(fault):
                self.checker(*lines, code=code)
                result, said = self.run_script()
                self.assertEqual(result, 1, said)
                self.assertIn(fault, said)
                self.assertIn("2 of 2 processes with findings", said)

    def test_hazards_of_kernels_that_turn_f32_are_no_findings(self):
        turning = ("========= Error: Race reported between Write access at void carat::cuda::fma::gemm_kernel"
                   "<fma::config<fma::ffma<(int)8, (int)4>, (int)2, (bool)1>, float>(T1)+0x2f80")
        found = "========= RACECHECK SUMMARY: 100 hazards displayed (1712 errors, 0 warnings)"
        self.checker(turning, found, PASSED, code=86)
        code, said = self.run_script("--tools", "racecheck")
        self.assertEqual(code, 0, said)
        self.assertIn("100 findings in kernels that turn f32, see ", said)
        self.assertIn("racecheck: 6 tests passed, 0 of 2 processes with findings", said)
        for other in (turning.replace("(bool)1", "(bool)0"), "[  FAILED  ] 1 test"):
            self.checker(turning, other, found, PASSED, code=86)
            code, said = self.run_script("--tools", "racecheck")
            self.assertEqual(code, 1, said)

    def test_no_test_at_all_does_not_pass(self):
        self.checker(CLEAN, "[  PASSED  ] 0 tests.")
        code, said = self.run_script()
        self.assertEqual(code, 1, said)
        self.assertIn("no test ran", said)

    def test_what_does_not_end_does_not_pass(self):
        self.checker(CLEAN, PASSED, before="/bin/sleep 20")
        code, said = self.run_script("--limit", "0.2", "--tools", "memcheck")
        self.assertEqual(code, 1, said)
        self.assertIn("did not end within its time", said)

    def test_ctrl_c_ends_what_runs(self):
        self.checker(CLEAN, PASSED, before=f"echo $$ >> {self.at}/begun; /bin/sleep 60")
        with subprocess.Popen(
                [sys.executable, SCRIPT, "--shards", "2", "--jobs", "1", self.program],
                env={**os.environ, "PATH": str(self.at)}, text=True, stdout=subprocess.PIPE) as run:
            while not (self.at / "begun").exists():
                time.sleep(0.05)
            run.send_signal(signal.SIGINT)
            said = run.communicate(timeout=30)[0]
        self.assertEqual(run.returncode, 130, said)
        self.assertIn("stopped", said)
        self.assertEqual(len((self.at / "begun").read_text().splitlines()), 1)

    def test_without_gpu_or_checker_it_says_so_and_is_skipped(self):
        code, said = self.run_script()
        self.assertEqual(code, 77, said)
        self.assertIn("no compute-sanitizer on PATH", said)
        self.checker(CLEAN, PASSED)
        self.gpu("exit 9")
        code, said = self.run_script()
        self.assertEqual(code, 77, said)
        self.assertIn("no GPU", said)

    def test_wrong_options_are_refused(self):
        self.checker(CLEAN, PASSED)
        for options in (("--tools", "leakcheck"), ("--thin", "0"), ("--jobs", "-1")):
            with self.subTest(options):
                code, said = self.run_script(*options)
                self.assertEqual(code, 2, said)
                self.assertIn(options[1], said)


if __name__ == "__main__":
    unittest.main()
