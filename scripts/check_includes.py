#!/usr/bin/env python3
"""Checks which module includes which (docs/adr/0001): prints each forbidden include, each cycle between
modules and each rule for a folder that isn't there, and exits 1 if there is any."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Module -> what its files may include besides the module itself.
ALLOWED = {
    "include/carat": [],
    "src/core": ["include/carat"],
    "src/files": ["include/carat"],
    "src/plan": ["include/carat", "src/core"],
    "src/tuning": ["include/carat", "src/core", "src/files"],
    "src/cpu": ["include/carat", "src/core", "src/plan"],
    "src/cuda": ["include/carat", "src/core", "src/cuda/common", "src/cuda/engine"],
    "src/cuda/ptx": [],
    "src/cuda/common": ["include/carat", "src/core", "src/plan", "src/tuning", "src/cuda/ptx"],
    "src/cuda/families/fma": ["include/carat", "src/core", "src/plan", "src/cuda/common", "src/cuda/ptx"],
    "src/cuda/families/gemv": ["include/carat", "src/core", "src/plan", "src/cuda/common", "src/cuda/ptx"],
    "src/cuda/families/mma": ["include/carat", "src/core", "src/plan", "src/cuda/common", "src/cuda/ptx"],
    "src/cuda/families/scale": ["include/carat", "src/core", "src/plan", "src/cuda/common"],
    "src/cuda/families/wgmma": ["include/carat", "src/core", "src/plan", "src/cuda/common", "src/cuda/ptx"],
    "src/cuda/engine": ["include/carat", "src/core", "src/plan", "src/tuning", "src/cuda"],
    "src/api": ["include/carat", "src/core", "src/plan", "src/cpu", "src/cuda/engine"],
    "src/distributed": ["include/carat"],
    "src/abi": ["include/carat"],
    "src/abi/c": ["include/carat", "src/core/memory.hpp", "src/core/pool.hpp", "src/core/threads.hpp"],
    "src/abi/blas": ["include/carat", "src/api/multiply_part.hpp", "src/core/isa.hpp", "src/core/openmp.hpp", "src/core/pool.hpp",
                     "src/core/threads.hpp"],
    "ladder/cpu": ["include/carat", "src/core", "lab/rows", "lab/space"],
    "ladder/cuda": ["include/carat", "src/core", "src/cuda/common", "src/cuda/ptx", "lab/rows"],
    "lab/statistics": [],
    "lab/files": ["include/carat", "src/files"],
    "lab/measure": ["lab/space", "lab/statistics"],
    "lab/space": ["include/carat"],
    "lab/space/cuda": ["include/carat", "src/cuda/common", "lab/space"],
    "lab/process": ["include/carat"],
    "lab/machine": ["include/carat", "src/core", "src/files", "lab/files", "lab/rows"],
    "lab/workload": ["include/carat", "src/core", "lab/rows"],
    "lab/verify": ["include/carat", "src/core", "lab/rows", "lab/statistics/split_mix.hpp",
                   "lab/workload/parallel.hpp", "lab/workload/philox.hpp"],
    "lab/gpu": ["include/carat", "src/core", "src/cuda/common", "src/files", "src/tuning", "lab/files", "lab/machine", "lab/space"],
    "lab/gpu/peaks": ["include/carat", "src/core", "src/cuda/common", "src/cuda/ptx",
                         "lab/machine", "lab/space", "lab/workload"],
    "lab/gpu/verify": ["include/carat", "src/core", "src/cuda/common", "lab/verify"],
    "lab/results": ["include/carat", "src/core", "src/files", "lab/files", "lab/rows"],
    "lab/report": ["include/carat", "src/core", "src/files", "lab/files", "lab/process", "lab/results", "lab/rows", "lab/statistics"],
    "lab/model": ["include/carat", "src/core"],
    "lab/explain": ["include/carat", "src/core", "lab"],
    "lab/crossover": ["include/carat", "src/core", "lab/statistics", "lab/results"],
    "lab/scale_out": ["include/carat", "lab/files", "lab/gpu", "lab/machine", "lab/report", "lab/results"],
    "lab/gpus": ["include/carat", "src/distributed", "lab/scale_out"],
    "lab/ranks": ["include/carat", "src/core", "src/distributed", "lab/scale_out", "lab/vendor/common", "lab/verify"],
    "lab/rows": ["include/carat", "src/core", "lab/statistics/split_mix.hpp"],
    "lab/rows/cpu": ["include/carat", "src/core", "src/cpu", "lab/rows"],
    "lab/rows/cuda": ["include/carat", "src/core", "src/cuda/common", "src/cuda/engine", "lab/rows", "lab/space"],
    "lab/vendor": ["include/carat", "src/core", "lab/rows"],
    "lab/vendor/cublas": ["include/carat", "src/core", "src/cuda/common", "lab/rows", "lab/space",
                          "lab/vendor/common"],
    "lab/catalogue": ["lab/rows", "lab/vendor", "ladder"],
    "lab/request": ["include/carat", "src/core", "lab/machine", "lab/measure", "lab/results", "lab/rows",
                    "lab/space", "lab/verify", "lab/workload"],
    "lab/workers": ["include/carat", "src/core", "lab/files", "lab/gpu", "lab/machine", "lab/process", "lab/results",
                    "lab/rows", "lab/space", "lab/verify", "lab/workload"],
    "lab/compare": ["include/carat", "src/core", "lab/results", "lab/statistics"],
    "lab/session": ["include/carat", "src/core", "src/files", "lab"],
    "lab/judge": ["include/carat", "src/core", "src/files", "lab"],
    "lab/judge/device": ["include/carat", "src/core", "src/cuda/common", "lab/gpu/verify", "lab/verify"],
    "lab/judge/host": ["include/carat/carat_kernel.h", "lab/judge/device/channel.hpp", "lab/judge/host",
                       "lab/judge/protocol.hpp", "lab/judge/serve.hpp"],
    "lab/tune": ["include/carat", "src/core", "src/files", "src/tuning", "lab"],
    "lab/study": ["include/carat", "src/core", "lab"],
    "cli": ["include/carat", "src/core", "src/distributed", "src/files", "lab"],
    "python/native": ["include/carat", "src/core", "src/cpu/engine.hpp"],
    "tests": ["include/carat", "src", "ladder", "lab", "cli", "tests", "fuzz/failing_new.hpp",
              "fuzz/own_new.hpp"],
    "benchmarks": ["include/carat", "src", "ladder", "lab"],
    "fuzz": ["include/carat"],
    "fuzz/parsers": ["include/carat", "src/core", "src/files", "src/tuning", "lab/files", "lab/machine",
                     "lab/results", "fuzz/random.hpp"],
}

# Folders in which every folder is a module with a rule of its own.
OF_MODULES = ["src/cuda", "src/cuda/families"]

TOPS = ("include", "src", "ladder", "lab", "cli", "python", "tests", "benchmarks", "fuzz")

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<(carat/[^>]+)>)')


def module_of(path):
    """The longest rule that holds the file, or None."""
    modules = [module for module in ALLOWED if path.as_posix().startswith(module + "/")]
    module = max(modules, key=len, default=None)
    if module in OF_MODULES and path.parent.as_posix() != module:
        return None
    return module


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


def may_include(module, where, target):
    text = target.as_posix()
    if where.suffix == ".cuh" and text.startswith("src/plan/"):
        return False  # device code knows no planner
    return any(text == a or text.startswith(a + "/") for a in [module, *ALLOWED[module]])


def sources():
    for top in TOPS:
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in {".hpp", ".h", ".cpp", ".cu", ".cuh"}:
                yield path


def failures_of(path, graph):
    """Forbidden includes of a file; what it includes of other modules is noted in the graph."""
    where = path.relative_to(ROOT)
    module = module_of(where)
    if module is None:
        yield f"{where}: belongs to no module; name one in scripts/check_includes.py"
        return
    for number, name in includes(path):
        target = resolve(name, path)
        if target is None:
            continue
        if not may_include(module, where, target):
            yield f"{where}:{number}: {module} must not include {target}"
        other = module_of(target)
        if other not in (None, module):
            graph.setdefault(module, {})[other] = f"{where}:{number}"


def missing_folders():
    named = {name for rule in ALLOWED.items() for name in [rule[0], *rule[1]]}
    for name in sorted(named):
        if not (ROOT / name).exists():
            yield f"scripts/check_includes.py: {name} isn't there"


def cycles(graph):
    """Each cycle once, as the includes that close it."""
    done = set()

    def walk(module, path):
        if module in path:
            loop = path[path.index(module):]
            yield [graph[x][y] for x, y in zip(loop, loop[1:] + loop[:1])], loop
            return
        if module in done:
            return
        for other in sorted(graph.get(module, {})):
            yield from walk(other, [*path, module])
        done.add(module)

    for module in sorted(graph):
        for at, loop in walk(module, []):
            yield " -> ".join([*loop, loop[0]]) + ": a cycle, by " + ", ".join(at)


def main():
    paths = list(sources())
    graph = {}
    failures = [failure for path in paths for failure in failures_of(path, graph)]
    failures += [*missing_folders(), *cycles(graph)]
    for failure in failures:
        print(failure)
    print(f"include graph: {len(paths)} files read, {len(failures)} faults")
    return 1 if failures or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
