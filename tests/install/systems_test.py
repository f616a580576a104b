"""scripts/try_systems.sh without a system: what it refuses, and how it ends. Nothing is mounted or
bootstrapped here: an empty system lies in the cache, and unshare is not unshare."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "try_systems.sh"


class Systems(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.tools, self.work = self.folder / "tools", self.folder / "work"
        systems = self.folder / "cache" / "carat" / "systems"
        for made in (self.tools, self.work, systems, self.folder / "root" / "root",
                     self.folder / "root" / "etc" / "apt" / "apt.conf.d"):
            made.mkdir(parents=True)
        with tarfile.open(systems / "debian13.tar", "w") as tar:
            tar.add(self.folder / "root", ".")
        self.stub("id", "echo 0")
        self.stub("debootstrap", "exit 1")
        self.stub("git", "echo 0123abc")
        self.stub("apt-config", "exit 0")
        self.stub("cp", "exit 0")

    def stub(self, name, text):
        file = self.tools / name
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)

    def start(self, *arguments):
        found = dict(os.environ, PATH=f"{self.tools}:{os.environ['PATH']}", TMPDIR=str(self.work),
                     XDG_CACHE_HOME=str(self.folder / "cache"))
        return subprocess.Popen(["bash", SCRIPT, *arguments], env=found, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run_script(self, *arguments):
        started = self.start(*arguments)
        told, objected = started.communicate(timeout=60)
        return started.returncode, told, objected

    def refused(self, *arguments):
        code, told, objected = self.run_script(*arguments)
        self.assertEqual((code, told, objected.count("\n")), (2, "", 1), objected)
        return objected

    def test_what_is_not_known_is_refused(self):
        self.assertIn("unknown system 'debian9': use debian12,", self.refused("debian13", "debian9"))
        self.assertIn("unknown part 'g++-9' of debian13:bench,g++-9: use bench,",
                      self.refused("debian13:bench,g++-9"))

    def test_root_is_needed(self):
        self.stub("id", "echo 1000")
        self.assertIn("run it as root", self.refused("debian13"))

    def test_each_part_has_its_line(self):
        self.stub("unshare", """case "$*" in *clang-19) echo no package; exit 77;;
                                             *g++-14) echo an error; exit 1;; esac""")
        code, told, _ = self.run_script("debian13:bench,g++-14,clang-19")
        self.assertEqual(code, 1, told)
        table = told[told.rindex("\n\n"):]
        self.assertRegex(table, r"debian13 +bench +passed")
        self.assertRegex(table, r"debian13 +g\+\+-14 +FAILED .*debian13-g\+\+-14\.log")
        self.assertRegex(table, r"debian13 +clang-19 +skipped .*no package")
        self.assertIn("passed 1, failed 1, skipped 1\n", table)
        self.assertEqual(list(self.work.iterdir()), [])

    def test_where_nothing_could_be_tried_nothing_passed(self):
        self.stub("unshare", "exit 77")
        code, told, _ = self.run_script("debian13:bench")
        self.assertEqual(code, 1, told)

    def test_packages_are_installed_where_nothing_was_built(self):
        self.stub("cp", 'exec /bin/cp "$@" 2>/dev/null || true')
        self.stub("unshare", """cd "${11}"; packages=root/carat/build/packages
            case "$*" in
                *package) mkdir -p $packages; echo new >$packages/carat_1.deb; touch built;;
                *installed) test ! -e built && test "$(cat $packages/carat_1.deb)" = new &&
                            test -s $packages/revision;;
            esac""")
        code, told, _ = self.run_script("debian13:package,installed")
        self.assertEqual(code, 0, told)
        self.assertIn("passed 2, failed 0, skipped 0\n", told)
        self.assertEqual(list(self.work.iterdir()), [])

    def test_a_signal_ends_what_runs_and_leaves_nothing(self):
        running = self.folder / "running"
        self.stub("unshare", f"echo $$ >{running}.new; mv {running}.new {running}; exec sleep 600")
        for number in (signal.SIGINT, signal.SIGTERM):
            running.unlink(missing_ok=True)
            started = self.start("debian13:bench")
            while not running.exists():
                self.assertIsNone(started.poll(), "it ended by itself")
                time.sleep(0.05)
            started.send_signal(number)
            told, _ = started.communicate(timeout=60)
            self.assertEqual(started.returncode, 130, told)
            self.assertFalse(pathlib.Path("/proc", running.read_text().strip()).exists())
            self.assertEqual(list(self.work.iterdir()), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
