#!/usr/bin/env python3
"""The command with random words: command.py CARAT [--count N] [--seed S] [--only NUMBER]

Subcommands and options as --help names them, right values and wrong ones, files that are no results.
Whatever is asked, the command ends by itself or by SIGTERM, by no other signal; a refusal is one
line, without control characters, and leaves no file. A finding prints the line that repeats it.
"""

import argparse
import datetime
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile

LIMIT = 1  # seconds, after which a command that does work is asked to end
VALUES = ["", "0", "-1", "1", "2", "16", "16x8", "3x5x7", "8:16:x2", "8:16:0", "1:1:1:1", "1e9", "nan", "inf",
          "18446744073709551616", "-9223372036854775808", "0x10", "1.5", "f64", "f32,bf16", "bf17",
          "naive", "naive,tiled", "tiled[tile-size=16]", "tiled[", "tiled[tile-size=-1]", "cpu.*",
          "nonexistent", "*", "[", "cpu", "cuda:99", "hot", "bias+gelu", "bias+", "nn+8", "ntt",
          "100,28,0", "uneven:1:9/0", "64:pointers", "uniform(0,1)", "uniform(1,", "2n3-n2", ",", "=",
          "--", "-", "-x", "a b", "\u00e9\u4e16", "\x1b[31m", "line\nline", "%n%s", "x" * 300,
          "results.json", "tuned.json", "odd.json", "deep.json", "every_field.json", "folder",
          "missing/out.json", "out.json", "out.html", "/dev/null", "/dev/full", "true", "--version", "--help", "NaN,NaN"]
BRIEF = ["--size", "16", "--trials", "2", "--impl", "naive"]
# A mostly valid command that reads and writes files.
WRITERS = {"bench": [*BRIEF, "--processes", "0", "--json", "out.json", "--report", "out.html"],
           "report": ["every_field.json", "-o", "out.html"],
           "compare": ["every_field.json", "deep.json"]}
NEVER = ("terminate called", "what():", "Assertion", "AddressSanitizer", "runtime error")


def arguments():
    parser = argparse.ArgumentParser(description="The command with random words.")
    parser.add_argument("carat", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=200, help="command lines (%(default)s)")
    parser.add_argument("--seed", type=int, default=int(datetime.date.today().strftime("%Y%m%d")),
                        help="of all that is random (the day)")
    parser.add_argument("--only", type=int, help="the number of a finding")
    given = parser.parse_args()
    given.carat = given.carat.resolve()
    return given


def help_of(carat, *words):
    done = subprocess.run([carat, *words, "--help"], capture_output=True, text=True, check=True)
    return done.stdout


def vocabulary(carat):
    """The options of each subcommand; those of the command under ""."""
    text = help_of(carat)
    names = re.findall(r"^  ([a-z][a-z-]+) ", text.partition("Subcommands:")[2], re.MULTILINE)
    return {name: re.findall(r"^  (?:-\w,)?(--?[\w-]+)", help_of(carat, *([name] if name else [])),
                             re.MULTILINE) for name in ["", *names]}


def changed(word, draw):
    at = draw.randrange(len(word) + 1)
    return draw.choice([word[:at], word[:at] + "x" + word[at:], word + "=", word.upper(), word + word])


def command_line(known, draw):
    name = draw.choice(list(known))
    words = [name] if name else []
    if name in WRITERS and draw.random() < 0.5:
        return [*words, *WRITERS[name], *(draw.choice(known[name]) for _ in range(draw.randrange(2)))]
    if name in ("bench", "run", "tune") and draw.random() < 0.5:
        words += BRIEF[:draw.randrange(len(BRIEF) + 1)]
    for _ in range(draw.randrange(6)):
        kind = draw.random()
        option = draw.choice(known[name] or ["--help"])
        if kind < 0.6:
            words += [option, draw.choice(VALUES)]
        elif kind < 0.75:
            words.append(f"{option}={draw.choice(VALUES)}")
        elif kind < 0.9:
            words.append(draw.choice(VALUES))
        else:
            words.append(changed(draw.choice([option, *known]), draw))
    return words


def fill(folder, draw):
    here = pathlib.Path(__file__).parent
    whole = here.parent / "tests" / "report" / "fixtures" / "every_field.json"
    (folder / whole.name).write_bytes(whole.read_bytes())
    for file in (here / "parsers" / "corpus").iterdir():
        data = bytearray(file.read_bytes())
        if draw.random() < 0.5:
            data[draw.randrange(len(data))] = draw.randrange(256)
        (folder / file.name).write_bytes(data)
    (folder / "folder").mkdir()
    (folder / "deep.json").write_text("[" * 100_000 + "]" * 100_000)
    for name in ("out.json", "out.html", "results.json"):
        (folder / f"{name}.tmp").write_text("of somebody else")


def ended(command, folder):
    """Exit code, both outputs, and whether it was asked to end."""
    surroundings = {**os.environ, "HOME": str(folder), "XDG_CACHE_HOME": str(folder / ".cache")}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder,
                          stdin=subprocess.DEVNULL, env=surroundings) as process:
        asked = False
        for wait in (LIMIT, 10, 60):  # a first signal lets what runs end, a second does not
            try:
                out, err = process.communicate(timeout=wait)
                break
            except subprocess.TimeoutExpired:
                asked = True
                process.send_signal(signal.SIGTERM)
        else:
            process.kill()
            out, err = process.communicate()
            return None, out, err, asked
        return process.returncode, out, err, asked


def contents(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


def fault(words, code, out, err, asked, before, after):
    """What is wrong, or ""."""
    for name in before:
        if before[name] != after.get(name) and not any(w.endswith(name) for w in words):
            return f"changed {name}, which is not named"
    new_files = after.keys() - before.keys()
    text = (out + err).decode(errors="replace")
    for phrase in NEVER:
        if phrase in text:
            return f"says '{phrase}'"
    if code is None:
        return "does not end when asked to (SIGTERM)"
    if asked:
        return "" if code in (0, 1, 130, -signal.SIGTERM, 128 + signal.SIGTERM) else f"left with {code}"
    if code < 0:
        return f"ended by signal {-code}"
    # run-with starts a program that may print anything.
    if code > 1 and not out and words[:1] != ["run-with"]:
        said = err.decode(errors="replace").rstrip("\n")
        if not said:
            return "refused without a word"
        if "\n" in said or any(ord(c) < 32 or ord(c) == 127 for c in said):
            return f"refused by other than one plain line: {said!r}"
        if new_files:
            return f"refused, but left {sorted(new_files)}"
    return ""


def run(given, known, number):
    """Whether the command line of that number was refused; None where it shows a fault."""
    draw = random.Random(f"{given.seed}:{number}")
    words = command_line(known, draw)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        fill(folder, draw)
        before = contents(folder)
        code, out, err, asked = ended([given.carat, *(w.replace("\0", "") for w in words)], folder)
        wrong = fault(words, code, out, err, asked, before, contents(folder))
    if wrong:
        print(f"FINDING {number}: carat {words!r}: {wrong}\n"
              f"    fuzz/command.py {given.carat} --seed {given.seed} --only {number}", flush=True)
        return None
    return code != 0


def main():
    given = arguments()
    known = vocabulary(given.carat)
    numbers = range(given.count) if given.only is None else [given.only]
    results = [run(given, known, number) for number in numbers]
    findings = results.count(None)
    print(f"seed {given.seed}: {len(results)} command lines, {results.count(True)} refused, "
          f"{findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
