"""What the pictures share: style, palette, where results and images lie, the line of conditions."""

import json
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import FuncFormatter  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"

STYLE = {
    "font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "grid.color": "#dddddd", "grid.linewidth": 0.6, "svg.hashsalt": "carat",
    # Text stays text: a quarter of the size, and a reader can search and copy it.
    "svg.fonttype": "none", "font.family": ["DejaVu Sans", "sans-serif"], "axes.titleweight": "bold", "axes.titlelocation": "left",
}


def load(name):
    return json.loads((ROOT / "results" / name).read_text())


def save(figure, name):
    IMAGES.mkdir(parents=True, exist_ok=True)
    figure.savefig(IMAGES / name, bbox_inches="tight", metadata={"Date": None}, facecolor="white")
    plt.close(figure)


def squares(results, implementation, dtype, threads):
    cells = [c for c in results["cells"]
             if c["implementation"] == implementation and c["dtype"] == dtype and c.get("rank", 0) > 0
             and c["threads"] == threads and c["m"] == c["n"] == c["k"]]
    return sorted(cells, key=lambda c: c["n"])


def line(axes, cells, colour, dash, width, label, scale=1.0):
    """A median with its band of 95 %; nothing when there are no cells."""
    if not cells:
        return
    sizes = [c["n"] for c in cells]
    low, high = zip(*((x * scale for x in c["ci95_gflops"]) for c in cells))
    axes.fill_between(sizes, low, high, color=colour, alpha=0.2, linewidth=0)
    axes.plot(sizes, [c["median_gflops"] * scale for c in cells], dash, color=colour,
              linewidth=width, label=label, marker="o" if len(cells) == 1 else "", markersize=5)


def log_axes(axes, sizes):
    axes.set(xscale="log", yscale="log")
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.xaxis.set_minor_formatter(FuncFormatter(lambda *_: ""))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))


def ceiling(axes, value, text):
    axes.axhline(value, color="#333333", linewidth=0.9)
    axes.annotate(text, (0.02, value), xytext=(0, 3), fontsize=8, textcoords="offset points",
                  xycoords=("axes fraction", "data"))


def revision(results):
    return f"revision {results['revision']}, {results['date'][:10]}"
