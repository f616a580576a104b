#!/usr/bin/env python3
"""Holds the files of the ladder to their length, and its pages to the sources they quote."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LADDER = ROOT / "ladder"
# These were longer before there was a limit: they handle every type and layout.
LONGER = {"05_vectorised.cu": 110, "07_warp_tiled.cu": 117, "09_wmma_shared.cu": 255,
          "10_wmma_converted.cu": 128}


def lines(path):
    return len(path.read_text().splitlines())


class length(unittest.TestCase):
    def test_a_step_has_at_most_100_lines(self):
        steps = [p for p in LADDER.rglob("[0-9][0-9]_*")]
        self.assertGreaterEqual(len(steps), 40)
        for path in steps:
            self.assertLessEqual(lines(path), LONGER.get(path.name, 100), path)

    def test_a_header_of_helpers_has_fewer_than_150(self):
        helpers = [*LADDER.rglob("*.cuh"), *LADDER.rglob("*.hpp")]
        self.assertGreaterEqual(len(helpers), 20)
        for path in helpers:
            self.assertLess(lines(path), 150, path)


class pages(unittest.TestCase):
    def check(self, root):
        return subprocess.run([sys.executable, "scripts/ladder_pages.py", "--check"], cwd=root,
                              capture_output=True, text=True)

    def copy(self, folder):
        root = pathlib.Path(folder)
        for part in ("docs/ladder", "docs/images/ladder", "ladder", "scripts", "src/cuda/ptx"):
            shutil.copytree(ROOT / part, root / part)
        (root / "results").symlink_to(ROOT / "results")
        return root

    def test_they_quote_the_sources(self):
        done = self.check(ROOT)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_a_changed_source_is_noticed(self):
        with tempfile.TemporaryDirectory() as folder:
            root = self.copy(folder)
            source = root / "ladder/cuda/13_staged.cu"
            source.write_text(source.read_text().replace("wait_for_copies<Stages - 2>",
                                                         "wait_for_copies<Stages - 1>"))
            done = self.check(root)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stdout, r"^docs/ladder/gpu-13-staged.md: differs")

    def test_a_longer_source_is_noticed_beside_others(self):
        with tempfile.TemporaryDirectory() as folder:
            root = self.copy(folder)
            source = root / "ladder/cuda/13_staged.cu"
            source.write_text("//\n" + source.read_text())
            done = self.check(root)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stdout, r"(?m)^docs/ladder/beside-others.md: differs")

    def test_a_lost_line_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            root = self.copy(folder)
            source = root / "ladder/cuda/13_staged.cu"
            source.write_text(source.read_text().replace("k < p.a.cols; k += block_k", "k < 0; ++k"))
            done = self.check(root)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"gpu-13-staged.md: ladder/cuda/13_staged.cu has .* 0 times")

    def test_disturbed_figures_are_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            root = self.copy(folder)
            (root / "results").unlink()
            (root / "results/cpu").mkdir(parents=True)
            measured = json.loads((ROOT / "results/cpu/ladder_bf16.json").read_text())
            measured["complete"] = False
            for cell in measured["results"]:
                cell["busy"] = "" if cell["m"] == 2048 else "others disturbed its trials"
            (root / "results/cpu/ladder_bf16.json").write_text(json.dumps(measured))
            subprocess.run([sys.executable, "scripts/ladder_pages.py"], cwd=root, check=True)
            text = (root / "docs/ladder/cpu-16-amx.md").read_text()
            self.assertEqual(re.findall(r"(?m)^\| bf16 \| (\d+)", text), ["2048"])
            self.assertIn("; the run was cut short; 2 figures left out, which other work disturbed.", text)

    def test_every_step_has_a_page(self):
        steps = [*LADDER.glob("cuda/[0-9][0-9]_*.cu"), *LADDER.glob("cpu/**/[0-9][0-9]_*.cpp")]
        self.assertEqual(len(steps), 22 + 18)
        for path in steps:
            kind = "gpu" if path.suffix == ".cu" else "cpu"
            page = ROOT / "docs/ladder" / f"{kind}-{path.stem.replace('_', '-')}.md"
            self.assertTrue(page.exists(), page)
            text = page.read_text()
            for heading in ("The lines that matter", "What to expect", "What was measured", "Exercise"):
                self.assertIn(f"## {heading}\n", text, page)
            self.assertTrue(re.search(r"<!-- way ", text) and re.search(r"<!-- quote ", text), page)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
