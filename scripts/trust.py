#!/usr/bin/env python3
"""What the laboratory's verdicts are worth on this machine, tried on what can't differ.

    scripts/trust.py null [--cases 60] [--runs 3] [--json results/cpu/null.json]
    scripts/trust.py pools [--rounds 3] [--json results/cpu/pools.json]

null: the same libraries on the same random shapes in several runs of carat, each with processes of
its own; every two runs are compared, and no verdict may be "faster" or "slower" in more than 5 % of
the cases. pools: libraries with thread pools of their own in one command, and each alone, in turns:
together each is to give what it gives alone within 5 %, or no verdict. Exit 1 if that fails.
"""

import argparse
import collections
import itertools
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import json_lines

CLAIMS = ("faster", "slower")
MOST_CLAIMS = 0.05
MOST_APART = 0.05


class Program:
    """The carat that measures, and what it measures with."""

    def __init__(self, arguments, folder):
        self.path, self.folder = arguments.carat, folder
        self.common = ["--dtype", arguments.dtype, "--budget", str(arguments.budget)]
        if arguments.threads:
            self.common += ["--threads", arguments.threads]

    def bench(self, name, implementations, sizes, seed):
        file = self.folder / f"{name}.json"
        print(f"trust: {name}", file=sys.stderr, flush=True)
        done = subprocess.run([self.path, "bench", "--quiet", "--impl", implementations,
                               "--size", ",".join(sizes), "--seed", str(seed), *self.common,
                               "--json", str(file)], stdout=subprocess.DEVNULL)
        if done.returncode != 0:
            sys.exit(f"trust: {self.path} bench ended with {done.returncode} ({name})")
        return file

    def compare(self, before, after):
        """What differs between two files; a verdict is no failure here."""
        done = subprocess.run([self.path, "compare", str(before), str(after), "--json", "-"],
                              stdout=subprocess.PIPE, text=True)
        if done.returncode not in (0, 1) or not done.stdout:
            sys.exit(f"trust: {self.path} compare ended with {done.returncode}")
        return json.loads(done.stdout)


def shapes(count, largest, seed):
    """Random and distinct, as many small as large: M, N and K spread evenly over powers of two."""
    draw = random.Random(seed)
    found = []
    while len(found) < count:
        m, n, k = (round(largest ** draw.uniform(0.4, 1)) for _ in range(3))
        if f"{m}x{n}x{k}" not in found:
            found.append(f"{m}x{n}x{k}")
    return found


def brief(change):
    return {key: change.get(key) for key in
            ("implementation", "dtype", "m", "n", "k", "threads", "ratio", "ci95_ratio", "verdict",
             "reason") if change.get(key) not in (None, "")}


def about(file):
    """Where and with what it was measured."""
    document = json.loads(file.read_text())
    machine = document["machine"]
    return {"date": document["date"], "revision": document["revision"],
            "machine": {key: machine.get(key) for key in ("cpu_model", "cores", "hypervisor")},
            "libraries": {r["implementation"]: f"{r['library']['name']} {r['library']['version']}"
                          for r in document["results"] if r.get("library")}}


def withheld(changes):
    """How often no verdict was given, by the reason, whatever its figures."""
    silent = [c for c in changes if c["verdict"] in ("busy", "lost", "missing")]
    return collections.Counter(re.sub(r"\d+", "N", c.get("reason") or c["verdict"])
                               for c in silent)


