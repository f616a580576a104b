#!/usr/bin/env python3
"""Draws docs/images/architecture.svg: the modules, and one product's way through them.

Each box names a folder, and one that doesn't exist ends the script, so that the picture can't
outlive a move. Colours follow the reader's scheme; the arrows go where a call goes.
"""

import pathlib
from xml.sax.saxutils import escape

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTH, HEIGHT = 960, 700

STYLE = """
  .page { fill: #ffffff } .text { fill: #1f2328 } .soft { fill: #59636e }
  .both { fill: #eef1f4; stroke: #8c959f } .cpu { fill: #ddeeff; stroke: #0072b2 }
  .gpu { fill: #ddf4e4; stroke: #009e73 } .lab { fill: #fff1d6; stroke: #d58a00 }
  .way { stroke: #1f2328 } .head { fill: #1f2328 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 } .text { fill: #e6edf3 } .soft { fill: #9da7b1 }
    .both { fill: #21262d; stroke: #6e7681 } .cpu { fill: #0b2a42; stroke: #56b4e9 }
    .gpu { fill: #06301f; stroke: #2bbd8f } .lab { fill: #3a2a08; stroke: #e69f00 }
    .way { stroke: #e6edf3 } .head { fill: #e6edf3 }
  }
  text { font-family: system-ui, sans-serif; font-size: 13px }
  .name { font-family: ui-monospace, monospace; font-size: 13px; font-weight: 600 }
"""

# x, y, width, height, colour, folder, what it does.
BOXES = [
    (20, 20, 230, 62, "both", "include/carat",
     ["the call, in headers:", "views become plain values"]),
    (270, 20, 200, 62, "both", "src/abi/blas", ["the same products", "by BLAS and CBLAS names"]),
    (20, 112, 450, 48, "both", "src/api",
     ["sizes, overlaps, integer proofs; then a policy: CPU or GPU"]),
    (20, 190, 210, 62, "cpu", "src/cpu",
     ["the engine: plan, prepared", "operands, threads' rectangles"]),
    (250, 190, 220, 62, "gpu", "src/cuda/engine", ["families, kept plans,", "epilogue kernel"]),
    (20, 282, 450, 48, "both", "src/plan",
     ["pure functions: path and blocks on a CPU, kernel on a GPU"]),
    (20, 360, 210, 76, "cpu", "src/cpu/blocked",
     ["BLIS's five loops; beside it", "unpacked, skinny, matrix_unit", "and threads"]),
    (20, 466, 210, 76, "cpu", "src/cpu/kernels",
     ["micro-kernels, one object", "for each instruction set:", "vector, dot, x86, arm"]),
    (250, 360, 220, 76, "gpu", "src/cuda/families/wgmma",
     ["TMA producer, wgmma", "consumers, tile scheduler,", "fused epilogue"]),
    (250, 446, 220, 62, "gpu", "src/cuda/families/fma", ["FFMA, DMMA and gemv kernels"]),
    (250, 518, 105, 44, "gpu", "src/cuda/common", ["pack, maps"]),
    (365, 518, 105, 44, "gpu", "src/cuda/ptx", ["instructions"]),
    (20, 632, 450, 48, "both", "src/core", ["problems, element types, instruction sets, threads"]),
    (560, 20, 380, 48, "lab", "cli", ["bench, run, explain, tune, compare, study, report"]),
    (560, 98, 120, 48, "lab", "lab/request", ["which cases"]),
    (690, 98, 120, 48, "lab", "lab/session", ["case by case"]),
    (820, 98, 120, 48, "lab", "lab/workers", ["processes"]),
    (560, 176, 185, 62, "lab", "lab/workload", ["seeded operands of", "every type and layout"]),
    (755, 176, 185, 62, "lab", "lab/verify", ["reference and proved", "error bound"]),
    (560, 268, 185, 62, "lab", "lab/measure", ["interleaved trials,", "stopped on evidence"]),
    (755, 268, 185, 62, "lab", "lab/machine", ["measured peaks", "and the roofline"]),
    (560, 360, 185, 62, "lab", "lab/statistics", ["intervals, Welch,", "Games-Howell"]),
    (755, 360, 185, 62, "lab", "lab/results", ["one document;", "lab/report draws it"]),
    (560, 466, 380, 48, "lab", "lab/catalogue", ["every implementation, one row each"]),
    (560, 544, 120, 62, "both", "ladder", ["steps from", "three loops"]),
    (690, 544, 120, 62, "lab", "lab/vendor", ["BLAS libraries,", "cuBLAS"]),
    (820, 544, 120, 62, "lab", "lab/rows", ["carat's own", "engines"]),
]

# A product's way: lists of points, the last with a head.
WAYS = [
    [(135, 82), (135, 112)], [(370, 82), (370, 112)],
    [(125, 160), (125, 190)], [(360, 160), (360, 190)],
    [(125, 252), (125, 282)], [(360, 252), (360, 282)],
    [(125, 330), (125, 360)], [(360, 330), (360, 360)],
    [(125, 436), (125, 466)], [(125, 542), (125, 584)], [(360, 562), (360, 584)],
    [(750, 68), (750, 98)], [(680, 122), (690, 122)], [(810, 122), (820, 122)], [(652, 146), (652, 176)], [(848, 146), (848, 176)],
    [(652, 238), (652, 268)], [(848, 238), (848, 268)], [(652, 330), (652, 360)],
    [(745, 391), (755, 391)],
    [(620, 514), (620, 544)], [(750, 514), (750, 544)], [(880, 514), (880, 544)],
    [(560, 122), (530, 122), (530, 490), (560, 490)],
]

NOTES = [(245, 604, "C, with the same bits at every run"),
         (750, 640, "the laboratory times rows of the catalogue"),
         (750, 658, "and knows nothing of what is behind them")]


def box(x, y, width, height, colour, folder, lines):
    if not (ROOT / folder).is_dir():
        raise SystemExit(f"architecture: there is no folder {folder}")
    middle = x + width / 2
    name = folder if 8 * len(folder) < width - 12 else folder.rsplit("/", 1)[1]
    parts = [f'<rect class="{colour}" x="{x}" y="{y}" width="{width}" height="{height}" rx="6"/>',
             f'<text class="text name" x="{middle}" y="{y + 18}">{escape(name)}</text>']
    parts += [f'<text class="soft" x="{middle}" y="{y + 36 + 16 * i}">{escape(line)}</text>'
              for i, line in enumerate(lines)]
    return "".join(parts)


def way(points):
    path = " ".join(f"{x},{y}" for x, y in points)
    return f'<polyline class="way" points="{path}" fill="none" marker-end="url(#head)"/>'


def picture():
    return "".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'role="img" aria-label="The modules of carat">',
        f"<style>{STYLE}</style>",
        '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" '
        'markerHeight="8" orient="auto"><path class="head" d="M0 0 8 4 0 8z"/></marker></defs>',
        f'<rect class="page" width="{WIDTH}" height="{HEIGHT}"/>', '<g text-anchor="middle">',
        *(way(points) for points in WAYS), *(box(*row) for row in BOXES),
        *(f'<text class="text" x="{x}" y="{y}">{escape(line)}</text>' for x, y, line in NOTES),
        "</g></svg>\n"])


if __name__ == "__main__":
    (ROOT / "docs/images/architecture.svg").write_text(picture(), encoding="utf-8")
