#!/usr/bin/env python3
"""Runs a command as on a machine that has one of carat's instruction-set levels and no better one.

usage: scripts/as_on.py {baseline|avx2|avx512|amx} COMMAND [ARGUMENTS]

The C library tells carat what the processor has (src/core/isa.cpp), and GLIBC_TUNABLES takes features
from what it tells, for the command and whatever that starts. Tile registers are none of them; there
a filter refuses the system call that asks for them, as systems do that don't know it. At full speed,
but an instruction that the level lacks still runs: cpu.emulated looks for those. Exit status 77: this
machine has less than the level.
"""

import ctypes
import errno
import os
import pathlib
import platform
import struct
import sys

FLAGS = {"baseline": (), "avx2": ("avx2", "fma"),
         "avx512": ("avx512f", "avx512bw", "avx512dq", "avx512vl"),
         "amx": ("avx512vbmi", "amx_tile", "amx_bf16", "amx_int8")}
LEVELS = list(FLAGS)
ARCH_PRCTL, ASK_FOR_STATE, TILE_DATA = 158, 0x1023, 18


def missing(level):
    """What this machine lacks for a level, in words, or nothing."""
    info = pathlib.Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    has = next((line.split() for line in info.splitlines() if line.startswith("flags")), [])
    needed = [flag for l in LEVELS[:LEVELS.index(level) + 1] for flag in FLAGS[l]]
    lacks = [flag for flag in needed if flag not in has]
    if not lacks and level == "amx":
        if ctypes.CDLL(None).syscall(ARCH_PRCTL, ASK_FOR_STATE, TILE_DATA) != 0:
            return "the system's leave to use tile registers"
    return " ".join(lacks)


def hide_features(above):
    names = [flag.upper() for level in above if level != "amx" for flag in FLAGS[level]]
    given = os.environ.get("GLIBC_TUNABLES", "")
    hidden = "glibc.cpu.hwcaps=" + ",".join(f"-{name}" for name in names)
    if names:
        os.environ["GLIBC_TUNABLES"] = f"{given}:{hidden}" if given else hidden


def refuse_tiles():
    """A filter (seccomp) under which asking for tile registers fails, here and in all children."""
    load, equal, end = 0x20, 0x15, 0x06
    allow, refuse = 0x7fff0000, 0x00050000 | errno.EINVAL
    x86_64, call, architecture, argument = 0xc000003e, 0, 4, 16
    program = b"".join(struct.pack("HBBI", *step) for step in (
        (load, 0, 0, architecture), (equal, 0, 5, x86_64),
        (load, 0, 0, call), (equal, 0, 3, ARCH_PRCTL),
        (load, 0, 0, argument), (equal, 0, 1, ASK_FOR_STATE),
        (end, 0, 0, refuse), (end, 0, 0, allow)))
    memory = ctypes.create_string_buffer(program)
    described = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(memory))
    no_new_privileges, set_filter, by_program = 38, 22, 2
    libc = ctypes.CDLL(None, use_errno=True)
    if (libc.prctl(no_new_privileges, 1, 0, 0, 0) != 0
            or libc.prctl(set_filter, by_program, described) != 0):
        sys.exit(f"as_on: this system takes no filter: {os.strerror(ctypes.get_errno())}")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    level = sys.argv[1]
    if level not in LEVELS:
        sys.exit(f"as_on: unknown level '{level}': use {', '.join(LEVELS[:-1])} or {LEVELS[-1]}")
    if platform.machine() not in ("x86_64", "AMD64"):
        print(f"as_on: NOT TESTED: levels are of x86-64, and this is {platform.machine()}")
        sys.exit(77)
    if lacks := missing(level):
        print(f"as_on: NOT TESTED: this machine has no {level}: it lacks {lacks}")
        sys.exit(77)
    hide_features(LEVELS[LEVELS.index(level) + 1:])
    if level != "amx":
        refuse_tiles()
    try:
        os.execvp(sys.argv[2], sys.argv[2:])
    except OSError as error:
        sys.exit(f"as_on: can't run {sys.argv[2]}: {error.strerror}")


if __name__ == "__main__":
    main()
