"""The pictures of docs/studies/ that no other page has, from results/cpu and results/h200."""

import matplotlib.pyplot as plt
from figures import FuncFormatter, line, load, log_axes, revision, save, squares
from study_tables import HANDLE_S
from tables_common import cores

FIVE_CPU = {"vendor.openblas": ("#009E73", "-", 1.8), "cpu.ladder.openmp": ("#0072B2", "-", 1.8),
            "cpu.ladder.threads": ("#D55E00", "--", 1.8)}


def machine_of(results):
    machine = results["machine"]
    gpus = [gpu["name"] for gpu in machine.get("gpus", [])]
    return gpus[0] if gpus else f"{machine['cpu_model']}, {cores(machine)}"


def finish(figure, axes, results, name, title, ylabel="GFLOP/s"):
    sizes = sorted({c["n"] for c in results["cells"]})
    log_axes(axes, sizes)
    axes.set(title=title, xlabel="N (square products)", ylabel=ylabel)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=9)
    figure.text(0.06, -0.09, f"{machine_of(results)}; medians with 95 % intervals; "
                f"{revision(results)}", fontsize=8, color="#555555")
    save(figure, name)


def five_cpu():
    results = load("cpu/five-algorithms.json")
    threads = results["cells"][0]["threads"]
    figure, axes = plt.subplots(figsize=(6.6, 3.6))
    for name, style in FIVE_CPU.items():
        cells = [c for c in results["cells"] if c["implementation"].split("[")[0] == name
                 and c.get("rank", 0) > 0]
        line(axes, sorted(cells, key=lambda c: c["n"]), *style, name)
    finish(figure, axes, results, "study_five_cpu.svg", f"f64, {threads} threads")


def five_h200():
    results = load("h200/f64.json")
    figure, axes = plt.subplots(figsize=(7.4, 3.8))
    cublas = squares(results, "vendor.cublas", "f64", 1)
    tiled = squares(results, "cuda.ladder.tiled", "f64", 1)
    line(axes, cublas, "#009E73", "-", 1.8, "cuBLAS", 1e-3)
    line(axes, tiled, "#D55E00", "-", 1.8, "tiled kernel", 1e-3)
    held = [c["flop"] / (c["median_s"] + HANDLE_S) / 1e12 for c in cublas]
    axes.plot([c["n"] for c in cublas], held, "--", color="#009E73", linewidth=1.8,
              label=f"cuBLAS with {HANDLE_S:.2f} s\nin each call")
    finish(figure, axes, results, "study_five_h200.svg", "f64, and the document's handle",
           "TFLOP/s")


def tiles_cpu():
    results = load("cpu/tile-size.json")
    cells = [c for c in results["cells"] if c.get("rank", 0) > 0 and c["device"] == "cpu"]
    names = list(dict.fromkeys(c["implementation"].split("[")[0] for c in cells))
    tiles = sorted({c["tunables"]["tile-size"] for c in cells})
    colours = ("#56B4E9", "#0072B2", "#E69F00", "#D55E00")
    figure, axes = plt.subplots(figsize=(8.2, 3.8))
    for i, (tile, colour) in enumerate(zip(tiles, colours)):
        of_tile = {c["implementation"].split("[")[0]: c for c in cells
                   if c["tunables"]["tile-size"] == tile}
        at = [names.index(name) + (i - (len(tiles) - 1) / 2) * 0.2 for name in of_tile]
        medians = [c["median_gflops"] for c in of_tile.values()]
        spread = [[abs(m - c["ci95_gflops"][side]) for m, c in zip(medians, of_tile.values())]
                  for side in (0, 1)]
        axes.bar(at, medians, width=0.18, color=colour, label=f"tile {tile}", yerr=spread,
                 error_kw={"linewidth": 0.8})
    axes.set_xticks(range(len(names)), [n.removeprefix("cpu.ladder.") for n in names], fontsize=8)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
    axes.set(title=f"f32, N = {cells[0]['n']}", ylabel="GFLOP/s")
    axes.grid(axis="x", visible=False)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=9)
    figure.text(0.06, -0.09, f"{machine_of(results)}; medians with 95 % intervals; "
                f"{revision(results)}", fontsize=8, color="#555555")
    save(figure, "study_tiles_cpu.svg")


def draw_all():
    five_cpu()
    five_h200()
    tiles_cpu()
