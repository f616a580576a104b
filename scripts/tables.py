#!/usr/bin/env python3
"""Fills the tables of README.md and docs/ from committed results: tables.py [--check].

Each pair of markers <!-- NAME --> ... <!-- /NAME --> of a page is replaced by what its function
writes, so no figure there is ever typed. --check writes nothing and names the pages that differ.
"""

import json
import math
import re
import sys

import document_tables
import floor_tables
import gpu_tables
import property_tables
import study_tables
import task_lines
from tables_common import (ROOT, cases, cores, gflops_span, gpu_source, load, lost_table, mean_of,
                           pair_of, ranked, size_of, source, table)


def ranking(first):
    """What `carat bench` ranks: so many rows and the last."""
    results = load("cpu/bench.json")
    threads = max(results["settings"]["threads"])
    cells = ranked(results, dtype="f64", threads=threads, m=2000, n=2000, k=2000)
    roofline = max(c["roofline_gflops"] for c in cells)  # rows on fewer threads have a lower one
    rows = [[str(c["rank"]), f"`{c['implementation']}`", f"{c['median_gflops']:.4g}",
             gflops_span(c),
             f"{100 * c['median_gflops'] / roofline:.1f}", c["group"]] for c in cells]
    rows = rows[:first] + rows[-1:]
    head = ["", "f64, 2000 x 2000 x 2000", "GFLOP/s", "95 % CI", "% of roofline", "group"]
    return table(head, ["--:", "---", "--:", "---", "--:", "---"], rows) + source(
        results, "cpu/bench.json")


def against_best(results):
    """(case, best peer, ratio, interval, verdict) of the engine for every case."""
    for case in cases(results):
        best = next((c for c in ranked(results, **case)
                     if c["implementation"].startswith("vendor.")), None)
        found = best and pair_of(results, case, "cpu.engine", best["implementation"])
        if not found:
            continue
        yield case, best["implementation"], *found


def peers_head():
    return (["type", "threads", "size", "fastest peer", "carat / peer", "95 % CI", "verdict"],
            ["---", "--:", "--:", "---", "--:", "---", "---"])


def peer_row(case, best, ratio, interval, verdict):
    return [case["dtype"], str(case["threads"]), size_of(case), f"`{best}`", f"{ratio:.2f}",
            f"[{interval[0]:.2f}, {interval[1]:.2f}]", verdict]


def peers():
    """carat against the fastest peer of every case, the losses first."""
    results = load("cpu/bench.json")
    found = sorted(against_best(results), key=lambda one: one[2])
    return table(*peers_head(), [peer_row(*one) for one in found]) + source(
        results, "cpu/bench.json")


def lost(file):
    """The cases that a peer surely wins, and a sentence on all others."""
    def write():
        results = load(file)
        found = [(ratio, interval, peer_row(case, best, ratio, interval, verdict))
                 for case, best, ratio, interval, verdict in against_best(results)]
        return lost_table(*peers_head(), found) + source(results, file)
    return write


CPU_COMPARISONS = (("Xeon, AVX-512", "cpu/shapes.json"), ("Xeon, AMX", "cpu/narrow.json"),
                   ("Zen 3, AVX2", "cpu/zen3.json"), ("Zen 5, AVX-512", "cpu/zen5.json"))


def beside_peers():
    """The comparisons with peers on each machine: (ratio, interval, type, size and peer)."""
    for where, file in CPU_COMPARISONS:
        found = [(ratio, interval, case["dtype"], f"{size_of(case)} (`{best}`)")
                 for case, best, ratio, interval, _ in against_best(load(file))]
        yield where, found
    yield "H200", [(ratio, interval, dtype, f"{size_of(case)} (`{peer}`)")
                   for dtype, _, _, case, peer, _, ratio, interval in gpu_tables.against()]


def machine_of(results):
    machine = results["machine"]
    if machine["gpus"]:
        return machine["gpus"][0]["name"]
    guest = f" of a {machine['hypervisor']} guest" if machine["hypervisor"] else ""
    return f"{machine['cpu_model']}, {cores(machine)}{guest}"


def compared():
    """What stands behind each row of the README's chart: machine, file, revision, day."""
    files = [*CPU_COMPARISONS, *(("H200", file) for file in gpu_tables.files())]
    rows = []
    for where, file in files:
        results = load(file)
        rows.append([where, machine_of(results), f"`results/{file}`", results["revision"],
                     results["date"][:10], shapes_of(results)])
    return table(["", "machine", "file", "revision", "date", "sizes, m x n x k"], ["---"] * 6, rows)


