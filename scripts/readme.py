#!/usr/bin/env python3
"""Fills the tables of README.md from committed results: readme.py (no arguments).

Each pair of markers <!-- NAME --> ... <!-- /NAME --> is replaced by what the function of that name
writes, so no figure in the README is ever typed.
"""

import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent


def load(name):
    return json.loads((ROOT / "results" / name).read_text())


def ranked(results, **case):
    cells = [c for c in results["cells"]
             if c["rank"] > 0 and all(c[key] == value for key, value in case.items())]
    return sorted(cells, key=lambda c: c["rank"])


def cases(results):
    keys = ("dtype", "threads", "m", "n", "k")
    return [{key: c[key] for key in keys} for c in results["comparisons"]]


def table(head, align, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join(align) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def source(results, file):
    machine = results["machine"]
    return (f"\n`results/{file}`: {machine['cpu_model']}, {machine['cores']} cores"
            + (f" of a {machine['hypervisor']} guest" if machine["hypervisor"] else "")
            + f", revision {results['revision']}, {results['date'][:10]}. Brackets: 95 % intervals.\n")


def ranking():
    results = load("cpu/bench.json")
    threads = max(results["settings"]["threads"])
    cells = ranked(results, dtype="f64", threads=threads, m=2000, n=2000, k=2000)
    rows = [[str(c["rank"]), f"`{c['implementation']}`", f"{c['median_gflops']:.4g}",
             f"[{c['ci95_gflops'][0]:.4g}, {c['ci95_gflops'][1]:.4g}]",
             f"{c['percent_of_roofline']:.1f}", c["group"]] for c in cells]
    head = ["", "f64, 2000 x 2000 x 2000", "GFLOP/s", "95 % CI", "% of roofline", "group"]
    return table(head, ["--:", "---", "--:", "---", "--:", "---"], rows) + source(
        results, "cpu/bench.json")


def pair_of(results, case, a, b):
    for comparison in results["comparisons"]:
        if all(comparison[key] == value for key, value in case.items()):
            for pair in comparison["pairs"]:
                if (pair["a"], pair["b"]) == (a, b):
                    return pair["ratio"], pair["ci95_ratio"], pair["verdict"]
                if (pair["a"], pair["b"]) == (b, a):
                    low, high = pair["ci95_ratio"]
                    swap = {"faster": "slower", "slower": "faster"}
                    return (1 / pair["ratio"], [1 / high, 1 / low],
                            swap.get(pair["verdict"], pair["verdict"]))
    return None


def size_of(case):
    if case["m"] == case["n"] == case["k"]:
        return str(case["n"])
    return f"{case['m']}x{case['n']}x{case['k']}"


def peers():
    """The engine against the best peer of every case, the losses first."""
    results = load("cpu/bench.json")
    rows = []
    for case in cases(results):
        best = next((c for c in ranked(results, **case)
                     if c["implementation"].startswith("vendor.")), None)
        found = best and pair_of(results, case, "cpu.engine", best["implementation"])
        if not found:
            continue
        ratio, interval, verdict = found
        rows.append((ratio, [case["dtype"], str(case["threads"]), size_of(case),
                             f"`{best['implementation']}`", f"{ratio:.2f}",
                             f"[{interval[0]:.2f}, {interval[1]:.2f}]", verdict]))
    rows.sort(key=lambda row: row[0])
    head = ["type", "threads", "size", "best peer", "engine / peer", "95 % CI", "engine is"]
    return table(head, ["---", "--:", "--:", "---", "--:", "---", "---"],
                 [row for _, row in rows]) + source(results, "cpu/bench.json")


def main():
    path = ROOT / "README.md"
    text = path.read_text()
    for name, write in (("ranking", ranking), ("peers", peers)):
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        text, count = pattern.subn(lambda m, w=write: m.group(1) + w() + m.group(2), text)
        if count != 1:
            raise SystemExit(f"README.md has {count} places marked {name}, not one")
    path.write_text(text)


if __name__ == "__main__":
    main()
