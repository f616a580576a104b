#!/usr/bin/env python3
"""The command on a GPU: phases and the crossover, from flags to files. Arguments: carat. Exit
status 77: no GPU, nothing tested."""

import csv
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

CARAT = sys.argv[1]
PHASES = ["allocate_s", "copy_in_s", "convert_s", "compute_s", "copy_out_s", "free_s"]
SMALL = ["--cpu", "engine", "--gpu", "naive,tiled", "--size", "16,128,2048", "--trials", "5"]


class OnAGpu(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def carat(self, *arguments, code=0):
        done = subprocess.run([CARAT, *map(str, arguments)], capture_output=True, text=True,
                              cwd=self.folder, timeout=300, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def results(self, name="a.json"):
        return json.loads((self.folder / name).read_text())

    def check_phases(self, cell, converts):
        phases = cell["phases"]
        self.assertEqual(phases["reason"], "", cell["implementation"])
        present = [p for p in PHASES if p in phases]
        self.assertEqual(present, [p for p in PHASES if p != "convert_s" or converts])
        total = phases["total_s"]["median"]
        # Medians of parts need not sum to the median of the whole, but nearly do.
        parts = sum(phases[p]["median"] for p in present)
        self.assertLess(abs(parts - total), 0.3 * total, cell["implementation"])
        self.assertEqual(len(phases["total_trials_s"]), 5)
        for phase in present:  # of one process there is no interval
            self.assertIsNone(phases[phase]["ci95"])
        self.assertGreater(phases["copy_in_s"]["median"], phases["copy_out_s"]["median"] / 4)
        self.assertGreater(total, cell["median_s"])

    def test_tune_goes_from_case_to_case(self):
        self.carat("tune", "--size", "256,512", "--dtype", "f32", "--trials", 3, "--tuned", "t.json")
        self.assertIn("cases", self.results("t.json"))

    def test_an_e_other_than_c_and_scales_of_blocks_are_verified(self):
        for asked, types, layout in ((["--beta", -1, "--e", "other"], "bf16,f32,f64", "nn"),
                                     (["--beta", 1, "--e", "other", "--batch", 5], "f16", "nt"),
                                     (["--scale-by", "blocks"], "e4m3", "nt"),
                                     (["--scale-by", "blocks", "--out", "bf16"], "e4m3", "nt")):
            self.carat("bench", "--device", "cuda", "--impl",
                       "cuda.engine,vendor.cublas,vendor.cublaslt_best", "--dtype", types,
                       "--layout", layout, "--size", "64x144x272,512x384x1040", *asked, "--trials",
                       3, "--processes", 1, "--json", "a.json")
            for cell in self.results()["results"]:
                who = (cell["implementation"], asked, cell["reason"])
                if cell["implementation"] == "cuda.engine":
                    self.assertEqual(cell["exact_passes"], 5, who)
                elif cell["implementation"] == "vendor.cublas":
                    self.assertIn("it ", cell["reason"])

    def test_bench_shows_phases_everywhere(self):
        for memory in ("pageable", "pinned"):
            out = self.carat("bench", "--device", "cuda", "--impl", "naive,wmma_converted",
                             "--dtype", "f32", "--size", "512", "--trials", 5, "--phases",
                             "--host-memory", memory, "--json", "a.json", "--csv", "a.csv",
                             "--report", "a.html")
            results = self.results()
            self.assertEqual(results["settings"]["phases"], memory)
            for cell in results["results"]:
                self.assertEqual(cell["phases"]["host_memory"], memory)
                self.check_phases(cell, cell["implementation"].endswith("converted"))
            self.assertIn(f"end to end, {memory}", out.stdout)
            self.assertTrue(all(len(line) <= 80 for line in out.stdout.splitlines()), out.stdout)
            with (self.folder / "a.csv").open() as file:
                row = next(csv.DictReader(file))
            self.assertGreater(float(row["total_s"]), float(row["compute_s"]))
            self.assertIn("| end to end |", self.carat("report", "a.json", "--markdown").stdout)

    def test_run_prints_the_phases_and_what_is_paid_once(self):
        out = self.carat("run", "--device", "cuda", "--impl", "naive", "--dtype", "f32", "--m", 300,
                         "--n", 200, "--k", 77, "--phases", "--trials", 3).stdout.splitlines()
        phases = next(line for line in out if line.startswith("Phases"))
        self.assertRegex(phases, r"^Phases Allocate\(ms\)=\S+ CopyIn\(ms\)=\S+ "
                                 r"Compute\(ms\)=\S+ CopyOut\(ms\)=\S+ Free\(ms\)=\S+ "
                                 r"Total\(ms\)=\S+ HostMemory=pageable Trials=3$")
        once = next(line for line in out if line.startswith("Once"))
        self.assertRegex(once, r"^Once Prepare\(ms\)=\S+ FirstRun\(ms\)=\S+$")

    def test_crossover_is_found_refined_reported_and_resumed(self):
        out = self.carat("crossover", *SMALL, "--json", "a.json", "--report", "a.html")
        self.assertTrue(all(len(line) <= 80 for line in out.stdout.splitlines()), out.stdout)
        self.assertIn("best CPU", out.stdout)
        results = self.results()
        self.assertTrue(results["complete"])
        self.assertEqual([c["gpu"] for c in results["crossovers"]],
                         ["cuda.ladder.naive", "cuda.ladder.tiled"])
        for crossing in results["crossovers"]:
            self.assertEqual(crossing["host_memory"], "pageable")
            if crossing["outcome"] != "crosses":
                continue
            below, above = crossing["between"]
            self.assertTrue(below <= crossing["n"] <= above <= 1.2 * below, crossing)
        page = (self.folder / "a.html").read_text()
        self.assertIn("From which size a GPU pays", page)
        self.carat("crossover", *SMALL, "--json", "a.json", "--resume")
        again = self.results()
        self.assertEqual(again["results"], results["results"])
        self.assertEqual(again["crossovers"], results["crossovers"])

    def test_an_interrupted_crossover_is_valid_and_goes_on(self):
        arguments = ["crossover", "--cpu", "engine", "--gpu", "naive", "--size", "16:512:x2",
                     "--json", "a.json"]
        with subprocess.Popen([CARAT, *arguments, "--trials", "200"], cwd=self.folder,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 120
            while not (self.folder / "a.json").exists() and time.monotonic() < deadline:
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=120), 130)
        part = self.results()
        self.assertFalse(part["complete"])
        self.carat(*arguments, "--trials", "3", "--resume")
        whole = self.results()
        self.assertTrue(whole["complete"])
        self.assertGreaterEqual(len({c["n"] for c in whole["results"]}), 6)


if __name__ == "__main__":
    entries = json.loads(subprocess.run([CARAT, "list", "--json"], capture_output=True, check=True,
                                        text=True).stdout)
    naive = [e for e in entries if e["name"] == "cuda.ladder.naive"]
    if not naive or not naive[0]["available"]:
        reason = naive[0]["reason"] if naive else "this build has no CUDA"
        print(f"SKIPPED: phases and crossover were not tested: {reason}", file=sys.stderr)
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