def null(arguments, program):
    sizes = shapes(arguments.cases, arguments.largest, arguments.seed)
    files = [program.bench(f"run{i}", arguments.impl, sizes, arguments.seed + i)
             for i in range(arguments.runs)]
    pairs, reasons = [], collections.Counter()
    for a, b in itertools.combinations(range(arguments.runs), 2):
        told = program.compare(files[a], files[b])
        changes = [brief(c) for c in told["changes"]]
        reasons += withheld(changes)
        pairs.append({"runs": [a, b], "cases": len(changes),
                      "verdicts": dict(collections.Counter(c["verdict"] for c in changes)),
                      "claimed": [c for c in changes if c["verdict"] in CLAIMS],
                      "notes": told.get("notes", [])})
    cases = sum(p["cases"] for p in pairs)
    claims = sum(len(p["claimed"]) for p in pairs)
    silent = sum(reasons.values())
    judged = cases - silent
    print(f"{claims} of {judged} comparisons of a library with itself say faster or slower"
          f" ({silent} more without a verdict)")
    sound = judged > 0 and claims <= MOST_CLAIMS * judged
    return sound, {"of": "null", **about(files[0]), "dtype": arguments.dtype,
                   "budget_s": arguments.budget, "shapes": sizes,
                   "comparisons": cases, "judged": judged, "claims": claims, "withheld": dict(reasons),
                   "pairs": pairs}


def gflops(file, name):
    return next((r.get("median_gflops") or 0 for r in json.loads(file.read_text())["results"]
                 if r["implementation"] == name), 0)


def is_apart(change):
    """Whether all of its interval lies more than 5 % away from 1."""
    low, high = change.get("ci95_ratio") or (None, None)
    return (high is not None and high < 1 - MOST_APART) or \
        (low is not None and low > 1 / (1 - MOST_APART))


def pools(arguments, program):
    names = arguments.impl.split(",")
    compared, first = [], None
    for i in range(arguments.rounds):
        together = program.bench(f"together{i}", arguments.impl, [arguments.size], arguments.seed + i)
        first = first or together
        for name in names:
            alone = program.bench(f"{name}{i}", name, [arguments.size], arguments.seed + i)
            for change in program.compare(alone, together)["changes"]:
                row = change["implementation"]
                compared.append({**brief(change), "round": i, "alone_gflops": gflops(alone, row),
                                 "together_gflops": gflops(together, row)})
    apart = [c for c in compared if is_apart(c)]
    for c in compared:
        print(f"{c['implementation']}: {c['alone_gflops']:.4g} GFLOP/s alone, "
              f"{c['together_gflops']:.4g} together: {c['verdict']}"
              + (f" ({c['reason']})" if c.get("reason") else ""))
    silent = sum(not c.get("ci95_ratio") for c in compared)
    print(f"{len(apart)} of {len(compared)} lie more than {100 * MOST_APART:.0f} % apart"
          f" ({silent} without a verdict)")
    return bool(compared) and not apart, {"of": "pools", **about(first), "size": arguments.size,
                                          "compared": compared, "apart": len(apart)}


def options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["null", "pools"])
    parser.add_argument("--carat", default="build/cpu/cli/carat", help="the program that measures")
    parser.add_argument("--impl", default="openblas,engine,mkl")
    parser.add_argument("--dtype", default="f64")
    parser.add_argument("--threads", default="")
    parser.add_argument("--budget", default=0.5, type=float, help="s, of a row of a case")
    parser.add_argument("--seed", default=1, type=int)
    parser.add_argument("--json", type=pathlib.Path, help="what was found")
    parser.add_argument("--cases", default=60, type=int, help="null: random shapes")
    parser.add_argument("--largest", default=512, type=int, help="null: the most of M, N and K")
    parser.add_argument("--runs", default=3, type=int, help="null: of carat")
    parser.add_argument("--size", default="256", help="pools: the product")
    parser.add_argument("--rounds", default=3, type=int, help="pools: together, then each alone")
    arguments = parser.parse_args()
    if arguments.what == "null" and (arguments.runs < 2 or arguments.cases < 1):
        parser.error(f"--runs {arguments.runs} and --cases {arguments.cases}: it takes two runs and "
                     "a case")
    return arguments


def main():
    arguments = options()
    with tempfile.TemporaryDirectory() as scratch:
        program = Program(arguments, pathlib.Path(scratch))
        sound, found = {"null": null, "pools": pools}[arguments.what](arguments, program)
    if arguments.json:
        arguments.json.write_text(json_lines.written(found))
    sys.exit(0 if sound else 1)


if __name__ == "__main__":
    main()
