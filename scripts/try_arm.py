#!/usr/bin/env python3
"""Builds for 64-bit Arm and runs that on processors that QEMU emulates, each with other instructions.

usage: scripts/try_arm.py [--part tests|command|blas] [--processor NAME] [--no-build]

scripts/cross_arm.sh makes the build. Each program runs on one thread, with a limit on its memory and on
its time; without --part and --processor everything takes some ten minutes of one core. Emulation shows
that results are right and that no instruction is used that a processor lacks. It says nothing about
speed; scripts/count_instructions.py counts instructions.
"""

import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SYSTEM = ROOT / "build/arm/system"
BUILD = ROOT / "build/arm/dev"
MEMORY_BYTES = 6 << 30
SECONDS = 600

# The processor as QEMU names it, the level that carat chooses there, and what it has.
PROCESSORS = {
    "cortex-a57": ("baseline", "Armv8.0: NEON"),
    "neoverse-n1": ("dotprod", "and products of bytes (SDOT), f16"),
    "max,sve=off": ("i8mm", "and matrix products of bytes and bf16"),
    "max,sve-default-vector-length=32": ("sve256", "and SVE of 256 bits"),
    "max": ("sve512", "and SVE of 512 bits"),
    "a64fx": ("sve512", "SVE of 512 bits, no products of bytes"),
}

# Tests of the engine: every type and layout at the register tile's edges, every tile of narrow types, the
# same bits on every path. Death tests start their program again, which an emulated one can't.
ENGINE = ("exactness/*.edges*:exactness.every_row*:skinny/*.rows_of_c*:levels/tiles.*"
          "-*many_blocks*:*past_the_caches*")
CALL = "isa.the_*:isa.tiles*:f16_sums.*"
LEAST_TESTS = {"carat_test_cpu": 13, "carat_test_api": 3}


def emulated(processor, command, plugin=None, **settings):
    """Runs a program for Arm; the limits are the emulator's."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))

    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith(("CARAT_", "OMP_", "QEMU_", "LD_"))}
    environment.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", **settings)
    plugins = ["-plugin", plugin] if plugin else []
    return subprocess.run(["qemu-aarch64", "-cpu", processor, "-L", SYSTEM, *plugins, *command],
                          capture_output=True, text=True, check=False, timeout=SECONDS,
                          env=environment, preexec_fn=limit)


def must(held, what, done):
    if held:
        return
    print(done.stdout[-3000:] + done.stderr[-3000:])
    sys.exit(f"try_arm: {what}")


def run_tests(processor, level):
    for program, tests in (("cpu/carat_test_cpu", ENGINE), ("api/carat_test_api", CALL)):
        done = emulated(processor, [BUILD / "tests" / program, f"--gtest_filter={tests}"])
        name = program.rpartition("/")[2]
        passed = re.search(r"\[  PASSED  \] (\d+) test", done.stdout)
        must(done.returncode == 0 and passed, f"{name} failed on {processor}", done)
        must(int(passed[1]) >= LEAST_TESTS[name], f"{name} ran only {passed[1]} tests on {processor}", done)
        print(f"  {name}: {passed[1]} passed", flush=True)


def run_command(processor, level):
    done = emulated(processor, [BUILD / "cli/carat", "info"])
    must(done.returncode == 0 and level in done.stdout, f"carat info doesn't name {level}", done)
    done = emulated(processor, [BUILD / "benchmarks/instructions/carat_benchmark_instructions",
                                BUILD / "src/abi/blas/libcarat_blas.so", "f64", "96", "1"])
    must(done.returncode == 0, f"the drop-in BLAS failed on {processor}", done)
    print("  carat info, dgemm of the drop-in BLAS", flush=True)


def run_blas(processor, level):
    """The reference BLAS's own tests of level 1 to 3: what carat computes, and what it forwards."""
    if level not in ("baseline", "sve512"):
        return  # the same kernels
    tests = ["Netlib.test_fortran_d", "Netlib.test_fortran_z", "Netlib.test_cblas_s"]
    done = subprocess.run([sys.executable, ROOT / "tests/abi/blas/netlib_test.py",
                           BUILD / "src/abi/blas/libcarat_blas.so", SYSTEM, *tests],
                          capture_output=True, text=True, check=False, timeout=3 * SECONDS,
                          env={**os.environ, "QEMU_CPU": processor})
    must(done.returncode == 0 and f"Ran {len(tests)} tests" in done.stderr,
         f"the reference BLAS's tests failed on {processor}", done)
    print("  netlib's tests of the drop-in BLAS", flush=True)


PARTS = {"command": run_command, "tests": run_tests, "blas": run_blas}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--processor", action="append", choices=PROCESSORS)
    parser.add_argument("--part", action="append", choices=PARTS)
    parser.add_argument("--no-build", action="store_true")
    asked = parser.parse_args()
    if not asked.no_build:
        subprocess.run([ROOT / "scripts/cross_arm.sh", "carat_command", "carat_blas", "carat_test_cpu",
                        "carat_test_api", "carat_benchmark_instructions"], check=True)
    for processor in asked.processor or PROCESSORS:
        level, what = PROCESSORS[processor]
        print(f"{processor} ({what})", flush=True)
        for part in asked.part or PARTS:
            PARTS[part](processor, level)


if __name__ == "__main__":
    main()
