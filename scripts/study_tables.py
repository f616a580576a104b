"""The tables of docs/studies/ and docs/properties.md, from committed results only."""

from tables_common import (cases, cores, gflops_span, gpu_source, load, pair_of, ranked, size_of,
                           source, table)


def text_table(found):
    """A table of a chapter: names to the left, figures to the right."""
    columns = zip(*found["rows"])
    align = ["--:" if all(cell[:1] in "0123456789[" or cell in ("-", "exact") for cell in column)
             else "---" for column in columns]
    note = f"\n{found['note']}\n" if found["note"] else ""
    return f"\n**{found['title']}**\n\n" + table(found["head"], align, found["rows"]) + note


def chapter(study, folder="cpu"):
    """The chapter that `carat study` wrote: what it found, its tables, what was not run."""
    def write():
        file = f"{folder}/{study}.json"
        results = load(file)
        (told,) = results["studies"]
        items = "".join(f"- {finding}\n" for finding in told["findings"])
        return ("\n" + items + "".join(map(text_table, told["tables"]))
                + "".join(f"\nNot run: {sentence}.\n" for sentence in told["left_out"])
                + "".join(f"\n{sentence}\n" for sentence in told["sources"])
                + (source if folder == "cpu" else gpu_source)(results, file))
    return write


def cell(results, implementation, **case):
    """The ranked cell of an implementation, or None."""
    return next((c for c in ranked(results, **case) if c["implementation"] == implementation), None)


def square_sizes(results):
    return sorted({c["n"] for c in results["results"] if c["m"] == c["n"] == c["k"]})


def rate(c, time_s):
    return c["flop"] / time_s / 1e9


# 000 ------------------------------------------------------------------------------------------

# What the document timed with each call of cuBLAS: its 5.58 GFLOP/s at N = 1000 are 0.358 s for
# what takes 0.3 ms on its card.
HANDLE_S = (2 * 1000**3 - 1000**2) / 5.58e9


def five_h200():
    """cuBLAS and the tiled kernel, and their order with the document's handle in the time."""
    results = load("h200/f64.json")
    rows = []
    for n in square_sizes(results):
        ours, tiled = (cell(results, name, dtype="f64", n=n)
                       for name in ("vendor.cublas", "cuda.ladder.tiled"))
        if not ours or not tiled:
            continue
        warm, base = ours["median_gflops"], tiled["median_gflops"]
        held = rate(ours, ours["median_s"] + HANDLE_S)
        rows.append([str(n), f"{warm:.4g}", f"{base:.4g}", f"{warm / base:.1f} x", f"{held:.4g}",
                     f"{held / base:.3g} x"])
    head = ["N, f64", "cuBLAS", "tiled kernel", "cuBLAS / tiled",
            f"cuBLAS with {HANDLE_S:.2f} s in each call", "that / tiled"]
    return table(head, ["--:"] * 6, rows) + "\nGFLOP/s.\n" + gpu_source(results, "h200/f64.json")


# 001 ------------------------------------------------------------------------------------------

def crossing(found):
    if found["n"] is None:
        return {"never": "never, up to the largest", "always": "at every size"}[found["outcome"]]
    return f"{found['n']:.0f} [{found['ci95'][0]:.0f}, {found['ci95'][1]:.0f}]"


def compute_crossing(results, gpu):
    """The first size from which the product alone beats the best CPU, all later ones too."""
    wins_from = None
    for n in square_sizes(results):
        ours = cell(results, gpu, dtype="f32", n=n)
        cpu = min((c["median_s"] for c in ranked(results, dtype="f32", n=n)
                   if c["device"] == "cpu"), default=None)
        if ours is None or cpu is None:
            continue
        if ours["median_s"] < cpu:
            wins_from = wins_from or n
        else:
            wins_from = None
    return str(wins_from) if wins_from else "never"


def crossover_sizes():
    results = load("h200/crossover.json")
    rows = [[f"`{c['gpu']}`", crossing(c), compute_crossing(results, c["gpu"])]
            for c in results["crossovers"]]
    head = [f"f32, against {cores(results['machine'])} of the CPU", "wins end to end from N", "product alone wins from N"]
    return table(head, ["---", "--:", "--:"], rows) + gpu_source(results, "h200/crossover.json")


def crossover_phases():
    results = load("h200/crossover.json")
    n = 1024
    names = ["allocate_s", "copy_in_s", "compute_s", "copy_out_s", "free_s", "total_s"]
    rows = [[f"`{c['implementation']}`", *(f"{1e3 * c['phases'][name]['median']:.3g}"
                                           for name in names)]
            for c in ranked(results, dtype="f32", n=n) if c.get("phases", {}).get("total_s")]
    head = [f"f32, N = {n}, ms", *(name[:-2].replace("_", " ") for name in names)]
    return (table(head, ["---", *["--:"] * len(names)], rows)
            + gpu_source(results, "h200/crossover.json"))


# 002 ------------------------------------------------------------------------------------------

STEPS = ["naive", "reordered", "tiled_reordered", "simd", "register_tile", "packing", "prefetch",
         "multi_level"]
WORDS = {"naive": "three loops", "reordered": "inner loops exchanged",
         "tiled_reordered": "tiles, loops exchanged", "simd": "SIMD", "register_tile":
         "register tile", "packing": "packing", "prefetch": "prefetch",
         "multi_level": "a tile for each cache"}
# What a step is about: where the data are, or what is done with them.
LOCAL = {"reordered", "tiled_reordered", "packing", "prefetch", "multi_level"}


