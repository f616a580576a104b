#!/usr/bin/env python3
"""The command as a user meets it: right calls, every kind of bad input, Ctrl-C. Arguments: carat."""

import copy
import csv
import fcntl
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

CARAT = sys.argv[1]
ROOT = pathlib.Path(__file__).resolve().parents[2]
QUICK = ["--impl", "naive,tiled", "--size", "16", "--trials", "5"]
BUSY = "busy machine: "


def measured(results):
    """The cells that ran; a ladder row of another type has none."""
    return [cell for cell in results["results"] if "trials_s" in cell]


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def enterContext(self, context):  # unittest has it from Python 3.11 on
        value = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        return value

    def carat(self, *arguments, code=0, environment=None):
        done = subprocess.run([CARAT, *map(str, arguments)], capture_output=True, text=True,
                              errors="surrogateescape",
                              cwd=self.folder, timeout=300, check=False,
                              env=os.environ | (environment or {}))
        # Other programs may make this machine's measured peak lower than a product's speed. carat
        # then says so and exits with 1, which is right, so no test may depend on it.
        if arguments and arguments[0] == "bench":
            self.require_a_verdict_or_why_not(done.stdout)
        doubted = "faster than the measured peak" in " ".join(done.stdout.split())
        self.assertEqual(done.returncode, 1 if doubted and code == 0 else code,
                         done.stdout + done.stderr)
        return done

    def require_a_verdict_or_why_not(self, out):
        """Other programs may keep this machine busy: a table then says so, and ranks only what that
        can't have changed."""
        tables = out.partition("\nOn ")[0]  # the answer is of all, and wary of one busy row
        for table in re.split(r"\n(?=\S+ (?:\d+ x |\d+ groups, )?\d+x\d+x\d+, )", tables):
            head = next((line for line in table.splitlines() if "GFLOP/s  " in line), None)
            if head is not None:
                self.assertIn("verdict group", head, table)
                unranked = re.search(r"^ - ", table, re.MULTILINE) is not None
                self.assertEqual(BUSY in table, unranked, table)
                self.assertTrue(unranked or re.search(r"^ 1 ", table, re.MULTILINE), table)

    def as_if_quiet(self, name):
        """The file as a quiet machine would have left it, as far as compare looks at it."""
        path = self.folder / name
        results = json.loads(path.read_text())
        for cell in measured(results):
            for disturbance in ("busy", "trials_displaced", "trials_waited_s", "trials_stolen_s"):
                cell.pop(disturbance, None)
            cell["rank"] = max(cell["rank"], 1)
        path.write_text(json.dumps(results))
        return results

    def with_processes(self, name, count=5):
        """The file as so many processes would have left it, each with the trials it has."""
        results = self.as_if_quiet(name)
        for cell in measured(results):
            trials = cell["trials_s"]
            cell["trials_s"] = [t * (1 + 1e-3 * g) for g in range(count) for t in trials]
            cell["trials_per_process"] = [len(trials)] * count
        (self.folder / name).write_text(json.dumps(results))
        return results

    def refused(self, *arguments, environment=None):
        """The one line that a bad call is answered with."""
        done = self.carat(*arguments, code=2, environment=environment)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertTrue(done.stderr.startswith("carat: "), done.stderr)
        return done.stderr


