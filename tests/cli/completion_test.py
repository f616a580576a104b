"""What bash and zsh complete after "carat": completion_test.py CARAT. The shells read the scripts and
are asked as they ask for a word; options are compared with those that the help shows."""

import re
import shutil
import subprocess
import sys
import unittest

CARAT = ""


def said(*words):
    return subprocess.run([CARAT, *words], check=True, capture_output=True, text=True).stdout


def subcommands():
    text = said("--help").split("Subcommands:")[1]
    return re.findall(r"(?m)^  ([a-z][a-z-]*) ", text.split("Examples:")[0])


def options(*of):
    return set(re.findall(r"(?m)^\s*(?:-\w,)?\s*(--[a-z][\w-]*)", said(*of, "--help")))


def bash(*words):
    """What bash offers for the last word."""
    script = said("completion", "bash") + f"""
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_carat
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(["bash", "-c", script, "bash", "carat", *words], check=True,
                          capture_output=True, text=True)
    assert not done.stderr, done.stderr
    return done.stdout.split()


def zsh(*words):
    """What zsh is given to choose from, or 'files'."""
    script = f"""
compdef() {{ : }}
_describe() {{ print -rl -- ${{(P)@[-1]}} }}
_files() {{ print files }}
compset() {{ : }}
compadd() {{ print -rl -- ${{(P)@[-1]}} }}
{said("completion", "zsh")}
words=(carat "$@")
CURRENT=$#words
PREFIX=$words[-1]
_carat
"""
    done = subprocess.run(["zsh", "-fc", script, "zsh", *words], check=True, capture_output=True,
                          text=True)
    assert not done.stderr, done.stderr
    return done.stdout.splitlines()


class Completion(unittest.TestCase):
    def test_bash_completes_subcommands_and_their_options(self):
        self.assertEqual(bash("be"), ["bench"])
        self.assertEqual(bash("bench", "--dt"), ["--dtype"])
        self.assertLessEqual(set(subcommands()), set(bash("")))
        for sub in subcommands():
            self.assertEqual(set(bash(sub, "-")), options(sub), sub)

    def test_bash_leaves_words_that_are_no_option_to_files(self):
        self.assertEqual(bash("report", ""), [])
        self.assertEqual(bash("report", "a"), [])

    def test_zsh_says_what_each_word_is(self):
        if not shutil.which("zsh"):
            self.skipTest("there is no zsh (scripts/setup.sh test installs it)")
        self.assertTrue(any(line.startswith("bench:") for line in zsh("")), zsh(""))
        for sub in subcommands():
            found = [line.split(":", 1) for line in zsh(sub, "--")]
            self.assertEqual({word for word, _ in found}, options(sub), sub)
            self.assertTrue(all(what for _, what in found), found)
        self.assertEqual(zsh("report", "a"), ["files"])
        self.assertEqual(zsh("bench", "--inputs", ""), ["hot", "rotated"])

    def test_another_shell_is_refused_in_a_line(self):
        done = subprocess.run([CARAT, "completion", "fish"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn("fish", done.stderr)
        self.assertIn("bash", done.stderr)

    def test_help_shows_it(self):
        self.assertIn("completion", subcommands())
        self.assertIn("source <(carat completion bash)", said("completion", "--help"))

    def test_values_are_completed_where_they_are_known(self):
        self.assertEqual(bash("bench", "--inputs", ""), ["hot", "rotated"])
        self.assertEqual(bash("bench", "--dtype", "f64,bf"), ["f64,bf16"])
        self.assertEqual(bash("run", "--device", "cu"), ["cuda"])
        self.assertEqual(set(bash("completion", "")), {"bash", "zsh"})
        self.assertIn("cpu.ladder.naive", bash("bench", "--impl", "cpu.ladder.n"))
        self.assertEqual(bash("bench", "--impl", "openblas,reord"), ["openblas,reordered"])
        self.assertEqual(bash("bench", "--epilogue", "bias+g"), ["bias+gelu"])
        self.assertIn("ladder", bash("study", "la"))
        self.assertEqual(bash("bench", "--json", ""), [])


if __name__ == "__main__":
    CARAT = sys.argv.pop(1)
    unittest.main(verbosity=0)
