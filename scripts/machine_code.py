"""The machine code of kernels, as cuobjdump disassembles it."""

import os
import shutil
import subprocess
import sys


def require(cuobjdump, what):
    """Ends with 77, saying what was skipped, where there is no cuobjdump."""
    if not shutil.which(cuobjdump):
        print(f"SKIPPED: {what}, because there is no cuobjdump ({cuobjdump})")
        sys.exit(77)


def disassembly(cuobjdump, path):
    # cuobjdump asks PATH for the nvdisasm that lies beside it.
    tools = f"{os.path.dirname(shutil.which(cuobjdump))}:{os.environ.get('PATH', '')}"
    done = subprocess.run([cuobjdump, "-sass", path], text=True, capture_output=True,
                          env={**os.environ, "PATH": tools})
    if done.returncode:
        sys.exit(f"{cuobjdump} can't read {path}: {done.stderr.strip()}")
    return done.stdout


def functions(text, instruction):
    """(name, matches of `instruction`) of each kernel that has any."""
    name, found = None, []
    for line in text.splitlines():
        if "Function :" in line:
            if found:
                yield name, found
            name, found = line.split(":", 1)[1].strip(), []
        elif match := instruction.match(line):
            found.append(match)
    if found:
        yield name, found