class RightCalls(Command):
    def test_bench_writes_json_csv_and_report(self):
        out = self.carat("bench", *QUICK, "--json", "a.json", "--csv", "a.csv", "--report", "a.html")
        results = json.loads((self.folder / "a.json").read_text())
        self.assertTrue(results["complete"])
        self.assertEqual([c["m"] for c in results["results"]], [16, 16])
        self.assertTrue(all(c["verified"] and len(c["trials_s"]) == 5 for c in results["results"]))
        busy = [c.get("busy", "") for c in results["results"]]
        self.assertEqual(len(results["comparisons"][0]["pairs"]), 0 if any(busy) else 1)
        self.assertFalse(any(c["rank"] for c in results["results"] if c.get("busy")))
        self.assertTrue(any(busy) or all(c["rank"] for c in results["results"]))
        self.assertEqual(any(busy), BUSY in out.stdout)
        with (self.folder / "a.csv").open() as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 10)
        self.assertIn("cpu.ladder.naive", (self.folder / "a.html").read_text())
        self.assertTrue(all(len(line) <= 80 for line in out.stdout.splitlines()), out.stdout)
        self.assertNotIn("\033", out.stdout + out.stderr)

    def test_ranges_rectangles_types_and_pairs(self):
        out = self.carat("bench", "--impl", "naive,reordered", "--size", "8:32:x2,5x6x7",
                         "--dtype", "f64,f32,i32", "--trials", "3", "--pairs", "--json", "a.json")
        results = json.loads((self.folder / "a.json").read_text())
        self.assertEqual(len(results["comparisons"]), 12)
        if any(c["pairs"] for c in results["comparisons"]):
            self.assertIn("H0", out.stdout)
        else:
            self.assertIn(BUSY, out.stdout)

    def test_batches_from_bench_to_report(self):
        call = ["bench", "--impl", "engine,engine[loop=1],naive", "--size", 16, "--batch",
                "8:pointers", "--trials", 3, "--processes", 1, "--json", "a.json"]
        out = self.carat(*call, "--report", "a.html").stdout
        self.assertIn("f64 8 x 16x16x16, ", out)
        self.assertIn("it has no batches", " ".join(out.split()))
        file = json.loads((self.folder / "a.json").read_text())
        engine = file["results"][0]
        self.assertEqual((engine["batch"], engine["batch_by"], engine["call"], engine["flop"]),
                         (8, "pointers", "batch 8 by pointers", 8 * 2 * 16**3))
        self.assertTrue(engine["verified"], engine["reason"])
        self.assertIn("batch 8 by pointers", (self.folder / "a.html").read_text())
        self.assertIn("16 × 16 × 16 (batch 8 by pointers)",
                      self.carat("report", "a.json", "--markdown").stdout)
        self.carat("bench", *call[1:5], *call[7:-2], "--json", "b.json")  # one product
        self.assertIn("no measured case in common", self.refused("compare", "a.json", "b.json"))
        self.assertIn("call", self.refused("bench", *call[1:5], "--batch", 9, *call[7:], "--resume"))
        self.carat("bench", "--impl", "engine", *call[3:5], "--batch", "8:listed", *call[7:-1], "l.json")
        engine = json.loads((self.folder / "l.json").read_text())["results"][0]
        self.assertEqual((engine["batch_by"], engine["call"], engine["exact_passes"]),
                         ("listed", "batch 8 in a list", 5), engine["reason"])
        self.assertRegex(self.carat("run", "--size", 16, "--batch", 4, "--trials", 3).stdout,
                         r"Impl=cpu.engine Batch=4 M=16 N=16 K=16 Time")

    def test_every_library_s_way_with_many_products_is_exact(self):
        for asked in (["--batch", "5:listed"], ["--batch", 5], ["--groups", "3,0,17,5"],
                      ["--groups", "1,1,9:device", "--beta", 1, "--alpha", 2], ["--prepared"],
                      ["--prepared", "--alpha", 0.5, "--beta", 2],
                      ["--epilogue", "bias+gelu", "--beta", 1], ["--epilogue", "silu"]):
            for layout in ("nn", "ntt+8"):
                self.carat("bench", "--impl", "engine,vendor.*", "--size", "20x33x24", "--dtype",
                           "f64,f32", "--layout", layout, *asked, "--trials", 3, "--processes", 1,
                           "--json", "a.json")
                cells = json.loads((self.folder / "a.json").read_text())["results"]
                self.assertTrue(cells[0]["available"], cells[0]["reason"])
                for c in cells:
                    if c["available"]:
                        self.assertEqual(c["exact_passes"], 5, (c["implementation"], c["reason"]))

    def test_groups_from_bench_to_report(self):
        call = ["bench", "--impl", "engine,engine[loop=1],naive", "--size", "16x20x24",
                "--groups", "3,0,17,5", "--trials", 3, "--processes", 1, "--json", "a.json"]
        out = self.carat(*call, "--layout", "ntt+8", "--report", "a.html").stdout
        self.assertIn("f64 4 groups, 25x20x24, ", out)
        self.assertIn("it has no groups of products", " ".join(out.split()))
        for c in json.loads((self.folder / "a.json").read_text())["results"][:2]:
            self.assertEqual((c["m"], c["groups"], c["call"], c["flop"], c["exact_passes"]),
                             (25, "3,0,17,5", "groups 3,0,17,5", 2 * 25 * 20 * 24, 5), c["reason"])
        self.assertIn("25 × 20 × 24 (groups 3,0,17,5)",
                      self.carat("report", "a.json", "--markdown").stdout)
        call[call.index("--groups") + 1] = "3,0,5,17"
        self.assertIn("call", self.refused(*call, "--layout", "ntt+8", "--resume"))
        self.carat("bench", "--impl", "engine", "--size", 24, "--dtype", "bf16", "--out", "bf16",
                   "--groups", "uneven:7:100/9", "--epilogue", "bias+gelu", "--beta", 1, "--trials",
                   3, "--processes", 1, "--json", "b.json")
        cell = json.loads((self.folder / "b.json").read_text())["results"][0]
        self.assertEqual((cell["m"], cell["exact_passes"]), (100, 5), cell["reason"])
        self.assertRegex(self.carat("run", "--size", 16, "--groups", "2,3", "--trials", 3).stdout,
                         r"Impl=cpu.engine Groups=2,3 M=5 N=16 K=16 Time")
        told = self.carat("explain", "--size", 64, "--groups", "8,56", "--device", "cpu",
                          "--budget", 0.05).stdout
        self.assertIn("f64 2 groups, 64x64x64, ", told)
        self.assertIn("128 KiB of operands of 2 products with a B each", " ".join(told.split()))

    def test_factors_and_narrow_results_from_bench_to_explain(self):
        self.carat("bench", "--impl", "engine,naive,tiled", "--size", "16,20x30x40", "--beta", 2,
                   "--alpha", -0.5, "--trials", 3, "--processes", 1, "--json", "a.json")
        for c in json.loads((self.folder / "a.json").read_text())["results"]:
            self.assertEqual((c["alpha"], c["beta"], c["call"]), (-0.5, 2, "alpha -0.5, beta 2"))
            self.assertEqual(c["exact_passes"], 5, c["reason"])
        self.carat("bench", "--impl", "engine,naive", "--size", 24, "--dtype", "bf16,f16", "--out",
                   "bf16", "--trials", 3, "--processes", 1, "--json", "b.json")
        cells = json.loads((self.folder / "b.json").read_text())["results"]
        self.assertEqual([c["available"] for c in cells], [True, False, False, False])
        self.assertEqual((cells[0]["out"], cells[0]["computes_in"]), ("bf16", "f32, rounded once"))
        self.assertIn("it has no f16 -> bf16 version", cells[2]["reason"])
        for epilogue in ("bias", "relu", "bias+gelu", "silu"):
            for types in ("f64,f32", "bf16"):
                self.carat("bench", "--impl", "engine,naive", "--size", "24,70x50x90", "--dtype",
                           types, "--epilogue", epilogue, "--beta", 1, "--batch", 3, "--trials", 3,
                           "--processes", 1, "--json", "c.json")
                cells = json.loads((self.folder / "c.json").read_text())["results"]
                for c in cells[::2]:
                    self.assertEqual((c["epilogue"], c["exact_passes"], c["verification"]),
                                     (epilogue, 5, "exact"), c["reason"])
                self.assertIn("it has no", cells[1]["reason"])
        for asked in ([], ["--batch", 3], ["--groups", "3,0,17"], ["--epilogue", "bias+relu"]):
            self.carat("bench", "--impl", "engine,naive", "--size", "24,70x50x90", "--dtype",
                       "f64,bf16", "--beta", 1, "--e", "other", *asked, "--trials", 3,
                       "--processes", 1, "--json", "e.json")
            for c in json.loads((self.folder / "e.json").read_text())["results"]:
                if "naive" in c["implementation"]:
                    self.assertFalse(c["available"])
                else:
                    self.assertEqual((c["other_e"], c["exact_passes"]), (True, 5), c["reason"])
                    self.assertIn("E other than C", c["call"])
        told = self.carat("explain", "--size", 64, "--batch", 8, "--beta", 1, "--device", "cpu",
                          "--budget", 0.05).stdout
        self.assertIn("f64 8 x 64x64x64, ", told)
        self.assertIn("1 MiB of operands of 8 products, 128 KiB of each; 256 KiB of them are C, "
                      "read for beta", " ".join(told.split()))

    def test_run_prints_the_line_of_document_003(self):
        out = self.carat("run", "--m", 32, "--n", 16, "--k", 8, "--impl", "tiled",
                         "--tile-size", 8, "--verify", "--trials", 3).stdout
        self.assertRegex(out, r"Impl=\S*tiled\S* M=32 N=16 K=8 Time\(ms\)=\S+ GFLOP/s=\S+")
        self.assertRegex(out, r"Verified=componentwise MaxAbsError=\S+e[-+]\d+ MaxError\(ulp\)=\S+")

    def answer(self, out):
        """The paragraph that a command's output ends with."""
        lines = out.splitlines()
        first = max(i for i, line in enumerate(lines) if line.startswith("On "))
        return " ".join(lines[first:])

    def headline_of(self, name):
        """What the report of a file begins with, without its markup."""
        text = self.carat("report", name, "--markdown").stdout.split("\n\n")[1]
        return text.replace("`", "").replace("\\", "")

    def test_bench_and_run_end_with_the_headline_of_the_report(self):
        out = self.carat("bench", *QUICK, "--json", "a.json", "--csv", "a.csv").stdout
        self.assertEqual(self.answer(out), self.headline_of("a.json"))
        self.assertLess(out.index("wrote a.csv"), out.index("\nOn "))
        run = self.carat("run", "--impl", "naive", "--size", 16, "--trials", 4).stdout
        self.assertRegex(self.answer(run), r"f64 16 × 16 × 16 with \d+ threads?: "
                                           r"(cpu.ladder.naive is the only one|busy machine)")
        quiet = self.carat("run", "--impl", "naive", "--size", "4x5x6", "--trials", 4,
                           "--quiet").stdout
        self.assertTrue(quiet.startswith("On "), quiet)
        self.assertIn("4 × 5 × 6", self.answer(quiet))
        quiet = self.carat("bench", *QUICK, "--quiet", "--json", "b.json").stdout
        self.assertTrue(quiet.startswith("On "), quiet)
        self.assertEqual(self.answer(quiet), self.headline_of("b.json"))

    def test_results_go_to_standard_output_and_tables_then_do_not(self):
        done = self.carat("bench", *QUICK, "--dtype", "double", "--json", "-")
        results = json.loads(done.stdout)
        self.assertTrue(results["complete"])
        self.assertEqual({r["dtype"] for r in results["results"]}, {"f64"})
        self.assertIn("cpu.ladder.naive", done.stderr)
        self.assertIn("\nOn ", done.stderr)
        self.assertEqual(os.listdir(self.folder), [])
        self.assertIn("--resume needs --json FILE",
                      self.refused("bench", *QUICK, "--json", "-", "--resume"))

    def test_some_are_left_out(self):
        self.carat("bench", "--impl", "cpu.ladder.*", "--exclude", "tiled,*.reord?red,cpu.ladder.naive",
                   "--size", 8, "--trials", 2, "--json", "a.json")
        names = [r["implementation"] for r in json.loads((self.folder / "a.json").read_text())["results"]]
        self.assertEqual(names, [e["name"] for e in ENTRIES if e["name"].startswith("cpu.ladder.")
                                 and not re.search("tiled|[.]reordered$|[.]naive$", e["name"])])
        for pattern, words in (("nothing", "'nothing' names none of what --impl chooses"),
                               ("", "'' names nothing"),
                               ("cpu.ladder", "leaves nothing of what --impl chooses")):
            self.assertIn(words, self.refused("bench", *QUICK, "--exclude", pattern))

    def test_what_can_not_run_is_a_line_or_two(self):
        lacking = [e for e in ENTRIES if e["reason"] and e["device"] == "cpu"
                   and not e["name"].startswith("cpu.engine.")
                   and "f64" in [s["a"] for s in e["signatures"]]]
        if not lacking:
            self.skipTest("everything runs here")
        quick = ["--trials", 2, "--processes", 1]
        out = self.carat("bench", "--device", "cpu", "--exclude", "cpu.ladder", "--size", "8,16",
                         *quick).stdout
        lines = [i for i, line in enumerate(out.splitlines()) if " not run: " in line]
        self.assertEqual(len(lines), 1, out)  # once for both cases
        told = " ".join(" ".join(out.splitlines()[lines[0]:lines[0] + 2]).split())
        self.assertGreaterEqual(int(told.split()[0]), len(lacking))
        self.assertIn(f"not installed ({len(lacking)})", told)
        self.assertIn("carat list", told)
        self.assertNotIn(lacking[0]["name"] + ":", out)
        asked = self.carat("bench", "--impl", f"naive,{lacking[0]['name']}", "--size", 8,
                           *quick).stdout
        self.assertIn(f"{lacking[0]['name']}: {lacking[0]['reason'][:20]}", " ".join(asked.split()))

    def test_list_and_info(self):
        entries = json.loads(self.carat("list", "--json").stdout)
        self.assertIn("cpu.ladder.naive", [e["name"] for e in entries])
        self.assertIn("cpu_model", json.loads(self.carat("info", "--json").stdout))
        self.assertTrue(self.carat("info").stdout)

    def listed(self, *pattern):
        """The names that carat list gives more of."""
        text = self.carat("list", *pattern).stdout
        return [line.split()[0] for line in text.splitlines() if line[:1].strip()]

    def test_list_has_one_line_a_family(self):
        head, *lines = self.carat("list").stdout.split("\n\n")[0].splitlines()
        self.assertEqual(head.split(), ["family", "of", "types", "here"])
        families = {re.sub("_.*", "", ".".join(e["name"].split(".")[:2])) for e in ENTRIES}
        self.assertEqual(sorted(line.split()[0] for line in lines), sorted(families))
        self.assertEqual(sum(int(line.split()[1]) for line in lines), len(ENTRIES))
        for line in lines:
            members = [e for e in ENTRIES if re.match(re.escape(line.split()[0]) + r"([._]|$)",
                                                      e["name"])]
            types, here = re.split(r"  +", line, maxsplit=2)[2].split("  ", 1)
            self.assertEqual(set(types.split()),
                             {s["a"] for e in members for s in e["signatures"]}, line)
            count = sum(e["available"] for e in members)
            expected = "yes" if count == len(members) else str(count) if count else "no"
            self.assertEqual(here.strip().split(":")[0], expected, line)

    def test_list_gives_more_of_what_a_pattern_names(self):
        names = [e["name"] for e in ENTRIES]
        ladder = [n for n in names if n.startswith("cpu.ladder.")]
        self.assertEqual(self.listed("cpu.ladder"), ladder)
        self.assertEqual(self.listed("cpu.ladder.tiled"),
                         [n for n in ladder if "tiled" in n.split(".")[-1].split("_")[0]])
        self.assertEqual(self.listed("cpu.*.naive"), ["cpu.ladder.naive"])
        self.assertEqual(self.listed("avx2"), [n for n in names if "avx2" in n])
        found = json.loads(self.carat("list", "cpu.ladder", "--json").stdout)
        self.assertEqual(found, [e for e in ENTRIES if e["name"] in ladder])
        self.assertIn("nearest is cpu.ladder.naive", self.refused("list", "naiv_"))
        self.assertIn("--json takes no value", self.refused("list", "--json=3"))
        self.assertIn("--version takes no value", self.refused("--version=-1"))
        self.assertIn("'*none' is unknown", self.refused("list", "*none"))

    def test_the_library_that_would_run_is_named_and_an_old_one_is_marked(self):
        """Releases that lab/report/age.cpp lists; what it does not is younger than two years."""
        here = {e["name"]: e["library"] for e in ENTRIES if "library" in e}
        if not here:
            self.skipTest("NOT TESTED: no vendor's library here; ./dev peers brings some")
        for name, library in here.items():
            out = " ".join(self.carat("list", name).stdout.split())
            self.assertIn(f"here: {library['name']} {library['version']}", out)
        old = [n for n, l in here.items() if l["name"] == "reference BLAS" or
               l["name"] == "OpenBLAS" and l["version"].startswith("0.3.2")]
        for name in old:
            version = here[name]["version"].partition(",")[0]
            self.assertRegex(self.carat("list", name).stdout, r"here: .* \(of 202\d\)")
            out = self.carat("bench", "--impl", name, "--size", "16", "--trials", "2").stdout
            self.assertRegex(out, r" [\w.]+ \(of 202\d\) ")
            self.assertIn(f"{here[name]['name']} {version} was out by", " ".join(out.split()))

    def test_a_base_is_one_of_the_rows_and_stands_in_every_pair(self):
        out = self.carat("bench", "--impl", "naive,reordered,tiled", "--size", "16", "--trials", "6",
                         "--base", "reordered", "--json", "a.json").stdout
        (compared,) = json.loads((self.folder / "a.json").read_text())["comparisons"]
        if BUSY not in out:
            self.assertEqual(compared["base"], "cpu.ladder.reordered")
            self.assertEqual([p["b"] for p in compared["pairs"]], ["cpu.ladder.reordered"] * 2)
            self.assertIn("time / base", out)
        self.assertIn("--base 'packing' is none of those that --impl chooses",
                      self.refused("bench", *QUICK, "--base", "packing"))

    def test_a_range_is_not_called_an_interval(self):
        out = self.carat("run", "--impl", "naive", "--m", 16, "--n", 16, "--k", 16,
                         "--trials", 4).stdout
        processes = int(re.search(r"Processes=(\d+)", out)[1])
        self.assertIn("CI95=[" if processes > 2 else "Range=[", out)

    def test_compare_says_tie_with_itself_and_regression_with_a_slower_file(self):
        self.carat("bench", *QUICK, "--json", "a.json")
        results = self.as_if_quiet("a.json")
        for cell in results["results"]:
            cell.pop("trials_per_process", None)
        (self.folder / "a.json").write_text(json.dumps(results))
        alone = " ".join(self.carat("compare", "a.json", "a.json", code=1).stdout.split())
        self.assertIn("2 of too few processes", alone)
        self.assertIn("fail: no case has a verdict: no interval from fewer than 3 processes", alone)
        results = self.with_processes("a.json")
        self.assertIn("pass", self.carat("compare", "a.json", "a.json").stdout)
        for cell in results["results"]:
            cell["trials_s"] = [10 * t for t in cell["trials_s"]]
        (self.folder / "slow.json").write_text(json.dumps(results))
        out = self.carat("compare", "a.json", "slow.json", code=1).stdout
        self.assertIn("2 slower", out)
        self.carat("compare", "a.json", "slow.json", "--report", "c.html", code=1)
        page = (self.folder / "c.html").read_text()
        told = json.loads(re.search(r'id="results">(.*?)</script', page, re.DOTALL)[1])
        self.assertEqual([c["verdict"] for c in told["regression"]["changes"]], ["slower"] * 2)
        self.assertEqual(told["regression"]["before"]["file"], "a.json")
        self.assertEqual(told["regression"]["failures"], ["2 cases slower"])
        self.carat("compare", "a.json", "slow.json", "--json", "c.json", "--markdown", "c.md", code=1)
        self.assertEqual(json.loads((self.folder / "c.json").read_text()), told["regression"])
        markdown = (self.folder / "c.md").read_text()
        self.assertTrue(markdown.startswith("**fail: 2 cases slower**"), markdown)
        self.assertIn("| slower |", markdown)
        printed = self.carat("compare", "a.json", "slow.json", "--markdown", "-", code=1).stdout
        self.assertEqual(printed, markdown)
        self.assertIn("give one of them a file", self.refused(
            "compare", "a.json", "slow.json", "--markdown", "-", "--json", "-"))
        for change in told["regression"]["changes"]:
            self.assertEqual(change["layout"], "nn")
            self.assertLess(change["ci95_ratio"][0], change["ratio"])
            self.assertAlmostEqual(change["ratio"], 0.1, places=6)
        self.assertIn("can't be written",
                      self.refused("compare", "a.json", "a.json", "--report", "no/c.html"))
        self.assertIn("2 faster", self.carat("compare", "slow.json", "a.json").stdout)
        results["settings"] |= {"inputs": "rotated", "distribution": ["of", "no", "type"]}
        (self.folder / "slow.json").write_text(json.dumps(results))
        out = self.carat("compare", "slow.json", "a.json").stdout
        self.assertIn("note: inputs were rotated in one and hot in the other", out)
        self.assertIn("note: the data were drawn differently", out)

    def test_compare_gives_no_verdict_on_figures_of_a_busy_machine(self):
        self.carat("bench", *QUICK, "--json", "a.json")
        results = self.with_processes("a.json")
        results["results"][0] |= {"busy": "other work took 40 %", "rank": 0}
        (self.folder / "busy.json").write_text(json.dumps(results))
        for files in (["a.json", "busy.json"], ["busy.json", "a.json"]):
            out = " ".join(self.carat("compare", *files, "--report", "c.html").stdout.split())
            self.assertIn(f"naive f64 16x16x16: {BUSY}no verdict; other work took 40 %", out)
            self.assertRegex(out, "2 cases compared: 0 faster, 0 slower, 1 (a tie|unclear), "
                                  "1 on a busy machine")
        page = (self.folder / "c.html").read_text()
        told = json.loads(re.search(r'id="results">(.*?)</script', page, re.DOTALL)[1])
        verdicts = [c["verdict"] for c in told["regression"]["changes"]]
        self.assertEqual(verdicts[0], "busy")
        self.assertIn(verdicts[1], ["tie", "unclear"])  # as its few trials spread
        results["results"][1] |= {"busy": "other work took 40 %", "rank": 0}
        (self.folder / "busy.json").write_text(json.dumps(results))
        out = " ".join(self.carat("compare", "a.json", "busy.json", code=1).stdout.split())
        self.assertIn("fail: no case has a verdict, the machine was busy: other work took 40 %", out)

    def test_compare_fails_on_missing_cases_and_unfinished_files(self):
        self.carat("bench", *QUICK, "--json", "a.json")
        results = self.with_processes("a.json")
        self.assertNotIn("not compared", self.carat("compare", "a.json", "a.json").stdout)
        results["results"].pop()
        (self.folder / "b.json").write_text(json.dumps(results))
        self.assertIn("fail: 1 case missing in the later file",
                      self.carat("compare", "a.json", "b.json", code=1).stdout)
        self.assertIn("not compared: 1 case only in a.json",
                      self.carat("compare", "b.json", "a.json").stdout)
        results["complete"] = False
        (self.folder / "b.json").write_text(json.dumps(results))
        self.assertIn("fail: the earlier file is unfinished",
                      self.carat("compare", "b.json", "a.json", code=1).stdout)

    def test_resume_measures_only_what_is_missing(self):
        self.carat("bench", *QUICK, "--json", "a.json")
        before = json.loads((self.folder / "a.json").read_text())["results"]
        self.carat("bench", *QUICK[:2], "--size", "16,24", *QUICK[4:], "--json", "a.json",
                   "--resume")
        after = json.loads((self.folder / "a.json").read_text())["results"]
        self.assertEqual(after[:2], before)
        self.assertEqual([c["m"] for c in after], [16, 16, 24, 24])

    def test_study_resumes_only_what_was_measured_alike(self):
        call = ["study", "tile-size", "--quick", "--limit", "0.001"]
        self.carat(*call)
        path = self.folder / "carat-study" / "tile-size.json"
        before = path.read_text()
        self.assertIn("seed 1, now it is 2", self.refused(*call, "--seed", 2, "--resume"))
        self.assertEqual(path.read_text(), before)
        self.carat(*call, "--resume")
        after = json.loads(path.read_text())
        self.assertEqual(after["results"], json.loads(before)["results"])
        path.write_text(re.sub(r'"revision": "[^"]*"', '"revision": "0"', before))
        self.assertIn('tile-size.json has revision "0"', self.refused(*call, "--resume"))

    def test_study_checks_every_file_before_it_measures(self):
        folder = self.folder / "carat-study"
        call = ["study", "ladder,tile-size", "--quick", "--limit", "0.001", "--resume"]
        self.carat("study", "tile-size", *call[2:-1])
        path = folder / "tile-size.json"
        before = path.read_text()
        there = sorted(folder.iterdir())
        self.assertIn("tile-size.json has seed 1, now it is 2", self.refused(*call, "--seed", 2))
        path.write_text("{")
        self.assertIn("tile-size.json: is not JSON", self.refused(*call))
        path.write_text(re.sub(r'"revision": "[^"]*"', '"revision": "0"', before))
        self.assertIn('tile-size.json has revision "0"', self.refused(*call))
        self.assertEqual(sorted(folder.iterdir()), there)

    def test_results_are_saved_before_they_are_told(self):
        ours, theirs = os.pipe()
        os.close(ours)  # the reader of a pipeline has gone
        done = subprocess.run([CARAT, "bench", *QUICK, "--json", "a.json"], stdout=theirs,
                              stderr=subprocess.DEVNULL, cwd=self.folder, timeout=300, check=False)
        os.close(theirs)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(len(json.loads((self.folder / "a.json").read_text())["results"]), 2)

    def test_names_in_any_encoding(self):
        name = os.fsencode(self.folder) + b"/\xff.json"
        self.carat("bench", *QUICK, "--json", os.fsdecode(name))
        self.assertEqual(len(json.loads(pathlib.Path(os.fsdecode(name)).read_text(encoding="utf-8"))["results"]), 2)

    def test_interrupt_before_the_first_case_writes_nothing_and_says_so(self):
        (self.folder / "a.json").write_text("kept")
        with subprocess.Popen([CARAT, "bench", *QUICK, "--json", "a.json", "--report", "a.html"],
                              cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True, env=os.environ | {"XDG_CACHE_HOME": str(self.folder)},
                              ) as process:
            caught = "0"  # until Ctrl-C is, the machine is about to be measured: that takes seconds
            while process.poll() is None and not int(caught, 16) >> signal.SIGINT - 1 & 1:
                status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
                caught = re.search(r"SigCgt:\s*(\w+)", status)[1]
            process.send_signal(signal.SIGINT)
            told = process.communicate(timeout=120)[0]
        self.assertEqual(process.returncode, 130)
        self.assertEqual(told, "nothing was measured, so no file is written\n")
        self.assertEqual((self.folder / "a.json").read_text(), "kept")
        self.assertFalse((self.folder / "a.html").exists())

    def test_an_output_that_is_full_is_a_failure(self):
        for call in (["run", "--impl", "naive", "--m", "8", "--n", "8", "--k", "8", "--trials", "3"],
                     ["list"], ["--help"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([CARAT, *call], stdout=full, stderr=subprocess.PIPE, text=True,
                                      timeout=300, check=False)
            self.assertNotEqual(done.returncode, 0, call)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_interrupt_leaves_valid_files_and_resume_finishes(self):
        for number in signal.SIGINT, signal.SIGTERM:
            with self.subTest(number.name):
                self.interrupt_and_resume(number)
                (self.folder / "a.json").unlink()

    def interrupt_and_resume(self, number):
        arguments = ["bench", "--impl", "naive,tiled", "--size", "8:40:8", "--trials", "100",
                     "--json", "a.json", "--csv", "a.csv"]
        with subprocess.Popen([CARAT, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 120
            while not (self.folder / "a.json").exists() and time.monotonic() < deadline:
                time.sleep(0.02)
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=120), 130)
        results = json.loads((self.folder / "a.json").read_text())
        self.assertFalse(results["complete"])
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.csv", "a.json"])
        self.carat("bench", *arguments[1:5], "--trials", "3", *arguments[7:], "--resume")
        self.assertTrue(json.loads((self.folder / "a.json").read_text())["complete"])

    def test_a_killed_run_leaves_every_case_that_had_ended(self):
        arguments = ["bench", "--impl", "naive", "--size", "1:400:1", "--trials", "3",
                     "--processes", "0", "--json", "a.json"]
        journal = self.folder / ".a.json.journal"
        def lines():
            whole, _, _ = (journal.read_text() if journal.exists() else "").rpartition("\n")
            return [json.loads(line) for line in whole.splitlines()[1:]]
        with subprocess.Popen([CARAT, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 120
            while len(lines()) < 2 and time.monotonic() < deadline:
                time.sleep(0.002)
            process.kill()
        written = json.loads((self.folder / "a.json").read_text())
        self.assertFalse(written["complete"])
        cases = len({row["n"] for part in [written, *lines()] for row in part["results"]})
        rows = self.carat("report", "a.json", "--csv").stdout.splitlines()[1:]
        self.assertEqual(len(rows), 3 * cases)
        arguments[4] = f"1:{cases}:1"  # all of them are there
        self.carat(*arguments, "--resume")
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.json"])
        results = json.loads((self.folder / "a.json").read_text())
        self.assertTrue(results["complete"])
        self.assertEqual(len(results["results"]), cases)

    def test_report_as_html_markdown_and_csv(self):
        self.carat("bench", *QUICK, "--json", "a.json")
        self.carat("report", "a.json", "-o", "b.html")
        self.assertIn("<html", (self.folder / "b.html").read_text())
        self.assertIn("cpu.ladder.tiled", self.carat("report", "a.json", "--markdown").stdout)
        self.assertIn("time_s", self.carat("report", "a.json", "--csv").stdout)
        told = self.carat("report", "a.json", "--csv", "-o", "/dev/stdout").stdout
        self.assertTrue(told.startswith("implementation,"), told)
        self.assertTrue(told.endswith("wrote /dev/stdout\n"), told)

    def test_explain_says_why_in_80_columns_and_in_json(self):
        product = ["explain", "--m", 96, "--n", 64, "--k", 32, "--device", "cpu", "--budget", "0.05"]
        text = self.carat(*product, "--threads", 1).stdout
        self.assertTrue(all(len(line) <= 80 for line in text.splitlines()), text)
        for words in ("CPU: cpu.engine", "roofline", "(a bound)", "verified", "To go faster",
                      "plain loops", "tiled ikj 32"):
            self.assertIn(words, text)
        told = json.loads(self.carat(*product, "--dtype", "f32", "--json").stdout)
        self.assertEqual([told["m"], told["n"], told["k"], told["dtype"]], [96, 64, 32, "f32"])
        self.assertEqual(told["flop"], 2 * 96 * 64 * 32)
        cpu, = told["devices"]
        self.assertTrue(cpu["measured"]["verified"])
        self.assertGreater(cpu["measured"]["median_s"], 0)
        self.assertGreaterEqual(cpu["expected_s"], 0.999e-9 * told["flop"] / cpu["peak_gflops"])
        self.assertEqual([loop["order"] for loop in told["loops"]],
                         ["ijk", "ikj", "tiled ikj", "tiled ikj"])

    def test_plan_says_who_multiplies_what_and_what_moves(self):
        text = self.carat("plan", "--ranks", 7, "--size", "4096").stdout
        self.assertTrue(all(len(line) <= 80 for line in text.splitlines()), text)
        for words in ("4096 x 4096 x 4096 on 7 ranks", "bound", "efficiency", "Steps of rank 0"):
            self.assertIn(words, text)
        machine = self.folder / "machine.json"
        machine.write_text('{"bytes_per_s": 1e9, "flops": 1e12, "latency_s": 0, "element_bytes": 8}')
        told = json.loads(self.carat("plan", "--ranks", 4, "--size", "1000", "--machine", machine,
                                     "--json").stdout)
        self.assertEqual([told["words"], told["words_of_all"]], [500000, 2000000])
        self.assertAlmostEqual(told["multiply_s"], 2e9 / 4 / 1e12)
        self.assertAlmostEqual(told["move_inputs_s"], 8 * 500000 / 1e9)
        chart = self.carat("plan", "--ranks", 4096, "--size", 32768, "--chart", "--svg", "chart.svg").stdout
        self.assertEqual([line.split()[0] for line in chart.splitlines()[2:]], [str(2**i) for i in range(13)])
        self.assertIn("100.0 %", chart.splitlines()[2])
        self.assertEqual((self.folder / "chart.svg").read_text().count("<circle"), 13)
        little = self.carat("plan", "--ranks", 8, "--size", 4096, "--chart", "--memory", 4e7).stdout
        self.assertIn("too little memory", little.splitlines()[2])
        judged = json.loads(self.carat("plan", "--random", 200, "--json").stdout)
        self.assertGreaterEqual(judged["within_a_tenth"], 190)
        self.assertIn("use more ranks", self.refused("plan", "--memory", "1000"))
        self.assertIn("--ranks", self.refused("plan", "--ranks", "0"))
        machine.write_text('{"flops": -1}')
        self.assertIn("must be above 0", self.refused("plan", "--machine", machine))

    def test_help_has_examples(self):
        for sub in ("", "info", "list", "run", "bench", "explain", "plan", "crossover", "tune", "study",
                    "judge", "compare", "report"):
            text = self.carat(*filter(None, [sub]), "--help").stdout
            examples = text[text.index("Example"):]
            self.assertIn(f"  carat {sub}".rstrip(), examples)
            if sub:  # its own, and no other's
                self.assertTrue(all(line.startswith(f"  carat {sub}")
                                    for line in examples.splitlines()[1:] if line), examples)
            if sub == "bench":
                self.assertLessEqual(max(map(len, examples.splitlines())), 60, examples)

    def test_help_and_list_stay_within_80_columns(self):
        for call in (["--help"], ["list"], ["list", "*"], *([sub, "--help"] for sub in (
                "info", "list", "run", "bench", "explain", "crossover", "tune", "study", "judge",
                "compare", "report"))):
            text = self.carat(*call).stdout
            for line in text.splitlines():
                self.assertLessEqual(len(line), 80, f"{call}: {line}")
        listed = " ".join(self.carat("list", "*").stdout.split())
        for entry in ENTRIES:  # nothing is cut off
            for words in (entry["summary"], *(t["meaning"] for t in entry["tunables"])):
                self.assertIn(" ".join(words.split()), listed)

    def test_integers_are_multiplied_on_more_than_0_and_1(self):
        for types, values in (("f64", "uniform(0,1)"), ("i8", "integers(0,100)"),
                              ("f64,i32", "integers(0,100)")):
            self.carat("bench", "--impl", "engine", "--size", 16, "--trials", 5, "--dtype", types,
                       "--json", "a.json")
            settings = json.loads((self.folder / "a.json").read_text())["settings"]
            self.assertEqual(settings["distribution"], values)

    def test_on_a_busy_machine_no_verdict_is_given(self):
        """Two busy loops a processor: whatever else runs here, this is busy."""
        spin = [sys.executable, "-c", "while True: pass"]
        others = [subprocess.Popen(spin) for _ in range(2 * os.cpu_count())]
        try:
            out = self.carat("bench", "--impl", "naive,reordered", "--size", 64, "--threads", 1,
                             "--trials", 30, "--pairs", "--json", "a.json").stdout
            run = self.carat("run", "--impl", "naive", "--m", 64, "--n", 64, "--k", 64, "--trials",
                             50).stdout
            why = self.carat("explain", "--m", 500, "--n", 500, "--k", 500, "--device", "cpu",
                             "--budget", 0.5).stdout
        finally:
            for other in others:
                other.kill()
                other.wait()
        results = json.loads((self.folder / "a.json").read_text())
        if results["results"][0].get("background_cpu_share") is None:
            self.skipTest("the system does not tell what its processors do")
        for cell in results["results"]:
            self.assertGreater(cell["background_cpu_share"], 0.1)
            self.assertRegex(cell["busy"], r"took \d+ % of the processors' time: ")
            self.assertEqual((cell["rank"], cell["group"]), (0, ""))
            self.assertGreater(cell["median_gflops"], 0)
        self.assertEqual(results["comparisons"][0]["pairs"], [])
        self.assertIn("left out; " + results["results"][0]["busy"], " ".join(out.split()))
        self.assertTrue(all(len(line) <= 80 for line in (out + why).splitlines()), out + why)
        self.assertRegex(" ".join(run.split()), r"Impl=.*GFLOP/s=.* Busy machine: .* took \d+ % of the processors' time")
        self.assertIn(BUSY, " ".join(why.split()))
        self.assertNotRegex(why, "of the bound|above the bound")
        told = self.carat("report", "a.json", "--markdown").stdout
        self.assertIn(f"left out; {results['results'][0]['busy']}.", told)
        self.assertIn("highest median", told)
        self.assertNotIn("fastest", told)

    def test_nothing_is_wider_than_a_narrow_terminal(self):
        self.carat("bench", *QUICK, "--json", "a.json")
        self.with_processes("a.json")
        for call in (["list"], ["info"], ["plan", "--ranks", "12", "--size", "4096"],
                     ["explain", "--size", "64", "--threads", "1"], ["compare", "a.json", "a.json"]):
            for line in self.carat(*call, environment={"COLUMNS": "60"}).stdout.splitlines():
                self.assertLessEqual(len(line), 60, f"{call}: {line}")
        whole = self.carat("list").stdout  # folded, not cut off
        narrow = self.carat("list", environment={"COLUMNS": "60"}).stdout
        self.assertEqual(narrow.split(), whole.split())

    def test_rankings_pairs_and_changes_stay_within_80_columns(self):
        tiles = ",".join(f"tiled_reordered[tile-size={t}]" for t in (8, 16))
        out = self.carat("bench", "--impl", f"cpu.ladder.*,{tiles}", "--size", "16", "--trials", "2",
                         "--pairs", "--json", "a.json").stdout
        self.with_processes("a.json")
        compared = self.carat("compare", "a.json", "a.json").stdout
        for line in (out + compared).splitlines():
            self.assertLessEqual(len(line), 80, line)
        for size in 8, 16:  # what tells two names apart is not cut off
            self.assertIn(f"tile-size={size}]", compared)
        results = json.loads((self.folder / "a.json").read_text())
        for by in (1e2, 1e4, 1e7):  # whatever the ratio is
            slow = copy.deepcopy(results)
            for cell in measured(slow):
                cell["trials_s"] = [by * t * (1 + 5 * (i % 2)) for i, t in enumerate(cell["trials_s"])]
            (self.folder / "slow.json").write_text(json.dumps(slow))
            for line in self.carat("compare", "slow.json", "a.json").stdout.splitlines():
                self.assertLessEqual(len(line), 80, line)


# Calls that are refused whatever the machine and the folder, and what the one line says.
REFUSED = [
    ("explain --m 8,16", "one size"),
    ("explain --size 8,16", "--size '8,16' is more than one size"),
    ("explain --size 8 --m 8", "excludes"),
    ("explain --dtype f32,f64", "one --dtype"),
    ("explain --dtype f16x", "f16x"),
    ("explain --k 0", "1 or more"),
    ("explain --m 4000000000 --n 4000000000 --k 4000000000", "does not fit"),
    ("explain --threads 999", "999"),
    ("explain --budget 0", "--budget"),
    ("run --size 8,16", "--size '8,16' is more than one size"),
    ("run --size 8 --m 8", "excludes"),
    ("run --m 0", "1 or more"),
    ("run --size 8 --prepared --batch 2", "one product"),
    ("run --size 8 --groups 1 --batch 2", "give one"),
    ("run --distribution ''", "--distribution"),
    ("run --impl naive --phases", "runs on a GPU"),
    ("run --impl tiled --tile-size 0", "--tile-size: '0' is no whole number from 1"),
    ("run --m 64 --n 64 --k 64 --impl tiled --tile-size 128", "at most 64"),
    ("run --zzzzzz=1", "'--zzzzzz' is no option (carat run --help)"),
    ("bench --sizes 64", "'--sizes' is no option: the nearest is --size (carat bench --help)"),
    ("bench --no-such-flag", ""),
    ("bench --impl naiv", "cpu.ladder.naive"),
    ("bench --impl NAIVE", "nearest is cpu.ladder.naive"),
    ("bench --impl CPU.Ladder.Naive", "nearest is cpu.ladder.naive"),
    ("bench --impl naive --phases", "runs on a GPU"),
    ("bench --host-memory locked", "pinned"),
    ("bench --device gpu", "use cpu, cuda or all"),
    ("bench --device cuda:one", "cuda:0"),
    ("bench --device cuda:-1", "cuda:0"),
    ("bench --dtype f65", "f65"),
    ("bench --threads 100000", "make sense"),
    ("bench --distribution unifrom(0,1)", "uniform"),
    ("bench --trials 1", ""),
    ("bench --resume", "--json"),
    ("bench --size 0", "1 or more"),
    ("bench --size -3", "1 or more"),
    ("bench --size 1e3", "whole number"),
    ("bench --size 99999999999999999999", "64 bits"),
    ("bench --size 4000000000", "does not fit"),
    ("bench --size 1x2", "MxNxK"),
    ("bench --impl naive --size 1000000", "MiB are free"),
    ("bench --impl naive --size 1000 --batch 1000000", "MiB are free"),
    ("bench --size 8 --batch 0", "1 or more"),
    ("bench --size 8 --batch x", "whole number"),
    ("bench --size 8 --batch 4:list", ":listed"),
    ("bench --size 8 --batch 9999999", "at most 1000000"),
    ("bench --size 8 --groups 3,x", "uneven:SEED:ROWS/PRODUCTS"),
    ("bench --size 8 --groups 0,0", "no product has a row"),
    ("bench --size 8 --groups uneven:1:9/0", "products make a group"),
    ("bench --size 8 --beta 0.3", "multiples of 0.25"),
    ("bench --size 8 --beta 5", "--beta"),
    ("bench --size 8 --dtype i32 --beta 0.5", "whole numbers"),
    ("bench --size 8 --alpha x", "--alpha"),
    ("bench --size 8 --out f64", "--out"),
    ("bench --size 8 --epilogue tanh", "bias+gelu"),
    ("bench --size 8 --dtype f32 --scale-by blocks", "add --dtype e4m3"),
    ("bench --size 8 --dtype e4m3 --scale-by blocks --batch 2", "one product"),
    ("bench --size 8 --e other", "add --beta 1"),
    ("bench --size 8 --beta 1 --e d", "--e"),
    ("bench --distributed --csv a.csv", "--distributed writes --json and --report"),
    ("bench --distributed --json a.json --resume", "--distributed writes --json and --report"),
    ("bench --distributed --device cuda --dtype f32",
     "--device cuda measures bf16, not f32: give --dtype bf16"),
    ("compare a.json b.json --impl engine", "--ab"),
    ("compare a b --margin nan", "--margin: 'nan'"),
    ("crossover --device cpu", "is no GPU"),
    ("no-such-command", ""),
    ("benhc --size 64", "'benhc' is no subcommand: the nearest is bench (carat --help)"),
    ("BENCH --size 64", "'BENCH' is no subcommand: the nearest is bench (carat --help)"),
    ("reprot --size 64", "'reprot' is no subcommand: the nearest is report (carat --help)"),
]


class BadInput(Command):
    def test_every_call_of_the_table_is_refused_in_words_that_help(self):
        for call, words in REFUSED:
            with self.subTest(call):
                self.assertIn(words, self.refused(*shlex.split(call)))
        self.assertEqual(os.listdir(self.folder), [])

    def test_run_takes_one_product(self):
        for flag in ("--m", "--n", "--k"):
            for several in ("8,16", "8:16:x2", "8x8"):
                self.assertIn(f"{flag} '{several}' is more than one size",
                              self.refused("run", "--impl", "naive", flag, several))
        self.assertRegex(self.refused("run", "--impl", "tiled[tile-size=4]", "--tile-size", 8),
                         r"--tile-size is 8, and --impl says tile-size=4")
        for flag, value, both in (("--impl", "naive,tiled", "cpu.ladder.naive and cpu.ladder.tiled"),
                                  ("--impl", "cpu.ladder.*", r"cpu\S+, cpu\S+ and \d+ more"),
                                  ("--dtype", "f32,f64", "f32 and f64"),
                                  ("--threads", "1,1", "1 and 1")):
            line = self.refused("run", flag, value)
            self.assertIn(f"{flag} '{value}' is ", line)
            self.assertRegex(line, rf" {both}, and run takes one: .*carat bench")

    def test_libraries_that_can_not_be_looked_at_are_passed_over(self):
        (self.folder / "lib").mkdir()
        (self.folder / "lib/libcublas.so.13").symlink_to("libcublas.so.13")
        listed = self.carat("list", environment={"CUDA_HOME": str(self.folder)})
        self.assertIn("cpu.engine", listed.stdout)

    def test_a_prepared_operand_from_bench_to_report(self):
        for types, layout in (("f64,f32,bf16,i8", "nn"), ("f32", "ntt+8")):
            self.carat("bench", "--impl", "engine,naive", "--size", "40,70x50x90", "--dtype", types,
                       "--layout", layout, "--prepared", "--inputs", "rotated", "--trials", 3,
                       "--processes", 1, "--json", "a.json")
            cells = json.loads((self.folder / "a.json").read_text())["results"]
            for engine, naive in zip(cells[::2], cells[1::2]):
                self.assertEqual((engine["prepared"], engine["call"], engine["exact_passes"]),
                                 (True, "B prepared", 5), engine["reason"])
                self.assertFalse(naive["available"])
        self.assertIn("it has no prepared operands", cells[1]["reason"])
        self.assertIn("B prepared", self.carat("report", "a.json", "--markdown").stdout)
        self.carat("run", "--size", 32, "--prepared", "--epilogue", "bias+relu", "--beta", 1,
                   "--trials", 3)
        self.assertIn("leave tunables out", self.carat("run", "--size", 8, "--prepared", "--impl",
                                                       "engine[kc=64]", code=1).stderr)

    def test_numbers_that_are_none_or_out_of_range_name_their_option(self):
        for flag in ("--budget", "--ci-width", "--limit"):
            for value in ("nan", "inf", "-1", "1e400", "x", ""):
                line = self.refused("bench", *QUICK, flag, value)
                self.assertIn(f"{flag}: '{value}' is no number", line)
                self.assertLess(len(line), 100)
        for flag in ("--seed", "--trials"):
            for value in ("-1", "18446744073709551616", "1e3", "1.5", "010", ""):
                self.assertIn(f"{flag}: '{value}' is no whole number",
                              self.refused("bench", *QUICK[:4], flag, value))

    def test_distributed_says_how_to_get_the_programs_that_dev_bench_does_not_build(self):
        command = self.folder / "build/cli/carat"
        command.parent.mkdir(parents=True)
        shutil.copy(CARAT, command)
        for flags, name in (([], "ranks_bench"), (["--device", "cuda", "--dtype", "bf16"], "gpus_bench")):
            for built, remedy in ((False, "install all of carat"), (True, f"run cmake --build {self.folder / 'build'}")):
                (self.folder / "build/CMakeCache.txt").unlink(missing_ok=True)
                if built:
                    (self.folder / "build/CMakeCache.txt").touch()
                done = subprocess.run([command, "bench", "--distributed", *flags], capture_output=True, text=True)
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"--distributed: lib/carat/{name} is not there: {remedy}", done.stderr)
                self.assertEqual("libopenmpi-dev" in done.stderr, name == "ranks_bench")

    def test_threads_that_are_empty_are_not_all_cores(self):
        for call in (["run"], ["bench"], ["explain"], ["crossover"], ["study", "ladder"]):
            self.assertRegex(self.refused(*call, "--threads", ""),
                             "--threads: '' is no number of threads: .* leave the option out")

    def test_a_name_that_is_empty_names_no_file(self):
        for flag in ("--json", "--csv", "--report"):
            self.assertIn(f"{flag}: '' names no file", self.refused("bench", *QUICK, flag, ""))
        self.assertIn("--out: '' names no file", self.refused("study", "ladder", "--out", ""))

    def test_unwritable_output_is_said_before_measuring(self):
        for flag in ("--json", "--csv", "--report"):
            start = time.monotonic()
            self.assertIn("can't be written",
                          self.refused("bench", *QUICK, flag, "absent/folder/x"))
            self.assertLess(time.monotonic() - start, 60)

    def test_one_file_for_two_things_is_refused(self):
        self.assertIn("--json a.json and --report ./a.json are one file",
                      self.refused("bench", *QUICK, "--json", "a.json", "--report", "./a.json"))
        self.carat("bench", *QUICK, "--json", "a.json")
        text = (self.folder / "a.json").read_text()
        for call in (["report", "a.json", "-o"], ["compare", "a.json", "a.json", "--report"]):
            self.assertIn("are one file", self.refused(*call, "a.json"))
            self.assertEqual((self.folder / "a.json").read_text(), text)
        self.assertIn("excludes", self.refused("report", "a.json", "--charts", "d", "-o", "x"))

    def test_files_near_an_output_are_left_alone(self):
        (self.folder / "a.json.tmp").write_text("unrelated")
        (self.folder / "mine").write_text("mine")
        (self.folder / "a.csv.tmp").symlink_to("mine")
        files = ["--json", "a.json", "--csv", "a.csv"]
        self.refused("bench", "--impl", "nonexistent", *files)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.csv.tmp", "a.json.tmp", "mine"])
        self.carat("bench", *QUICK, *files)
        self.assertEqual(sorted(os.listdir(self.folder)),
                         ["a.csv", "a.csv.tmp", "a.json", "a.json.tmp", "mine"])
        self.assertEqual((self.folder / "a.json.tmp").read_text(), "unrelated")
        self.assertEqual((self.folder / "mine").read_text(), "mine")

    def test_names_that_are_too_long_or_lead_in_a_circle(self):
        (self.folder / "loop").symlink_to("loop")
        for flag in ("--json", "--csv", "--report"):
            self.assertIn("can't be written (File name too long)",
                          self.refused("bench", *QUICK, flag, "n" * 300))
            self.assertIn("can't be written (Too many levels of symbolic links)",
                          self.refused("bench", *QUICK, flag, "loop"))
        for name in ("n" * 300, "loop"):
            self.assertIn("can't be read", self.refused("report", name))
            self.assertIn("can't be written", self.refused("bench", *QUICK, "--json", name,
                                                           "--csv", "b.csv"))
        self.carat("bench", *QUICK, "--json", "n" * 255)
        self.assertEqual(len(json.loads((self.folder / ("n" * 255)).read_text())["results"]), 2)

    def test_a_link_that_leads_nowhere_yet_is_the_file_it_will_make(self):
        (self.folder / "link").symlink_to("a.json")
        self.assertIn("are one file",
                      self.refused("bench", *QUICK, "--json", "a.json", "--csv", "link"))

    def test_two_runs_with_one_output(self):
        (self.folder / "a.json").write_text("{}")
        with open(self.folder / "a.json") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # as a run does
            self.assertIn("a.json: another run writes it; name another file",
                          self.refused("bench", *QUICK, "--json", "a.json"))
        self.assertEqual((self.folder / "a.json").read_text(), "{}")
        arguments = ["--impl", "naive,tiled", "--size", "8:400:8", "--trials", "400"]
        (self.folder / "a.json").unlink()
        with subprocess.Popen([CARAT, "bench", *arguments, "--json", "a.json"], cwd=self.folder,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while not (self.folder / "a.json").exists() and process.poll() is None:
                time.sleep(0.02)
            line = self.refused("bench", *QUICK, "--json", "a.json")
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=120), 130)
        self.assertIn("another run writes it", line)
        self.assertEqual(os.listdir(self.folder), ["a.json"])
        self.assertEqual(json.loads((self.folder / "a.json").read_text())["settings"]["trials"], 400)

    def test_the_tour_says_before_measuring_that_it_can_not_write(self):
        (self.folder / "carat-report.html").mkdir()
        self.assertIn("carat-report.html: is a folder",
                      self.refused(environment={"XDG_CACHE_HOME": str(self.folder)}))

    def test_a_file_that_may_not_be_written_is_not_replaced(self):
        path = self.folder / "a.json"
        path.write_text("kept")
        path.chmod(0o444)
        self.folder.chmod(0o777)
        # Root may write anything, and another user not look into root's checkout.
        user = {"user": 65534} if os.geteuid() == 0 else {}
        carat = shutil.copy(CARAT, self.folder)
        done = subprocess.run([carat, "bench", *QUICK, "--json", "a.json"], capture_output=True,
                              text=True, cwd=self.folder, timeout=300, check=False, **user)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("a.json: can't be written (Permission denied)", done.stderr)
        self.assertEqual(path.read_text(), "kept")

    def test_corrupt_files_are_refused_and_kept(self):
        bad = self.folder / "bad.json"
        for text in ("", "{", "{}", "[]", '{"schema": 7}', "\x00\x01"):
            bad.write_text(text)
            for call in (["compare", "bad.json", "bad.json"], ["report", "bad.json"],
                         ["bench", *QUICK, "--json", "bad.json", "--resume"]):
                self.assertIn("bad.json", self.refused(*call))
                self.assertEqual(bad.read_text(), text)
        self.assertFalse((self.folder / "report.html").exists())
        self.assertIn("absent.json", self.refused("report", "absent.json"))

    def test_a_field_that_a_report_can_not_use_is_named_with_its_file(self):
        self.carat("bench", *QUICK, "--json", "a.json")
        good = json.loads((self.folder / "a.json").read_text())
        peaks = {"compute": [{"unit": "fma", "gflops": 1e9, "threads": 1, "dtype": 5}]}
        for bad, word in ((good | {"build": {"type": 5}}, "build.type is 5, expected a string"),
                          (good | {"machine": good["machine"] | {"peaks": peaks}},
                           "machine.peaks.compute[0].dtype is 5, expected a string")):
            (self.folder / "bad.json").write_text(json.dumps(bad))
            for call in (["report", "bad.json"], ["report", "bad.json", "--markdown"],
                         ["report", "bad.json", "--tables", "latex", "-o", "t.tex"],
                         ["compare", "a.json", "bad.json", "--report", "c.html"]):
                line = self.refused(*call)
                self.assertIn("bad.json: ", line)
                self.assertIn(word, line)
        self.assertEqual({p.name for p in self.folder.iterdir()}, {"a.json", "bad.json"})

    def test_files_nested_without_end_are_refused(self):
        (self.folder / "deep.json").write_text("[" * 100_000 + "]" * 100_000)
        (self.folder / "objects.json").write_text('{"a":' * 100_000 + "1" + "}" * 100_000)
        for name in ("deep.json", "objects.json"):
            for call in (["report", name], ["compare", name, name],
                         ["bench", *QUICK, "--json", name, "--resume"]):
                self.assertIn(f"{name}: is nested deeper than 64 levels", self.refused(*call))

    def test_settings_of_another_type_are_told(self):
        self.carat("bench", *QUICK, "--json", "a.json")
        good = json.loads((self.folder / "a.json").read_text())
        for field, value in (("layout", 5), ("layout", []), ("seed", "x"), ("inputs", {})):
            bad = good | {"settings": good["settings"] | {field: value}}
            (self.folder / "bad.json").write_text(json.dumps(bad))
            line = self.refused("bench", *QUICK, "--json", "bad.json", "--resume")
            self.assertIn(f"--resume: bad.json has {field} {json.dumps(value)}, now it is", line)

    def test_control_characters_of_foreign_files_are_shown_and_not_obeyed(self):
        self.carat("bench", *QUICK, "--json", "a.json")
        self.as_if_quiet("a.json")
        text = (self.folder / "a.json").read_text()
        evil = text.replace("cpu.ladder.naive", r"evil\u001b]0;title\u0007\u009b2J")
        model = json.loads(text)["machine"]["cpu_model"]
        evil = evil.replace(json.dumps(model), json.dumps(model + "\x1b[31m\u202e"))
        (self.folder / "evil.json").write_text(evil)
        compared = self.carat("compare", "evil.json", "evil.json").stdout
        self.assertIn("evil\\x1b]0", compared)
        texts = [compared, self.carat("compare", "a.json", "evil.json", code=1).stdout,
                 self.carat("report", "evil.json", "--markdown").stdout,
                 self.carat("report", "evil.json", "--csv").stdout,
                 self.carat("report", "evil.json", "--tables", "markdown").stdout,
                 self.carat("report", "evil.json", "--tables", "latex").stdout]
        (self.folder / "worse.json").write_text(evil.replace('"available": true',
                                                             '"available": "\\u001b["'))
        texts.append(self.refused("report", "worse.json"))
        self.assertIn("\\x1b", self.refused("report", "absent\x1b[31m"))
        for told in texts:
            self.assertNotRegex(told, "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]")

    def test_a_pipe_may_be_read_and_may_be_given_up(self):
        self.carat("bench", *QUICK, "--json", "a.json")
        text = (self.folder / "a.json").read_text()
        done = subprocess.run([CARAT, "report", "/dev/stdin", "--csv"], input=text, text=True,
                              capture_output=True, timeout=300, check=True)
        self.assertEqual(done.stdout.count("\n"), 11)
        os.mkfifo(self.folder / "pipe")
        with subprocess.Popen([CARAT, "report", "pipe"], cwd=self.folder,
                              stderr=subprocess.DEVNULL) as process:
            time.sleep(0.5)
            process.send_signal(signal.SIGTERM)
            self.assertNotEqual(process.wait(timeout=60), 0)

    def test_a_pipe_in_the_cache_holds_nothing_up(self):
        place = {"XDG_CACHE_HOME": str(self.folder / "cache")}
        call = ["run", "--impl", "naive", "--m", 8, "--n", 8, "--k", 8, "--trials", 3]
        self.carat(*call, environment=place)
        (path,) = (self.folder / "cache" / "carat").iterdir()
        path.unlink()
        os.mkfifo(path)
        self.carat(*call, environment=place)
        self.assertIn("peaks", json.loads(path.read_text()))
        self.assertEqual(list(path.parent.iterdir()), [path])

    def test_a_machine_without_sys_is_described_without_lines_of_a_library(self):
        done = self.carat("info", environment={"HWLOC_FSROOT": str(self.folder)})
        self.assertEqual(done.stderr, "")

    def test_resume_needs_the_same_settings(self):
        self.carat("bench", *QUICK, "--json", "a.json")
        self.assertIn("seed", self.refused("bench", *QUICK, "--seed", "5", "--json", "a.json",
                                           "--resume"))

    def test_files_without_a_common_case(self):
        self.carat("bench", *QUICK, "--json", "a.json")
        self.carat("bench", "--impl", "naive", "--size", "8", "--trials", "3", "--json", "b.json")
        self.assertIn("no measured case in common", self.refused("compare", "a.json", "b.json"))

    def test_devices(self):
        self.assertIn(": ", self.refused("bench", "--device", "cuda:99")[len("carat: "):])
        if not CUDA:  # where a short name may not fall back to the CPU's
            self.assertIn("made without CUDA", self.refused("run", "--device", "cuda", "--impl", "tiled"))
            self.assertIn("made without CUDA", self.refused("bench", "--device", "cuda"))
        self.assertRegex(self.refused("tune", "--size", "64", "--device", "cpu"),
                         "only implementations on a GPU have ways to tune.*: leave --device out")
        if "cuda.engine" in {e["name"] for e in json.loads(self.carat("list", "--json").stdout)}:
            self.assertIn("leave the tunables out",
                          self.refused("tune", "--size", "64", "--impl", "cuda.engine[tile=64]"))

    def test_types_that_an_implementation_lacks(self):
        def no_figure(*arguments):
            done = self.carat("run", "--m", 64, "--n", 64, "--k", 64, *arguments, code=1)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            return done.stderr

        self.assertIn("no f16 -> f32 version; it takes f64, f32",
                      no_figure("--impl", "naive", "--dtype", "f16"))

    def test_tunables_that_an_implementation_lacks_are_refused_before_measuring(self):
        tiled = next(e for e in ENTRIES if e["name"] == "cpu.ladder.tiled")
        most = tiled["tunables"][0]["most"]
        unknown = "cpu.ladder.tiled: it has no tunable 'tilesize' to set to 4, but tile-size (1 to"
        self.assertIn(unknown, self.refused("run", "--impl", "tiled[tilesize=4]"))
        self.assertIn(unknown, self.refused("bench", "--impl", "naive,tiled[tilesize=4]", "--json",
                                            "a.json"))
        self.assertIn("cpu.ladder.naive: it has no tunable 'tile-size' to set to 8, nor any other",
                      self.refused("run", "--impl", "naive", "--tile-size", 8))
        self.assertRegex(self.refused("bench", "--impl", f"naive,tiled[tile-size={most + 1}]",
                                      "--size", f"{most + 1}x1x1", "--json", "a.json"),
                         rf"tile-size {most + 1} is outside \d+ to {most} ")
        self.assertEqual(os.listdir(self.folder), [])


ENTRIES = json.loads(subprocess.run([CARAT, "list", "--json"], capture_output=True, check=True,
                                    text=True).stdout)
CUDA = [e for e in ENTRIES if e["name"].startswith("cuda.ladder.")]
GPU = any(e["available"] for e in CUDA)


@unittest.skipUnless(CUDA, "this build has no CUDA")
class WithoutAGpu(Command):
    """What is said where no GPU can be used; on a machine with one it is hidden from the command,
    or an old driver is put before it, so these run everywhere."""

    def refusals(self, environment):
        return [self.refused("crossover", environment=environment),
                self.refused("bench", "--device", "cuda", "--impl", "naive", "--phases",
                             environment=environment),
                self.refused("study", "--device", "cuda", environment=environment),
                self.refused("bench", "--device", "cuda:0", environment=environment)]

    @unittest.skipIf(GPU, "this machine has a driver")
    def test_no_driver(self):
        for line in self.refusals({}):
            self.assertIn("no NVIDIA driver is installed", line)
            self.assertIn(": install one for CUDA", line)
        self.assertTrue(self.refusals({})[0].startswith("carat: crossover needs a GPU: "))

    def test_a_driver_older_than_the_runtime(self):
        compiler = shutil.which("cc") or shutil.which("gcc")
        self.assertTrue(compiler, "a C compiler")
        source = self.folder / "old.c"
        source.write_text("int cuInit(unsigned f) { (void)f; return 0; }\n"
                          "int cuDriverGetVersion(int* v) { *v = 9020; return 0; }\n")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", self.folder / "libcuda.so.1", source],
                       check=True)
        path = ":".join(filter(None, [str(self.folder), os.environ.get("LD_LIBRARY_PATH")]))
        for line in self.refusals({"LD_LIBRARY_PATH": path}):
            self.assertRegex(line, r"driver knows CUDA 9\.2 and this build needs \d+\.\d+: update")

    def test_a_gpu_that_is_hidden(self):
        for line in self.refusals({"CUDA_VISIBLE_DEVICES": ""}):
            self.assertRegex(line, "CUDA_VISIBLE_DEVICES is set|no NVIDIA driver")

    def test_rows_are_reported_with_the_reason_and_nothing_is_timed(self):
        done = self.carat("bench", "--device", "cuda", "--impl", "naive", "--size", 64,
                          code=1, environment={"CUDA_VISIBLE_DEVICES": ""})
        self.assertIn("nothing was timed", done.stdout)
        self.assertIn("cuda.ladder.naive: ", done.stdout)
        done = self.carat("bench", "--device", "cuda", "--size", 64, code=1,
                          environment={"CUDA_VISIBLE_DEVICES": ""})
        self.assertRegex(done.stdout, r"\d+ not run: .*no GPU \(\d+\)")

    def test_a_tile_or_type_no_kernel_has_is_named_before_the_machine(self):
        line = self.refused("run", "--device", "cuda", "--impl", "tiled", "--tile-size", 64)
        self.assertIn("tile-size 64 is outside 8 to 32 (", line)
        self.assertIn("8, 16 or 32)", line)
        done = self.carat("run", "--device", "cuda", "--impl", "naive", "--dtype", "bf16", code=1)
        self.assertIn("no bf16 -> f32 version; it takes f64, f32, i32", done.stderr)

    def test_crossover_checks_its_own_input(self):
        if not GPU:
            self.skipTest("needs a GPU: without one that is what is said first")
        self.assertIn("is not square", self.refused("crossover", "--size", "8,4x4x8"))
        self.assertIn("two or more", self.refused("crossover", "--size", "8"))
        self.assertIn("run it once for each", self.refused("crossover", "--dtype", "f32,f64"))
        self.assertIn("numbered from 0", self.refused("crossover", "--device", "cuda:99"))


class Documents(Command):
    """What the pages tell a reader to type exists."""

    def commands(self, page):
        text = (ROOT / page).read_text(encoding="utf-8")
        return [shlex.split(" ".join(found.split())) for found in
                re.findall(r"`(carat [^`]+)`", text)]

    def test_every_command_of_the_page_of_flaws(self):
        commands = self.commands("docs/flaws.md")
        self.assertGreater(len(commands), 20)
        names = {e["name"]: {t["name"] for t in e["tunables"]} for e in ENTRIES}
        for _, sub, *arguments in commands:
            known = self.carat(sub, "--help").stdout
            for flag in (a for a in arguments if a.startswith("--")):
                self.assertRegex(known, rf"{flag}\b", f"carat {sub} has no {flag}")
            at = {flag: value for flag, value in zip(arguments, arguments[1:])}
            for one in re.findall(r"([\w.]+)(?:\[([\w-]+)=\d+\])?", at.get("--impl", "")):
                owners = [n for n in names if n == one[0] or n.endswith("." + one[0])]
                self.assertTrue(owners or not CUDA, f"nothing is called {one[0]}")
                self.assertTrue(not one[1] or any(one[1] in names[n] for n in owners), one)

    def test_commands_of_the_page_of_flaws_that_need_no_gpu_run(self):
        for _, sub, *arguments in self.commands("docs/flaws.md"):
            if sub not in ("run", "bench") or "cuda" in arguments:
                continue
            quick = [re.sub(r"^(500|1000)$", "48", a) for a in arguments]
            trials = [] if "--trials" in arguments else ["--trials", "3"]
            self.carat(sub, *[re.sub(r"tile-size=\d+", "tile-size=16", a) for a in quick], *trials)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
