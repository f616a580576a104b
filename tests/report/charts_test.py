#!/usr/bin/env python3
"""Reads the charts that `carat report --charts` writes for committed results: text as text, nothing
outside of the drawing, the sizes and names of the file, and PNGs beside them. Arguments: carat.
Exit status 77: no browser, only the refusal was tested."""

import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import browser

CARAT = sys.argv[1]
RESULTS = pathlib.Path(__file__).resolve().parents[2] / "results"
SVG = "{http://www.w3.org/2000/svg}"
WIDTH = 520


def draw(file, folder, environment=None):
    return subprocess.run([CARAT, "report", RESULTS / file, "--charts", folder],
                          capture_output=True, text=True, timeout=300, check=False,
                          env=os.environ | (environment or {}))


class Charts(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name) / "figures"

    def drawn(self, file, names):
        done = draw(file, self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()),
                         sorted(f"{name}.{kind}" for name in names for kind in ("svg", "png")))
        roots = {}
        for name in names:
            roots[name] = ElementTree.parse(self.folder / f"{name}.svg").getroot()
            self.check_inside(name, roots[name])
            png = (self.folder / f"{name}.png").read_bytes()
            self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n", name)
            width, height = struct.unpack(">II", png[16:24])
            self.assertEqual((width, height),
                             (3 * WIDTH, 3 * int(roots[name].get("height"))), name)
            self.assertGreater(len(png), 10_000, name)
        return roots

    def check_inside(self, name, root):
        self.assertEqual(root.get("width"), str(WIDTH))
        for text in root.iter(f"{SVG}text"):
            self.assertGreaterEqual(float(text.get("font-size")), 12, name)
            if not text.get("transform"):
                self.assertTrue(0 <= float(text.get("x")) <= WIDTH, (name, text.text))
        clipped = [p for p in root.iter(f"{SVG}path") if not p.get("clip-path")]
        for path in clipped:
            numbers = [float(n) for n in re.findall(r"-?[\d.]+(?:e-?\d+)?",
                                                    re.sub(r"A\S+ \S+ \S+ \S+ \S", "L",
                                                           path.get("d")))]
            self.assertTrue(all(-20 <= x <= WIDTH + 20 for x in numbers[::2]), path.get("d"))
        clips = {c.get("id") for c in root.iter(f"{SVG}clipPath")}
        for element in root.iter():
            if element.get("clip-path"):
                self.assertIn(element.get("clip-path")[5:-1], clips)

    @staticmethod
    def texts(root):
        return [text.text for text in root.iter(f"{SVG}text")]

    def test_a_gpu_and_its_crossover(self):
        # The GPU's largest size has too few steps for a ladder.
        drawn = [f"{kind}-{where}" for where in ("f32-16-threads", "f32-gpu")
                 for kind in ("throughput", "roofline", "accuracy")]
        roots = self.drawn("h200/crossover.json", ["crossover", "ladder-f32-16-threads", *drawn])
        found = self.texts(roots["crossover"])
        for wanted in ("32", "4096", "best CPU", "cuda.ladder.tiled", "vendor.cublas", "Time"):
            self.assertIn(wanted, found)
        results = json.loads((RESULTS / "h200/crossover.json").read_text())
        names = {c["implementation"].split(".")[-1] for c in results["results"]
                 if c.get("rank", 0) > 0}
        found = [set(self.texts(roots[f"throughput-{where}"]))
                 for where in ("f32-16-threads", "f32-gpu")]
        self.assertLessEqual(names, found[0] | found[1])
        for texts in found:
            self.assertIn("N (M = N = K)", texts)
            self.assertTrue(texts & {"GFLOP/s", "TFLOP/s"}, texts)

    def test_the_ladder_of_a_cpu_names_its_steps_and_their_share_of_the_peak(self):
        root = self.drawn("cpu/ladder.json",
                          [f"{kind}-{dtype}-1-thread" for dtype in ("f64", "f32")
                           for kind in ("throughput", "roofline", "ladder", "accuracy")
                           ])["ladder-f64-1-thread"]
        self.assertIn("naive", self.texts(root))
        results = json.loads((RESULTS / "cpu/ladder.json").read_text())
        cell, = [c for c in results["results"] if c["implementation"] == "cpu.ladder.simd"
                 and c["dtype"] == "f64"]
        self.assertTrue(any(f"{100 * cell['median_gflops'] / peak:.1f} %" in text
                            for text in self.texts(root) for peak in self.peaks(results)))

    @staticmethod
    def peaks(results):
        return [row["gflops"] for row in results["machine"]["peaks"]["compute"]
                if row["dtype"] == "f64" and row["threads"] == 1]


class WithoutBrowser(unittest.TestCase):
    def test_it_is_one_line_that_says_what_helps_and_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            figures = pathlib.Path(folder) / "figures"
            done = draw("cpu/ladder.json", figures, {"CARAT_CHROMIUM": "/no/browser"})
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1), done.stderr)
            for wanted in ("CARAT_CHROMIUM=/no/browser", "install chromium"):
                self.assertIn(wanted, done.stderr)
            self.assertFalse(figures.exists())


if __name__ == "__main__":
    there = browser.find()
    names = [] if there else ["WithoutBrowser"]
    outcome = unittest.main(argv=[sys.argv[0], *names], verbosity=2, exit=False).result
    if outcome.wasSuccessful() and not there:
        print("SKIPPED: no Chromium found, so no chart was drawn", file=sys.stderr)
        sys.exit(77)
    sys.exit(not outcome.wasSuccessful())
