"""scripts/build_times.py over a planted build: its tables, and the budget that fails a change."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "build_times.py"
NINJA_LOG = """# ninja log v5
0\t9000\t0\tsrc/cpu/CMakeFiles/carat_cpu.dir/old.cpp.o\ta1
0\t2000\t0\tsrc/cpu/CMakeFiles/carat_cpu.dir/old.cpp.o\ta2
0\t4000\t0\tcli/CMakeFiles/carat_command.dir/main.cpp.o\tb1
5000\t6000\t0\tlib/made.js\tc1
5000\t6000\t0\tlib/made.css\tc1
"""


class BuildTimes(unittest.TestCase):
    def setUp(self):
        self.build = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.build)
        (self.build / ".ninja_log").write_text(NINJA_LOG)
        (self.build / "seconds_of_build").write_text("200.0 500.0 100.0\n")
        costs = self.build / "Testing/Temporary/CTestCostData.txt"
        costs.parent.mkdir(parents=True)
        costs.write_text("cli.a 2 1.5\nstudy.b 1 30.25\n---\nstudy.b\n")

    def told(self, *arguments, code=0):
        done = subprocess.run([sys.executable, SCRIPT, self.build, *arguments], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout + done.stderr

    def test_the_last_time_of_each_step_counts_once(self):
        told = self.told("--most", "2")
        self.assertIn("job seconds by module: 7 s\n      4.0  cli\n      2.0  src/cpu\n"
                      "      1.0  1 others\n", told)
        self.assertIn("seconds by test: 32 s\n     30.2  study.b\n", told)
        self.assertIn("build: 3.3 minutes, 10.0 CPU minutes\n", told)

    def test_a_budget_is_kept_within_a_quarter(self):
        self.told("--cpu-minutes", "8.1")
        self.assertRegex(self.told("--cpu-minutes", "7.9", code=1),
                         "build_times: 10.0 CPU minutes, .* the 7.9 that --cpu-minutes allows\n$")

    def test_tests_that_still_run_have_no_time_yet(self):
        (self.build / "seconds_of_tests").write_text("")
        self.assertTrue(self.told().endswith("build: 3.3 minutes, 10.0 CPU minutes\n"))

    def test_another_folder_is_refused_in_one_line(self):
        (self.build / ".ninja_log").unlink()
        self.assertRegex(self.told(code=1), "^build_times: .* is no folder that Ninja built in\n$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
