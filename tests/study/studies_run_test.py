#!/usr/bin/env python3
"""Runs every command of docs/studies.md, studies with --quick, and reads what they write.
Arguments: carat."""

import csv
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

CARAT = sys.argv[1]
ROOT = pathlib.Path(__file__).resolve().parents[2]
STUDIES = ["five-algorithms", "crossover", "ladder", "tile-size", "precision", "workloads"]


def commands():
    """Those of the table, each once, with what they are for."""
    page = (ROOT / "docs/studies.md").read_text(encoding="utf-8")
    return sorted({found for line in page.splitlines() if line.startswith("| ")
                   for found in re.findall(r"`(carat [^`]+)`", line)})


class Studies(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def carat(self, *arguments, code=0):
        done = subprocess.run([CARAT, *arguments], capture_output=True, text=True, cwd=self.folder,
                              timeout=600, check=False, env=os.environ)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_the_table_covers_every_study(self):
        named = {shlex.split(c)[2] for c in commands() if c.startswith("carat study")}
        self.assertEqual(named, set(STUDIES))
        rows = [line for line in (ROOT / "docs/studies.md").read_text().splitlines()
                if line.startswith("| ")]
        for document in ("000", "001", "002", "003", "004"):
            self.assertTrue(any(f"**{document}**" in row for row in rows), document)

    def test_all_of_them_in_one_report(self):
        # Three processes are the fewest that give intervals. Slow loops, which would take most of the
        # time, have a test of their own below.
        out = self.carat("study", "all", "--quick", "--as-published", "--budget", "0.05",
                         "--processes", "3", "--limit", "0.05")
        self.assertTrue(all(len(line) <= 80 for line in out.stdout.splitlines()), out.stdout)
        for name in STUDIES:
            results = json.loads((self.folder / f"carat-study/{name}.json").read_text())
            self.assertTrue(results["complete"], name)
            (chapter,) = results["studies"]
            self.assertEqual((chapter["study"], chapter["extent"]), (name, "quick"))
            self.assertTrue(chapter["tables"], name)
            settings = chapter["settings"][0]
            self.assertEqual((settings["alpha"], settings["processes"]), (0.05, 3))
            for table in chapter["tables"]:
                self.assertTrue(all(len(r) == len(table["head"]) for r in table["rows"]), table)
            with (self.folder / f"carat-study/{name}.csv").open() as file:
                self.assertTrue(list(csv.DictReader(file)), name)
        page = (self.folder / "carat-study/report.html").read_text()
        for name in STUDIES:
            self.assertIn(f'"study":"{name}"', page)
        markdown = self.carat("report", "--markdown", "carat-study/ladder.json").stdout
        self.assertIn("### Step by step, f32, N = 512", markdown)

    def test_the_other_commands_of_the_page(self):
        others = [c for c in commands() if not c.startswith("carat study")]
        self.assertGreaterEqual(len(others), 6)
        for command in others:
            self.carat(*shlex.split(command)[1:])

    def test_a_device_and_a_limit_leave_the_rest_out(self):
        out = self.carat("study", "tile-size", "--quick", "--device", "cpu", "--limit", "1e-9")
        results = json.loads((self.folder / "carat-study/tile-size.json").read_text())
        self.assertEqual({c["device"] for c in results["results"]}, {"cpu"})
        self.assertIn("everything on the GPU, by --device cpu", " ".join(out.stdout.split()))
        self.carat("study", "five-algorithms", "--quick", "--device", "cpu", "--limit", "1e-9",
                   "--budget", "0.05")
        results = json.loads((self.folder / "carat-study/five-algorithms.json").read_text())
        # A run of the first size of each shows how long it takes; those after it are not run.
        for c in results["results"]:
            said = "skipped: one run takes" if c["n"] == 250 else "skipped: one run would take about"
            self.assertTrue(c["reason"].startswith((said, "it has no", "no ")), c["reason"])
        self.assertEqual({c["n"] for c in results["results"]}, {250, 500, 1000})

    def test_a_ladder_of_other_types(self):
        self.carat("study", "ladder", "--quick", "--dtype", "f64", "--device", "cpu", "--budget",
                   "0.05", "--processes", "3")
        results = json.loads((self.folder / "carat-study/ladder.json").read_text())
        self.assertEqual({c["dtype"] for c in results["results"]}, {"f64"})
        measured = [c for c in results["results"] if c.get("median_gflops", 0) > 0]
        steps = {c["implementation"] for c in measured if ".ladder." in c["implementation"]}
        self.assertGreaterEqual(len(steps), 11)
        self.assertTrue(all(c["verified"] for c in measured))
        table = results["studies"][0]["tables"][0]
        self.assertEqual(table["title"], "Step by step, f64, N = 512")
        self.assertGreater(len(table["rows"]), len(steps))
        self.assertIn('id: "ladder"', (self.folder / "carat-study/report.html").read_text())

    def test_bad_input_is_one_line(self):
        for arguments, said in ((["laddr"], "unknown study 'laddr'"),
                                (["all", "--quick", "--full"], "different extents"),
                                (["ladder", "--threads", "1,1"], "run it once for each"),
                                (["ladder", "--device", "gpu"], "device 'gpu'"),
                                (["ladder", "--dtype", "f65"], "'f65'"),
                                (["ladder,precision", "--dtype", "f64"], "precision measures"),
                                (["ladder", "--quick", "--out", "/proc/none"], "--out /proc/none")):
            done = self.carat("study", *arguments, code=2)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
