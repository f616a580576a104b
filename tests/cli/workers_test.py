#!/usr/bin/env python3
"""The command and the processes it measures in: libraries that crash, and what is left when it ends.
Arguments: carat, folder of the faulty BLAS."""

import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

CARAT, FAULTY = sys.argv[1:3]


def state_and_parent(process):
    """What the system reports; None if it is gone."""
    try:
        stat = pathlib.Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return None
    state, parent = stat[stat.rindex(")") + 2:].split()[:2]
    return state, int(parent)


def workers_of(parent):
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        known = state_and_parent(entry.name) if entry.name.isdigit() else None
        if known is not None and known[1] == parent and known[0] != "Z":
            found.append(int(entry.name))
    return found


class Workers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def bench(self, *arguments, fault="", code=(0, 1)):
        done = subprocess.run([CARAT, "bench", *arguments, "--json", "a.json", "--csv", "a.csv"],
                              capture_output=True, text=True, cwd=self.folder, timeout=300,
                              check=False, env=os.environ | {"CARAT_PEER_PATH": FAULTY,
                                                             "CARAT_TEST_FAULT": fault})
        self.assertIn(done.returncode, code, done.stdout + done.stderr)
        results = json.loads((self.folder / "a.json").read_text())
        return done, {r["implementation"]: r for r in results["results"]}, results

    def test_a_library_that_crashes_or_exits_costs_its_row(self):
        for fault, reason in (
                ("load", "the process ended by SIGSEGV while its library was loaded"),
                ("first", "the process ended by SIGSEGV in its first product"),
                ("exit", "the process exited with status 3 in its first product")):
            with self.subTest(fault):
                done, rows, results = self.bench("--impl", "openblas,naive", "--size", "16",
                                                 "--trials", "6", "--processes", "2", fault=fault)
                self.assertTrue(results["complete"])
                self.assertFalse(rows["vendor.openblas"]["available"])
                self.assertEqual(rows["vendor.openblas"]["reason"], reason)
                self.assertEqual(rows["cpu.ladder.naive"]["trials_per_process"], [3, 3])
                self.assertIn(reason, " ".join(done.stdout.split()))

    def test_what_a_library_prints_goes_nowhere(self):
        done, rows, results = self.bench("--impl", "openblas,naive", "--size", "16", "--trials", "10")
        self.assertNotIn("time_s", done.stdout)
        row = rows["vendor.openblas"]
        self.assertTrue(row["verified"], row)
        self.assertEqual(row["library"]["version"], "9.9.9, serial")
        self.assertEqual(row["trials_per_process"], [2] * 5)
        self.assertEqual(results["settings"]["processes"], 5)
        self.assertGreater(row["hand_over_s"], 0)
        with open(self.folder / "a.csv", newline="") as file:
            processes = [int(line["process"]) for line in csv.DictReader(file)
                         if line["implementation"] == "vendor.openblas"]
        self.assertEqual(processes, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4])

    def test_a_kernel_that_a_library_chose_badly_is_named_in_its_row(self):
        for fault, marked in (("lesser", True), ("", False)):
            done, rows, _ = self.bench("--impl", "openblas,naive", "--size", "16,20", "--trials", "4",
                                       "--processes", "1", fault=fault)
            library = rows["vendor.openblas"]["library"]
            if marked and not library["note"]:
                self.skipTest("no kernel is below this machine's")
            if not marked:
                self.assertNotIn("Prescott", done.stdout)
                continue
            self.assertEqual(len([line for line in done.stdout.splitlines()
                                  if "(Prescott!) " in line]), 2, done.stdout)
            told = " ".join(done.stdout.split())  # why, once
            self.assertEqual(told.count("vendor.openblas chose Prescott: its kernel is "), 1, told)

    def build(self, name, **environment):
        """A carat of another build: this one, in another environment."""
        path = self.folder / name
        path.write_text(f"#!{sys.executable}\nimport os, sys\n"
                        f"os.execve({CARAT!r}, [{CARAT!r}, *sys.argv[1:]], "
                        f"os.environ | {environment!r})\n")
        path.chmod(0o755)
        return path

    def compare(self, *arguments, code):
        done = subprocess.run([CARAT, "compare", "--ab", *map(str, arguments)], text=True,
                              capture_output=True, cwd=self.folder, timeout=300, check=False)
        self.assertIn(done.returncode, code, done.stdout + done.stderr)
        self.assertTrue(all(len(line) <= 80 for line in done.stdout.splitlines()), done.stdout)
        return done

    def test_two_builds_are_compared_each_by_its_own_processes(self):
        fine = self.build("fine", CARAT_PEER_PATH=FAULTY)
        broken = self.build("broken", CARAT_PEER_PATH=FAULTY, CARAT_TEST_FAULT="first")
        quick = ("--impl", "openblas,naive", "--size", 16, "--trials", 9, "--processes", 3)
        self.compare(fine, broken, *quick, "--json", "c.json", code=(1,))
        told = json.loads((self.folder / "c.json").read_text())
        lost, timed = told["changes"]
        self.assertEqual((lost["implementation"], lost["verdict"]), ("vendor.openblas", "lost"))
        self.assertEqual(lost["reason"], "the process ended by SIGSEGV in its first product")
        self.assertEqual(timed["implementation"], "cpu.ladder.naive")
        self.assertIn(timed["verdict"], ("faster", "slower", "tie", "unclear", "busy"))
        self.assertEqual([told[side]["file"] for side in ("before", "after")],
                         [str(fine), str(broken)])
        self.assertTrue(told["before"]["revision"])
        self.assertEqual(told["notes"], [])
        self.assertIn("1 case without a figure any more", told["failures"])
        line = self.compare(broken, fine, "--impl", "openblas", *quick[2:], code=(2,)).stderr
        self.assertIn("--ab: build A has no figure; vendor.openblas: the process ended by", line)

    def test_a_build_with_lesser_kernels_is_slower(self):
        slow = self.build("slow", CARAT_FORCE_ISA="baseline")
        out = self.compare(CARAT, slow, "--size", 200, "--threads", 1, "--trials", 30,
                           code=(1,)).stdout
        if "busy machine" not in out:
            self.assertIn("1 slower", out)
            self.assertEqual(out.splitlines()[-1], "fail: 1 case slower")

    def test_what_is_no_build_is_refused_in_a_line(self):
        for pair, words in (((CARAT, "none"), "'none' is no carat command, nor a folder with"),
                            ((CARAT, "/bin/true"), "'/bin/true' serves no implementations (the"),
                            ((CARAT, CARAT, "--processes", 0), "--ab: --processes 0 runs all"),
                            ((CARAT, CARAT, "--exclude", "none"), "--exclude 'none' names none")):
            done = self.compare(*pair, code=(2,))
            self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1), done.stderr)
            self.assertIn(words, done.stderr)

    def test_in_this_process_there_are_no_others(self):
        _, rows, _ = self.bench("--impl", "naive", "--size", "16", "--trials", "6",
                                "--processes", "0")
        self.assertNotIn("trials_per_process", rows["cpu.ladder.naive"])
        self.assertEqual(len(rows["cpu.ladder.naive"]["trials_s"]), 6)

    def test_of_all_its_processes_at_most_one_is_not_stopped_and_none_is_left(self):
        for number in (signal.SIGINT, signal.SIGKILL):
            with self.subTest(number.name):
                self.end_by(number)

    def end_by(self, number):
        command = [CARAT, "bench", "--impl", "naive,tiled,reordered", "--size", "8:400:8",
                   "--trials", "100", "--processes", "2", "--json", f"{number.name}.json"]
        file = self.folder / f"{number.name}.json"
        with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            seen = []
            deadline = time.monotonic() + 120
            while process.poll() is None and time.monotonic() < deadline:
                workers = workers_of(process.pid)
                states = [state_and_parent(w) for w in workers]
                if file.exists() and len(workers) == 3:
                    seen = workers
                    if [s[0] for s in states if s].count("T") >= 2:
                        break
                time.sleep(0.001)
            self.assertEqual(len(seen), 3)
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=120), 130 if number == signal.SIGINT else -9)
        deadline = time.monotonic() + 30
        def left():
            return [w for w in seen if state_and_parent(w) not in (None,)
                    and state_and_parent(w)[0] != "Z"]
        while left() and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual(left(), [])
        results = json.loads(file.read_text())
        self.assertFalse(results["complete"])
        for row in results["results"]:
            self.assertEqual(sum(row.get("trials_per_process", [])), len(row.get("trials_s", [])))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