def shapes_of(results):
    """Every size by name, or how many there are and the ends where they are many."""
    sizes = list(dict.fromkeys(size_of(case) for case in cases(results)))
    return f"{len(sizes)}, from {sizes[0]} to {sizes[-1]}" if len(sizes) > 30 else ", ".join(sizes)


def losses():
    """How often the whole interval is below 1 on each machine, and the worst such case."""
    rows = []
    for where, found in beside_peers():
        worst = min((row for row in found if row[1][1] < 1), default=None)
        rows.append([where, ", ".join(dict.fromkeys(row[2] for row in found)), str(len(found)),
                     str(sum(row[1][0] > 1 for row in found)),
                     str(sum(row[1][1] < 1 for row in found)),
                     f"{worst[0]:.2f}: {worst[2]}, {worst[3]}" if worst else "-"])
    head = ["", "types", "cases", "carat faster", "peer faster", "lowest carat / peer"]
    return table(head, ["---", "---", "--:", "--:", "--:", "---"], rows)


def shape_set(case):
    if not case["m"] == case["n"] == case["k"]:
        return "few rows, few columns, small k"
    return "squares 8 to 64" if case["n"] <= 64 else "squares from 128"


def shape_sets():
    """Sets of shapes: the geometric mean and the worst of engine / best peer."""
    sets = {}
    results = load("cpu/shapes.json")
    for case, _, ratio, interval, _ in against_best(results):
        sets.setdefault((shape_set(case), case["threads"], case["dtype"]), []).append(
            (ratio, interval, size_of(case)))
    rows = []
    for (name, threads, dtype), found in sorted(sets.items()):
        mean, span = mean_of(found)
        worst, _, size = min(found)
        rows.append([name, dtype, str(threads), str(len(found)), f"{mean:.2f}",
                     span, f"{worst:.2f} at {size}"])
    head = ["shapes", "type", "threads", "cases", "geometric mean", "95 % CI", "worst"]
    return table(head, ["---", "---", "--:", "--:", "--:", "---", "---"], rows) + source(
        results, "cpu/shapes.json")


def shape_threads():
    """What a second thread gives the engine, its best peer and each set's least."""
    results = load("cpu/shapes.json")
    rates, peers_of = {}, {}
    for case in cases(results):
        cells = ranked(results, **case)
        key = (shape_set(case), case["dtype"], size_of(case), case["threads"])
        rates[key] = next(c["median_gflops"] for c in cells if c["implementation"] == "cpu.engine")
        peers_of[key] = next(c["median_gflops"] for c in cells
                             if c["implementation"].startswith("vendor."))
    sets = {}
    for name, dtype, size, threads in rates:
        if threads == 2:
            one, two = ((name, dtype, size, count) for count in (1, 2))
            sets.setdefault((name, dtype), []).append(
                (rates[two] / rates[one], size, peers_of[two] / peers_of[one]))
    rows = []
    for (name, dtype), found in sorted(sets.items()):
        means = [math.exp(sum(math.log(row[i]) for row in found) / len(found)) for i in (0, 2)]
        least, size, _ = min(found)
        rows.append([name, dtype, str(len(found)), f"{means[0]:.2f}", f"{least:.2f} at {size}",
                     f"{means[1]:.2f}"])
    head = ["shapes", "type", "cases", "carat: two threads / one", "least", "fastest peer: two / one"]
    return table(head, ["---", "---", "--:", "--:", "---", "--:"], rows) + source(
        results, "cpu/shapes.json")


def tile_peak(results, dtype, threads):
    """The peak of the tiles that multiply a type, from the run's own ceilings."""
    unit = {"bf16": "amx bf16 tile"}.get(dtype, "amx int8 tile")
    return next((c["gflops"] for c in results["machine"]["peaks"]["compute"]
                 if c["unit"] == unit and c["threads"] == threads), None)


def narrow_sets():
    """bf16 and bytes: engine / best peer and the share of the tiles' peak, by size."""
    file = "cpu/narrow.json"
    results = load(file)
    sets = {}
    for case, _, ratio, interval, _ in against_best(results):
        square = case["m"] == case["n"] == case["k"]
        name = ("few rows, few columns, small k" if not square
                else "squares below 1024" if case["n"] < 1024 else "squares from 1024 on")
        cell = ranked(results, implementation="cpu.engine", **case)[0]
        peak = tile_peak(results, case["dtype"], case["threads"])
        share = cell["median_gflops"] / peak if peak else None
        sets.setdefault((case["dtype"], case["threads"], name), []).append(
            (ratio, interval, size_of(case), share))
    rows = []
    for dtype, name in sorted({(dtype, name) for dtype, _, name in sets}):
        row = [dtype, name]
        for threads in (1, 2):
            found = sets[dtype, threads, name]
            worst, _, size, _ = min(found)
            shares = [share for *_, share in found]
            row += [f"{mean_of([of[:3] for of in found])[0]:.2f}", f"{worst:.2f} at {size}",
                    f"{100 * min(shares):.0f} to {100 * max(shares):.0f} %" if shares[0] else "-"]
        rows.append(row)
    of = ["mean, {}", "worst, {}", "share of peak, {}"]
    head = ["type", "shapes", *(w.format("one thread") for w in of), *(w.format("two threads") for w in of)]
    return table(head, ["---", "---"] + ["--:", "---", "--:"] * 2, rows) + source(results, file)


