#!/usr/bin/env python3
"""Whether two builds have the same machine code for their CPU: compare_code.py OLD NEW

OLD and NEW are object files, or folders of them, whose files are paired by what their functions do,
not by name. Functions are compared as instructions with their operands; names of symbols, addresses
and where a function lies in its file don't count. Prints what only one side has; exits 1 if any."""

import collections
import pathlib
import re
import subprocess
import sys

# "  1a:	call   1f <name+0x5>" and the relocations below it.
INSTRUCTION = re.compile(r"^\s*[0-9a-f]+:\t(.*)$")
RELOCATION = re.compile(r"^\s+[0-9a-f]+: (R_\w+)\s+(\S+)$")
FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$")


def normal(instruction):
    """The code without addresses: of a jump inside a function only the jump remains."""
    text = re.sub(r"\s*#.*$", "", instruction)
    text = re.sub(r"\b[0-9a-f]+ <[^>]*>", "<place>", text)
    return re.sub(r"\s+", " ", text).strip()


def functions(file):
    told = subprocess.run(["objdump", "-dr", "--no-show-raw-insn", file],
                          capture_output=True, text=True, check=True).stdout
    name, code = None, []
    for line in told.splitlines():
        if match := FUNCTION.match(line):
            if name:
                yield name, "\n".join(code)
            name, code = match[1], []
        elif match := RELOCATION.match(line):
            code.append(match[1])
        elif match := INSTRUCTION.match(line):
            text = normal(match[1])
            if not text.startswith(("nop", "data16", "cs nop", "xchg %ax,%ax")):
                code.append(text)
    if name:
        yield name, "\n".join(code)


def objects(path):
    path = pathlib.Path(path)
    return sorted(path.rglob("*.o")) if path.is_dir() else [path]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sides = []
    for path in sys.argv[1:]:
        found = collections.defaultdict(list)
        for file in objects(path):
            for name, code in functions(file):
                found[code].append(f"{file}: {name}")
        sides.append(found)
    old, new = sides
    lost = [name for code, names in old.items() for name in names[len(new.get(code, [])):]]
    gained = [name for code, names in new.items() for name in names[len(old.get(code, [])):]]
    for sign, names in (("-", lost), ("+", gained)):
        for name in names:
            print(sign, name)
    count = sum(map(len, old.values()))
    print(f"{count} functions before, {sum(map(len, new.values()))} now: {len(lost)} only before, "
          f"{len(gained)} only now")
    return 1 if lost or gained or not count else 0


if __name__ == "__main__":
    sys.exit(main())
