#!/usr/bin/env python3
"""Draws the pictures of README and docs from committed results: plots.py (no arguments).

results/cpu/bench.json  -> docs/images/throughput.svg
results/cpu/ladder.json -> docs/images/ladder.svg
results/h200/*.json     -> docs/images/gpu_*.svg (plots_gpu.py)
both                    -> docs/images/study_*.svg (plots_studies.py)
"""

import matplotlib.pyplot as plt
import plots_gpu
import plots_studies
from figures import (STYLE, FuncFormatter, ceiling, line, load, log_axes, revision, save,
                     squares)
from tables_common import cores

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


def conditions(results):
    machine = results["machine"]
    return (f"{machine['cpu_model']}, {cores(machine)}"
            + (f", {machine['hypervisor']} guest" if machine["hypervisor"] else "")
            + f"; medians with 95 % intervals; {revision(results)}")


def throughput():
    results = load("cpu/bench.json")
    threads = max(results["settings"]["threads"])
    figure, panels = plt.subplots(1, 2, figsize=(10.5, 4.4), sharex=True)
    for axes, dtype in zip(panels, ("f64", "f32")):
        for name, style in LINES.items():
            line(axes, squares(results, name, dtype, threads), *style, name)
        peak = max(c["gflops"] for c in results["machine"]["ceilings"]["compute"]
                   if c["dtype"] == dtype and c["threads"] == threads)
        ceiling(axes, peak, f"measured peak {peak:.0f}")
        sizes = sorted({c["n"] for c in results["cells"] if c["m"] == c["n"] == c["k"]})
        log_axes(axes, sizes[::2])
        axes.set(title=f"{dtype}, {threads} threads", xlabel="N (square products)",
                 ylabel="GFLOP/s")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="center left", bbox_to_anchor=(0.91, 0.55), frameon=False,
                  fontsize=9)
    figure.text(0.06, -0.03, conditions(results), fontsize=8, color="#555555")
    save(figure, "throughput.svg")


def ladder():
    results = load("cpu/ladder.json")
    cells = [c for c in results["cells"] if c.get("rank", 0) > 0 and c["dtype"] == "f64"
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
    plots_gpu.draw_all()
    plots_studies.draw_all()
