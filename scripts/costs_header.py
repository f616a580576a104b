#!/usr/bin/env python3
"""What launches cost on a GPU, as C++: costs_header.py [--check]

Reads costs/*.json, which `./dev fit` writes, and makes src/plan/costs/GPU.hpp of each; the file itself then has
a constant on each line. With --check nothing is written; exits 1 where a header is missing or says something else.
"""

import argparse
import json
import pathlib
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent


# These are a struct of their own in every family that has them.
FEEDING = ("l2_bytes_per_s", "l2_bytes", "memory_bytes_per_s", "busy_share", "crowded_s")
SHARING = (*FEEDING, "seen_share", "alone_factor")


def fields(constants, indent):
    """Constants as designated initializers, as many on a line as fit."""
    inner = SHARING if "seen_share" in constants else FEEDING if "crowded_s" in constants else ()
    lines = fields_alone({name: told for name, told in constants.items() if name not in inner}, indent)
    if inner:
        struct = "sharing" if inner == SHARING else "feeding"
        told = fields_alone({name: constants[name] for name in inner}, indent + "    ")
        lines += f",\n{indent}.{struct} = {{\n{told}}}"
    return lines


def fields_alone(constants, indent):
    told = ", ".join(f".{name}~=~{told['value']:.6g}" for name, told in constants.items())
    return textwrap.fill(told, 98, initial_indent=indent, subsequent_indent=indent,
                         break_on_hyphens=False).replace("~", " ")


def lines_of(value, indent=""):
    """The JSON of a value; what holds no objects is on one line."""
    if not isinstance(value, dict) or not any(isinstance(v, dict) for v in value.values()):
        return json.dumps(value, ensure_ascii=False)
    inner = ",\n".join(f'{indent} "{name}": {lines_of(v, indent + " ")}' for name, v in value.items())
    return f"{{\n{inner}\n{indent}}}"


def header(path):
    told = json.loads(path.read_text(encoding="utf-8"))
    families = "\n".join(f"    .{family} = {{\n{fields(constants, ' ' * 8)}}},"
                         for family, constants in told["families"].items())
    return f"""// Made of costs/{path.name} by scripts/costs_header.py: change that file instead.
#pragma once

#include "plan/gpu_costs.hpp"

namespace carat::plan {{

// {told['gpu']}.
// clang-format off
inline constexpr gpu_costs costs_of_{path.stem} = {{
    .memory_bytes_per_s = {told['memory_bytes_per_s']:.6g},
    .host_s = {told['host_s']:.6g},
{families}
}};
// clang-format on

}}  // namespace carat::plan
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    misses = 0
    fitted = [path for path in sorted((ROOT / "costs").glob("*.json")) if '"families"' in path.read_text(encoding="utf-8")]
    if not fitted:
        print("there are no costs in costs/: ./dev fit makes them")
        return 1
    for path in fitted:
        made = ROOT / "src/plan/costs" / f"{path.stem}.hpp"
        text = header(path)
        if check and (not made.exists() or made.read_text(encoding="utf-8") != text):
            print(f"{made.relative_to(ROOT)} is not what costs/{path.name} says: run scripts/costs_header.py")
            misses += 1
        elif not check:
            made.write_text(text, encoding="utf-8")
            path.write_text(lines_of(json.loads(path.read_text(encoding="utf-8"))) + "\n", encoding="utf-8")
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
