"""scripts/build_times.py over a planted build: its tables, and the budgets that fail a change."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "build_times.py"
sys.path.insert(0, str(SCRIPT.parent))
import build_times  # noqa: E402
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

    def told(self, *arguments, code=0, compiler="true"):
        done = subprocess.run([sys.executable, SCRIPT, self.build, *arguments], capture_output=True,
                              text=True, check=False, env=os.environ | {"CXX": str(compiler)})
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
                         r"build_times: 10\.0 CPU minutes, .* the 7\.9 that --cpu-minutes allows; ")

    def test_a_cached_build_has_a_budget_of_its_own(self):
        budgets = ("--cpu-minutes", "8.1", "--cached-cpu-minutes", "2")
        self.told(*budgets)  # without a cache
        for cached, code in ((94, 0), (95, 1)):
            said = ["direct_cache_hit"] * 60 + ["preprocessed_cache_hit"] * (cached - 60)
            said += ["cache_miss", "preprocessed_cache_miss"] * (100 - cached)
            (self.build / "ccache.log").write_text("\n".join(["# a.cpp", *said, "called_for_link\n"]))
            told = self.told(*budgets, code=code)
            self.assertIn(f"compilations: 100, of which ccache had {cached}\n", told)
        self.assertIn("the 2 that --cached-cpu-minutes allows", told)

    def test_a_slower_machine_has_more(self):
        slow = self.build / "slow"
        slow.write_text("#!/bin/sh\nfor i in 1 2 3 4 5 6 7 8; do /bin/true; done\n")
        slow.chmod(0o755)
        with mock.patch.dict(os.environ, CXX=str(slow)), \
                mock.patch.object(build_times, "YARDSTICK_S", 1e-9):
            build_times.hold_against(1, "--cpu-minutes", 1e3)
        with mock.patch.object(build_times, "slowness", lambda: 1.5), \
                self.assertRaisesRegex(SystemExit, "19.0 CPU minutes"):
            build_times.hold_against(10, "--cpu-minutes", 19)

    def test_tests_that_still_run_have_no_time_yet(self):
        (self.build / "seconds_of_tests").write_text("")
        self.assertTrue(self.told().endswith("build: 3.3 minutes, 10.0 CPU minutes\n"))

    def test_another_folder_is_refused_in_one_line(self):
        (self.build / ".ninja_log").unlink()
        self.assertRegex(self.told(code=1), "^build_times: .* is no folder that Ninja built in\n$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
