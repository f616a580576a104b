"""scripts/record.py replaces results by sound runs alone; a script stands for carat."""

import json
import os
import pathlib
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

RECORD = pathlib.Path(sys.argv[1]).resolve()
COMMAND = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None  # carat itself

# Leaves what ANSWER holds where it is asked to, and what it was called with.
CARAT = """#!{python}
import json, os, pathlib, signal, sys, time
if sys.argv[1:] == ["info", "--json"]:
    print(pathlib.Path("{folder}/machine").read_text())
    sys.exit(0)
with open("{folder}/calls", "a") as calls:
    calls.write(os.environ.get("CARAT_VARIABLE", "") + "|" + " ".join(sys.argv[1:]) + "\\n")
answer = json.loads(pathlib.Path("{folder}/answer").read_text())
if answer["exit"] == "waits":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    pathlib.Path("{folder}/waiting").touch()
    time.sleep(60)
pathlib.Path(sys.argv[-1]).write_text(json.dumps(answer["document"]))
sys.exit(answer["exit"])
"""


HERE = {"cpu_model": "Some @ 2 GHz", "cores": 2, "isa": ["avx2"], "gpus": [{"name": "Some GPU"}],
        "caches": [{"kind": "data", "size_bytes": 32768}]}


def result(name="a", **more):
    return {"implementation": name, "dtype": "f64", "m": 8, "n": 8, "k": 8, "threads": 1,
            "available": True, "verified": True, "verification": "exact", "trials_s": [1.0], **more}


