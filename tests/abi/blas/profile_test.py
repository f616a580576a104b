#!/usr/bin/env python3
"""CARAT_PROFILE: what is in the report, and that no process of a program is missing.

usage: profile_test.py LIBRARY
"""

import os
import pathlib
import re
import subprocess
import sys
import unittest

import compiled

LIBRARY = pathlib.Path(sys.argv[1]).resolve()
DIGITS = r"\d+\.\d+"

# Multiplies ARGUMENTS[2] times after a fork, and ends in one of several ways.
PROGRAM = r"""
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
void cblas_dgemm(int, int, int, int, int, int, double, const double *, int, const double *, int,
                 double, double *, int);
double cblas_ddot(int, const double *, int, const double *, int);
static void multiply(int times) {
    const double a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 2, 0, 1, 1};
    double c[4];
    for (int i = 0; i < times; ++i) {
        cblas_dgemm(101, 111, 111, 2, 2, 3, 1, a, 3, b, 2, 0, c, 2);
        if (cblas_ddot(6, a, 1, b, 1) != 18) exit(9);
    }
}
int main(int count, char **arguments) {
    const char *end = count > 1 ? arguments[1] : "returns";
    if (strcmp(end, "comma") == 0 && setlocale(LC_ALL, "de_DE.UTF-8") == NULL) return 8;
    if (strcmp(end, "elsewhere") == 0 && chdir("/") != 0) return 9;
    multiply(2);
    if (strcmp(end, "forks") == 0) {
        for (int i = 0; i < 3; ++i)
            if (fork() == 0) {
                multiply(3);
                _exit(0);
            }
        while (wait(NULL) > 0) {}
    }
    if (strcmp(end, "closes") == 0) {
        for (int i = 3; i < 100; ++i) close(i);
        FILE *other = fopen("other", "w");
        fputs("nothing else", other);
        fflush(other);
        multiply(1);
    }
    if (strcmp(end, "killed") == 0) raise(SIGKILL);
    return 0;
}
"""


def calls(report, routine):
    found = re.findall(rf"^{routine} +(?:all shapes|the other BLAS|NN +2x2x3) +(\d+) ", report, re.M)
    return int(found[0]) if found else 0


class Profile(compiled.ProgramTest):
    def setUp(self):
        super().setUp()
        self.program = self.build(["cc"], "multiply.c", PROGRAM, LIBRARY)
        done = subprocess.run([self.program], capture_output=True, text=True, check=False)
        if done.returncode == 127:
            self.skipTest("no other BLAS is installed: " + done.stderr)

    def reports(self, name="report"):
        return [p.read_text() for p in sorted(self.folder.glob(name + "*"))]

    def test_the_report(self):
        self.assertEqual(self.run_program(self.program).stderr, "")
        self.assertEqual(self.run_program(self.program, CARAT_PROFILE="0").stderr, "")
        shown = self.run_program(self.program, CARAT_PROFILE="1").stderr
        self.assertTrue(all(len(line) <= 80 for line in shown.splitlines()), shown)
        self.assertRegex(shown, rf"\ndgemm +all shapes +2 +{DIGITS} +{DIGITS} +{DIGITS}\n")
        self.assertRegex(shown, rf"\ndgemm +NN +2x2x3 +2 +{DIGITS} +{DIGITS} +{DIGITS}\n")
        self.assertRegex(shown, rf"\nall +4 +{DIGITS} +100\.0\n")

    def test_what_is_forwarded_is_timed(self):
        shown = self.run_program(self.program, CARAT_PROFILE="1").stderr
        # The other BLAS's cblas_ddot calls ddot_, which is part of it.
        self.assertRegex(shown, rf"\ncblas_ddot +the other BLAS +2 +{DIGITS} +{DIGITS}\n")
        self.assertNotIn("ddot_", shown)

    def test_a_program_that_never_multiplies_has_nothing_to_say(self):
        done = self.run_program("true", CARAT_PROFILE="1", LD_PRELOAD=str(LIBRARY))
        self.assertEqual(done.stderr, "")
        self.run_program("true", CARAT_PROFILE="report", LD_PRELOAD=str(LIBRARY))
        self.assertEqual(self.reports(), [])

    def test_numbers_have_points_in_every_locale(self):
        german = {}
        if subprocess.run([self.program, "comma"], check=False).returncode == 8:
            done = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8",
                                   self.folder / "de_DE.UTF-8"], capture_output=True, check=False)
            if done.returncode != 0:
                self.skipTest("no locale with decimal commas (apt install locales)")
            german = {"LOCPATH": str(self.folder)}
        shown = self.run_program(self.program, "comma", CARAT_PROFILE="1", **german).stderr
        self.assertEqual(calls(shown, "dgemm"), 2)
        self.assertNotIn(",", shown)

    def test_each_process_has_a_file_of_its_own(self):
        for _ in range(2):
            self.run_program(self.program, CARAT_PROFILE="report")
        self.assertEqual([calls(r, "dgemm") for r in self.reports()], [2, 2])
        own = subprocess.Popen([self.program], env={**os.environ, "CARAT_PROFILE": "of_%p_"},
                               cwd=self.folder)
        own.wait()
        self.assertEqual(len(self.reports(f"of_{own.pid}_")), 1)

    def test_forked_children_that_end_by__exit(self):
        self.run_program(self.program, "forks", CARAT_PROFILE="report")
        reports = self.reports()
        self.assertEqual(sorted(calls(r, "dgemm") for r in reports), [2, 3, 3, 3])
        self.assertEqual(sorted(calls(r, "cblas_ddot") for r in reports), [2, 3, 3, 3])
        self.assertEqual(sum(" so far\n" in r for r in reports), 3)

    def test_a_process_that_is_killed(self):
        self.run_program(self.program, "killed", code=-9, CARAT_PROFILE="report")
        self.assertEqual([calls(r, "dgemm") for r in self.reports()], [2])

    def test_a_program_that_goes_elsewhere(self):
        self.run_program(self.program, "elsewhere", CARAT_PROFILE="report")
        self.assertEqual([calls(r, "dgemm") for r in self.reports()], [2])

    def test_a_program_that_closes_what_is_not_its_own(self):
        self.run_program(self.program, "closes", CARAT_PROFILE="report")
        self.assertEqual((self.folder / "other").read_text(), "nothing else")
        self.assertEqual([calls(r, "dgemm") for r in self.reports()], [3])

    def test_a_file_that_cannot_be_written(self):
        shown = self.run_program(self.program, CARAT_PROFILE="/nowhere/report").stderr
        self.assertIn("CARAT_PROFILE=/nowhere/report can't be written", shown)
        self.assertEqual(calls(shown, "dgemm"), 2)
        shown = self.run_program(self.program, CARAT_PROFILE="/dev/stderr").stderr
        self.assertEqual(calls(shown, "dgemm"), 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
