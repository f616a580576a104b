#!/usr/bin/env python3
"""Compiles the kernels of a build for one GPU after the other, as the gate demands (no spills).

    scripts/kernels_for.py BUILD_FOLDER --gpus 80,86,89,120 [--only PATTERN] [--json FILE]

Takes the command of each .cu file whose path contains PATTERN (a regular expression; by default
all but wgmma, which only Hopper has) from the folder's compile_commands.json and replaces the list
of architectures. Nothing is kept. Says for each file and GPU how many CPU seconds that took, how
large the compressed machine code is, and how many registers the largest kernel has. Exit status 1
where a kernel spills or a file does not compile.
"""

import argparse
import json
import pathlib
import re
import resource
import shlex
import subprocess
import sys
import tempfile

import ptxas_gate

ALL_BUT_HOPPERS = r"/(?!wgmma/)[^/]+/[^/]+\.cu$"


def commands(build, pattern):
    """The commands of the build that compile kernels, without list of architectures and output."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if not entry["file"].endswith(".cu") or not re.search(pattern, entry["file"]):
            continue
        words = [word for word in shlex.split(entry["command"]) if not word.startswith("-gencode")]
        compiler = next(at for at, word in enumerate(words) if word.endswith("nvcc"))
        output = words.index("-o")
        yield entry["file"], entry["directory"], words[compiler:output] + words[output + 2:]


def gencode(gpu):
    """The flag for a GPU as CARAT_GPUS names it: 80, 90a, 80-virtual, 80:90."""
    source, _, code = gpu.partition(":")
    if gpu.endswith("-virtual"):
        number = gpu.removesuffix("-virtual")
        return f"-gencode=arch=compute_{number},code=compute_{number}"
    return f"-gencode=arch=compute_{source},code=sm_{code or source}"


def fatbin_bytes(file):
    sections = subprocess.run(["readelf", "-SW", file], capture_output=True, text=True,
                              check=True).stdout
    found = re.findall(r"\.nv_fatbin\s+PROGBITS\s+\w+\s+\w+\s+(\w+)", sections)
    return sum(int(size, 16) for size in found)


def compiled(directory, command, gpu):
    """CPU seconds, bytes of code, most registers of a kernel, and what the gate objects to."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.NamedTemporaryFile(suffix=".o") as made:
        done = subprocess.run([*command, gencode(gpu), "-o", made.name], cwd=directory,
                              capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        problems, kernels, rest = ptxas_gate.judge(done.stdout + done.stderr)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if done.returncode:
            return seconds, 0, 0, problems + rest[:3]
        return seconds, fatbin_bytes(made.name), max((k[0] for k in kernels), default=0), problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--gpus", required=True, help="as in CARAT_GPUS, with commas")
    parser.add_argument("--only", default=ALL_BUT_HOPPERS, help="files whose path this matches")
    parser.add_argument("--json", type=pathlib.Path, help="also writes the figures there")
    asked = parser.parse_args()
    rows, bad = [], 0
    for file, directory, command in commands(asked.build, asked.only):
        name = "/".join(pathlib.PurePath(file).parts[-2:])
        for gpu in asked.gpus.split(","):
            seconds, size, registers, problems = compiled(directory, command, gpu)
            print(f"{name:32}{gpu:>12}{seconds:8.1f} s{size / 1e6:9.3f} MB{registers:5} registers"
                  f"{'' if not problems else '  FAILED'}", flush=True)
            for problem in problems:
                print(f"    {problem}")
            bad += bool(problems)
            rows.append({"file": name, "gpu": gpu, "cpu_s": round(seconds, 2), "bytes": size,
                         "most_registers": registers, "problems": len(problems)})
    if not rows:
        sys.exit(f"kernels_for: no .cu file of {asked.build} matches {asked.only}")
    print(f"{'all':32}{'':12}{sum(r['cpu_s'] for r in rows):8.1f} s"
          f"{sum(r['bytes'] for r in rows) / 1e6:9.3f} MB, {bad} of {len(rows)} failed")
    if asked.json:
        asked.json.write_text(json.dumps(rows, indent=1) + "\n")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