def narrow_levels():
    """Bytes without a matrix unit, and f16 in sums of either type, in GOP/s."""
    file = "cpu/narrow_levels.json"
    results = load(file)
    ways = [("i8", "cpu.engine.avx2"), ("i8", "cpu.engine.avx512"), ("f16", "cpu.engine.avx512"),
            ("f16", "cpu.engine.f16_sums")]
    rows = {}
    for dtype, implementation in ways:
        for cell in ranked(results, dtype=dtype, implementation=implementation):
            rows.setdefault((cell["m"] * cell["n"] * cell["k"], size_of(cell)), {})[
                dtype, implementation] = f"{cell['median_gflops']:.3g} {gflops_span(cell, '.3g')}"
    head = ["size", "i8, AVX-VNNI", "i8, AVX-512 VNNI", "f16, f32 sums", "f16, f16 sums"]
    return table(head, ["---"] + ["--:"] * len(ways),
                 [[size, *(found[way] for way in ways)]
                  for (_, size), found in sorted(rows.items())]) + source(results, file)


def tflops(cell):
    return f"{cell['median_gflops'] / 1e3:.4g} {gflops_span(cell, unit=1e3)}"


def gpu_ladder():
    """The f32 ladder at 4096: the factor of each step, and its share of cuBLAS."""
    results = load("h200/f32.json")
    cells = {c["implementation"]: c for c in ranked(results, dtype="f32", n=4096)}
    steps = ["naive", "coalesced", "tiled", "register_tiled", "vectorised", "double_buffered",
             "warp_tiled"]
    vendor = cells["vendor.cublas"]
    rows, before = [], None
    for step in steps:
        cell = cells[f"cuda.ladder.{step}"]
        gain = f"{cell['median_gflops'] / before['median_gflops']:.2f} x" if before else ""
        share = 100 * cell["median_gflops"] / vendor["median_gflops"]
        rows.append([step, tflops(cell), gain, f"{share:.1f} %"])
        before = cell
    rows.append(["`vendor.cublas`", tflops(vendor), "", ""])
    return table(["step", "TFLOP/s", "this step", "of cuBLAS"], ["---", "---", "--:", "--:"],
                 rows) + gpu_source(results, "h200/f32.json")


def said(name):
    """The field's words for a kernel's."""
    return name.replace("apart", "pingpong").replace("even", "stream-K")


def way_of(cell):
    """The tile and the parts of K that a cell of the engine was asked for."""
    asked = cell["tunables"]
    if not asked.get("tile"):
        name = cell["kernels"][-1]["name"].removeprefix("sm90_").removeprefix("wgmma_")
        return said(name.replace("x", " x ").replace("_", ", ")) + " (chosen)"
    how = [f"{asked['rows']} x {asked['tile']}"]
    if asked["parts"] > 1:
        how.append(f"split-K {asked['parts']}")
    elif asked["sharing"] > 1 and asked["tile"] <= 128 and not asked["apart"]:
        how.append(f"{asked['sharing']} multicast B")
    # Asked for or not: tiles that have no such kernel stay whole.
    how += [word for word in ("apart", "even") if f"_{word}" in cell["kernels"][-1]["name"]]
    return said(", ".join(how))


