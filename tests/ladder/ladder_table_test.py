"""scripts/ladder_table.py: figures land between the markers, and only verified ones."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "ladder_table.py"
README = "# Title\n<!-- ladder-table -->\nold\n<!-- /ladder-table -->\nend\n"


def cell(step, gflops, **more):
    return {
        "implementation": f"cpu.ladder.{step}", "dtype": "f64", "m": 2000, "n": 2000, "k": 2000,
        "threads": 1, "threads_used": 1, "verified": True, "median_gflops": gflops,
        "ci95_gflops": [gflops - 0.5, gflops + 0.5], **more,
    }  # fmt: skip


def results(*cells):
    ceilings = {"compute": [{"unit": "fma", "dtype": "f64", "threads": 1, "gflops": 100.0}]}
    machine = {"cpu_model": "Some CPU", "isa_in_use": "avx2", "ceilings": ceilings}
    return {"machine": machine, "date": "2026-01-02T03:04:05Z", "revision": "abc", "cells": cells}


class LadderTable(unittest.TestCase):
    def run_script(self, text):
        with tempfile.TemporaryDirectory() as folder:
            source, readme = pathlib.Path(folder, "r.json"), pathlib.Path(folder, "README.md")
            source.write_text(text)
            readme.write_text(README)
            done = subprocess.run(
                [sys.executable, SCRIPT, source, readme], capture_output=True, text=True
            )
            return done, readme.read_text()

    def test_factors_over_the_step_built_on_and_the_first(self):
        cells = [cell("naive", 2), cell("tiled", 4), cell("reordered", 6), cell("simd", 40)]
        done, text = self.run_script(json.dumps(results(*cells)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| 4 tiled | 4.00 [3.50, 4.50] | 4.0 % | 2.00 x over naive | 2.00 x |", text)
        self.assertIn("| 8 simd | 40.00 [39.50, 40.50] | 40.0 % |   | 20.00 x |", text)
        self.assertIn("on Some CPU (avx2), 2026-01-02, carat abc:", text)
        self.assertNotIn("old", text)
        self.assertTrue(text.startswith("# Title\n") and text.endswith("-->\nend\n"))

    def test_unverified_and_foreign_cells_stay_out(self):
        cells = [cell("naive", 2), cell("tiled", 4, verified=False), cell("reordered", 6)]
        done, text = self.run_script(json.dumps(results(*cells, cell("x.y", 9))))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(text.count(" x |"), 2)

    def test_a_cell_that_an_interruption_left_one_trial_stays_out(self):
        cells = [cell("naive", 2), cell("tiled", 4), cell("reordered", 6, ci95_gflops=[0, None])]
        done, text = self.run_script(json.dumps(results(*cells)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| 4 tiled |", text)
        self.assertNotIn("reordered", text)

    def test_bad_input_is_one_line_and_changes_nothing(self):
        for text in ("", "{}", '{"cells": [1]}', json.dumps(results(cell("naive", 2)))):
            done, readme = self.run_script(text)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertEqual(readme, README)


if __name__ == "__main__":
    unittest.main()
