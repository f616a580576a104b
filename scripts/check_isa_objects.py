#!/usr/bin/env python3
"""Checks that code for an instruction set stays in its own namespace (docs/adr/0011).

usage: check_isa_objects.py [--nm NM] --level LEVEL OBJECT ... [--level LEVEL OBJECT ...] ...

The linker keeps one copy of a weak symbol (an inline function, a template instance). If objects
compiled for AVX-512 define one that other objects define too, the AVX-512 copy may be the one that
stays, and older machines crash in code that never asked for it. So every weak symbol of an object
must have the object's level in its name. Prints each that has not; exits 1 if there is any.
"""

import subprocess
import sys


def parse(arguments):
    """{level: [object, ...]} and the nm to use."""
    objects, level, tool = {}, None, "nm"
    rest = iter(arguments)
    for word in rest:
        if word == "--nm":
            tool = next(rest)
        elif word == "--level":
            level = next(rest)
        elif level is None:
            sys.exit(f"check_isa_objects: {word} comes before any --level")
        else:
            objects.setdefault(level, []).append(word)
    return objects, tool


def weak_symbols(tool, paths):
    """(object, mangled name) of each weak or unique symbol that the objects define."""
    result = subprocess.run(
        [tool, "-A", "--format=posix", "--defined-only", *paths], capture_output=True, text=True
    )
    if result.returncode != 0:
        sys.exit(f"check_isa_objects: build first: {result.stderr.strip()}")
    lines = (line.rpartition(": ") for line in result.stdout.splitlines())
    fields = ((path, *symbol.split()) for path, _, symbol in lines)
    return [(path, name) for path, name, kind, *_ in fields if kind in "WVu"]


def main():
    objects, tool = parse(sys.argv[1:])
    if not objects:
        sys.exit("check_isa_objects: no objects given: usage is in the head of this file")
    kept, strays = 0, []
    for level, paths in objects.items():
        for path, symbol in weak_symbols(tool, paths):
            if f"{len(level)}{level}" in symbol:  # as the Itanium ABI mangles a namespace
                kept += 1
            else:
                strays.append(f"{path}: {symbol} is not in namespace {level}")
    count = sum(len(paths) for paths in objects.values())
    print("\n".join([*strays, f"{count} objects: {kept} weak symbols in place, {len(strays)} not"]))
    return 1 if strays else 0


if __name__ == "__main__":
    sys.exit(main())