class Record(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)
        (self.folder / "results" / "cpu").mkdir(parents=True)
        (self.folder / "machine").write_text(json.dumps(HERE))
        self.carat = self.folder / "carat"
        self.carat.write_text(CARAT.format(python=sys.executable, folder=self.folder))
        self.carat.chmod(self.carat.stat().st_mode | stat.S_IXUSR)

    def tearDown(self):
        self.scratch.cleanup()

    def document(self, results=None, **more):
        return {"schema": 2, "command": "CARAT_VARIABLE=x carat bench --impl a --json old.json",
                "complete": True, "machine": HERE, "comparisons": [],
                "results": [result()] if results is None else results, **more}

    def commit(self, document, name="cpu/a.json"):
        file = self.folder / "results" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(document))
        return file

    def record(self, *arguments, answer=None, code=0):
        (self.folder / "answer").write_text(
            json.dumps({"document": answer or self.document(), "exit": code}))
        return subprocess.run([sys.executable, RECORD, "--results", self.folder / "results",
                               "--scratch", self.folder / "new", "--carat", self.carat, *arguments],
                              capture_output=True, text=True, cwd=self.folder)

    def test_a_sound_run_replaces_the_file_and_says_how_it_was_made(self):
        file = self.commit(self.document())
        done = self.record(answer=self.document([result(trials_s=[2.0])], command="other"))
        self.assertEqual((done.returncode, done.stdout), (0, "cpu/a.json: measured anew\n"))
        now = json.loads(file.read_text())
        self.assertEqual(now["results"][0]["trials_s"], [2.0])
        self.assertEqual(now["command"], "CARAT_VARIABLE=x carat bench --impl a")
        self.assertTrue((self.folder / "calls").read_text().startswith("x|bench --impl a --json "))
        self.assertEqual(len(list(file.parent.iterdir())), 1)

    # It was once taken for the folder that studies write to, and C was of another type.
    def test_the_type_of_c_stays_in_the_command(self):
        command = "carat bench --impl a --out bf16 --json old.json"
        file = self.commit(self.document(command=command))
        self.assertEqual(self.record().returncode, 0)
        self.assertIn("|bench --impl a --out bf16 --json ", (self.folder / "calls").read_text())
        self.assertEqual(json.loads(file.read_text())["command"], "carat bench --impl a --out bf16")

    def test_a_new_file_has_a_result_a_line_as_those_committed(self):
        file = self.commit(self.document())
        self.record(answer=self.document([result(trials_s=[2.0, 3.0]), result("b")]))
        lines = file.read_text().splitlines()
        self.assertEqual(lines[0], "{")
        self.assertIn(' "comparisons": [],', lines)
        rows = [line for line in lines if line.startswith("  {")]
        self.assertEqual([json.loads(row.rstrip(","))["trials_s"] for row in rows],
                         [[2.0, 3.0], [1.0]])

    def test_an_unsound_run_leaves_the_file_and_says_why(self):
        file = self.commit(self.document())
        before = file.read_text()
        unsound = {"is not complete": self.document(complete=False),
                   "a f64 8 8 8 1 nn is wrong": self.document([result(verified=False)]),
                   "is above the measured peak": self.document([result(above_peak=True)]),
                   "was disturbed: other work": self.document([result(busy="other work")]),
                   "1 figures are missing, the first a f64 8 8 8 1 nn": self.document([result("b")])}
        for why, answer in unsound.items():
            done = self.record(answer=answer)
            self.assertEqual(done.returncode, 1)
            self.assertIn(why, done.stdout)
            self.assertEqual(file.read_text(), before)
        self.assertIn("ended with 3", self.record(code=3).stdout)
        self.assertEqual(file.read_text(), before)

    def test_whoever_interrupts_it_leaves_the_file_whole(self):
        file = self.commit(self.document())
        before = file.read_text()
        (self.folder / "answer").write_text(json.dumps({"document": self.document(), "exit": "waits"}))
        for number in (signal.SIGINT, signal.SIGTERM):
            (self.folder / "waiting").unlink(missing_ok=True)
            running = subprocess.Popen(
                [sys.executable, RECORD, "--results", self.folder / "results", "--scratch",
                 self.folder / "new", "--carat", self.carat], text=True, start_new_session=True,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            while not (self.folder / "waiting").exists():
                time.sleep(0.01)
            os.killpg(running.pid, number)
            out, err = running.communicate(timeout=30)
            self.assertEqual((running.returncode, err), (1, "cpu/a.json: kept: interrupted\n"), out)
            self.assertEqual(file.read_text(), before)
            self.assertEqual([f.name for f in file.parent.iterdir()], ["a.json"])

    def test_a_disk_that_is_full_leaves_the_file_whole(self):
        file = self.commit(self.document())
        before = file.read_text()
        (self.folder / "answer").write_text(json.dumps({"document": self.document(), "exit": 0}))
        full = ("import sys, pathlib; sys.path.insert(0, sys.argv.pop(1)); import record\n"
                "def write(path, text):\n"
                "    with open(path, 'w') as half: half.write(text[:20])\n"
                "    raise OSError(28, 'No space left on device')\n"
                "pathlib.Path.write_text = write\n"
                "record.main()")
        done = subprocess.run([sys.executable, "-c", full, RECORD.parent, "--results",
                               self.folder / "results", "--scratch", self.folder / "new", "--carat",
                               self.carat], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("kept: OSError: [Errno 28] No space left on device", done.stdout)
        self.assertEqual(file.read_text(), before)
        self.assertEqual([f.name for f in file.parent.iterdir()], ["a.json"])

    def test_what_does_not_fit_this_machine_is_skipped_aloud(self):
        self.commit(self.document(machine={"cpu_model": "Another"}))
        self.commit(self.document(machine={**HERE, "isa": ["avx2", "avx512"]}), "cpu/b.json")
        self.commit(self.document(command="carat_benchmark_call 1"), "call.json")
        done = self.record()
        self.assertEqual(done.returncode, 0)
        self.assertIn("call.json: by hand: carat_benchmark_call 1\n", done.stdout)
        self.assertIn("cpu/a.json: skipped: measured on cpu_model Another, and here it is Some\n",
                      done.stdout)
        self.assertIn("cpu/b.json: skipped: measured on isa ['avx2', 'avx512'], and here", done.stdout)
        self.assertFalse((self.folder / "calls").exists())

    def test_a_file_of_one_gpu_is_not_replaced_by_another(self):
        smi = self.folder / "nvidia-smi"
        smi.write_text("#!/bin/sh\n")
        smi.chmod(0o755)
        os.environ["PATH"] = f"{self.folder}:{os.environ['PATH']}"
        self.commit(self.document(machine={**HERE, "gpus": [{"name": "Another GPU"}]}), "h200/a.json")
        self.commit(self.document(), "h200/b.json")
        done = self.record()
        self.assertIn("h200/a.json: skipped: measured on Another GPU, and this has Some GPU\n",
                      done.stdout)
        self.assertIn("h200/b.json: measured anew\n", done.stdout)

    def test_a_list_runs_nothing_and_patterns_choose(self):
        self.commit(self.document())
        self.commit(self.document(), "cpu/b.json")
        done = self.record("--list", "cpu/b*")
        self.assertEqual(done.stdout, "cpu/b.json: bench --impl a\n")
        self.assertFalse((self.folder / "calls").exists())
        self.assertIn("no file under", self.record("gpu/*").stderr)

    def test_several_commands_are_one_file_and_tunables_have_todays_names(self):
        self.commit(self.document([result("cpu.x[tile=3]")], command=(
            "carat bench --impl 'cuda.engine[rows=64,tile=16]' --device cuda; carat bench --impl a")),
            "cpu/two.json")
        done = subprocess.run(
            [sys.executable, "-c",
             "import sys; sys.path.insert(0, sys.argv[1]); import record;"
             "print(record.commands_of('two', {'comparisons': [], 'command': sys.argv[2]}))",
             RECORD.parent, json.loads((self.folder / "results/cpu/two.json").read_text())["command"]],
            capture_output=True, text=True)
        self.assertEqual(done.stdout.strip(), str(
            [({}, ["bench", "--impl", "cuda.engine[block_m=64,block_n=16]", "--device", "cuda"]),
             ({}, ["bench", "--impl", "a"])]))


@unittest.skipUnless(COMMAND, "no carat was given")
class WithCarat(unittest.TestCase):
    def test_a_file_is_measured_anew_or_kept_for_a_busy_machine(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            file = folder / "results/cpu/small.json"
            file.parent.mkdir(parents=True)
            words = ["bench", "--impl", "naive", "--size", "100", "--threads", "1", "--trials", "10"]
            subprocess.run([COMMAND, *words, "--quiet", "--json", file], check=True,
                           stdout=subprocess.DEVNULL)
            document = json.loads(file.read_text())
            document["date"] = "2000-01-01T00:00:00Z"
            file.write_text(json.dumps(document))
            before = file.read_text()
            done = subprocess.run([sys.executable, RECORD, "--results", folder / "results",
                                   "--scratch", folder / "new", "--carat", COMMAND],
                                  capture_output=True, text=True)
            if done.returncode != 0:
                self.assertRegex(done.stdout, "^cpu/small.json: kept: .* was disturbed: ")
                self.assertEqual(file.read_text(), before)
                return
            self.assertEqual(done.stdout, "cpu/small.json: measured anew\n")
            now = json.loads(file.read_text())
            self.assertGreater(now["date"], "2020")
            self.assertEqual(now["command"], "carat " + " ".join([*words, "--quiet"]))
            self.assertEqual(len(now["results"][0]["trials_s"]), 10)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
