#!/usr/bin/env python3
"""Measures committed results anew, each by the command that its file names (a step of a release).

    ./dev record [PATTERN ...] [--list] [--scratch FOLDER] [--carat PROGRAM]

A file under results/ is replaced only by a run that ended well, is complete, found every product
right, and has a figure wherever the file has one; else it stays, and what was measured lies in the
scratch folder. What needs a GPU, another processor or a benchmark program is skipped, aloud.
PATTERN is a glob of paths under results/, such as 'cpu/*'.
"""

import argparse
import fnmatch
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys

import json_lines

# How tunables are called since the commands of some files ran.
RENAMED = {"rows": "block_m", "tile": "block_n", "parts": "split_k", "sharing": "cluster_m",
           "apart": "schedule", "even": "stream_k", "together": "wave_sync", "room": "ctas_per_sm"}

# What no single command makes.
BY_HAND = {"h200/exchange.json": "two builds, one after the other"}


class Kept(Exception):
    """Why a file stays as it is."""


def renamed(word):
    """--impl's value with the tunables of carat's own GPU kernels as they are called today."""
    def brackets(found):
        return re.sub(r"(\w+)=", lambda t: RENAMED.get(t[1], t[1]) + "=", found[0])
    return re.sub(r"cuda\.engine[.\w]*\[[^\]]*\]", brackets, word)


def commands_of(name, document):
    """[(variables, arguments)] that measured it, without the names of their outputs."""
    if name in BY_HAND:
        raise Kept(f"by hand: {BY_HAND[name]}")
    line = document.get("command")
    if not line or "comparisons" not in document:
        raise Kept(f"by hand: {line or 'the file names no command'}")
    found = []
    for command in line.split("; "):
        words = shlex.split(command)
        variables = {}
        while words and re.match(r"[A-Z_]+=", words[0]):
            key, _, value = words.pop(0).partition("=")
            variables[key] = value
        if not words or words.pop(0) not in ("carat", "c") or words[0] not in ("bench", "study"):
            raise Kept(f"by hand: {command}")
        outputs = ["--json", "--csv", "--report"]
        for option in [*outputs, "--out"] if words[0] == "study" else outputs:  # bench: C's type
            if option in words:
                at = words.index(option)
                del words[at:at + 2]
        found.append((variables, [renamed(w) for w in words if w != "--resume"]))
    return found


def needs_gpu(name, commands):
    on_gpu = any("cuda" in " ".join(words) for _, words in commands)
    return on_gpu or name.startswith(("h100/", "h200/"))


def has_gpu():
    try:
        return subprocess.run(["nvidia-smi", "-L"], capture_output=True).returncode == 0
    except OSError:
        return False


def cores_of(machine):
    """What tells one machine from another; a hypervisor may give many the same name."""
    caches = [c["size_bytes"] for c in machine.get("caches", []) if c["kind"] != "instruction"]
    return {"cpu_model": machine.get("cpu_model", "").split("@")[0].strip(),
            "cores": machine.get("cores"), "isa": sorted(machine.get("isa", [])),
            "cache bytes": caches}


def gpus_of(machine):
    return sorted(gpu["name"] for gpu in machine.get("gpus", []))


