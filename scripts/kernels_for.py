#!/usr/bin/env python3
"""Compiles the kernels of a build for one GPU after the other, as the gate demands (no spills).

    scripts/kernels_for.py BUILD_FOLDER --gpus 80,86,89,120 [--only PATTERN] [--json FILE]

    scripts/kernels_for.py BUILD_FOLDER --gpus 75+80+89   all three in one compilation, as in a build

Takes the command of each .cu file whose path contains PATTERN (a regular expression; by default
all but wgmma, which only Hopper has) from the folder's compile_commands.json and replaces the list
of architectures. Nothing is kept. Says for each file and GPU how many CPU seconds that took, how
large the compressed machine code is, and how many registers the largest kernel has. Exit status 1
where a kernel spills or a file does not compile.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
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


def compiled(file, directory, command, gpu):
    """A row of the table: CPU seconds, bytes of code, most registers of a kernel, and what the gate
    objects to."""
    with tempfile.NamedTemporaryFile(suffix=".o") as made, tempfile.TemporaryFile("w+") as told:
        job = subprocess.Popen([*command, *map(gencode, gpu.split("+")), "-o", made.name],
                               cwd=directory, stdout=told, stderr=told)
        _, status, used = os.wait4(job.pid, 0)
        job.returncode = os.waitstatus_to_exitcode(status)
        told.seek(0)
        problems, kernels, rest = ptxas_gate.judge(told.read())
        failed = job.returncode != 0
        return {"file": "/".join(pathlib.PurePath(file).parts[-2:]), "gpu": gpu,
                "cpu_s": round(used.ru_utime + used.ru_stime, 2),
                "bytes": 0 if failed else fatbin_bytes(made.name),
                "most_registers": max((k[0] for k in kernels), default=0),
                "problems": problems + rest[:3] if failed else problems}


def show(row):
    print(f"{row['file']:32}{row['gpu']:>14}{row['cpu_s']:8.1f} s{row['bytes'] / 1e6:9.3f} MB"
          f"{row['most_registers']:5} registers{'  FAILED' if row['problems'] else ''}")
    for problem in row["problems"]:
        print(f"    {problem}")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--gpus", required=True, help="as in CARAT_GPUS, with commas")
    parser.add_argument("--only", default=ALL_BUT_HOPPERS, help="files whose path this matches")
    parser.add_argument("--jobs", type=int, default=1, help="compilations at once")
    parser.add_argument("--json", type=pathlib.Path, help="also writes the figures there")
    asked = parser.parse_args()
    jobs = [(*command, gpu) for command in commands(asked.build, asked.only)
            for gpu in asked.gpus.split(",")]
    if not jobs:
        sys.exit(f"kernels_for: no .cu file of {asked.build} matches {asked.only}")
    rows = []
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        for row in pool.map(lambda job: compiled(*job), jobs):
            show(row)
            rows.append(row)
    for gpu in asked.gpus.split(","):
        of_gpu = [row for row in rows if row["gpu"] == gpu]
        print(f"{'all files':32}{gpu:>14}{sum(r['cpu_s'] for r in of_gpu):8.1f} s"
              f"{sum(r['bytes'] for r in of_gpu) / 1e6:9.3f} MB")
    bad = sum(bool(row["problems"]) for row in rows)
    print(f"{bad} of {len(rows)} failed")
    if asked.json:
        asked.json.write_text(json.dumps(rows, indent=1) + "\n")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
