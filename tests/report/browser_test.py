#!/usr/bin/env python3
"""The report in a real browser: every fixture, wide and narrow, light and dark, is drawn without a
complaint or a request, fits its window, can be read, and shows the figures of its JSON.

usage: browser_test.py --write-page PROGRAM --model PROGRAM [--keep FOLDER]
--keep leaves the pages and a screenshot of each there. Exit status 77: no browser, nothing tested.
"""
import argparse
import base64
import csv
import io
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import time

import browser

HERE = pathlib.Path(__file__).resolve().parent
# Fixture: charts drawn, sections placed.
FIXTURES = {"cpu": (5, 11), "gpu": (5, 11), "gpu-only": (5, 11), "crossover": (6, 13),
            "regression": (6, 12), "hostile": (5, 11), "bare": (3, 9), "empty": (0, 3)}
WINDOWS = [(1280, 900), (400, 800)]
THEMES = ["light", "dark"]

BLANK_CANVASES = """[...document.querySelectorAll('canvas')].filter(canvas => {
  const pixels = new Uint32Array(canvas.getContext('2d')
    .getImageData(0, 0, canvas.width, canvas.height).data.buffer);
  return new Set(pixels).size < 10;
}).length"""

# Elements that stick out of the window, other than inside a frame that scrolls.
STICKING_OUT = """[...document.querySelectorAll('body *')].filter(e => {
  const box = e.getBoundingClientRect();
  return box.width > 1 && box.right > innerWidth + 1 && !e.closest('.scroll, .skip');
}).map(e => e.tagName + '.' + e.className + ': ' + e.textContent.slice(0, 40))"""

# Text below 10 px, or below 4.5 to 1 contrast with the ground it stands on (WCAG AA).
HARD_TO_READ = """(() => {
  const parse = text => {
    const n = text.match(/[\\d.]+/g).map(Number);
    const scale = text.startsWith('color(') ? 1 : 255;
    return [n[0] / scale, n[1] / scale, n[2] / scale, n[3] ?? 1];
  };
  const light = ([r, g, b]) => [r, g, b]
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = e => {
    for (; e; e = e.parentElement) {
      const color = parse(getComputedStyle(e).backgroundColor);
      if (color[3] > 0.99) return color;
    }
    return [1, 1, 1, 1];
  };
  const hard = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || e.closest('script, noscript, option, .skip')) continue;
    if (!e.checkVisibility() || e.getBoundingClientRect().width <= 1) continue;
    const style = getComputedStyle(e);
    const below = ground(e);
    const ink = parse(style.color);
    const opacity = ink[3] * Number(style.opacity);
    const seen = ink.slice(0, 3).map((c, i) => c * opacity + below[i] * (1 - opacity));
    const [a, b] = [light(seen), light(below)].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (parseFloat(style.fontSize) < 10 || contrast < 4.5) {
      hard.push(`${e.tagName}.${e.className} ${walker.currentNode.data.trim().slice(0, 30)}: `
        + `${style.fontSize}, contrast ${contrast.toFixed(2)}`);
    }
  }
  return [...new Set(hard)].slice(0, 8);
})()"""

RANKING = """[...document.querySelectorAll('#ranking-table tbody tr')].map(row =>
  [row.querySelector('.rank').textContent,
   [...row.querySelector('.name').childNodes].filter(part => part.className !== 'mark')
     .map(part => part.textContent).join('').trim(),
   ...[...row.querySelectorAll('td')].map(cell => cell.innerText.trim())])"""


def digits(value):
    """Four significant digits, written independently of both the page and the library."""
    return f"{value:.{max(0, 3 - math.floor(math.log10(value)))}f}"


def times(ratio):
    return f"{ratio:.{0 if ratio >= 100 else 1 if ratio >= 10 else 2}f}×"


class Checks:
    """Counts what was checked, and keeps going after a failure so that one run tells all."""

    def __init__(self):
        self.done, self.failures = 0, []

    def that(self, holds, what):
        self.done += 1
        if not holds:
            self.failures.append(what)
            print(f"FAILED: {what}", file=sys.stderr)

    def equal(self, found, expected, what):
        self.that(found == expected, f"{what}: {found!r}, expected {expected!r}")


def choose(page, picker, text):
    """Picks an option by its text, as a user would, and reports whether there was one."""
    return page.evaluate(f"""(() => {{
      const list = document.getElementById({json.dumps(picker)});
      const option = list && [...list.options].find(o => o.text === {json.dumps(text)});
      if (!option) return false;
      list.value = option.value;
      list.dispatchEvent(new Event('change', {{ bubbles: true }}));
      return true;
    }})()""")