def gpu_shapes():
    """Shapes with few tiles, few rows or little K: the engine's fastest candidate against cuBLASLt.
    Only few rows with 4096 columns and K are shown; all are in the mean."""
    results = load("h200/engine.json")
    few = load("h200/engine_few.json")  # of up to 32 rows, measured since
    sets = {"squares": [], "few rows": [], "little K": [], "tf32": []}
    rows = []
    measured = [(results, case) for case in cases(results) if case["m"] > 32]
    for of, case in measured + [(few, case) for case in cases(few)]:
        cells = ranked(of, **case)
        ours = next(c for c in cells if c["implementation"].startswith("cuda.engine"))
        best = next(c for c in cells if c["implementation"].startswith("vendor."))
        ratio, interval, _ = pair_of(of, case, ours["implementation"], best["implementation"])
        name = ("tf32" if case["dtype"] == "f32" else "squares" if case["m"] == case["k"]
                else "few rows" if case["m"] <= 128 else "little K")
        sets[name].append(ratio)
        if name == "few rows" and not case["n"] == case["k"] == 4096:
            continue
        rows.append((list(sets).index(name), case["m"], case["n"], case["k"],
                     [name, size_of(case), way_of(ours), f"{1e6 * ours['median_s']:.1f}",
                      f"{1e6 * best['median_s']:.1f}", f"{ratio:.2f}",
                      f"[{interval[0]:.2f}, {interval[1]:.2f}]"]))
    rows.sort(key=lambda row: row[:4])
    means = [f"{name} {math.prod(ratios) ** (1 / len(ratios)):.2f}"
             for name, ratios in sets.items() if ratios]
    head = ["", "M x N x K", "tile", "carat, us", "cuBLASLt, us", "carat / cuBLASLt",
            "95 % CI"]
    return (table(head, ["---", "--:", "---", "--:", "--:", "--:", "---"], [row[-1] for row in rows])
            + f"\nGeometric means: {', '.join(means)}.\n" + gpu_source(results, "h200/engine.json")
            + gpu_source(few, "h200/engine_few.json"))


def calibration():
    """What the laboratory's intervals hold on simulated machines."""
    found = json.loads((ROOT / "results" / "calibration.json").read_text())
    percent = "{:.1f} %".format
    rows = [[row["series"], str(row["processes"]),
             *(percent(100 * row[field]) for field in
               ("coverage_median", "coverage_ratio", "null_claims", "null_tables_with_a_claim",
                "claims_at_the_margin"))] for row in found["rows"] if row["processes"] in (3, 5)]
    head = ["trials", "processes", "figure's interval covers the truth", "ratio's interval covers it",
            "null pairs called faster or slower", "tables of three equal rows with such a pair",
            "pairs at the margin called faster or slower"]
    return (table(head, ["---"] + ["--:"] * 6, rows)
            + f"\n`results/calibration.json`: {found['tables']} simulated tables for each row, with "
            f"{found['trials_per_process']} trials in each process.\n")


study_tables.PAGES["docs/studies/ladder.md"]["h200"] = gpu_ladder
PAGES = {"README.md": {"losses": losses, "random": gpu_tables.random_wins},
         "docs/peers.md": {"compared": compared, "peers": peers},
         "docs/shapes.md": {"shape-sets": shape_sets, "shape-threads": shape_threads,
                            "shape-cases": lost("cpu/shapes.json"),
                            "shape-zen3": lost("cpu/zen3.json"),
                            "shape-zen5": lost("cpu/zen5.json")},
         "docs/narrow.md": {"narrow-sets": narrow_sets, "narrow-cases": lost("cpu/narrow.json"),
                           "narrow-levels": narrow_levels},
         "docs/gpu.md": {"gpu-sets": gpu_tables.sets, "gpu-cases": gpu_tables.lost,
                         "gpu-mid-sized": gpu_tables.mid_sized, "gpu-shapes": gpu_shapes,
                         "gpu-profile": gpu_tables.profile},
         "docs/statistics.md": {"calibration": calibration},
         **floor_tables.PAGES, **study_tables.PAGES, **property_tables.PAGES, **document_tables.PAGES,
         "docs/choose.md": {"answer": lambda: ranking(5), **task_lines.PAGES["docs/choose.md"]}}


def filled(page, tables):
    """The text of a page, as it is and as its results make it."""
    before = text = (ROOT / page).read_text(encoding="utf-8")
    for name, write in tables.items():
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        text, count = pattern.subn(lambda m, w=write: m.group(1) + w() + m.group(2), text)
        if count != 1:
            raise SystemExit(f"{page} has {count} places marked {name}, not one")
    return before, sources_once(text)


def sources_once(text):
    """Tables of one page from the same file name its machine once."""
    told = set()

    def say(match):
        line = match.group(0)
        if line in told:
            return f"{match.group(1)}, as above."
        told.add(line)
        return line
    return re.sub(r"(?m)^(`results/[^`]*`(?:, `results/[^`]*`)*): .* Brackets: .*$", say, text)


def main():
    stale = []
    for page, tables in PAGES.items():
        before, text = filled(page, tables)
        if before != text:
            stale.append(page)
            if "--check" not in sys.argv[1:]:
                (ROOT / page).write_text(text, encoding="utf-8")
    if "--check" in sys.argv[1:] and stale:
        raise SystemExit(f"not what results/ say: {', '.join(stale)}; run ./dev docs")


if __name__ == "__main__":
    main()
