#!/usr/bin/env python3
"""Draws docs/images/compare.svg, the README's chart: compare_chart.py [--check].

Each product that committed results hold beside a peer is one mark: carat's throughput over that of
the fastest peer, one row for each machine and element type. --check draws nothing and exits 1 if the
picture isn't what results/ say.
"""

import math
import sys
from xml.sax.saxutils import escape

import gpu_tables
import tables
from tables_common import ROOT, cases, load

PICTURE = ROOT / "docs" / "images" / "compare.svg"
WIDTH, LEFT, RIGHT, TOP, ROW = 860, 250, 740, 104, 24
LOWEST, HIGHEST = 0.6, 5.0
TICKS = [0.7, 1, 1.5, 2, 3, 4]

STYLE = """
  .page { fill: #ffffff } .text { fill: #1f2328 } .soft { fill: #59636e }
  .grid { stroke: #d1d9e0 } .even { stroke: #59636e; stroke-width: 1.5 }
  .won { stroke: #0072b2 } .open { stroke: #a0a8b0 } .lost { stroke: #d55e00 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 } .text { fill: #e6edf3 } .soft { fill: #9da7b1 }
    .grid { stroke: #30363d } .even { stroke: #9da7b1 }
    .won { stroke: #56b4e9 } .open { stroke: #6e7681 } .lost { stroke: #e69f00 }
  }
  text { font-family: system-ui, sans-serif; font-size: 13px }
  .title { font-size: 17px; font-weight: 600 } .machine { font-weight: 600 }
  .won, .open, .lost { stroke-width: 2.5; stroke-opacity: 0.75 }
"""

MEANING = {"won": "carat faster", "open": "not told apart", "lost": "peer faster"}

FOOT = ["Right of 1 x carat is faster. A case is won or lost where its whole 95 % interval lies on one "
        "side of 1.",
        "Peers on CPUs: OpenBLAS, BLIS, MKL, oneDNN, Eigen, libxsmm. On the GPU: cuBLAS, cuBLASLt; 3xTF32 "
        "is compared with their f32.",
        "Shapes, revisions and dates: docs/peers.md."]


def x_of(ratio):
    share = math.log(ratio / LOWEST) / math.log(HIGHEST / LOWEST)
    return round(LEFT + share * (RIGHT - LEFT), 1)


def outcome(interval):
    return "won" if interval[0] > 1 else "lost" if interval[1] < 1 else "open"


def machines():
    """(name, what it is, [(type, ratio, interval)]) of each machine."""
    for where, file in tables.CPU_COMPARISONS:
        results = load(file)
        found = [(case["dtype"], ratio, interval)
                 for case, _, ratio, interval, _ in tables.against_best(results)]
        threads = sorted({case["threads"] for case in cases(results)})
        yield where, f"{' and '.join(map(str, threads))} threads", found
    yield "H200", "one GPU", [
        (data if how in ("f32", "f64", "i32") or data != "f32" else f"{data} by {how}", ratio,
         interval) for data, how, *_, ratio, interval in gpu_tables.against()]


def text(x, y, words, style, anchor="start"):
    return f'<text x="{x}" y="{y}" class="{style}" text-anchor="{anchor}">{escape(words)}</text>'


def line(kind, x1, y1, x2, y2):
    return f'<line class="{kind}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>'


def legend(y):
    parts, x = [], LEFT
    for kind, words in MEANING.items():
        parts += [line(kind, x, y - 10, x, y + 2), text(x + 8, y, words, "text")]
        x += 140
    return parts


def row(y, label, found):
    """The marks of one machine and type, and how many of each outcome there are."""
    kinds = [outcome(interval) for _, _, interval in found]
    parts = [text(LEFT - 14, y + 5, label, "text", "end")]
    parts += [line(kind, x_of(ratio), y - 7, x_of(ratio), y + 7)
              for kind, (_, ratio, _) in sorted(zip(kinds, found), key=lambda one: one[0] != "open")]
    counts = " / ".join(str(kinds.count(kind)) for kind in MEANING)
    return parts + [text(WIDTH - 20, y + 5, counts, "soft", "end")]


def picture():
    marks, y = [], TOP
    for name, what, found in machines():
        marks += [text(20, y + 5, name, "text machine"), text(20, y + 22, what, "soft")]
        types = list(dict.fromkeys(dtype for dtype, _, _ in found))
        for dtype in types:
            marks += row(y, dtype, [one for one in found if one[0] == dtype])
            y += ROW
        y += 14 + ROW * (len(types) == 1)
    bottom = y - 14
    axis = [line("even" if tick == 1 else "grid", x_of(tick), TOP - 16, x_of(tick), bottom)
            for tick in TICKS]
    axis += [text(x_of(tick), bottom + 18, f"{tick:g} x", "soft", "middle") for tick in TICKS]
    head = [text(20, 30, "carat's throughput / the fastest peer's, product by product", "text title"),
            *legend(58), text(WIDTH - 20, 58, "cases", "soft", "end"),
            text(WIDTH - 20, 76, "won / open / lost", "soft", "end")]
    foot = [text(20, bottom + 44 + 18 * i, words, "soft") for i, words in enumerate(FOOT)]
    height = bottom + 44 + 18 * len(FOOT)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
            'aria-label="Throughput of carat over that of the fastest peer, for each measured product, '
            'by machine and element type">\n'
            f"<style>{STYLE}</style>\n" f'<rect class="page" width="{WIDTH}" height="{height}"/>\n'
            + "".join(head + axis + marks + foot) + "</svg>\n")


def main():
    drawn = picture()
    if "--check" not in sys.argv[1:]:
        PICTURE.write_text(drawn, encoding="utf-8")
    elif drawn != PICTURE.read_text(encoding="utf-8"):
        raise SystemExit("docs/images/compare.svg is not what results/ say; run ./dev docs")


if __name__ == "__main__":
    main()