def press(page, key, number=0, text=""):
    for kind in ("keyDown", "keyUp"):
        page.call("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                  windowsVirtualKeyCode=number, text=text if kind == "keyDown" else "")


def check_drawn(page, check, name, width, charts, sections):
    check.equal(page.complaints, [], f"{name}: complaints")
    check.equal([r for r in page.requests if not r.startswith("file:")], [], f"{name}: requests")
    check.equal(len(page.requests), 1, f"{name}: number of requests")
    check.equal(page.evaluate("document.querySelectorAll('canvas').length"), charts,
                f"{name}: charts")
    check.equal(page.evaluate(BLANK_CANVASES), 0, f"{name}: blank charts")
    check.equal(page.evaluate("document.querySelectorAll('main > section').length"), sections,
                f"{name}: sections")
    # A narrow screen zooms out to fit a page too wide, so its window would seem to have grown.
    check.equal(page.evaluate("[document.documentElement.scrollWidth, innerWidth]"), [width] * 2,
                f"{name}: width of the page and its window")
    check.equal(page.evaluate(STICKING_OUT), [], f"{name}: sticking out")
    check.equal(page.evaluate(HARD_TO_READ), [], f"{name}: hard to read")
    check.equal(page.evaluate("window.broken"), None, f"{name}: data ran as script")
    check.equal(page.evaluate("document.querySelectorAll('img, b').length"), 0,
                f"{name}: data became markup")


def check_themes(page, check, address):
    grounds = {}
    for theme in THEMES:
        page.view(1280, 900, theme)
        page.open(address)
        grounds[theme] = page.evaluate("getComputedStyle(document.body).backgroundColor")
    check_print(page, check)
    check.that(grounds["light"] != grounds["dark"], f"one ground for both themes: {grounds}")
    page.evaluate("document.getElementById('theme').click()")
    page.settle()
    check.equal(page.evaluate("getComputedStyle(document.body).backgroundColor"), grounds["light"],
                "the theme button")
    check.equal(page.complaints, [], "complaints after the theme button")


def check_print(page, check):
    """Paper is light, whatever the screen, and the screen is itself again afterwards."""
    ground = "getComputedStyle(document.body).backgroundColor"
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    printed = page.evaluate(ground)
    check.equal(page.evaluate(BLANK_CANVASES), 0, "blank charts in print")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    check.that(printed != page.evaluate(ground), f"a dark screen printed dark: {printed}")
    page.view(1280, 900, "dark")
    pages = page.call("Page.printToPDF", printBackground=True)["data"]
    check.that(len(pages) > 10_000, "a print")


def times_as_fast(results, case, first, second):
    """Compares the two by their comparison, or else by their medians."""
    for c in results["comparisons"]:
        if (c["m"], c["n"], c["k"], c["dtype"], c["threads"]) != case:
            continue
        for pair in c["pairs"]:
            if (pair["a"], pair["b"]) == (first["implementation"], second["implementation"]):
                return pair["ratio"]
            if (pair["b"], pair["a"]) == (first["implementation"], second["implementation"]):
                return 1 / pair["ratio"]
    return first["median_gflops"] / second["median_gflops"]


def expected_rows(results, case):
    m, n, k, dtype, threads = case
    cells = [c for c in results["results"] if c["available"] and c["verified"] and not c["above_peak"]
             and (c["m"], c["n"], c["k"], c["dtype"], c["threads"]) == case]
    cells.sort(key=lambda c: -c["median_gflops"])
    return [[str(rank), c["implementation"], digits(c["median_gflops"]),
             f"{digits(c['ci95_gflops'][0])} to {digits(c['ci95_gflops'][1])}",
             f"{c['percent_of_roofline']:.1f} %",
             times(times_as_fast(results, case, cells[0], c)), c["group"]]
            for rank, c in enumerate(cells, 1)]


def check_ranking(page, check, results):
    """Every case can be chosen, and its table says what the JSON says."""
    cases = {(c["m"], c["n"], c["k"], c["dtype"], c["threads"]) for c in results["results"]}
    check.equal(len(cases), 16, "cases in the fixture")
    rows_seen = 0
    for case in sorted(cases):
        m, n, k, dtype, threads = case
        size = f"{n}³" if m == n == k else f"{m} × {n} × {k}"
        picked = [choose(page, "pick-dtype", dtype),
                  choose(page, "pick-threads", f"{threads} thread{'s' * (threads > 1)}"),
                  choose(page, "pick-size", size)]
        check.equal(picked, [True] * 3, f"choosing {case}")
        rows = page.evaluate(RANKING)
        check.equal([row[:7] for row in rows], expected_rows(results, case), f"ranking of {case}")
        rows_seen += len(rows)
    check.equal(rows_seen, 206, "rows in all rankings")  # 208 cells, one unverified, one impossible
    check.equal(page.complaints, [], "complaints after choosing cases")


def check_refusals(page, check):
    text = "document.querySelector('#ranking .refused')?.innerText ?? ''"
    choose(page, "pick-dtype", "f64")
    choose(page, "pick-threads", "2 threads")
    choose(page, "pick-size", "256³")
    check.that("impossible: 911.0 GFLOP/s" in page.evaluate(text), "the impossible cell")
    choose(page, "pick-dtype", "f32")
    choose(page, "pick-size", "2000³")
    check.that("failed verification" in page.evaluate(text), "the unverified cell")
    check.equal(page.evaluate("document.querySelectorAll('#unavailable tbody tr').length"), 2,
                "absent implementations")


def check_verdicts(page, check, results):
    warnings = page.evaluate("document.querySelector('.warnings').textContent")
    folded = page.evaluate("document.querySelector('.warnings details:not([open]) summary').innerText")
    check.that("warning" in folded, f"many warnings are folded: {folded}")
    for wanted in ("virtual machine (KVM)", "vendor.openblas chose SkylakeX", "not verified",
                   "impossible", "fewer than 20 trials"):
        check.that(wanted in warnings, f"the warnings lack: {wanted}")
    headline = page.evaluate("document.querySelector('.headline').innerText")
    best = max((c for c in results["results"] if c["available"] and c["m"] == 2000
                and c["dtype"] == "f64" and c["threads"] == 2), key=lambda c: c["median_gflops"])
    for wanted in (best["implementation"], digits(best["median_gflops"]),
                   results["machine"]["cpu_model"]):
        check.that(wanted in headline, f"the headline lacks {wanted}: {headline}")


def check_first_screen(page, check):
    """However many warnings and cases there are, the leader's row is seen without scrolling."""
    bottom = page.evaluate("document.querySelector('#ranking-table tbody tr').getBoundingClientRect().bottom")
    check.that(bottom <= WINDOWS[0][1], f"the ranking's first row ends at {bottom:.0f} px of {WINDOWS[0][1]}")
    cases = page.evaluate("document.querySelector('#ranking .verdicts').closest('details').open")
    check.that(not cases, "sixteen verdicts are folded")


def check_matrix(page, check, results):
    choose(page, "pick-dtype", "f64")
    choose(page, "pick-threads", "2 threads")
    choose(page, "pick-size", "2000³")
    cells = page.evaluate("""[...document.querySelectorAll('.matrix tbody td')]
      .map(cell => [cell.className, cell.innerText.trim()[0]])""")
    check.equal(len(cells), 169, "cells of the matrix")
    glyphs = {"faster": "▲", "slower": "▼", "tie": "=", "unclear": "?", "self": "–"}
    check.that(all(glyphs[kind] == glyph for kind, glyph in cells), f"glyphs: {cells[:5]}")
    comparison = next(c for c in results["comparisons"] if c["m"] == 2000 and c["dtype"] == "f64"
                      and c["threads"] == 2)
    for verdict in ("tie", "unclear"):
        pairs = sum(p["verdict"] == verdict for p in comparison["pairs"])
        check.equal(sum(kind == verdict for kind, _ in cells), 2 * pairs,
                    f"pairs that are {verdict}")
    page.evaluate("document.querySelector('.matrix td').focus()")
    press(page, "ArrowRight")
    press(page, "ArrowDown")
    detail = page.evaluate("document.querySelector('#matrix .detail').innerText")
    second = page.evaluate("document.querySelectorAll('.matrix tbody tr')[0].children[2].ariaLabel")
    check.equal(page.evaluate("document.activeElement.className"), "self",
                "arrow keys in the matrix")
    check.equal(detail, second, "the test told for the cell passed on the way")


def check_legend(page, check):
    entries = page.evaluate("""[...document.querySelectorAll('#throughput .legend button')]
      .filter(b => b.hasAttribute('aria-pressed')).length""")
    check.equal(entries, 13, "entries of the legend")
    ink = "document.querySelector('#throughput canvas').toDataURL()"
    before = page.evaluate(ink)
    page.evaluate("""(() => { const b = [...document.querySelectorAll('#throughput .legend button')]
      .find(b => b.title === 'cpu.ladder.naive');
      b.click(); b.blur(); return b.ariaPressed; })()""")
    check.that(page.evaluate(ink) != before, "hiding an implementation changes the chart")
    page.evaluate("""document.querySelector(
      "#throughput .legend button[title='cpu.ladder.naive']").click()""")
    check.that(page.evaluate(ink) == before, "showing it again restores the chart")


def check_downloads(page, check, results, folder):
    page.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    for name in ("json", "csv"):
        page.evaluate(f"document.getElementById('download-{name}').click()")
        file = folder / f"carat.{name}"
        deadline = time.monotonic() + 10
        while not file.exists() and time.monotonic() < deadline:
            page.settle()
        check.that(file.exists(), f"{file.name} was not downloaded")
    check.equal(json.loads((folder / "carat.json").read_text()), results, "the JSON downloaded")
    for theme in THEMES:  # charts leave on white paper, whatever the page is on
        page.view(1280, 900, theme)
        page.evaluate("document.querySelector('#throughput .save button').click()")
        file = folder / "throughput.svg"
        deadline = time.monotonic() + 10
        while not file.exists() and time.monotonic() < deadline:
            page.settle()
        svg = file.read_text() if file.exists() else ""
        check.that(svg.startswith("<svg") and "#ffffff" in svg and "GFLOP/s" in svg
                   and "#0072b2" in svg, f"the chart saved from a {theme} page: {svg[:80]}")
        file.unlink(missing_ok=True)
    page.view(1280, 900, "light")
    rows = list(csv.DictReader(io.StringIO((folder / "carat.csv").read_text(), newline="")))
    trials = [(c["implementation"], t) for c in results["results"] for t in c.get("trials_s", [])]
    check.equal([(r["implementation"], float(r["time_s"])) for r in rows], trials,
                "the CSV downloaded")


def check_bare(page, check):
    strips = page.evaluate("document.querySelector('#trials .strips').innerText")
    check.that("naive" in strips and "SD" not in strips, f"one trial has no spread: {strips!r}")


def check_standing(page, check, writer, folder):
    """Twelve products of two implementations, of which one is always twice as fast."""
    results = json.loads((folder / "cpu.json").read_text())
    slow, fast = [c for c in results["results"] if c["available"] and c["verified"]][:2]
    results["comparisons"] = []
    results["results"] = [
        {**c, "dtype": "f64", "threads": 2, "threads_used": 2, "m": m, "n": 300, "k": 200,
         "median_gflops": speed, "rank": 3 - speed, "above_peak": False}
        for m in range(101, 113) for c, speed in ((slow, 1), (fast, 2))]
    (folder / "standing.json").write_text(json.dumps(results))
    subprocess.run([writer, "html", str(folder / "standing.json"), str(folder / "standing.html")],
                   check=True)
    page.open((folder / "standing.html").as_uri())
    rows = page.evaluate("""[...document.querySelectorAll('#standing-table tbody tr')]
      .map(row => [...row.children].map(cell => cell.innerText.trim()))""")
    check.equal([row[:4] + row[6:] for row in rows],
                [["f64, 2 threads", fast["implementation"], "12", "2.000", "100 %", "2.00",
                  "101 × 300 × 200"],
                 ["f64, 2 threads", slow["implementation"], "12", "0.500", "0 %", "0.50",
                  "101 × 300 × 200"]], "the table over all products")
    check.equal(page.evaluate(STICKING_OUT), [], "the table over all products sticks out")
    check.equal(page.complaints, [], "complaints of the table over all products")


def check_ladder_order(page, check, writer, folder):
    """The ladder stands from its first step up, in whatever order it was measured."""
    results = json.loads((folder / "cpu.json").read_text())
    results["results"].reverse()
    (folder / "turned.json").write_text(json.dumps(results))
    subprocess.run([writer, "html", str(folder / "turned.json"), str(folder / "turned.html")],
                   check=True)
    page.open((folder / "turned.html").as_uri())
    bars = page.evaluate("Chart.getChart(document.querySelector('#ladder canvas')).data.labels")
    files = pathlib.Path(__file__).parents[2].glob("ladder/cpu/[0-9][0-9]_*.cpp")
    order = [file.stem.split("_", 1)[1] for file in sorted(files)]
    steps = [bar.split("[")[0] for bar in bars if bar.split("[")[0] in order]
    check.that(len(steps) > 2 and steps == sorted(steps, key=order.index), f"the ladder: {bars}")


def check_busy(page, check, writer, folder):
    """Figures of a busy machine have neither ranks nor letters; who leads is said all the same."""
    results = json.loads((folder / "cpu.json").read_text())
    for cell in results["results"]:
        if cell.get("trials_s"):
            cell |= {"busy": "other work took 40 %: stop it", "group": "", "rank": 0}
    for comparison in results["comparisons"]:
        comparison["pairs"] = []
    (folder / "busy.json").write_text(json.dumps(results))
    subprocess.run([writer, "html", str(folder / "busy.json"), str(folder / "busy.html")], check=True)
    page.open((folder / "busy.html").as_uri())
    summary = page.evaluate("document.getElementById('summary').innerText")
    check.that("are left out; other work took 40 %: stop it." in summary, f"the warning: {summary}")
    check.that("has the highest median" in summary and "fastest" not in summary, "who leads")
    rows = page.evaluate(RANKING)
    check.that(len(rows) > 2, "rows of figures")
    check.equal({(row[0], row[6]) for row in rows}, {("–", "–")}, "ranks and groups")
    lead = page.evaluate("document.querySelector('#ranking .lead').innerText")
    check.that("are left out; other work took 40 %" in lead, f"the lead: {lead}")
    check.equal(page.complaints, [], "complaints about a busy machine's page")


def check_gpu_tables(page, check):
    """What a GPU did beside its times, and its peaks apart from the CPU's."""
    rows = "document.querySelectorAll('%s tbody tr').length"
    check.equal(page.evaluate(rows % "#gpu-table"), 4, "cells of the GPU in its table")
    check.equal(page.evaluate(rows % "#gpu-peaks"), 4, "peaks of the GPU")
    told = page.evaluate("document.querySelector('#gpu-table').innerText")
    for figure in ("1.98 GHz", "512 W", "0.0123", "45 °C", "sw_power_cap", "127", "33 KiB", "25 %"):
        check.that(figure in told, f"{figure} in the GPU's table")


def check_views(page, check):
    """Each of two kinds of device can be seen alone."""
    kinds = """[...document.querySelectorAll('#ranking-table .name')]
      .some(e => /cuda|cublas/.test(e.innerText))"""
    check.that(page.evaluate(kinds), "GPU cells beside the CPU's")
    check.that(choose(page, "pick-view", "CPU only"), "a view of the CPU")
    check.that(not page.evaluate(kinds), "no GPU cell in the CPU's view")
    check.that(choose(page, "pick-view", "GPU only"), "a view of the GPU")
    check.equal(page.evaluate("document.querySelectorAll('#ranking-table tbody tr').length"), 4,
                "rows of the GPU's view")
    check.equal(page.complaints, [], "complaints after changing views")


def check_crossover(page, check, results):
    """The sentences, the marks of the crossing, and the phases of every case."""
    sentences = page.evaluate("document.querySelector('#crossover .crossings').innerText")
    for wanted in ("cuda.ladder.tiled beats the best CPU implementation from N = 352 on (95 % CI "
                   "330 to beyond the sizes measured)",
                   "vendor.cublas does not beat the best CPU implementation up to N = 1024"):
        check.that(wanted in sentences, f"the crossover lacks: {wanted}: {sentences}")
    names = page.evaluate("document.querySelector('#crossover .key').innerText")
    for wanted in ("best CPU", "cuda.ladder.tiled", "vendor.cublas"):
        check.that(wanted in names, f"the key lacks {wanted}: {names}")
    cells = [c for c in results["results"] if "phases" in c and c["m"] == c["k"] == 2000]
    choose(page, "pick-size", "2000³")
    rows = page.evaluate("""[...document.querySelectorAll('#phase-table tbody tr')]
      .map(row => [...row.children].map(cell => cell.innerText.trim()))""")
    check.equal(len(rows), len(cells), "rows of phases")
    check.that(all(row[1] == "200 µs" and row[6] == "300 µs" for row in rows), f"phases: {rows}")
    check.equal(sum(row[3] == "10.0 µs" for row in rows), 1, "one conversion")
    check.equal(page.complaints, [], "complaints after the crossover")


def check_regression(page, check, results):
    """Every change with its figures, the losses first, and the counts above them."""
    changes = sorted(results["regression"]["changes"], key=lambda c: c.get("ratio", 0))
    rows = page.evaluate("""[...document.querySelectorAll('#regression-table tbody tr')]
      .map(row => [...row.children].map(cell => cell.innerText.trim()))""")
    check.equal([row[0] for row in rows], [c["implementation"] for c in changes], "order of changes")
    for row, change in zip(rows, changes):
        check.equal("nt" in row[1], change["layout"] == "nt", f"layout: {row}")
        check.equal(row[2], digits(change["before_gflops"]) + " GFLOP/s", "before")
        check.that(change["verdict"] in row[6] or "no figure" in row[6], f"verdict: {row}")
        if "ratio" in change:
            check.equal([row[3], row[4]],
                        [digits(change["after_gflops"]) + " GFLOP/s", times(change["ratio"])],
                        "after and ratio")
            low, high = change["ci95_ratio"]
            check.equal(row[5], "–" if high is None else f"{times(low)} to {times(high)}", "interval")
    counts = page.evaluate("document.getElementById('regression-counts').innerText")
    check.equal(counts, "5 cases compared: 1 slower, 1 without a figure, 1 faster, 1 tie, 1 unclear.",
                "counts of changes")
    lead = page.evaluate("document.querySelector('#regression .lead').innerText")
    for wanted in ("after.json, revision def5678", "before.json", "2 %"):
        check.that(wanted in lead, f"the lead lacks {wanted}: {lead}")
    check.that("cores was 4" in page.evaluate("document.querySelector('#regression').innerText"),
               "the note on the machine")
    check.equal(page.complaints, [], "complaints after the changes")


FACTS = """Object.fromEntries([...document.querySelectorAll('#explorer [data-fact]')]
  .map(e => [e.dataset.fact, e.dataset.value]))"""
BYTES = {"f64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2, "i8": 1, "e4m3": 1, "e5m2": 1}
# What is set on the explorer, one after the other; what is not named stays.
CPU_INPUTS = [
    {"device": "cpu", "order": "ijk", "dtype": "f64", "m": 2000, "n": 2000, "k": 2000},
    {"order": "ikj", "dtype": "f32"},
    {"order": "tiled ijk", "tile": 32},
    {"tile": 100, "m": 1000, "n": 333, "k": 777},
    {"order": "tiled ikj", "dtype": "f64", "tile": 144, "m": 4096, "n": 4096, "k": 4096},
    {"l1": 64, "l2": 256, "l3": 4096},
    {"tile": 17, "m": 1, "n": 5, "k": 16384},
    {"tile": 1024, "m": 300, "n": 200, "k": 100, "dtype": "bf16"},
    {"order": "ijk", "m": 64, "n": 64, "k": 64, "dtype": "i8"},
]
GPU_INPUTS = [
    {"device": "gpu", "dtype": "f32", "tile": 32, "m": 4096, "n": 4096, "k": 4096},
    {"tile": 128}, {"tile": 64, "dtype": "f64"}, {"tile": 8, "m": 100, "n": 1000, "k": 10},
    {"tile": 128, "shared": 64}, {"gpu_l2": 4096, "m": 3000, "n": 3000, "k": 3000},
]


def peak(rows, key, value, figure):
    return next((row[figure] for row in rows if row[key] == value and row["threads"] == 1), 0)


def cpu_question(machine, given):
    caches = {c["level"]: c for c in machine["caches"] if c["kind"] != "instruction"}
    reads = machine["peaks"]["bandwidth"]
    levels = [{"name": f"L{level}", "line_bytes": caches[level]["line_bytes"],
               "capacity_bytes": 1024 * given.get(f"l{level}",
                                                  round(caches[level]["size_bytes"] / 1024)),
               "gb_per_s": peak(reads, "level", f"L{level}", "gb_per_s")} for level in (1, 2, 3)]
    levels.append({"name": "DRAM", "line_bytes": 64, "capacity_bytes": 0,
                   "gb_per_s": peak(reads, "level", "DRAM", "gb_per_s")})
    peaks = [row["gflops"] for row in machine["peaks"]["compute"]
             if row["dtype"] == given["dtype"] and row["threads"] == 1]
    return {"tile": 1, **given, "levels": levels, "peak_gflops": max(peaks, default=0)}


def gpu_question(machine, given):
    gpu = machine["gpus"][0]
    reads = gpu["peaks"]["bandwidth"]
    units = [row for row in gpu["peaks"]["compute"] if row["dtype"] == given["dtype"]]
    plain = [row for row in units if row["unit"] in ("ffma", "dfma", "imad")]
    shared = 1024 * given.get("shared", gpu.get("shared_bytes_per_multiprocessor", 233472) / 1024)
    return {**given, "peak_gflops": max((row["gflops"] for row in plain or units), default=0),
            "levels": [{"name": name, "line_bytes": 128,
                        "capacity_bytes": 1024 * given.get("gpu_l2",
                                                           gpu.get("l2_bytes", 62914560) / 1024),
                        "gb_per_s": peak(reads, "level", name, "gb_per_s")}
                       for name in ("L2", "HBM")],
            "multiprocessor": {"threads": gpu.get("threads_per_multiprocessor", 2048), "blocks": 32,
                               "registers": gpu.get("registers_per_multiprocessor", 65536),
                               "shared_bytes": shared, "reserved_bytes": 1024,
                               "shared_bytes_per_block": min(
                                   gpu.get("shared_bytes_per_block", 232448), shared - 1024)}}


def model_answers(model, questions):
    for q in questions:
        q["bytes_ab"], q["bytes_c"] = BYTES[q["dtype"]], max(4, BYTES[q["dtype"]])
    asked = "".join(json.dumps(q) + "\n" for q in questions)
    told = subprocess.run([model], input=asked, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in told.splitlines()]


def set_inputs(page, given):
    for name, value in given.items():
        page.evaluate(f"""(() => {{
          const input = document.getElementById('explore-{name}');
          input.value = {json.dumps(str(value))};
          input.dispatchEvent(new Event('change', {{ bubbles: true }}));
        }})()""")


def agree(found, expected):
    """The page's text against the model's value; 0 stands for what is not shown."""
    if isinstance(expected, str):
        return found == expected or (expected == "" and found is None)
    if found is None:
        return expected == 0
    return math.isclose(float(found), expected, rel_tol=1e-12)


def check_explorer_numbers(page, check, machine, model, inputs, ask):
    """The explorer's numbers for each input are the C++ model's."""
    given, questions, found = {}, [], []
    for changes in inputs:
        given.update(changes)
        set_inputs(page, changes)
        found.append(page.evaluate(FACTS))
        questions.append(ask(machine, dict(given)))
    for asked, facts, expected in zip(questions, found, model_answers(model, questions)):
        for name, value in expected.items():
            check.that(agree(facts.get(name), value),
                       f"explorer {asked}: {name} is {facts.get(name)}, the model says {value}")
    check.equal(len({json.dumps(facts) for facts in found}), len(inputs), "answers that differ")


def check_explorer_use(page, check):
    """Works by keyboard; bad values are corrected; the walk moves and stops."""
    set_inputs(page, {"device": "cpu", "order": "tiled ikj", "tile": 32, "m": 512, "n": 512,
                      "k": 512})
    before = page.evaluate(FACTS)
    page.evaluate("document.querySelector('#explore-tile ~ input[type=range]').focus()")
    press(page, "ArrowRight", 39)
    after = page.evaluate(FACTS)
    check.that(float(after["working_set"]) > float(before["working_set"]), "the slider by keyboard")
    for bad, put_right in (("-5", "2"), ("1e9", "1024"), ("", "2"), ("33.4", "33")):
        set_inputs(page, {"tile": bad})
        check.equal(page.evaluate("document.getElementById('explore-tile').value"), put_right,
                    f"tile {bad!r}")
    step = "document.querySelector('#explorer .step').innerText"
    page.evaluate("document.getElementById('explore-restart').click()")
    check.that(page.evaluate(step).startswith("Step 1 of"), "the walk's beginning")
    page.evaluate("document.getElementById('explore-step').focus()")
    press(page, "Enter", 13, "\r")
    check.that(page.evaluate(step).startswith("Step 2 of"), "a step by keyboard")
    page.evaluate("document.getElementById('explore-play').click()")
    page.evaluate("new Promise(done => setTimeout(done, 900))")
    page.evaluate("document.getElementById('explore-play').click()")
    stopped = page.evaluate(step)
    check.that(not stopped.startswith("Step 2 of"), f"the walk runs: {stopped}")
    page.evaluate("new Promise(done => setTimeout(done, 400))")
    check.equal(page.evaluate(step), stopped, "the walk stands")
    for order in ("ijk", "ikj", "tiled ijk"):
        set_inputs(page, {"order": order})
        check.that(page.evaluate("document.querySelectorAll('.walk .now').length") == 3,
                   f"cells of the walk, {order}")
    page.evaluate("document.getElementById('theme').click()")
    check.equal(page.evaluate("document.getElementById('explore-order').value"), "tiled ijk",
                "inputs after a change of the theme")
    page.evaluate("document.getElementById('theme').click()")
    check.equal(page.complaints, [], "complaints after the explorer")


def check_explorer(page, check, folder, model):
    cpu = json.loads((folder / "cpu.json").read_text())
    page.open((folder / "cpu.html").as_uri())
    check_explorer_numbers(page, check, cpu["machine"], model, CPU_INPUTS, cpu_question)
    check_explorer_use(page, check)
    gpu = json.loads((folder / "gpu.json").read_text())
    page.open((folder / "gpu.html").as_uri())
    check_explorer_numbers(page, check, gpu["machine"], model, GPU_INPUTS, gpu_question)
    page.view(400, 800, "dark")
    check.equal(page.evaluate(STICKING_OUT), [], "sticking out of the GPU's explorer")
    check.equal(page.evaluate(HARD_TO_READ), [], "hard to read in the GPU's explorer")
    page.view(1280, 900, "light")
    bare = (folder / "bare.html").stat().st_size
    check.that(bare < 2_000_000, f"a page almost without data has {bare} bytes")


def run(page, check, writer, model, folder, keep):
    for kind, (charts, sections) in FIXTURES.items():
        source, target = folder / f"{kind}.json", folder / f"{kind}.html"
        source.write_bytes(subprocess.run(
            [sys.executable, str(HERE / "fixtures" / "make_results.py"), kind],
            check=True, stdout=subprocess.PIPE).stdout)
        subprocess.run([writer, "html", str(source), str(target)], check=True)
        for width, height in WINDOWS:
            for theme in THEMES:
                page.view(width, height, theme)
                page.open(target.as_uri())
                check_drawn(page, check, f"{kind} at {width} px, {theme}", width, charts,
                            sections)
                if keep:
                    shot = base64.b64decode(page.screenshot())
                    (folder / f"{kind}-{width}-{theme}.png").write_bytes(shot)
    page.view(1280, 900, "light")
    for kind in ("cpu", "hostile"):
        results = json.loads((folder / f"{kind}.json").read_text())
        page.open((folder / f"{kind}.html").as_uri())
        downloads = folder / f"downloads-{kind}"
        downloads.mkdir(exist_ok=True)
        if kind == "cpu":
            check_first_screen(page, check)
            check_verdicts(page, check, results)
            check_ranking(page, check, results)
            check_refusals(page, check)
            check_matrix(page, check, results)
            check_legend(page, check)
            check_downloads(page, check, results, downloads)
        check.equal(page.complaints, [], f"{kind}: complaints at the end")
    page.open((folder / "bare.html").as_uri())
    check_bare(page, check)
    check_busy(page, check, writer, folder)
    check_ladder_order(page, check, writer, folder)
    check_standing(page, check, writer, folder)
    page.open((folder / "gpu.html").as_uri())
    check_gpu_tables(page, check)
    check_views(page, check)
    page.open((folder / "crossover.html").as_uri())
    check_crossover(page, check, json.loads((folder / "crossover.json").read_text()))
    page.open((folder / "regression.html").as_uri())
    check_regression(page, check, json.loads((folder / "regression.json").read_text()))
    check_explorer(page, check, folder, model)
    check_themes(page, check, (folder / "cpu.html").as_uri())


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--write-page", required=True)
    arguments.add_argument("--model", required=True)
    arguments.add_argument("--keep", type=pathlib.Path)
    given = arguments.parse_args()
    path = browser.find()
    if not path:
        print("SKIPPED: no Chromium found, so the report was not tested in a browser "
              "(apt install chromium, or set CARAT_CHROMIUM)", file=sys.stderr)
        return 77
    check = Checks()
    with tempfile.TemporaryDirectory(prefix="carat-report-") as scratch:
        folder = given.keep or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        with browser.Browser(path) as page:
            run(page, check, given.write_page, given.model, folder, bool(given.keep))
    print(f"{check.done} checks, {len(check.failures)} failed")
    return 1 if check.failures or check.done < 300 else 0


if __name__ == "__main__":
    sys.exit(main())
