#!/usr/bin/env python3
"""Draws the pictures of README and docs: charts.py CARAT [--check].

Each is a chart of the report, which `carat report FILE --charts` draws, of some or all of a file's
implementations. --check draws into a folder of its own and names the pictures that say something
else. Exit status 77: no Chromium, nothing was drawn.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
from xml.sax.saxutils import escape

from tables_common import ROOT, cores, load

IMAGES = ROOT / "docs" / "images"
CUDA_LADDER = r"cuda\.ladder\.|vendor\.cublas$"

# Picture: what it shows, results, the report's chart, and the implementations shown where not all.
CHARTS = {
    "throughput": ("f64, 2 threads", "cpu/bench.json", "throughput-f64-2-threads",
                   r"cpu\.engine$|vendor\.(?!reference)"
                   r"|cpu\.ladder\.(naive|reordered|openmp|multi_level)$"),
    "ladder": ("f64, N = 2000, 1 thread", "cpu/ladder.json", "ladder-f64-1-thread", None),
    "study_five_cpu": ("f64, 2 threads", "cpu/five-algorithms.json", "throughput-f64-2-threads", None),
    "gpu_ladder": ("f32", "h200/f32.json", "throughput-f32-gpu", CUDA_LADDER),
    "gpu_f16": ("f16", "h200/narrow.json", "throughput-f16-gpu",
                r"cuda\.ladder\.wmma|cuda\.engine$|vendor\.cublaslt_best$"),
    "gpu_tiles": ("f32", "h200/tiles.json", "throughput-f32-gpu", None),
    "gpu_crossover": ("f32", "h200/crossover.json", "crossover", None),
}

TITLE_HEIGHT = 28


def heading(what, results):
    """What a chart shows, on which machine, and when it was measured."""
    machine = results["machine"]
    where = (machine["gpus"][0]["name"] if machine["gpus"] else
             machine["cpu_model"].replace("(R)", "").replace(" Processor", "") + f", {cores(machine)}")
    if results.get("crossovers"):
        where += f", {cores(machine)} of the CPU"
    return f"{what}: {where}, {results['date'][:10]}"


def titled(svg, words):
    """The chart under a line of its own."""
    width, height = map(int, re.search(r'width="(\d+)" height="(\d+)"', svg).groups())
    tall = height + TITLE_HEIGHT
    line = (f'<text x="{width / 2:g}" y="{8 - TITLE_HEIGHT / 2:g}" fill="#1a1f26" '
            'font-family="Helvetica, Arial, sans-serif" font-size="14" font-weight="bold" '
            f'text-anchor="middle">{escape(words)}</text>')
    svg = svg.replace(f'height="{height}" viewBox="0 0 {width} {height}"',
                      f'height="{tall}" viewBox="0 -{TITLE_HEIGHT} {width} {tall}"', 1)
    return re.sub(rf'<rect width="{width}" height="{height}"([^>]*)/>',
                  rf'<rect y="-{TITLE_HEIGHT}" width="{width}" height="{tall}"\1/>{line}', svg, count=1)


def only(results, shown):
    """The results with nothing but the implementations that are shown."""
    fits = re.compile(shown).match
    results["results"] = [c for c in results["results"] if fits(c["implementation"])]
    for comparison in results["comparisons"]:
        comparison["pairs"] = [p for p in comparison["pairs"] if fits(p["a"]) and fits(p["b"])]
    return results


def report_charts(carat, file, shown, folder):
    """{chart: SVG} of a results file."""
    part = folder / "results.json"
    part.write_text(json.dumps(only(load(file), shown) if shown else load(file)))
    done = subprocess.run([carat, "report", part, "--charts", folder / "charts"], check=False,
                          capture_output=True, text=True)
    if done.returncode:
        print(done.stderr, end="", file=sys.stderr)
        sys.exit(77 if "install chromium" in done.stderr else 1)
    return {svg.stem: svg.read_text(encoding="utf-8") for svg in (folder / "charts").glob("*.svg")}


def drawn(carat):
    """{picture: SVG}"""
    charts = {}
    for picture, (what, file, name, shown) in CHARTS.items():
        with tempfile.TemporaryDirectory() as folder:
            svg = report_charts(carat, file, shown, pathlib.Path(folder))[name]
            charts[picture] = titled(svg, heading(what, load(file)))
    return charts


def words(svg):
    """What a reader reads in a picture; where it stands depends on the fonts of the machine."""
    return sorted(re.findall(r"<text[^>]*>([^<]*)<", svg))


def main():
    charts = drawn(sys.argv[1])
    if "--check" not in sys.argv[2:]:
        for picture, svg in charts.items():
            (IMAGES / f"{picture}.svg").write_text(svg, encoding="utf-8")
        return
    stale = [picture for picture, svg in charts.items()
             if words((IMAGES / f"{picture}.svg").read_text(encoding="utf-8")) != words(svg)]
    if stale:
        raise SystemExit(f"not what results/ say: {', '.join(stale)}; run ./dev docs")


if __name__ == "__main__":
    main()
