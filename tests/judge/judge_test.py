#!/usr/bin/env python3
"""Honest targets and cheats, judged. Arguments: carat, the folder of examples."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

CARAT, EXAMPLES = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
RIGHT, SLOWER, WRONG, NONE = 0, 1, 2, 3


def has_numpy(python):
    return subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode == 0


PYTHON = next((p for p in (sys.executable, "/usr/bin/python3") if has_numpy(p)), None)


class Judge(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def judge(self, target, *options, code):
        command = [str(CARAT), "judge", str(target), *map(str, options)]
        environment = os.environ | {"PYTHON": PYTHON or "python3"}
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, timeout=280,
                              env=environment)
        codes = code if isinstance(code, tuple) else (code,)
        self.assertIn(done.returncode, codes, f"{command}\n{done.stdout}{done.stderr}")
        return done

    def wrong(self, cheat, why, *options):
        """Found out, twice: only checked, and while it is timed."""
        target = EXAMPLES / "cheats" / cheat
        last = self.judge(target, *options, code=WRONG).stdout.splitlines()[-1]
        self.assertRegex(last, "wrong: .*" + why)

    def need_boundary(self):
        self.judge(EXAMPLES / "honest/naive.c", "--at-least", 0, "--size", 20, "--json", "b.json", code=RIGHT)
        there = json.loads((self.folder / "b.json").read_text())["boundary"]
        if missing := {"namespaces", "its own /proc", "Landlock", "seccomp"} - set(there):
            self.skipTest(f"this system lets users have no {', '.join(sorted(missing))}")

    def in_vain(self, cheat, *options):
        """Right, at what it honestly does: what it reached for was not there."""
        self.judge(EXAMPLES / "cheats" / cheat, *options, code=RIGHT)


class Honest(Judge):
    def test_naive_is_right_and_what_is_written_says_so(self):
        out = self.judge(EXAMPLES / "honest/naive.c", "--at-least", 0, "--size", "130x70x90",
                         "--seed", 7, "--json", "v.json", code=RIGHT).stdout
        verdict = json.loads((self.folder / "v.json").read_text())
        self.assertEqual((verdict["verdict"], verdict["seed"]), ("right", "7"))
        self.assertEqual(out.splitlines()[-1], verdict["sentence"])
        self.assertGreater(verdict["calls_checked"], 100)

    def test_speed_is_that_of_the_best_beside_it(self):
        self.judge(EXAMPLES / "honest/naive.c", "--at-least", "50", "--size", "200", "--time", "0.5",
                   "--threads", 1, "--json", "v.json", "--report", "v.html", code=(SLOWER, NONE))
        verdict = json.loads((self.folder / "v.json").read_text())
        case = verdict["cases"][0]
        self.assertIn("cpu.engine", [peer["name"] for peer in case["peers"]])
        for participant in (case["target"], *case["peers"]):
            self.assertEqual(len(participant["trials_per_process"]), 5, participant["name"])
            self.assertGreaterEqual(min(participant["trials_per_process"]), 3)
            self.assertEqual(sum(participant["trials_per_process"]), len(participant["trials_s"]))
        low, high = case["ci95_ratio"]
        self.assertTrue(0 < low <= verdict["ratio"] <= high < 50)
        self.assertEqual(verdict["ci95_ratio"], [low, high])
        page = (self.folder / "v.html").read_text()
        self.assertIn(f'"implementation":"target: {verdict["target"]}"', page)
        self.assertIn(verdict["sentence"].replace("<", "\\u003c"), page)

    def test_every_type_and_factor_of_blocked(self):
        for dtype in ("f64", "f32"):
            self.judge(EXAMPLES / "honest/blocked.cpp", "--at-least", 0, "--dtype", dtype,
                       "--size", "257", code=RIGHT)

    def test_contiguous_rows_are_timed_where_others_are_refused(self):
        out = self.judge(EXAMPLES / "honest/contiguous.c", "--at-least", "50", "--size", "400x300x300",
                         "--time", "0.5", "--threads", 1, "--json", "v.json", code=(SLOWER, NONE)).stdout
        verdict = json.loads((self.folder / "v.json").read_text())
        self.assertEqual([case["rows"] for case in verdict["cases"]], ["contiguous"])
        self.assertRegex(out, "400x300x300, contiguous rows")
        self.assertRegex(out.splitlines()[-1], "contiguous: right, .*, with contiguous rows|right so far")
        self.assertGreater(verdict["calls_checked"], 150)
        self.judge(EXAMPLES / "honest/blocked.cpp", "--at-least", 0, "--size", "64,65x3x7", code=RIGHT)

    def test_sizes_that_are_drawn_give_way_to_what_is_taken(self):
        source = (EXAMPLES / "honest/contiguous.c").read_text()
        one = "return g->m == g->n && g->n == g->k && g->k % 32 == 0 &&"
        (self.folder / "tiles.c").write_text(source.replace("return g->lda", one + " g->lda"))
        out = self.judge("tiles.c", "--at-least", 0, code=RIGHT).stdout
        self.assertRegex(out, r"it refuses \d+x\d+x\d+: (\d+)x\1x\1 is used instead")

    def test_any_text_is_a_seed_and_repeats_the_draws(self):
        def size_drawn(*seed):
            self.judge(EXAMPLES / "honest/naive.c", "--at-least", 0, "--json", "v.json", *seed, code=RIGHT)
            verdict = json.loads((self.folder / "v.json").read_text())
            return verdict["seed"], verdict["calls_checked"], verdict["refused"]
        self.assertEqual(size_drawn("--seed", "spring term, 2"), size_drawn("--seed", "spring term, 2"))
        seeds = {size_drawn()[0] for _ in range(2)}
        self.assertEqual(len(seeds), 2)
        for seed in seeds:
            self.assertRegex(seed, "^[0-9a-f]{32}$")

    def test_the_seed_is_not_on_the_command_line(self):
        (self.folder / "slow.c").write_text(
            '#include <unistd.h>\n__attribute__((constructor)) static void wait(void) { sleep(2); }\n' +
            (EXAMPLES / "honest/naive.c").read_text())
        environment = os.environ | {"TOLD": "not-to-be-seen"}
        running = subprocess.Popen([CARAT, "judge", "slow.c", "--at-least", "0", "--size", "20", "--seed",
                                    "not-to-be-seen"], cwd=self.folder, stdout=subprocess.PIPE, env=environment)
        deadline = time.monotonic() + 60
        children = []
        while not children and time.monotonic() < deadline:
            hosts = subprocess.run(["pgrep", "-x", "judge_host"], capture_output=True, text=True).stdout.split()
            children = [pid for pid in hosts if self.descends(pid, running.pid)]
        line = pathlib.Path(f"/proc/{running.pid}/cmdline").read_bytes()
        inherited = b"".join(pathlib.Path(f"/proc/{pid}/environ").read_bytes() for pid in children)
        out = running.communicate(timeout=60)[0].decode()
        self.assertIn("right", out)
        self.assertIn(b"judge", line)
        self.assertNotIn(b"not-to-be-seen", line)
        self.assertIn(b"OMP_NUM_THREADS", inherited)
        self.assertNotIn(b"not-to-be-seen", inherited)

    @staticmethod
    def descends(pid, ancestor):
        try:
            stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            return False
        return int(stat.rsplit(")", 1)[1].split()[1]) == ancestor

    def test_a_shared_object(self):
        include = EXAMPLES.parent.parent / "include"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-I", include, "-o",
                        self.folder / "naive.so", EXAMPLES / "honest/naive.c"], check=True)
        self.judge("naive.so", "--at-least", 0, "--size", "64", "--quiet", code=RIGHT)

    @unittest.skipUnless(PYTHON, "no Python here has NumPy")
    def test_python(self):
        for function, dtype in (("product", "f64"), ("into", "f64"), ("into", "f32")):
            self.judge(f"{EXAMPLES / 'honest/product.py'}:{function}", "--at-least", 0,
                       "--dtype", dtype, "--size", "100", code=RIGHT)

    @unittest.skipUnless(PYTHON, "no Python here has NumPy")
    def test_the_library_of_another_is_named(self):
        out = self.judge(f"{EXAMPLES / 'cheats/vendor.py'}:hand_written_kernel", "--at-least", 0,
                         "--size", "64", code=RIGHT).stdout
        self.assertRegex(out, r"it loaded .*(blas|mkl).*: is that its own work\?")


class Cheats(Judge):
    def test_each_example_has_its_test(self):
        tested = re.findall(r'(?:wrong|in_vain)\("(\d\d_\w+\.\w+)[":]', pathlib.Path(__file__).read_text())
        self.assertEqual(sorted(tested), sorted(p.name for p in EXAMPLES.glob("cheats/??_*")))

    QUICK = ("--at-least", 0, "--size", "400", "--threads", 1)

    def test_checked(self):
        self.wrong("05_bf16_rounded.cpp", "(exact|units of roundoff)", *self.QUICK)
        self.wrong("07_outside.cpp", "wrote .* C", *self.QUICK)
        self.wrong("08_changes_inputs.cpp", r"changed A\(0, \d+\), an input", *self.QUICK)
        self.wrong("09_own_clock.cpp", "brings its own clock_gettime", *self.QUICK)
        self.wrong("10_only_when_poisoned.cpp", "", *self.QUICK)
        self.wrong("11_multiples_of_8.cpp", "", *self.QUICK)
        self.wrong("14_forks.cpp", "", *self.QUICK)

    def test_at_the_size_alone(self):
        self.wrong("03_sample.cpp", "", *self.QUICK)
        self.wrong("04_narrower.cpp", "product in f32", *self.QUICK)
        self.wrong("13_drops_terms.cpp", "", *self.QUICK)
        self.wrong("16_exits.cpp", r"ended its process \(exit code 0\)", *self.QUICK)
        self.wrong("12_more_threads.cpp", "threads, where 1 may work", *self.QUICK)
        self.wrong("30_a_thread_and_a_bit.cpp", "it used 1.[12]. threads, where 1 may work", *self.QUICK)

    def test_by_calls_that_went_before(self):
        self.wrong("01_cache_by_pointer.cpp", "", *self.QUICK)
        self.wrong("02_first_calls_only.cpp", "", *self.QUICK)
        self.wrong("26_replays_by_shape.cpp", "", *self.QUICK)

    def test_late_work(self):
        self.wrong("06_deferred.cpp", "went on writing after", *self.QUICK)
        self.wrong("17_says_done.cpp", "", *self.QUICK)
        self.wrong("28_writes_the_verdict.cpp", "", *self.QUICK)
        self.wrong("18_hangs.c", "did not return within 1 s", *self.QUICK, "--timeout", 1)

    def test_work_ahead(self):
        self.wrong("19_works_ahead.cpp", "", *self.QUICK)
        self.need_boundary()
        self.wrong("20_child_works_ahead.cpp", "", *self.QUICK)

    def test_the_boundary(self):
        self.need_boundary()
        self.in_vain("21_continues_itself.cpp", *self.QUICK)
        self.in_vain("23_reaches_for_others.cpp", *self.QUICK)
        self.in_vain("24_leaves_a_note.cpp", *self.QUICK)
        self.in_vain("25_calls_for_help.cpp", *self.QUICK)
        self.in_vain("27_looks_for_the_answer.cpp", *self.QUICK)

    def test_nothing_stays_behind(self):
        self.wrong("22_stays_behind.cpp", "started another process", *self.QUICK)
        left = subprocess.run(["pgrep", "-x", "stays-behind"], capture_output=True, text=True).stdout
        self.assertEqual(left, "")

    def test_peers_memory_is_out_of_reach(self):
        self.wrong("29_punches_holes.cpp", "it ", *self.QUICK)

    @unittest.skipUnless(PYTHON, "no Python here has NumPy")
    def test_its_host(self):
        self.wrong("31_patches_the_host.py:product", "", *self.QUICK)

    def test_while_timed(self):
        self.wrong("15_reads_the_clock.cpp", "", "--size", "420", "--time", "20", "--threads", 1)


class BadInput(Judge):
    def refused(self, *arguments):
        done = subprocess.run([CARAT, "judge", *arguments], capture_output=True, text=True,
                              cwd=self.folder, timeout=60)
        self.assertEqual(done.returncode, NONE, done.stdout + done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_targets_that_are_none(self):
        (self.folder / "a.txt").write_text("")
        (self.folder / "a.py").write_text("")
        for target in ("absent.cpp", "a.txt", "a.py", "absent.py:f", ""):
            self.assertIn("TARGET", self.refused(target))
        self.assertIn("TARGET", self.refused())

    def test_options(self):
        naive = str(EXAMPLES / "honest/naive.c")
        self.assertIn("--at-least", self.refused(naive, "--at-least", "-1"))
        self.assertIn("--dtype", self.refused(naive, "--dtype", "f64,f32"))
        self.assertIn("--dtype f32", self.refused(naive, "--dtype", "f32"))
        self.assertIn("--seed", self.refused(naive, "--seed", ""))
        (self.folder / "none.c").write_text((EXAMPLES / "honest/contiguous.c").read_text().replace(
            "return g->lda", "return 0 && g->lda"))
        self.assertRegex(self.refused("none.c", "--size", "64"), "--size 64x64x64: .* refuses it")
        self.assertIn("refuses every product", self.refused("none.c"))
        self.assertIn("--size 90000x", self.refused(naive, "--size", "90000"))
        self.assertIn("no/such", self.refused(naive, "--json", "no/such/v.json"))
        self.assertIn("no/such", self.refused(naive, "--report", "no/such/v.html"))
        self.assertIn("v.html", self.refused(naive, "--json", "v.html", "--report", "v.html"))

    def test_what_does_not_compile_or_load_is_wrong(self):
        (self.folder / "a.cpp").write_text("int broken(")
        done = self.judge("a.cpp", code=WRONG)
        self.assertIn("error", done.stderr)
        self.assertIn("does not compile", done.stdout)
        (self.folder / "b.cpp").write_text("int nothing;")
        self.assertIn("carat_kernel_v1", self.judge("b.cpp", code=WRONG).stdout)

    @unittest.skipUnless(PYTHON, "no Python here has NumPy")
    def test_python_that_fails_says_why(self):
        (self.folder / "a.py").write_text("def f(a, b):\n    raise ValueError('\\x1b[31mno')\n")
        out = self.judge("a.py:f", code=WRONG).stdout
        self.assertIn("ValueError", out)
        self.assertNotIn("\x1b", out)
        self.assertIn("no function g", self.judge("a.py:g", code=WRONG).stdout)


if __name__ == "__main__":
    if PYTHON is None:
        print("no Python here has NumPy: targets in Python are not judged", file=sys.stderr)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
