#!/usr/bin/env python3
"""Runs a CUDA compilation and judges what ptxas says of each kernel: ptxas_gate.py COMPILER ARGS

Fails on register spills, on stack frames and on notices C75xx: with those ptxas says that it
ignored setmaxnreg or serialised wgmma, and goes on as if nothing had happened. The resources of
each kernel are left beside the object file, as FILE.o.ptxas, one line a kernel:
    registers  shared_bytes  architecture  symbol
Other output of the compiler is passed on; the chatter of -Xptxas -v is not.
"""

import re
import subprocess
import sys

CHATTER = re.compile(
    r"^ptxas info\s*: |^\s+\d+ bytes stack frame|^\s*$"
    # The host compiler's remark about the line markers that nvcc leaves in its output.
    r"|^#\$ "
)
ENTRY = re.compile(r"Compiling entry function '(\S+)' for '(\w+)'")
FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
NOTICE = re.compile(r"\bC75\d\d\b")


def judge(text):
    """(problems, resources of each kernel, what is neither) in the compiler's output."""
    problems, kernels, rest = [], [], []
    kernel = architecture = "?"
    for line in text.splitlines():
        if match := ENTRY.search(line):
            kernel, architecture = match.groups()
        elif match := FRAME.search(line):
            if any(int(n) > 0 for n in match.groups()):
                problems.append(f"{kernel} ({architecture}): {line.strip()}")
        elif match := re.search(r"Used (\d+) registers", line):
            shared = re.search(r"(\d+) bytes smem", line)
            kernels.append((int(match[1]), int(shared[1]) if shared else 0, architecture, kernel))
        if NOTICE.search(line):
            problems.append(line.strip())
        elif not CHATTER.match(line):
            rest.append(line)
    return problems, kernels, rest


def main(command):
    done = subprocess.run(command, capture_output=True, text=True)
    problems, kernels, rest = judge(done.stdout + done.stderr)
    for line in rest:
        print(line, file=sys.stderr)
    for problem in problems:
        print(f"ptxas gate: {problem}", file=sys.stderr)
    if done.returncode == 0 and kernels and "-o" in command:
        with open(command[command.index("-o") + 1] + ".ptxas", "w", encoding="utf-8") as report:
            for kernel in kernels:
                print(*kernel, file=report)
    return done.returncode or (1 if problems else 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
