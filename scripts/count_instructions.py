#!/usr/bin/env python3
"""Counts the instructions of dgemm and sgemm on emulated Arm processors, carat's beside OpenBLAS's.

usage: scripts/count_instructions.py [--no-build] [--json FILE]

A count is what two calls take more than one call on the same operands, on one thread, so starting and
loading are not in it. It is no time: processors execute several instructions at once, and not all take
as long. scripts/cross_arm.sh makes the build, with the OpenBLAS of Debian.
"""

import argparse
import datetime
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import json_lines  # noqa: E402
from try_arm import BUILD, PROCESSORS, ROOT, SYSTEM, emulated, must  # noqa: E402

COUNTER = ROOT / "build/arm/counter.so"
GUEST = BUILD / "benchmarks/instructions/carat_benchmark_instructions"
LIBRARIES = {
    "carat": BUILD / "src/abi/blas/libcarat_blas.so",
    "OpenBLAS": SYSTEM / "usr/lib/aarch64-linux-gnu/openblas-pthread/libopenblas.so.0",
}
SIZES = (64, 256)
COUNTED = ("cortex-a57", "neoverse-n1", "max,sve-default-vector-length=32", "max")
# What OpenBLAS has for SVE, which it would not choose on a processor that no maker has named.
OVERRIDES = {"max,sve-default-vector-length=32": {"OPENBLAS_CORETYPE": "NEOVERSEV1"},
             "max": {"OPENBLAS_CORETYPE": "ARMV8SVE"}}


def count(processor, library, dtype, n, calls):
    done = emulated(processor, [GUEST, LIBRARIES[library], dtype, str(n), str(calls)],
                    plugin=COUNTER, **OVERRIDES.get(processor, {}))
    found = re.search(r"^instructions: (\d+)$", done.stderr, re.M)
    must(done.returncode == 0 and found, f"{library} failed on {processor}", done)
    kernels = re.search(r"^kernels: (\S+)$", done.stdout, re.M)
    return int(found[1]), kernels[1] if kernels else PROCESSORS[processor][0]


def cases():
    for processor in COUNTED:
        for dtype in ("f64", "f32"):
            for n in SIZES:
                for library in LIBRARIES:
                    (one, kernels), (two, _) = (count(processor, library, dtype, n, c) for c in (1, 2))
                    per = (two - one) / n**3
                    print(f"{processor:34} {dtype} {n:4} {library:9} {kernels:12} {per:.3f}", flush=True)
                    yield {"processor": processor, "dtype": dtype, "n": n, "library": library,
                           "kernels": kernels, "instructions": two - one,
                           "instructions_per_multiply_add": round(per, 4)}


def told(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--no-build", action="store_true")
    asked = parser.parse_args()
    if not asked.no_build:
        subprocess.run([ROOT / "scripts/cross_arm.sh", "carat_blas", "carat_benchmark_instructions"],
                       check=True)
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", COUNTER,
                    ROOT / "benchmarks/instructions/counter.c"], check=True)
    print(f"{'processor':34} type    n library   kernels      instructions / multiply-add")
    document = {
        "what": "instructions of dgemm and sgemm, one thread, column-major, beta = 0: two calls less one",
        "conditions": "QEMU's user mode, instruction counts, not time; nothing was timed on an Arm processor",
        "revision": told("git", "rev-parse", "--short=10", "HEAD"),
        "date": datetime.date.today().isoformat(),
        "command": "scripts/count_instructions.py --json results/arm/instructions.json",
        "emulator": told("qemu-aarch64", "--version").splitlines()[0],
        "compiler": told("aarch64-linux-gnu-g++", "--version").splitlines()[0],
        "openblas": LIBRARIES["OpenBLAS"].resolve().name,
        "counts": list(cases()),
    }
    if asked.json:
        asked.json.parent.mkdir(parents=True, exist_ok=True)
        asked.json.write_text(json_lines.written(document), encoding="utf-8")


if __name__ == "__main__":
    main()