def machine_here(carat):
    done = subprocess.run([carat, "info", "--json"], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Kept(f"kept: {carat} info ended with {done.returncode}")
    return json.loads(done.stdout)


def require_place(name, document, commands, carat):
    on_gpu = needs_gpu(name, commands)
    if on_gpu and not has_gpu():
        raise Kept("skipped: no GPU here")
    was, now = document["machine"], machine_here(carat)
    if on_gpu:
        if gpus_of(was) and gpus_of(was)[0] not in gpus_of(now):
            raise Kept(f"skipped: measured on {gpus_of(was)[0]}, and this has "
                       f"{', '.join(gpus_of(now)) or 'no GPU that carat knows'}")
        return
    was, now = cores_of(was), cores_of(now)
    for what, value in was.items():
        # An older carat names fewer instructions.
        same = set(value) <= set(now[what]) if what == "isa" else value == now[what]
        if value and not same:
            raise Kept(f"skipped: measured on {what} {value}, and here it is {now[what]}")


def run(carat, variables, arguments, folder, number):
    """The document that one command leaves."""
    if arguments[0] == "study":
        out = folder / f"study{number}"
        file = out / f"{arguments[1]}.json"
        output = ["--out", str(out)]
    else:
        file = folder / f"part{number}.json"
        output = ["--json", str(file)]
    done = subprocess.run([carat, *arguments, *output], env={**os.environ, **variables},
                          stdout=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Kept(f"kept: the run ended with {done.returncode}, what it left is in {folder}")
    return json.loads(file.read_text())


def joined(parts):
    """Parts of one file, measured one after the other, as one document."""
    whole = parts[0]
    for part in parts[1:]:
        for key in ("results", "comparisons"):
            whole[key] += part[key]
        whole["complete"] = whole["complete"] and part["complete"]
    return whole


def key_of(result):
    return tuple(str(result[k]) for k in ("implementation", "dtype", "m", "n", "k", "threads")) + (
        result.get("layout", "nn"),)


def has_figure(result):
    return result["available"] and result.get("verified") and bool(result.get("trials_s"))


def require_sound(document, before):
    if not document["complete"]:
        raise Kept("kept: the run is not complete")
    for result in document["results"]:
        what = " ".join(key_of(result))
        wrong = result["available"] and not result["verified"]
        if wrong and result.get("verification") != "none":
            raise Kept(f"kept: {what} is wrong")
        if result.get("above_peak"):
            raise Kept(f"kept: {what} is above the measured peak")
        if result.get("busy"):
            raise Kept(f"kept: {what} was disturbed: {result['busy']}")
    now = {key_of(r) for r in document["results"] if has_figure(r)}
    renamed_keys = {(renamed(k[0]), *k[1:]) for k in map(key_of, filter(has_figure, before["results"]))}
    lost = sorted(renamed_keys - now)
    if lost:
        raise Kept(f"kept: {len(lost)} figures are missing, the first {' '.join(lost[0])}")


def replace(file, document, commands):
    """Whole or not at all."""
    document["command"] = "; ".join(
        " ".join([*(f"{k}={v}" for k, v in variables.items()), "carat", *map(shlex.quote, words)])
        for variables, words in commands)
    draft = file.with_name("." + file.name + ".new")
    try:
        draft.write_text(json_lines.written(document))
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)


def record(file, name, scratch, arguments):
    """One line on what became of it; throws Kept."""
    document = json.loads(file.read_text())
    commands = commands_of(name, document)
    require_place(name, document, commands, arguments.carat)
    if arguments.list:
        return "; ".join(shlex.join(words) for _, words in commands)
    folder = scratch / name.removesuffix(".json")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    parts = [run(arguments.carat, variables, words, folder, i)
             for i, (variables, words) in enumerate(commands)]
    whole = joined(parts)
    require_sound(whole, document)
    replace(file, whole, commands)
    return "measured anew"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", default=["*"])
    parser.add_argument("--list", action="store_true", help="say what would run, and run nothing")
    parser.add_argument("--results", default="results", type=pathlib.Path)
    parser.add_argument("--scratch", default="build/record", type=pathlib.Path)
    parser.add_argument("--carat", default="carat", help="the program that measures")
    arguments = parser.parse_args()
    files = {str(f.relative_to(arguments.results)): f
             for f in sorted(arguments.results.rglob("*.json"))}
    chosen = [n for n in files if any(fnmatch.fnmatch(n, p) for p in arguments.patterns or ["*"])]
    if not chosen:
        sys.exit(f"record: no file under {arguments.results} is called "
                 f"{' or '.join(arguments.patterns)}: --list shows their names")
    failed = False
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    for name in chosen:
        try:
            said = record(files[name], name, arguments.scratch, arguments)
        except Kept as why:
            said = str(why)
            failed = failed or said.startswith("kept")
        except KeyboardInterrupt:
            sys.exit(f"{name}: kept: interrupted")
        except (OSError, ValueError, KeyError) as why:
            said = f"kept: {type(why).__name__}: {why}"
            failed = True
        print(f"{name}: {said}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
