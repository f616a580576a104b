#!/usr/bin/env python3
"""The files of carat bench --distributed: report_test.py CARAT MPIRUN... runs it on four processes."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest


def bench(folder, *flags):
    return subprocess.run([*MPIRUN, "-n", "4", CARAT, "bench", "--distributed", "--size", "90x80x70", "--trials",
                           "2", "--threads", "1", *flags], cwd=folder, capture_output=True, text=True, timeout=100)


def embedded(page):
    return json.loads(re.search(r'id="results">(.*?)</script>', page, re.DOTALL)[1])


class Report(unittest.TestCase):
    def setUp(self):
        self.kept = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.kept.name)
        self.addCleanup(self.kept.cleanup)

    def test_has_the_columns_of_the_terminal(self):
        done = bench(self.folder, "--report", "a.html", "--json", "a.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        page = embedded((self.folder / "a.html").read_text())
        chapter, = page["studies"]
        table, = chapter["tables"]
        self.assertEqual(table["head"][-2:], ["of local", "words/B"])
        self.assertIn("of local", done.stdout.splitlines()[1])
        rows = {row[0]: row for row in table["rows"]}
        figures = {row["implementation"]: row for row in json.loads((self.folder / "a.json").read_text())["results"]}
        self.assertEqual(rows["carat"][-1], f'{figures["carat"]["words_over_bound"]:.2f}')
        self.assertEqual(rows["carat"][-2], f'{100 * figures["carat"]["of_local"]:.1f} %')
        self.assertEqual(rows["local"][-2:], ["100.0 %", "-"])
        self.assertIn("carat takes", " ".join(chapter["findings"]))
        self.assertIn("bench --distributed --size 90x80x70", page["command"])

    def test_results_go_to_standard_output_alone(self):
        done = bench(self.folder, "--json", "-")
        self.assertEqual(json.loads(done.stdout)["processes"], 4)
        self.assertIn("words/B", done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_what_cannot_be_written_is_said_once_before_measuring(self):
        done = bench(self.folder, "--report", "absent/a.html")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("can't be written"), 1, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertIn("--report: '-' is no file", bench(self.folder, "--report", "-").stderr)


if __name__ == "__main__":
    CARAT, MPIRUN = sys.argv[1], sys.argv[2:]
    unittest.main(argv=sys.argv[:1])
