"""scripts/mid_sized.py measures every kind in turn and summarises whole lines alone; scripts stand for programs."""

import json
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

MID_SIZED = pathlib.Path(sys.argv[1]).resolve()

# Some cases of ratio 1 and one of 4, a summary, and a line that was being written.
PROGRAM = """#!/bin/sh
case "$*" in *f64*) exit 2 ;; esac
say() { printf '{"track": "x", "m": %d, "ratio": %s, "graph_ratio": %s, "agree": %s, "plan": "tiles", "more": 1}\\n' "$@"; }
say 0 1 0 true
for i in $(seq 2 $(($2 - 1))); do say $i 1 2 true; done
say $1 4 1 false
echo '{"track": "x", "cases": 3, "geomean": 9}'
printf '{"track": "x", "ra'
exit 1
"""


class MidSized(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)
        self.program("nvidia-smi", "#!/bin/sh\necho 'Some GPU'\n")
        for name in ("carat_benchmark_gpu_calls", "carat_benchmark_batches"):
            self.program(name, PROGRAM)

    def tearDown(self):
        self.scratch.cleanup()

    def program(self, name, text):
        file = self.folder / name
        file.write_text(text)
        file.chmod(file.stat().st_mode | stat.S_IXUSR)

    def run_it(self, *more):
        command = [sys.executable, str(MID_SIZED), str(self.folder / "out.json"), "--programs", str(self.folder),
                   "--seed", "7", "--revision", "abc", *more]
        path = f"{self.folder}:{os.environ['PATH']}"
        return subprocess.run(command, env={**os.environ, "PATH": path}, capture_output=True, text=True)

    def runs(self):
        document = json.loads((self.folder / "out.json").read_text())
        self.assertEqual((document["gpu"], document["revision"], document["seed"]), ("Some GPU", "abc", 7))
        return {(r["track"], r["type"], r["multiple"], r["timed"]): r for r in document["runs"]}

    def test_rounds_go_on_until_each_kind_has_enough_cases(self):
        done = self.run_it("--lines", str(self.folder / "lines"))
        self.assertEqual(done.returncode, 1)  # f64 fails
        self.assertIn("f64 1 ended with 2", done.stderr)
        runs = self.runs()
        self.assertNotIn(("plain", "f64", 1, "calls"), runs)
        self.assertIn(("batches", "f32", 8, "graphs"), runs)
        calls, graphs = (runs["plain", "bf16", 8, timed] for timed in ("calls", "graphs"))
        # Four rounds of 50, each with a seed of its own; a graph that could not be captured doesn't count.
        self.assertEqual((calls["cases"], graphs["cases"], calls["unlike_cublas"]), (200, 196, 4))
        self.assertAlmostEqual(calls["geomean"], 4 ** (4 / 200), 3)
        self.assertLess(calls["interval"][0], calls["geomean"])
        self.assertEqual((calls["least"], calls["share_at_least_1"], graphs["p5"]), (1, 1, 2))
        self.assertEqual([case["m"] for case in graphs["worst"]], [7, 8, 9])
        self.assertEqual(graphs["worst"][0], {"m": 7, "graph_ratio": 1, "plan": "tiles"})

    def test_nothing_measured_leaves_the_file_as_it_was(self):
        (self.folder / "out.json").write_text("{}")
        self.program("carat_benchmark_gpu_calls", "#!/bin/sh\nexit 2\n")
        self.program("carat_benchmark_batches", "#!/bin/sh\nexit 2\n")
        done = self.run_it()
        self.assertIn("no case was measured", done.stderr)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual((self.folder / "out.json").read_text(), "{}")

    def test_the_time_ends_it_and_what_was_measured_stays(self):
        self.program("carat_benchmark_batches", "#!/bin/sh\nexec sleep 60\n")
        done = self.run_it("--seconds", "4")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.runs()["uneven", "bf16", 8, "calls"]["cases"], 25)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
