#!/usr/bin/env python3
"""Which GPUs a library holds code for: code_for.py LIBRARY [--cuobjdump FILE] [--gpus LIST] [--most-mb N]

Counts the machine code and PTX of each architecture. Fails with 1 where one of LIST (as in CARAT_GPUS)
is missing or there is machine code for another, or where code and data exceed N MB; with 77 without
cuobjdump.
"""

import argparse
import collections
import re
import subprocess
import sys

import machine_code


def held(cuobjdump, library):
    """"sm_80" or "compute_120" -> how many files of such code."""
    found = collections.Counter()
    for option, suffix, prefix in (("--list-elf", "cubin", "sm_"), ("--list-ptx", "ptx", "compute_")):
        told = subprocess.run([cuobjdump, option, library], capture_output=True, text=True)
        found.update(prefix + gpu for gpu in re.findall(rf"\.sm_(\w+)\.{suffix}$", told.stdout, re.M))
    return found


def name_of(gpu):
    """What cuobjdump calls an entry of CARAT_GPUS."""
    if gpu.endswith("-virtual"):
        return "compute_" + gpu.removesuffix("-virtual")
    return "sm_" + gpu.split(":")[-1]


def loaded_bytes(library):
    """Code and data, without symbols and lines for a debugger."""
    told = subprocess.run(["size", library], capture_output=True, text=True, check=True).stdout
    return sum(int(part) for line in told.splitlines()[1:] for part in line.split()[:2])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("--cuobjdump", default="cuobjdump")
    parser.add_argument("--gpus", help="as in CARAT_GPUS, with commas")
    parser.add_argument("--most-mb", type=float)
    asked = parser.parse_args()
    machine_code.require(asked.cuobjdump, f"{asked.library} was not read")
    found = held(asked.cuobjdump, asked.library)
    size_mb = loaded_bytes(asked.library) / 1e6
    print(f"{asked.library}: {size_mb:.1f} MB of code and data")
    for name, count in sorted(found.items(), key=lambda item: int(re.sub(r"\D", "", item[0]))):
        print(f"  {name:14}{count:4} files")
    wrong = []
    if asked.gpus:
        expected = {name_of(gpu) for gpu in asked.gpus.split(",")}
        wrong += [f"no code for {name}" for name in sorted(expected - set(found))]
        wrong += [f"code for {name}, which CARAT_GPUS lacks"
                  for name in sorted(set(found) - expected) if name.startswith("sm_")]
    if asked.most_mb and size_mb > asked.most_mb:
        wrong.append(f"{size_mb:.1f} MB are more than {asked.most_mb:g}")
    for what in wrong:
        print(f"code_for: {asked.library}: {what}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
