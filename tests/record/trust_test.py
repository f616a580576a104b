"""scripts/trust.py counts verdicts on what can't differ; a script stands for carat."""

import json
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

TRUST = pathlib.Path(sys.argv[1]).resolve()

# Leaves a file for each bench, with what it was called with; compare answers with CHANGES.
CARAT = """#!{python}
import json, pathlib, sys
arguments = sys.argv[1:]
with open("{folder}/calls", "a") as calls:
    calls.write(" ".join(arguments) + "\\n")
if arguments[0] == "bench":
    pathlib.Path(arguments[-1]).write_text(json.dumps(
        {{"date": "2026-11-24", "revision": "1", "machine": {{"cpu_model": "x", "cores": 2}},
          "results": [{{"implementation": "a", "library": {{"name": "A", "version": "1"}}}}]}}))
    sys.exit(0)
print(pathlib.Path("{folder}/changes").read_text())
sys.exit(1)
"""


def change(verdict, low=0.99, high=1.01, **more):
    return {"implementation": "a", "dtype": "f64", "m": 8, "n": 8, "k": 8, "threads": 1,
            "ratio": 1, "ci95_ratio": [low, high], "verdict": verdict, "before_gflops": 1,
            "after_gflops": 1, **more}


class Trust(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = pathlib.Path(self.scratch.name)
        self.carat = self.folder / "carat"
        self.carat.write_text(CARAT.format(python=sys.executable, folder=self.folder))
        self.carat.chmod(self.carat.stat().st_mode | stat.S_IXUSR)

    def trust(self, *arguments, changes):
        (self.folder / "changes").write_text(json.dumps({"changes": changes}))
        done = subprocess.run([sys.executable, TRUST, *arguments, "--carat", self.carat, "--json",
                               self.folder / "found.json"], capture_output=True, text=True)
        calls = (self.folder / "calls").read_text().splitlines()
        return done, json.loads((self.folder / "found.json").read_text()), calls

    def test_every_two_runs_are_compared_on_the_same_shapes_with_other_seeds(self):
        done, found, calls = self.trust("null", "--cases", "4", "--runs", "3", "--impl", "a,b",
                                        changes=[change("tie")] * 20)
        self.assertEqual(done.returncode, 0, done.stderr)
        benches = [c.split() for c in calls if c.startswith("bench")]
        self.assertEqual([c.startswith("compare") for c in calls].count(True), 3)
        sizes = {b[b.index("--size") + 1] for b in benches}
        self.assertEqual([len(s.split(",")) for s in sizes], [4])
        self.assertEqual(len({b[b.index("--seed") + 1] for b in benches}), 3)
        self.assertEqual((found["comparisons"], found["claims"]), (60, 0))
        self.assertEqual(found["libraries"], {"a": "A 1"})

    def test_more_than_one_claim_in_twenty_fails_and_the_busy_do_not_count(self):
        tie, claim, busy = change("tie"), change("faster"), change("busy", reason="other work")
        for changes, code in (([claim] + [tie] * 19, 0), ([claim] + [tie] * 18, 1),
                              ([claim] + [tie] * 18 + [busy], 1), ([busy] * 20, 1)):
            done, found, _ = self.trust("null", "--cases", "4", changes=changes)
            self.assertEqual(done.returncode, code, done.stdout)
        self.assertEqual((found["judged"], found["claims"]), (0, 0))

    def test_what_was_withheld_is_counted_by_its_reason(self):
        changes = [change("busy", reason=f"its threads waited {i} % of their time") for i in (7, 31)]
        _, found, _ = self.trust("null", "--cases", "4", "--runs", "3",
                                 changes=[*changes, change("tie"), change("lost")])
        self.assertEqual(found["withheld"],
                         {"its threads waited N % of their time": 6, "lost": 3})

    def test_pools_together_are_to_give_what_each_gives_alone(self):
        for changes, code in (([change("slower", 0.93, 0.96)], 0),
                              ([change("slower", 0.90, 0.94)], 1),
                              ([change("faster", 1.06, 1.10)], 1),
                              ([change("busy", None, None, reason="other work")], 0), ([], 1)):
            done, found, calls = self.trust("pools", "--impl", "a,b,c", "--rounds", "1",
                                            changes=changes)
            self.assertEqual(done.returncode, code, done.stdout)
        benches = [c.split()[3] for c in calls if c.startswith("bench")][:4]
        self.assertEqual(benches, ["a,b,c", "a", "b", "c"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
