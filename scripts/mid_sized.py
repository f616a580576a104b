#!/usr/bin/env python3
"""Measures random calls beside cuBLAS for so many seconds and summarises them in one results file.

    scripts/mid_sized.py FILE [--seconds S] [--programs FOLDER] [--seed N] [--lines FOLDER]

Every kind of call gets its share in turn, round after round with another seed, until the time is
over or each has 200 cases. The GPU must have no other work, and the host little.
"""

import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import json_lines

# What is measured: track, type, sizes are multiples of, cases in a round, the same in words.
KINDS = [("plain", "bf16", 8, 50, "bf16, multiples of 8"),
         ("plain", "bf16", 1, 25, "bf16, any size"),
         ("plain", "f32", 1, 25, "f32, any size"),
         ("plain", "f64", 1, 25, "f64, any size"),
         ("plain", "tf32", 1, 25, "tf32, any size"),
         ("plain", "e4m3", 8, 25, "fp8"),
         ("plain", "e4m3_fast", 8, 25, "fp8, fast accumulation"),
         ("plain", "i8", 8, 25, "int8"),
         ("layouts", "bf16", 8, 25, "bf16 in any layouts"),
         ("beta", "bf16", 8, 25, "bf16, E is C"),
         ("epilogue", "bf16", 8, 25, "bf16, bias and activation"),
         ("even", "bf16", 8, 25, "bf16, groups of even sizes"),
         ("uneven", "bf16", 8, 25, "bf16, groups of uneven sizes"),
         ("batches", "bf16", 8, 25, "bf16, batches, multiples of 8"),
         ("batches", "bf16", 1, 25, "bf16, batches, any size"),
         ("batches", "f32", 8, 25, "f32, batches, multiples of 8"),
         ("batches", "f64", 8, 25, "f64, batches, multiples of 8")]
ENOUGH = 200
WORST = 3  # cases that are told one by one

WHAT = ("random calls of 2e8 to 1e12 operations, sides of 16 to 16384, log-uniform (batches: 16 to 2048, 4 to 1024 "
        "products; groups: 8 to 256 products of 1 to 4096 rows); multiples of 8 are of 16 where elements have 8 bits. "
        "ratio is the time of the fastest of cuBLAS and cuBLASLt's heuristics over carat's, in turns: of `calls` that "
        "follow each other on a stream, or of `graphs` that replay them, without the host. The interval is two standard "
        "errors of the mean of the logarithms; p5 the fifth percentile; unlike_cublas the cases whose results differ by "
        "more than two orders of summation explain. The seed was drawn when this was measured")


def arguments_of():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--seconds", type=float, default=600, help="600 if left out")
    parser.add_argument("--programs", type=pathlib.Path, default="build/release/benchmarks/gpu_call",
                        help="where carat_benchmark_gpu_calls and carat_benchmark_batches are")
    parser.add_argument("--seed", type=int, help="drawn if left out")
    parser.add_argument("--lines", type=pathlib.Path, help="keep each case's line of JSON here")
    parser.add_argument("--revision", help="of what is measured (default: what git says)")
    return parser.parse_args()


def command_of(programs, kind, seed):
    track, dtype, multiple, cases, _ = kind
    if track == "batches":
        return [str(programs / "carat_benchmark_batches"), seed, cases, dtype, multiple]
    return [str(programs / "carat_benchmark_gpu_calls"), seed, cases, track, dtype, multiple]


def cases_of(file):
    """The cases in a file of lines, without summaries and what a stopped program left unfinished."""
    found = []
    for line in file.read_text().splitlines() if file.exists() else []:
        try:
            case = json.loads(line)
        except json.JSONDecodeError:
            continue
        if case.get("ratio"):
            found.append(case)
    return found


def name_of(kind):
    return "_".join(map(str, kind[:3]))


def has_enough(folder, kind):
    return len(cases_of(folder / f"{name_of(kind)}.jsonl")) >= ENOUGH


def measure(programs, folder, seed, seconds):
    """Appends lines to a file for each kind until the time is over; returns the kinds that failed."""
    end = time.monotonic() + seconds
    failed = []
    turn = 0
    while wanting := [k for k in KINDS if k not in failed and not has_enough(folder, k)]:
        for kind in wanting:
            left = end - time.monotonic()
            command = [*map(str, command_of(programs, kind, seed + turn))]
            with open(folder / f"{name_of(kind)}.jsonl", "a") as lines:
                print(file=lines, flush=True)  # ends a line that a program left unfinished
                try:
                    code = subprocess.run(command, stdout=lines, timeout=max(left, 0)).returncode
                except subprocess.TimeoutExpired:
                    return failed
            if code not in (0, 1):  # 1: some results are unlike cuBLAS's
                print(f"mid_sized: {' '.join(command)} ended with {code}", file=sys.stderr)
                failed.append(kind)
        turn += 1
    return failed


def summary(ratios):
    logs = [math.log(ratio) for ratio in ratios]
    mean = statistics.fmean(logs)
    error = statistics.stdev(logs) / math.sqrt(len(logs)) if len(logs) > 1 else 0
    ordered = sorted(ratios)
    return {"cases": len(ratios), "geomean": round(math.exp(mean), 3),
            "interval": [round(math.exp(mean + side * error), 3) for side in (-2, 2)],
            "p5": ordered[len(ordered) // 20], "least": ordered[0],
            "share_at_least_1": round(sum(r >= 1 for r in ratios) / len(ratios), 2)}


def runs_of(kind, cases):
    """What is told of one kind: of calls, and of graphs, which some calls can't be captured into."""
    track, dtype, multiple, _, words = kind
    for timed, field in (("calls", "ratio"), ("graphs", "graph_ratio")):
        taken = sorted((c for c in cases if c.get(field)), key=lambda c: c[field])
        if not taken:
            continue
        run = {"name": words, "track": track, "type": dtype, "multiple": multiple, "timed": timed,
               **summary([c[field] for c in taken]),
               "unlike_cublas": sum(c.get("agree") is False for c in cases)}
        told = ("m", "n", "k", "count", "groups", "layout", "epilogue", "carat_us", "peer_us", "graph_us", "peer",
                field, "plan", "peer_kernels")
        run["worst"] = [{key: c[key] for key in told if key in c} for c in taken[:WORST]]
        yield run


def gpu_field(name):
    asked = ["nvidia-smi", f"--query-gpu={name}", "--format=csv,noheader"]
    return subprocess.run(asked, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[0]


def revision():
    asked = ["git", "rev-parse", "--short=8", "HEAD"]
    return subprocess.run(asked, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def main():
    arguments = arguments_of()
    seed = arguments.seed if arguments.seed is not None else int.from_bytes(os.urandom(4), "little")
    document = {"what": WHAT,
                "command": f"scripts/mid_sized.py {arguments.file} --seconds {arguments.seconds:g}",
                "gpu": gpu_field("name"), "driver": gpu_field("driver_version"),
                "date": time.strftime("%Y-%m-%d", time.gmtime()),
                "revision": arguments.revision or revision(), "seed": seed,
                "conditions": f"alone on the GPU and on {os.cpu_count()} processors"}
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.lines or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        failed = measure(arguments.programs, folder, seed, arguments.seconds)
        document["runs"] = [run for kind in KINDS
                            for run in runs_of(kind, cases_of(folder / f"{name_of(kind)}.jsonl"))]
    if not document["runs"]:
        sys.exit("mid_sized: no case was measured: see what the programs say above")
    arguments.file.write_text(json_lines.written(document))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