def ladder_factors(dtype):
    """[(step, GFLOP/s, factor)] of the steps on one core."""
    results = load("cpu/ladder.json")
    rates = [cell(results, f"cpu.ladder.{step}", dtype=dtype)["median_gflops"] for step in STEPS]
    return [(step, now, now / before)
            for step, now, before in zip(STEPS, rates, [rates[0], *rates])]


def ladder_cpu():
    results = load("cpu/ladder.json")
    rows = [[WORDS[step], *row] for step, *row in
            ((step64, f"{rate64:.3g}", f"{x64:.2f} x", f"{rate32:.3g}", f"{x32:.2f} x")
             for (step64, rate64, x64), (_, rate32, x32)
             in zip(ladder_factors("f64"), ladder_factors("f32")))]
    rows.append(["all of them", "", f"{product('f64'):.0f} x", "", f"{product('f32'):.0f} x"])
    head = ["one core, N = 2000", "f64, GFLOP/s", "this step", "f32, GFLOP/s", "this step"]
    return table(head, ["---", "--:", "--:", "--:", "--:"], rows) + source(
        results, "cpu/ladder.json")


def product(dtype, among=None):
    """The factors of the steps multiplied; `among` picks some."""
    total = 1.0
    for step, _, factor in ladder_factors(dtype):
        if among is None or step in among:
            total *= factor
    return total


# Each step and the step it adds one idea to.
BUILT_ON = {"naive": None, "reordered": "naive", "transposed_b": "naive", "tiled": "naive",
            "tiled_reordered": "tiled", "openmp": "tiled_reordered", "threads": "tiled_reordered",
            "simd": "tiled_reordered", "register_tile": "simd", "packing": "register_tile",
            "prefetch": "packing", "multi_level": "prefetch"}


def ladder_steps():
    """Every step on one core: its share of the peak and its factor over the one it builds on."""
    results = load("cpu/ladder.json")
    text = ""
    for dtype in ("f32", "f64"):
        cells = {step: cell(results, f"cpu.ladder.{step}", dtype=dtype) for step in BUILT_ON}
        peak = max(c["gflops"] for c in results["machine"]["peaks"]["compute"]
                   if (c["dtype"], c["threads"]) == (dtype, 1))
        rows = []
        for number, (step, base) in enumerate(BUILT_ON.items(), 1):
            rate = cells[step]["median_gflops"]
            gain = f"{rate / cells[base]['median_gflops']:.2f} x over {base}" if base else ""
            rows.append([f"{number} {step}", f"{rate:.2f} {gflops_span(cells[step], '.2f')}",
                         f"{100 * rate / peak:.1f} %", gain,
                         f"{rate / cells['naive']['median_gflops']:.2f} x"])
        head = [f"{dtype}, {size_of(cells['naive'])}, one thread", "GFLOP/s", "% of peak",
                "this step", "since step 1"]
        text += table(head, ["---"] * 5, rows) + "\n"
    return text + source(results, "cpu/ladder.json").lstrip()


# 003 ------------------------------------------------------------------------------------------

def tiles_h200():
    results = load("h200/tiles.json")
    rows = []
    for dtype in ("f32", "f64"):
        for n in square_sizes(results):
            a, b = (f"cuda.ladder.tiled[tile-size={t}]" for t in (16, 32))
            case = next(c for c in cases(results) if (c["dtype"], c["n"]) == (dtype, n))
            ratio, interval, verdict = pair_of(results, case, a, b)
            rows.append([dtype, size_of(case),
                         *(f"{cell(results, x, dtype=dtype, n=n)['median_gflops']:.4g}"
                           for x in (a, b)),
                         f"{ratio:.3f}", f"[{interval[0]:.3f}, {interval[1]:.3f}]", verdict])
    head = ["type", "N", "tile 16, GFLOP/s", "tile 32, GFLOP/s", "16 / 32", "95 % CI", "16 is"]
    return table(head, ["---", "--:", "--:", "--:", "--:", "---", "---"], rows) + gpu_source(
        results, "h200/tiles.json")


# 004 ------------------------------------------------------------------------------------------

def inflated():
    """What counting all of the work where 1/32 is done would make of naive WMMA."""
    results = load("h200/precision.json")
    c = cell(results, "cuda.ladder.wmma", dtype="f16", n=8192)
    peak = next(row["gflops"] for gpu in results["machine"]["gpus"]
                for row in gpu["peaks"]["compute"] if row["unit"] == "tensor f16")
    rows = [["`cuda.ladder.wmma`, f16, N = 8192", f"{c['median_gflops'] / 1e3:.4g}"],
            ["the same, with 1/32 of the work done and all of it counted",
             f"{32 * c['median_gflops'] / 1e3:.4g}"],
            ["the measured peak of the unit, above which carat refuses a figure",
             f"{peak / 1e3:.4g}"]]
    return table(["", "TFLOP/s"], ["---", "--:"], rows) + gpu_source(results, "h200/precision.json")


PAGES = {"docs/studies/five-algorithms.md": {"cpu": chapter("five-algorithms"), "h200": five_h200,
                                             "full": chapter("five-algorithms", "h200")},
         "docs/studies/crossover.md": {"sizes": crossover_sizes, "phases": crossover_phases,
                                       "full": chapter("crossover", "h200")},
         "docs/studies/ladder.md": {"cpu": ladder_cpu},
         "ladder/README.md": {"ladder-table": ladder_steps},
         "docs/studies/tile-size.md": {"cpu": chapter("tile-size"), "h200": tiles_h200,
                                       "full": chapter("tile-size", "h200")},
         "docs/studies/precision.md": {"cpu": chapter("precision"), "inflated": inflated,
                                       "h200": chapter("precision", "h200")},
         "docs/studies/workloads.md": {"cpu": chapter("workloads")}}
