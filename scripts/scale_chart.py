#!/usr/bin/env python3
"""Draws docs/images/distributed_4.svg from results/h200/distributed_4.json: scale_chart.py [--check].

For each product the share of four times one GPU's rate that carat and cuBLASMp reach. --check draws
nothing and exits 1 if the picture isn't what the file says.
"""

import json
import sys
from xml.sax.saxutils import escape

from tables_common import ROOT

RESULTS = ROOT / "results" / "h200" / "distributed_4.json"
PICTURE = ROOT / "docs" / "images" / "distributed_4.svg"
WIDTH, LEFT, RIGHT, TOP, ROW = 860, 290, 800, 84, 26
TICKS = range(0, 101, 20)

STYLE = """
  .page { fill: #ffffff } .text { fill: #1f2328 } .soft { fill: #59636e } .grid { stroke: #d1d9e0 }
  .copies { fill: #0072b2 } .nccl { fill: #009e73 } .cublasmp { fill: #d55e00 } .serial { fill: #a0a8b0 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 } .text { fill: #e6edf3 } .soft { fill: #9da7b1 } .grid { stroke: #30363d }
    .copies { fill: #56b4e9 } .cublasmp { fill: #e69f00 }
  }
  text { font-family: system-ui, sans-serif; font-size: 13px } .title { font-size: 17px; font-weight: 600 }
"""

BY = [("copies", "carat, the driver's copies"), ("nccl", "carat, NCCL"), ("cublasmp", "cuBLASMp"),
      ("serial", "NCCL, then cuBLASLt")]
KINDS = [("products", "C = A B"), ("gather", "all-gather + product"), ("scatter", "product + reduce-scatter")]


def x_of(share):
    return round(LEFT + share * (RIGHT - LEFT), 1)


def text(x, y, words, style, anchor="start"):
    return f'<text x="{x}" y="{y}" class="{style}" text-anchor="{anchor}">{escape(words)}</text>'


def rows(results):
    """(label, [(by, share of four times one)]) of each product; None before a new kind."""
    for key, name in KINDS:
        yield name, None
        for row in results[key]:
            marks = [(by, row[f"{by}_of_four"]) for by, _ in BY if f"{by}_of_four" in row]
            yield f'{row["m"]} x {row["n"]} x {row["k"]}', marks


def picture(results):
    parts, y = [text(16, 28, "Four H200s: share of four times one GPU's rate, bf16", "title")], TOP
    x = 16
    for by, name in BY:
        parts.append(f'<circle class="{by}" cx="{x + 6}" cy="50" r="6"/>' + text(x + 18, 55, name, "soft"))
        x += 40 + 7.4 * len(name)
    top = y
    for label, marks in rows(results):
        if marks is None:
            parts.append(text(16, y + 4, label, "text"))
        else:
            parts.append(text(LEFT - 14, y + 4, label, "soft", "end"))
            for by, share in reversed(marks):
                parts.append(f'<circle class="{by}" cx="{x_of(share)}" cy="{y}" r="6" fill-opacity="0.9"/>')
        y += ROW
    grid = [f'<line class="grid" x1="{x_of(t / 100)}" y1="{top - 12}" x2="{x_of(t / 100)}" y2="{y - 12}"/>' +
            text(x_of(t / 100), y + 6, f"{t} %", "soft", "middle") for t in TICKS]
    height = y + 24
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
            f'aria-label="Share of four times one GPU by carat and cuBLASMp on four H200s"><style>{STYLE}</style>'
            f'<rect class="page" width="{WIDTH}" height="{height}"/>{"".join(grid)}{"".join(parts)}</svg>\n')


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    drawn = picture(json.loads(RESULTS.read_text("utf-8")))
    if arguments:
        if PICTURE.read_text("utf-8") != drawn:
            sys.exit(f"{PICTURE.name} isn't what {RESULTS.name} says: run scripts/scale_chart.py")
        return
    PICTURE.write_text(drawn, "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
