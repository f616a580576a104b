#!/usr/bin/env python3
"""The report in a real browser: every fixture, wide and narrow, light and dark, is drawn without a
complaint or a request, fits its window, can be read, and shows the figures of its JSON.

usage: browser_test.py --write-page PROGRAM [--keep FOLDER]
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
FIXTURES = {"cpu": (4, 10), "gpu": (4, 10), "gpu-only": (4, 10), "crossover": (5, 12),
            "hostile": (4, 10), "bare": (3, 8), "empty": (0, 3)}
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


def press(page, key):
    for kind in ("keyDown", "keyUp"):
        page.call("Input.dispatchKeyEvent", type=kind, key=key, code=key)


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


def expected_rows(results, case):
    m, n, k, dtype, threads = case
    cells = [c for c in results["cells"] if c["available"] and c["verified"] and not c["impossible"]
             and (c["m"], c["n"], c["k"], c["dtype"], c["threads"]) == case]
    cells.sort(key=lambda c: -c["median_gflops"])
    best = cells[0]["median_gflops"]
    return [[str(rank), c["implementation"], digits(c["median_gflops"]),
             f"{digits(c['ci95_gflops'][0])} to {digits(c['ci95_gflops'][1])}",
             f"{c['percent_of_roofline']:.1f} %", times(best / c["median_gflops"]), c["group"]]
            for rank, c in enumerate(cells, 1)]


def check_ranking(page, check, results):
    """Every case can be chosen, and its table says what the JSON says."""
    cases = {(c["m"], c["n"], c["k"], c["dtype"], c["threads"]) for c in results["cells"]}
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
    warnings = page.evaluate("document.querySelector('.warnings').innerText")
    for wanted in ("virtual machine (KVM)", "vendor.openblas chose SkylakeX", "not verified",
                   "impossible", "fewer than 20 trials"):
        check.that(wanted in warnings, f"the warnings lack: {wanted}")
    headline = page.evaluate("document.querySelector('.headline').innerText")
    best = max((c for c in results["cells"] if c["available"] and c["m"] == 2000
                and c["dtype"] == "f64" and c["threads"] == 2), key=lambda c: c["median_gflops"])
    for wanted in (best["implementation"], digits(best["median_gflops"]),
                   results["machine"]["cpu_model"]):
        check.that(wanted in headline, f"the headline lacks {wanted}: {headline}")


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
    rows = list(csv.DictReader(io.StringIO((folder / "carat.csv").read_text(), newline="")))
    trials = [(c["implementation"], t) for c in results["cells"] for t in c.get("trials_s", [])]
    check.equal([(r["implementation"], float(r["time_s"])) for r in rows], trials,
                "the CSV downloaded")


def check_gpu_tables(page, check):
    """What a GPU did beside its times, and its ceilings apart from the CPU's."""
    rows = "document.querySelectorAll('%s tbody tr').length"
    check.equal(page.evaluate(rows % "#gpu-table"), 4, "cells of the GPU in its table")
    check.equal(page.evaluate(rows % "#gpu-ceilings"), 4, "ceilings of the GPU")
    told = page.evaluate("document.querySelector('#gpu-table').innerText")
    for figure in ("1.98 GHz", "512 W", "0.0123", "45 °C", "sw_power_cap", "127", "33 KiB", "25 %"):
        check.that(figure in told, f"{figure} in the GPU's table")


def check_views(page, check):
    """With both kinds of device, each can be seen alone."""
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
    cells = [c for c in results["cells"] if "phases" in c and c["m"] == c["k"] == 2000]
    choose(page, "pick-size", "2000³")
    rows = page.evaluate("""[...document.querySelectorAll('#phase-table tbody tr')]
      .map(row => [...row.children].map(cell => cell.innerText.trim()))""")
    check.equal(len(rows), len(cells), "rows of phases")
    check.that(all(row[1] == "200 µs" and row[6] == "300 µs" for row in rows), f"phases: {rows}")
    check.equal(sum(row[3] == "10.0 µs" for row in rows), 1, "one conversion")
    check.equal(page.complaints, [], "complaints after the crossover")


def run(page, check, writer, folder, keep):
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
            check_verdicts(page, check, results)
            check_ranking(page, check, results)
            check_refusals(page, check)
            check_matrix(page, check, results)
            check_legend(page, check)
            check_downloads(page, check, results, downloads)
        check.equal(page.complaints, [], f"{kind}: complaints at the end")
    page.open((folder / "gpu.html").as_uri())
    check_gpu_tables(page, check)
    check_views(page, check)
    page.open((folder / "crossover.html").as_uri())
    check_crossover(page, check, json.loads((folder / "crossover.json").read_text()))
    check_themes(page, check, (folder / "cpu.html").as_uri())


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--write-page", required=True)
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
            run(page, check, given.write_page, folder, bool(given.keep))
    print(f"{check.done} checks, {len(check.failures)} failed")
    return 1 if check.failures or check.done < 300 else 0


if __name__ == "__main__":
    sys.exit(main())
