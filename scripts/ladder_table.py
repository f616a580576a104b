#!/usr/bin/env python3
"""Puts the measured factors of the ladder's steps into its lesson.

usage: ladder_table.py RESULTS.json [README.md]

RESULTS.json is what `carat bench --json` wrote (docs/results.md). The text between the markers
<!-- ladder-table --> and <!-- /ladder-table --> of the README (default: ladder/README.md) is
replaced by one table for each case in which at least two steps were measured and verified.
"""

import json
import pathlib
import re
import sys

# Each step and the step it adds one idea to.
BUILT_ON = {
    "naive": None,
    "reordered": "naive",
    "transposed_b": "naive",
    "tiled": "naive",
    "tiled_reordered": "tiled",
    "openmp": "tiled_reordered",
    "threads": "tiled_reordered",
    "simd": "tiled_reordered",
    "register_tile": "simd",
    "packing": "register_tile",
    "prefetch": "packing",
    "multi_level": "prefetch",
}
PREFIX = "cpu.ladder."
MARKERS = re.compile(r"(<!-- ladder-table -->\n).*?(<!-- /ladder-table -->)", re.DOTALL)


def cases(results):
    """{(dtype, m, n, k, threads): {step: cell}} of what was measured and found right."""
    found = {}
    for cell in results["cells"]:
        step = cell["implementation"].removeprefix(PREFIX)
        measured = cell.get("verified") and cell.get("median_gflops")
        # An interruption may leave one trial, which bounds nothing.
        if step in BUILT_ON and measured and None not in cell["ci95_gflops"]:
            key = tuple(cell[field] for field in ("dtype", "m", "n", "k", "threads"))
            found.setdefault(key, {})[step] = cell
    return {key: steps for key, steps in found.items() if len(steps) > 1}


def peak(results, dtype, threads):
    """The measured multiply-add peak in GFLOP/s, or None."""
    ceilings = results["machine"].get("ceilings", {}).get("compute", [])
    fitting = [c["gflops"] for c in ceilings if (c["dtype"], c["threads"]) == (dtype, threads)]
    return max(fitting, default=None)


def factor(cell, base):
    return f"{cell['median_gflops'] / base['median_gflops']:.2f} x" if base else ""


def rows(results, key, steps):
    first = steps.get("naive")
    for number, (step, base) in enumerate(BUILT_ON.items(), 1):
        if step not in steps:
            continue
        cell = steps[step]
        low, high = cell["ci95_gflops"]
        top = peak(results, key[0], cell.get("threads_used", key[4]))
        share = f"{100 * cell['median_gflops'] / top:.1f} %" if top else ""
        yield (
            f"| {number} {step} | {cell['median_gflops']:.2f} [{low:.2f}, {high:.2f}] | {share} "
            f"| {factor(cell, steps.get(base))} {f'over {base}' if base in steps else ''} "
            f"| {factor(cell, first)} |"
        )


def table(results, key, steps):
    dtype, m, n, k, threads = key
    machine = results["machine"]
    thread_text = "one thread" if threads == 1 else f"{threads} threads"
    return "\n".join(
        [
            f"{dtype}, {m} x {n} x {k}, {thread_text}, on {machine['cpu_model']} "
            f"({machine['isa_in_use']}), {results['date'][:10]}, carat {results['revision']}:",
            "",
            "| step | GFLOP/s, median [95 % CI] | % of peak | this step | since step 1 |",
            "|---|---|---|---|---|",
            *rows(results, key, steps),
            "",
        ]
    )


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    readme = pathlib.Path(__file__).resolve().parent.parent / "ladder" / "README.md"
    if len(sys.argv) == 3:
        readme = pathlib.Path(sys.argv[2])
    try:
        results = json.loads(pathlib.Path(sys.argv[1]).read_text())
        tables = [table(results, key, steps) for key, steps in sorted(cases(results).items())]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        sys.exit(f"ladder_table: {sys.argv[1]} is not a results file of carat bench: {problem!r}")
    if not tables:
        sys.exit(f"ladder_table: {sys.argv[1]} has no case with two verified steps of the ladder")
    text = readme.read_text()
    if not MARKERS.search(text):
        sys.exit(f"ladder_table: {readme} has no <!-- ladder-table --> markers")
    readme.write_text(MARKERS.sub(lambda m: m[1] + "\n".join(tables) + m[2], text))


if __name__ == "__main__":
    main()
