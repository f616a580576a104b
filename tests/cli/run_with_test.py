#!/usr/bin/env python3
"""carat run-with: programs on the drop-in BLAS. usage: run_with_test.py CARAT LIBRARY"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

CARAT, LIBRARY = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])

PROGRAM = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
            const double *, const int *, const double *, const int *, const double *, double *,
            const int *);
int main(int count, char **arguments) {
    const int two = 2;
    const double one = 1, a[] = {1, 2, 3, 4};
    double c[] = {0, 0, 0, 0};
    dgemm_("N", "N", &two, &two, &two, &one, a, &two, a, &two, &one, c, &two);
    printf("%g %s\n", c[0], count > 2 ? arguments[2] : "");
    fflush(stdout);
    if (arguments[1][0] == 's') raise(SIGTERM);
    return atoi(arguments[1]);
}
"""
# Has another name for the linker only, so that carat's comes first when it is preloaded.
SLOW = "void dgemm_(void) { __builtin_trap(); }"


class RunWith(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        for file, text in (("program.c", PROGRAM), ("slow.c", SLOW)):
            (cls.folder / file).write_text(text)
        subprocess.run(["cc", "-w", "-shared", "-fPIC", "slow.c", "-o", "libslow.so"], check=True,
                       cwd=cls.folder)
        subprocess.run(["cc", "program.c", "-o", "program", "-L.", "-lslow", "-Wl,-rpath,$ORIGIN"],
                       check=True, cwd=cls.folder)

    def carat(self, *arguments, code=0):
        environment = {**os.environ, "TMPDIR": str(self.folder)}
        done = subprocess.run([CARAT, "run-with", *map(str, arguments)], capture_output=True,
                              text=True, check=False, env=environment, timeout=60, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(list(self.folder.glob("carat.*")), [])
        return done

    def test_the_profile_comes_last_and_the_status_is_the_programs(self):
        for arguments, code in ((["0", "--help"], 0), (["3"], 3), (["s"], 128 + 15)):
            done = self.carat("./program", *arguments, code=code)
            self.assertEqual(done.stdout, f"7 {'--help' if code == 0 else ''}\n")
            self.assertRegex(done.stderr, r"^carat_blas: calls of process \d+")
            self.assertRegex(done.stderr, r"\ndgemm +NN +2x2x2 +1 ")

    def test_a_library_of_ones_own(self):
        done = self.carat("--library", LIBRARY, "./program", 0)
        self.assertRegex(done.stderr, r"\ndgemm +NN +2x2x2 +1 ")

    def test_a_program_without_a_blas(self):
        done = self.carat("true")
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"^carat: 0 calls: .*see docs/blas\.md\n$")

    def recipe(self, program, file, text):
        if shutil.which(program) is None:
            self.skipTest(f"no {program} here")
        (self.folder / file).write_text(text)
        done = self.carat(program, file)
        self.assertEqual(done.stdout, "right\n")
        self.assertRegex(done.stderr, r"\ndgemm +NN +300x300x300 +1 ")

    def test_r(self):
        self.recipe("Rscript", "product.R", 'a <- matrix(2, 300, 300)\n'
                    'if (all(a %*% a == 1200)) cat("right\\n")\n')

    def test_octave(self):
        self.recipe("octave-cli", "product.m", "a = 2 * ones(300);\n"
                    'if all((a * a)(:) == 1200), disp("right"), end\n')

    def test_a_request_to_end_is_the_programs_and_leaves_nothing(self):
        for number in signal.SIGTERM, signal.SIGHUP:
            with self.subTest(number.name):
                started = subprocess.Popen(
                    [CARAT, "run-with", "sh", "-c", "echo $$; exec sleep 60"], cwd=self.folder,
                    env={**os.environ, "TMPDIR": str(self.folder)}, stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE, text=True)
                program = int(started.stdout.readline())
                started.send_signal(number)
                _, told = started.communicate(timeout=20)
                self.assertEqual(started.returncode, 128 + number, told)
                self.assertRaises(ProcessLookupError, os.kill, program, 0)
                self.assertEqual(list(self.folder.glob("carat.*")), [])

    def test_a_program_that_ends_as_it_likes_is_waited_for(self):
        started = subprocess.Popen(
            [CARAT, "run-with", "sh", "-c", "trap 'echo last; exit 7' TERM; echo up;"
             " while :; do sleep 0.05; done"], cwd=self.folder, stdout=subprocess.PIPE,
            env={**os.environ, "TMPDIR": str(self.folder)}, stderr=subprocess.PIPE, text=True)
        self.assertEqual(started.stdout.readline(), "up\n")
        started.send_signal(signal.SIGTERM)
        said, _ = started.communicate(timeout=20)
        self.assertEqual((said, started.returncode), ("last\n", 7))
        self.assertEqual(list(self.folder.glob("carat.*")), [])

    def test_what_was_ignored_stays_ignored(self):
        done = subprocess.run(
            ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", CARAT, "run-with", "sh", "-c",
             "kill -HUP $PPID $$; echo alive"], capture_output=True, text=True, timeout=20,
            check=False, env={**os.environ, "TMPDIR": str(self.folder)})
        self.assertEqual((done.stdout, done.returncode), ("alive\n", 0), done.stderr)

    def test_a_command_without_the_library_says_how_to_get_it(self):
        build = self.folder / "build"
        (build / "cli").mkdir(parents=True)
        alone = shutil.copy(CARAT, build / "cli")
        for told in ("install carat with its BLAS", f"run cmake --build {build}"):
            done = subprocess.run([alone, "run-with", "true"], capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, rf"^carat: run-with: .*; {told}, or name [^\n]*\n$")
            (build / "CMakeCache.txt").touch()

    def test_bad_input_is_one_line(self):
        for arguments, told in ((["/nowhere/program"], "can't be started: No such file"),
                                ([], "no program given"),
                                (["--libary", "true"], "unknown option '--libary'"),
                                (["--library", "/nowhere", "true"], "'/nowhere' is no file")):
            done = self.carat(*arguments, code=2)
            self.assertEqual(done.stdout, "")
            self.assertRegex(done.stderr, rf"^carat: run-with: .*{told}[^\n]*\n$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
