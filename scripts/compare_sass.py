#!/usr/bin/env python3
"""Compares kernels by their machine code: compare_sass.py [options] OLD NEW

OLD and NEW are object files, or directories searched for them (*.cu.o); several are separated by
commas. Kernels are paired by their code, whatever their names and files are: a renamed kernel, or
one that moved, is the same. What is no code is left out: offsets of parameters in constant bank 0,
which move when a parameter's struct loses a field, are compared by the order in which they appear
(--exact: as they are). What remains is paired with what is nearest by the instructions it has, of
the same name first, else listed as only in one of the two.

Fails with 1 when a kernel differs or is missing, or is new, and no --expected PATTERN (a regular
expression, searched in its demangled name) covers it; 77 without cuobjdump.
"""

import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import sys

import machine_code

INSTRUCTION = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;")
PARAMETER = re.compile(r"c\[0x0\]\[(0x[0-9a-f]+)\]")
FIRST_PARAMETER = 0x210  # what lies before is the launch's: block size, stack

# The distance between two kernels' instructions, as a share of the first; beyond it they differ.
MOST_DISTANT = 0.5

Kernel = collections.namedtuple("Kernel", "name code")


def kernels_of(text):
    """The kernels of a disassembly, code as a list of instructions."""
    return [Kernel(name, [" ".join(line[1].split()) for line in code])
            for name, code in machine_code.functions(text, INSTRUCTION)]


def without_names(code):
    """Symbols numbered in the order in which they appear: a call's target, a table's address."""
    numbers = {}
    symbol = re.compile(r"(?<![\w.])(\$?_Z\w+(?:\$\w+)*|\$_\w+|`\([^)]*\))")
    return [symbol.sub(lambda m: f"symbol{numbers.setdefault(m[0], len(numbers))}", line)
            for line in code]


def without_offsets(code):
    """Parameters numbered in the order in which they appear."""
    numbers = {}

    def number(match):
        offset = int(match[1], 16)
        if offset < FIRST_PARAMETER:
            return match[0]
        return f"parameter{numbers.setdefault(offset, len(numbers))}"

    return [PARAMETER.sub(number, line) for line in code]


def key(code, exact):
    code = without_names(code)
    return tuple(code if exact else without_offsets(code))


def family(name):
    """What a kernel is called but for its template arguments and what comes after them."""
    return name.split("<")[0].split("(")[0].split("::")[-1]


def pair(old, new, exact):
    """(same, differing, only old, only new): pairs in the first two, kernels in the others."""
    by_code = collections.defaultdict(list)
    for kernel in new:
        by_code[key(kernel.code, exact)].append(kernel)
    same, left = [], []
    for kernel in old:
        found = by_code[key(kernel.code, exact)]
        if found:  # of several with this code, one of this name
            best = next((k for k in found if k.name == kernel.name), found[0])
            found.remove(best)
            same.append((kernel, best))
        else:
            left.append(kernel)
    rest = [k for found in by_code.values() for k in found]
    differ = []
    for name_of in (lambda k: k.name, lambda k: family(k.name), lambda k: ""):
        near = sorted(((distance(one.code, other.code), i, j) for i, one in enumerate(left)
                       for j, other in enumerate(rest) if name_of(one) == name_of(other)))
        ones, others = set(), set()
        for far, i, j in near:  # the nearest two first
            if i in ones or j in others or far > MOST_DISTANT * len(left[i].code):
                continue
            ones.add(i)
            others.add(j)
            differ.append((left[i], rest[j]))
        left = [k for i, k in enumerate(left) if i not in ones]
        rest = [k for j, k in enumerate(rest) if j not in others]
    return same, differ, left, rest


def opcode(line):
    words = line.split()
    return words[1] if words[0].startswith("@") and len(words) > 1 else words[0]


def distance(one, other):
    """How many opcodes one of the two has more of than the other."""
    counts = [collections.Counter(opcode(line) for line in code) for code in (one, other)]
    return sum(((counts[0] - counts[1]) + (counts[1] - counts[0])).values())


def demangled(kernels):
    if not kernels or not shutil.which("c++filt"):
        return kernels
    names = subprocess.run(["c++filt"], input="\n".join(k.name for k in kernels), text=True,
                           capture_output=True, check=True).stdout.splitlines()
    return [Kernel(name, k.code) for name, k in zip(names, kernels)]


def read(given, cuobjdump):
    kernels = []
    for part in given.split(","):
        path = pathlib.Path(part)
        files = sorted(path.rglob("*.cu.o")) if path.is_dir() else [path]
        for file in files:
            text = (file.read_text() if file.suffix == ".sass"  # disassembled already
                    else machine_code.disassembly(cuobjdump, str(file)))
            kernels += kernels_of(text)
    return demangled(kernels)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cuobjdump", default="cuobjdump")
    parser.add_argument("--exact", action="store_true", help="parameters keep their offsets, too")
    parser.add_argument("--expected", action="append", default=[], metavar="PATTERN",
                        help="differences of kernels with such a name are no failure")
    parser.add_argument("--short", action="store_true", help="only the counts")
    parser.add_argument("old")
    parser.add_argument("new")
    args = parser.parse_args()
    if not all(part.endswith(".sass") for part in f"{args.old},{args.new}".split(",")):
        machine_code.require(args.cuobjdump, "nothing was compared")
    old, new = read(args.old, args.cuobjdump), read(args.new, args.cuobjdump)
    same, differ, only_old, only_new = pair(old, new, args.exact)

    def is_expected(*kernels):
        return any(re.search(pattern, k.name) for pattern in args.expected for k in kernels)

    unexpected = 0
    for what, found in (("differs", differ), ("only in old", [(k,) for k in only_old]),
                        ("only in new", [(k,) for k in only_new])):
        for kernels in found:
            expected = is_expected(*kernels)
            unexpected += not expected
            if not args.short:
                print(f"{what}{' (expected)' if expected else ''}: "
                      + " -> ".join(f"{k.name} [{len(k.code)} instructions]" for k in kernels))
    print(f"compare_sass: {len(same)} same, {len(differ)} differ, {len(only_old)} only in old, "
          f"{len(only_new)} only in new, {unexpected} unexpected")
    if not old or not new:
        print("compare_sass: nothing was compared: are these objects with machine code?")
    sys.exit(1 if unexpected or not old or not new else 0)


if __name__ == "__main__":
    main()
