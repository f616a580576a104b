#!/usr/bin/env python3
"""Draws the pictures of README and docs from committed results: plots.py (no arguments).

results/cpu/bench.json  -> docs/images/throughput.svg
results/cpu/ladder.json -> docs/images/ladder.svg
"""

import json
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import FuncFormatter  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"

# Okabe and Ito's palette, told apart by the colour-blind; line styles repeat the message.
LINES = {
    "cpu.engine": ("#D55E00", "-", 2.6),
    "vendor.mkl": ("#0072B2", "-", 1.4),
    "vendor.openblas": ("#009E73", "-", 1.4),
    "vendor.blis": ("#56B4E9", "--", 1.4),
    "vendor.eigen": ("#CC79A7", "--", 1.4),
    "vendor.libxsmm": ("#E69F00", ":", 1.4),
    "cpu.ladder.multi_level": ("#555555", "-.", 1.4),
    "cpu.ladder.openmp": ("#555555", "--", 1.2),
    "cpu.ladder.reordered": ("#888888", "-", 1.0),
    "cpu.ladder.naive": ("#888888", ":", 1.4),
}

STYLE = {
    "font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "grid.color": "#dddddd", "grid.linewidth": 0.6, "svg.hashsalt": "carat",
    "font.family": "DejaVu Sans", "axes.titleweight": "bold", "axes.titlelocation": "left",
}


def load(name):
    return json.loads((ROOT / "results" / name).read_text())


def save(figure, name):
    IMAGES.mkdir(parents=True, exist_ok=True)
    figure.savefig(IMAGES / name, bbox_inches="tight", metadata={"Date": None}, facecolor="white")
    plt.close(figure)


def squares(results, implementation, dtype, threads):
    cells = [c for c in results["cells"]
             if c["implementation"] == implementation and c["dtype"] == dtype and c["rank"] > 0
             and c["threads"] == threads and c["m"] == c["n"] == c["k"]]
    return sorted(cells, key=lambda c: c["n"])


def conditions(results):
    machine = results["machine"]
    return (f"{machine['cpu_model']}, {machine['cores']} cores"
            + (f", {machine['hypervisor']} guest" if machine["hypervisor"] else "")
            + f"; medians with 95 % intervals; revision {results['revision']}, {results['date'][:10]}")


def draw_lines(axes, results, dtype, threads):
    ends = []
    for name, (colour, dash, width) in LINES.items():
        cells = squares(results, name, dtype, threads)
        if not cells:
            continue
        sizes = [c["n"] for c in cells]
        low, high = zip(*(c["ci95_gflops"] for c in cells))
        axes.fill_between(sizes, low, high, color=colour, alpha=0.2, linewidth=0)
        axes.plot(sizes, [c["median_gflops"] for c in cells], dash, color=colour, linewidth=width,
                  label=name)
        ends.append(name)
    return ends


def throughput():
    results = load("cpu/bench.json")
    threads = max(results["settings"]["threads"])
    figure, panels = plt.subplots(1, 2, figsize=(10.5, 4.4), sharex=True)
    for axes, dtype in zip(panels, ("f64", "f32")):
        draw_lines(axes, results, dtype, threads)
        peak = max(c["gflops"] for c in results["machine"]["ceilings"]["compute"]
                   if c["dtype"] == dtype and c["threads"] == threads)
        axes.axhline(peak, color="#333333", linewidth=0.9)
        axes.annotate(f"measured peak {peak:.0f}", (0.02, peak), xytext=(0, 3), fontsize=8,
                      textcoords="offset points", xycoords=("axes fraction", "data"))
        axes.set(xscale="log", yscale="log", title=f"{dtype}, {threads} threads",
                 xlabel="N (square products)", ylabel="GFLOP/s")
        sizes = sorted({c["n"] for c in results["cells"] if c["m"] == c["n"] == c["k"]})
        axes.set_xticks(sizes[::2], [str(s) for s in sizes[::2]])
        axes.xaxis.set_minor_formatter(FuncFormatter(lambda *_: ""))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="center left", bbox_to_anchor=(0.91, 0.55), frameon=False,
                  fontsize=9)
    figure.text(0.06, -0.03, conditions(results), fontsize=8, color="#555555")
    save(figure, "throughput.svg")


def ladder():
    results = load("cpu/ladder.json")
    cells = [c for c in results["cells"] if c["rank"] > 0 and c["dtype"] == "f64"
             and (".ladder." in c["implementation"] or c["implementation"] == "cpu.engine")]
    cells.sort(key=lambda c: ".ladder." not in c["implementation"])
    peak = max(c["gflops"] for c in results["machine"]["ceilings"]["compute"]
               if c["dtype"] == "f64" and c["threads"] == 1)
    figure, axes = plt.subplots(figsize=(8.6, 0.36 * len(cells) + 1.2))
    values = [c["median_gflops"] for c in cells]
    colours = ["#D55E00" if c["implementation"] == "cpu.engine" else "#0072B2" for c in cells]
    axes.barh(range(len(cells)), values, color=colours, height=0.7)
    for i, value in enumerate(values):
        axes.text(value * 1.05, i, f"{value:.3g}  ({value / values[0]:.3g}x, "
                  f"{100 * value / peak:.2g} % of peak)", va="center", fontsize=8)
    axes.set_yticks(range(len(cells)), [c["implementation"].removeprefix("cpu.") for c in cells])
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlim(min(values) / 1.6, peak * 9)
    axes.axvline(peak, color="#333333", linewidth=0.9)
    axes.set(title=f"f64, N = {cells[0]['n']}, one thread", xlabel="GFLOP/s; the line is the "
             "measured peak of one core")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.grid(axis="y", visible=False)
    figure.text(0.06, -0.02, conditions(results), fontsize=8, color="#555555")
    save(figure, "ladder.svg")


if __name__ == "__main__":
    plt.rcParams.update(STYLE)
    throughput()
    ladder()
