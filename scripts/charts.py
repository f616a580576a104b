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

from tables_common import ROOT, load

IMAGES = ROOT / "docs" / "images"
CUDA_LADDER = r"cuda\.ladder\.|vendor\.cublas$"

# Picture: results, the report's chart, and the implementations that it shows where not all.
CHARTS = {
    "throughput": ("cpu/bench.json", "throughput-f64-2-threads",
                   r"cpu\.engine$|vendor\.(?!reference)"
                   r"|cpu\.ladder\.(naive|reordered|openmp|multi_level)$"),
    "ladder": ("cpu/ladder.json", "ladder-f64-1-thread", None),
    "study_five_cpu": ("cpu/five-algorithms.json", "throughput-f64-2-threads", None),
    "gpu_ladder": ("h200/f32.json", "throughput-f32-gpu", CUDA_LADDER),
    "gpu_f16": ("h200/narrow.json", "throughput-f16-gpu",
                r"cuda\.ladder\.wmma|cuda\.engine$|vendor\.cublaslt_best$"),
    "gpu_tiles": ("h200/tiles.json", "throughput-f32-gpu", None),
    "gpu_crossover": ("h200/crossover.json", "crossover", None),
}


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
    for picture, (file, name, shown) in CHARTS.items():
        with tempfile.TemporaryDirectory() as folder:
            charts[picture] = report_charts(carat, file, shown, pathlib.Path(folder))[name]
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
