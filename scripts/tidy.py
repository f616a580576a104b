#!/usr/bin/env python3
"""clang-tidy over the project's sources: tidy.py BUILD_FOLDER

A file is read again only when it, a header of ours that it includes, or the rules have changed since
its last clean pass: which headers those are is what the build recorded. Tests are held to the
compiler's warnings, CUDA sources to nvcc's.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODULES = ("src/", "lab/", "cli/", "ladder/cpu/")


def recorded_dependencies(build):
    """Object file -> the files that its compilation read, from Ninja's log."""
    log = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True,
                         check=True).stdout
    found = {}
    for block in log.split("\n\n"):
        lines = block.strip().splitlines()
        if lines:
            found[lines[0].split(":")[0]] = [line.strip() for line in lines[1:]]
    return found


def commands(build):
    """Source -> the command that compiles it; one of them where each instruction set has its own."""
    found = {}
    for command in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(command["file"])
        if not path.is_relative_to(ROOT) or path.suffix != ".cpp":
            continue
        source = str(path.relative_to(ROOT))
        if source.startswith(MODULES):
            found[source] = command
    return found


def files_read(build, command, dependencies):
    target = re.search(r" -o (\S+)", command["command"])[1]
    read = [pathlib.Path(build, file).resolve() for file in dependencies.get(target, [])]
    return sorted({pathlib.Path(command["file"]), *(f for f in read if f.is_relative_to(ROOT))})


def state(files):
    digest = hashlib.sha256((ROOT / ".clang-tidy").read_bytes())
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:24]


def clean(notes, source, files):
    stamp = notes / state(files)
    if stamp.exists():
        return True
    run = subprocess.run(
        ["clang-tidy", "-p", notes, "--quiet", "--warnings-as-errors=*",
         "--extra-arg=-Wno-unknown-warning-option", source],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if run.returncode == 0:
        stamp.touch()
        return True
    print(f"{run.stdout}clang-tidy: {source}", flush=True)
    return False


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    notes = build / "tidy"
    notes.mkdir(exist_ok=True)
    chosen = commands(build)
    (notes / "compile_commands.json").write_text(json.dumps(list(chosen.values())))
    dependencies = recorded_dependencies(build)

    def check(source):
        return clean(notes, source, files_read(build, chosen[source], dependencies))

    jobs = int(os.environ.get("CARAT_JOBS", os.cpu_count()))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        good = list(pool.map(check, chosen))
    print(f"clang-tidy: {len(good)} files, {good.count(False)} with findings")
    return 0 if good and all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
