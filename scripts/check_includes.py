#!/usr/bin/env python3
"""Checks which room includes which (docs/adr/0001): prints each forbidden include, exits 1 if any."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Room -> what its files may include besides the room itself.
ALLOWED = {
    "include/carat": [],
    "src/core": ["include/carat"],
    "src/files": ["include/carat"],
    "src/plan": ["include/carat", "src/core"],
    "src/tuning": ["include/carat", "src/core", "src/files"],
    "src/cpu": ["include/carat", "src/core", "src/plan"],
    "src/cuda": ["include/carat", "src/core", "src/plan", "src/tuning"],
    "src/emulation": ["include/carat", "src/core"],
    "src/vendor": ["include/carat", "src/core"],
    "src/vendor/cublas": ["include/carat", "src/core", "src/cuda/common", "src/vendor/common"],
    "src/api": ["include/carat", "src/core", "src/plan", "src/cpu", "src/cuda", "src/emulation"],
    "src/abi": ["include/carat"],
    "src/abi/blas": ["include/carat", "src/api/part.hpp", "src/core/isa.hpp", "src/core/pool.hpp", "src/core/threads.hpp"],
    "src/distributed": ["include/carat"],
    "ladder/cpu": ["include/carat", "src/core"],
    "ladder/cuda": ["include/carat", "src/core", "src/cuda/common"],
    "lab/statistics": [],
    "lab/measure": ["src/core/execution_space.hpp", "lab/statistics"],
    "lab/machine": ["include/carat", "src/core", "src/files"],
    "lab/workload": ["include/carat", "src/core"],
    "lab/verify": ["include/carat", "src/core", "lab/workload/parallel.hpp",
                   "lab/workload/philox.hpp"],
    "lab/gpu": ["include/carat", "src/core", "src/cuda/common", "lab/machine"],
    "lab/gpu/ceilings": ["include/carat", "src/core", "src/cuda/common", "src/cuda/ptx",
                         "lab/machine", "lab/workload"],
    "lab/results": ["include/carat", "src/core", "src/files"],
    "lab/report": ["include/carat", "src/files"],
    "lab/model": ["include/carat", "src/core"],
    "lab/explain": ["include/carat", "src/core", "lab"],
    "lab/crossover": ["include/carat", "src/core", "lab/statistics", "lab/results"],
    "lab/catalogue": ["include/carat", "src", "ladder"],
    "lab/session": ["include/carat", "src/core", "src/files", "lab"],
    "lab/tune": ["include/carat", "src/core", "src/files", "src/tuning", "lab"],
    "lab/study": ["include/carat", "src/core", "lab"],
    "cli": ["include/carat", "src/core", "src/files", "lab"],
    "tests": ["include/carat", "src", "ladder", "lab", "cli", "tests"],
    "benchmarks": ["include/carat", "src", "ladder", "lab"],
    "python": ["include/carat"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<(carat/[^>]+)>)')


def room_of(path):
    """The longest rule that holds the file, or None."""
    rooms = [room for room in ALLOWED if path.as_posix().startswith(room + "/")]
    return max(rooms, key=len, default=None)


def resolve(name, includer):
    """The file an include names, relative to the project; None when it is generated."""
    for base in (ROOT, ROOT / "src", ROOT / "include", includer.parent):
        if (base / name).is_file():
            return (base / name).resolve().relative_to(ROOT)
    return None


def includes(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if match := INCLUDE.match(line):
            yield number, match.group(1) or match.group(2)


def may_include(room, target):
    text = target.as_posix()
    return any(text == a or text.startswith(a + "/") for a in [room, *ALLOWED[room]])


def sources():
    for top in ("include", "src", "ladder", "lab", "cli", "tests", "benchmarks", "python"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in {".hpp", ".h", ".cpp", ".cu", ".cuh"}:
                yield path


def failures_of(path):
    where = path.relative_to(ROOT)
    room = room_of(where)
    if room is None:
        yield f"{where}: belongs to no room; name one in scripts/check_includes.py"
        return
    for number, name in includes(path):
        target = resolve(name, path)
        if target is not None and not may_include(room, target):
            yield f"{where}:{number}: {room} must not include {target}"


def main():
    paths = list(sources())
    failures = [failure for path in paths for failure in failures_of(path)]
    for failure in failures:
        print(failure)
    print(f"include graph: {len(paths)} files read, {len(failures)} forbidden includes")
    return 1 if failures or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
