#!/usr/bin/env python3
"""Draws docs/images/schedule.svg: the boxes of 4, 6, 7 and 12 ranks. schedule_drawing.py CARAT."""

import json
import pathlib
import subprocess
import sys

PICTURE = pathlib.Path(__file__).resolve().parent.parent / "docs/images/schedule.svg"
PANELS = [(4, (4096, 4096, 4096)), (6, (4096, 4096, 4096)), (7, (4096, 4096, 4096)),
          (12, (4096, 4096, 4096))]
EDGE, WIDTH, HEIGHT, APART = 130, 350, 290, 12
COLOURS = ("#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#9d755d", "#eeca3b",
           "#439894", "#d67195", "#79706e", "#83bcb6")


def project(m, n, k):
    """M runs down, N to the right, K away from the reader."""
    return n + 0.55 * k, m - 0.4 * k


def face(points, colour, shade):
    where = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return (f'<polygon points="{where}" fill="{colour}" stroke="#fff" stroke-width="0.8"/>'
            f'<polygon points="{where}" fill="#000" fill-opacity="{shade}"/>')


def drawn_box(box, sizes, rank, apart):
    """The three faces that are seen of a box, moved away from the others."""
    low, high = [], []
    for (begin, end), size in zip((box["m"], box["n"], box["k"]), sizes):
        middle = (begin + end) / 2 / size - 0.5
        low.append(begin / size * EDGE + middle * 2 * apart)
        high.append(end / size * EDGE + middle * 2 * apart)
    (m0, n0, k0), (m1, n1, k1) = low, high
    colour = COLOURS[rank % len(COLOURS)]
    front = [project(m0, n0, k0), project(m0, n1, k0), project(m1, n1, k0), project(m1, n0, k0)]
    top = [project(m0, n0, k0), project(m0, n1, k0), project(m0, n1, k1), project(m0, n0, k1)]
    side = [project(m0, n1, k0), project(m1, n1, k0), project(m1, n1, k1), project(m0, n1, k1)]
    x, y = project((m0 + m1) / 2, (n0 + n1) / 2, k0)
    return (face(top, colour, 0) + face(side, colour, 0.3) + face(front, colour, 0.12) +
            f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle" fill="#fff">{rank}</text>')


def panel(carat, ranks, sizes):
    size = "x".join(map(str, sizes))
    told = json.loads(subprocess.run([carat, "plan", "--ranks", str(ranks), "--size", size, "--json"],
                                     check=True, capture_output=True, text=True).stdout)
    boxes = sorted(enumerate(told["boxes"]), reverse=True,  # far, left and low ones first
                   key=lambda item: (item[1]["k"][0], -item[1]["n"][0], item[1]["m"][0]))
    cuts = ", ".join(f"{cut['parts']} along {cut['along']}" for cut in told["cuts"])
    return ("".join(drawn_box(box, sizes, rank, APART) for rank, box in boxes),
            f"{ranks} ranks", f"{cuts}; words / bound {told['ratio']:.2f}")


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    parts = []
    for i, (ranks, sizes) in enumerate(PANELS):
        boxes, title, words = panel(arguments[0], ranks, sizes)
        left, up = i % 2 * WIDTH, i // 2 * HEIGHT
        parts.append(f'<g transform="translate({left + 40},{up + 125})">{boxes}</g>'
                     f'<text x="{left + 12}" y="{up + 22}" font-weight="bold">{title}</text>'
                     f'<text x="{left + 12}" y="{up + 40}">{words}</text>')
    PICTURE.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDTH} {2 * HEIGHT}" role="img" '
        f'aria-label="How 4, 6, 7 and 12 ranks share the multiply-adds of a cube" '
        f'font-family="sans-serif" font-size="12">'
        f'<rect width="{2 * WIDTH}" height="{2 * HEIGHT}" fill="#fff"/>{"".join(parts)}</svg>\n', "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
