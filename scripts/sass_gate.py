#!/usr/bin/env python3
"""Judges what ptxas made of wgmma: sass_gate.py [--cuobjdump FILE] OBJECT...

A warpgroup's matrix instruction reads and writes registers long after it was issued, until
WARPGROUP.DEPBAR says that its group is done. Until then no other instruction may write the registers
of A, nor touch those of the sums. ptxas looks after the sums; A it has been seen to give away
(docs/adr/0061), which is wrong sums on some runs and no notice at all. This follows every way through
every kernel's machine code, with the matrix instructions still under way, and fails on each that
is disturbed. `-` as an object reads disassembly from standard input. Without cuobjdump it is
skipped, with code 77.
"""

import argparse
import re
import sys

import machine_code

LINE = re.compile(r"^\s+/\*([0-9a-f]{4,})\*/\s+(?:@!?(U?P\w+)\s+)?([A-Z][\w.]*)\s*([^;]*);")
MATRIX = re.compile(r"^[HIQ]GMMA\.(?:SP\.)?64x(\d+)x\d+")
REGISTER = re.compile(r"(?<![UA-Za-z0-9_])R(\d+)\b")
NO_RESULT = re.compile(r"^(ST|RED|SYNCS|UTMA|UBLK|BAR|CCTL|MEMBAR|EXIT|BRA|BRX|R2UR|R2P|ISETP|"
                       r"[FDH]SETP|WARP|NANOSLEEP)")
MOST_GROUPS = 8


def functions(text):
    """(name, {address: (predicated, opcode, operands)}) of each kernel in a disassembly."""
    for name, code in machine_code.functions(text, LINE):
        yield name, {int(line[1], 16): (line[2] is not None, line[3], line[4].strip())
                     for line in code}


def span(first, count):
    return frozenset(range(first, first + count))


def matrix_registers(opcode, operands):
    """(registers of A, registers of the sums), or None for other instructions; A may lie in none."""
    match = MATRIX.match(opcode)
    if not match:
        return None
    parts = [part.strip() for part in operands.split(",")]
    sums = span(int(parts[0][1:]), int(match[1]) // 2)
    a = REGISTER.match(parts[1])
    return (span(int(a[1]), 4) if a else frozenset()), sums


def written(opcode, operands):
    """The registers that an instruction writes."""
    if NO_RESULT.match(opcode):
        return frozenset()
    parts = [part.strip() for part in operands.split(",")]
    if re.fullmatch(r"P\w", parts[0]) and len(parts) > 1:  # a predicate is written first
        parts = parts[1:]
    match = re.match(r"R(\d+)\b", parts[0])
    if not match:
        return frozenset()
    if ".128" in opcode or re.search(r"LDSM.*\.4$", opcode):
        count = 4
    elif re.search(r"\.64\b|\.WIDE|LDSM.*\.2$|^D(FMA|ADD|MUL)", opcode):
        count = 2
    else:
        count = 1
    return span(int(match[1]), count)


def ways_on(address, code, following, joins):
    """The addresses that may be next, by the kernel's own jumps."""
    predicated, opcode, operands = code[address]
    on = [following[address]] if address in following else []
    target = re.findall(r"0x([0-9a-f]+)", operands)
    if opcode.startswith("BRA"):
        jump = [int(target[-1], 16)]
        return jump + on if predicated or "P" in operands.split("0x")[0] else jump
    if opcode.startswith(("EXIT", "RET", "BRX")):
        return on if predicated else []
    if opcode.startswith("BSYNC"):
        return [joins[address] or on[0]] + (on if predicated else [])
    return on


def faults(code):
    """What goes wrong in a kernel: (address, what is disturbed, the matrix instruction's address)."""
    addresses = sorted(code)
    following = dict(zip(addresses, addresses[1:]))
    joins, open_joins = {}, {}
    for address in addresses:
        _, opcode, operands = code[address]
        if opcode.startswith("BSSY"):
            barrier, target = operands.split(",")
            open_joins[barrier.split()[-1]] = int(target.strip(), 16)
        elif opcode.startswith("BSYNC"):
            joins[address] = open_joins.get(operands.split()[-1])

    found, seen = set(), set()
    # What is under way: matrix instructions by group, the last group not yet closed.
    waiting = [(addresses[0], ((),))]
    while waiting:
        address, under_way = waiting.pop()
        while address is not None and (address, under_way) not in seen:
            seen.add((address, under_way))
            _, opcode, operands = code[address]
            own = matrix_registers(opcode, operands)
            busy = [at for group in under_way for at in group]
            if own:
                group = tuple(sorted({*under_way[-1], address}))
                under_way = under_way[:-1] + (group,)
                if "gsb0" in operands:
                    under_way += ((),)
                if len(under_way) > MOST_GROUPS:  # a loop that waits for none: the oldest as one
                    oldest = tuple(sorted({*under_way[0], *under_way[1]}))
                    under_way = (oldest, *under_way[2:])
            elif opcode == "WARPGROUP.DEPBAR.LE":
                left = int(operands.split(",")[1], 16)
                closed = under_way[:-1]
                under_way = closed[len(closed) - left:] + under_way[-1:] if left else under_way[-1:]
            elif busy:
                writes = written(opcode, operands)
                touches = span(0, 0).union(map(int, REGISTER.findall(operands))) | writes
                for at in busy:
                    a, sums = matrix_registers(*code[at][1:])
                    if a & writes:
                        found.add((address, "A", at))
                    if sums & touches:
                        found.add((address, "the sums", at))
            if own and busy:
                for at in busy:  # another matrix instruction may add to the same sums, in order
                    a, _ = matrix_registers(*code[at][1:])
                    if a & own[1]:
                        found.add((address, "A", at))
            nexts = ways_on(address, code, following, joins)
            waiting += [(other, under_way) for other in nexts[1:]]
            address = nexts[0] if nexts else None
    return sorted(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cuobjdump", default="cuobjdump")
    parser.add_argument("objects", nargs="+")
    args = parser.parse_args()
    if args.objects != ["-"]:
        machine_code.require(args.cuobjdump, "no kernel was judged")
    kernels = with_a = bad = 0
    for path in args.objects:
        text = sys.stdin.read() if path == "-" else machine_code.disassembly(args.cuobjdump, path)
        for name, code in functions(text):
            matrix = [m for _, opcode, operands in code.values()
                      if (m := matrix_registers(opcode, operands))]
            if not matrix:
                continue
            kernels += 1
            with_a += any(a for a, _ in matrix)
            for address, what, at in faults(code):
                bad += 1
                print(f"sass gate: {name}: {code[address][1]} {code[address][2]} at {address:#x} "
                      f"disturbs {what} of {code[at][1]} at {at:#x}, which is under way")
    print(f"sass gate: {kernels} kernels with matrix instructions, {with_a} with A in registers, "
          f"{bad} faults")
    if kernels == 0:
        print("sass gate: nothing was judged: is this an object for sm_90a?")
    sys.exit(1 if bad or kernels == 0 else 0)


if __name__ == "__main__":
    main()
