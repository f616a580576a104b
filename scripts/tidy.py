#!/usr/bin/env python3
"""clang-tidy over the project's sources: tidy.py BUILD_FOLDER

BUILD_FOLDER is configured to compile each file alone (CARAT_BATCHES=OFF) and need not be built. A file
is read again only when it, a header of ours that it includes, or the rules have changed since its last
clean pass. Tests are held to the compiler's warnings, CUDA sources to nvcc's.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODULES = ("src/", "lab/", "cli/", "ladder/cpu/")


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


def files_read(command):
    """The file and those of ours that it includes, as the compiler finds them."""
    words = shlex.split(command["command"])
    compiler = next(i for i, word in enumerate(words) if re.search(r"(\+\+|clang|gcc)[^/]*$", word))
    words = words[compiler:]
    for option in ("-o", "-MF", "-MT"):
        if option in words:
            at = words.index(option)
            del words[at:at + 2]
    told = subprocess.run([word for word in words if word not in ("-c", "-MD")] + ["-MM"],
                          cwd=command["directory"], capture_output=True, text=True, check=True).stdout
    read = {pathlib.Path(command["directory"], file).resolve()
            for file in told.partition(":")[2].replace("\\\n", " ").split()}
    return sorted(file for file in read if file.is_relative_to(ROOT))


def state_of(files):
    """What a clean pass depends on: the rules, and each file by its content."""
    def digest(file):
        return hashlib.sha256(file.read_bytes()).hexdigest() if file.exists() else None
    return {str(file): digest(file) for file in (ROOT / ".clang-tidy", *files)}


def is_unchanged(note):
    if not note.exists():
        return False
    known = json.loads(note.read_text())
    return known == state_of([pathlib.Path(file) for file in known][1:])


def clean(notes, source, command):
    note = notes / f"{source.replace('/', '+')}.json"
    if is_unchanged(note):
        return True
    files = files_read(command)
    run = subprocess.run(
        ["clang-tidy", "-p", notes, "--quiet", "--warnings-as-errors=*",
         "--extra-arg=-Wno-unknown-warning-option", source],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if run.returncode == 0:
        note.write_text(json.dumps(state_of(files)))
        return True
    print(f"{run.stdout}clang-tidy: {source}", flush=True)
    return False


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    notes = build / "tidy"
    notes.mkdir(exist_ok=True)
    chosen = commands(build)
    (notes / "compile_commands.json").write_text(json.dumps(list(chosen.values())))

    def check(source):
        return clean(notes, source, chosen[source])

    jobs = int(os.environ.get("CARAT_JOBS", os.cpu_count()))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        good = list(pool.map(check, chosen))
    print(f"clang-tidy: {len(good)} files, {good.count(False)} with findings")
    return 0 if good and all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
