#!/usr/bin/env python3
"""Fills the pages of docs/ladder from the sources and from results: ladder_pages.py [--check].

A page is written by hand but for five kinds of blocks, each between a marker and <!-- end -->:

    <!-- way NEW: stop > arrow > stop ... -->   the drawing of the data's way, docs/images/ladder
    <!-- quote FILE: TEXT + LINES -->           lines of a source, from the one that has TEXT on
    <!-- measured FILE TYPES SIZES: STEP, BEFORE -->   throughput of a step from results/FILE, if it is
                                                there; types and sizes are separated by slashes
    <!-- waterfall FILE TYPE SIZE THREADS -->   all steps of results/FILE, as bars; THREADS of a CPU
    <!-- beside FILE+FILE TYPE SIZE: OTHER | ... ; IDEA | STEP | OTHER | ... ; ... -->   a table: the
                                                step's source, its lines, its share of cuBLAS; others

NEW numbers the stops and arrows that the step adds, from 1. --check writes nothing, names what
differs and exits 1, so that a quotation cannot outlive its source.
"""

import json
import pathlib
import re
import sys
from xml.sax.saxutils import escape

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs/ladder"
BLOCK = re.compile(r"(<!-- (way|quote|measured|waterfall|beside) (.*?) -->\n).*?(<!-- end -->)", re.DOTALL)

STYLE = """
  .page { fill: #ffffff } .text { fill: #1f2328 } .soft { fill: #59636e }
  .stop { fill: #eef1f4; stroke: #8c959f } .new { fill: #ddeeff; stroke: #0072b2; stroke-width: 2 }
  .arrow { stroke: #59636e } .newarrow { stroke: #0072b2; stroke-width: 2.5 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 } .text { fill: #e6edf3 } .soft { fill: #9da7b1 }
    .stop { fill: #21262d; stroke: #6e7681 } .new { fill: #0b2a42; stroke: #56b4e9 }
    .arrow { stroke: #9da7b1 } .newarrow { stroke: #56b4e9 }
  }
  text { font-family: system-ui, sans-serif; font-size: 13px; text-anchor: middle }
  .small { font-size: 12px }
"""
STOP, ARROW, ROW, ACROSS = 150, 150, 96, 3  # widths, height of a row, stops in a row


def lines_of(text, most):
    """The words of `text` in lines of at most so many letters."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > most:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def text_at(x, y, text, most, style):
    lines = lines_of(text, most)
    top = y - 8 * (len(lines) - 1)
    return [f'<text class="{style}" x="{x}" y="{top + 16 * i + 4}">{escape(line)}</text>'
            for i, line in enumerate(lines)]


def drawing(new, parts):
    """Stops in rows of three, an arrow between each and the next."""
    stops = (len(parts) + 1) // 2
    rows = (stops + ACROSS - 1) // ACROSS
    width = ACROSS * STOP + (ACROSS - 1) * ARROW + 40
    height = rows * ROW + (rows - 1) * 30 + 20
    drawn = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
             f'aria-label="{escape(" to ".join(parts[::2]))}">', f"<style>{STYLE}</style>",
             '<defs><marker id="head" markerWidth="8" markerHeight="8" refX="6" refY="3" orient="auto">'
             '<path d="M0,0 L7,3 L0,6 z" class="soft"/></marker></defs>',
             f'<rect class="page" width="{width}" height="{height}"/>']
    for number in range(stops):
        row, place = divmod(number, ACROSS)
        x, y = 20 + place * (STOP + ARROW), 10 + row * (ROW + 30)
        kind = "new" if 2 * number + 1 in new else "stop"
        drawn.append(f'<rect class="{kind}" x="{x}" y="{y + 16}" width="{STOP}" height="64" rx="6"/>')
        drawn += text_at(x + STOP / 2, y + 48, parts[2 * number], 21, "text")
        if number + 1 == stops:
            break
        arrow = "newarrow" if 2 * number + 2 in new else "arrow"
        label = parts[2 * number + 1]
        if place + 1 < ACROSS:
            drawn.append(f'<path class="{arrow}" fill="none" d="M{x + STOP + 4},{y + 48} '
                         f'h{ARROW - 10}" marker-end="url(#head)"/>')
            drawn += text_at(x + STOP + ARROW / 2, y + 26, label, 20, "soft small")
        else:  # around to the beginning of the next row
            drawn.append(f'<path class="{arrow}" fill="none" d="M{x + STOP / 2},{y + 82} v22 '
                         f'H{20 + STOP / 2} v16" marker-end="url(#head)"/>')
            drawn += text_at(width / 2, y + 96, label, 60, "soft small")
    return "".join(drawn) + "</svg>\n"


def way(page, arguments, written):
    new, parts = arguments.split(":", 1)
    parts = [part.strip() for part in parts.split(">")]
    if len(parts) % 2 == 0:
        raise SystemExit(f"{page.name}: a way ends with a stop: {arguments}")
    image = ROOT / "docs/images/ladder" / f"{page.stem}.svg"
    written[image] = drawing({int(n) for n in new.split()}, parts)
    return f"![The way of the data: {', '.join(parts[::2])}](../images/ladder/{image.name})\n"


def quote(page, arguments, _):
    file, rest = arguments.split(":", 1)
    text, count = rest.rsplit("+", 1)
    lines = (ROOT / file).read_text().splitlines()
    found = [i for i, line in enumerate(lines) if text.strip() in line]
    if len(found) != 1:
        raise SystemExit(f"{page.name}: {file} has '{text.strip()}' {len(found)} times, not once")
    quoted = lines[found[0]:found[0] + int(count)]
    depth = min(len(line) - len(line.lstrip()) for line in quoted if line.strip() and line[0] != "#")
    shown = [line if line.startswith("#") else line[depth:] for line in quoted]
    return "\n".join(["```cpp", *shown, "```", f"`{file}`", ""])


def rate(value):
    """GFLOP/s as TFLOP/s from a thousand on."""
    return f"{value / 1000:.4g} TFLOP/s" if value >= 1000 else f"{value:.4g} GFLOP/s"


def measured_rows(results, dtype, sizes, step, before):
    """A row for each type and size: the step, over the one before, of roofline and best library."""
    cells = [c for c in results["results"] if c.get("median_gflops", 0) > 0 and not c.get("busy")]
    for own in cells:
        size = str(own["n"]) if own["m"] == own["n"] == own["k"] else \
            f"{own['m']}x{own['n']}x{own['k']}"
        if own["implementation"] != step or own["dtype"] not in dtype or size not in sizes:
            continue
        same = {c["implementation"]: c["median_gflops"] for c in cells
                if all(c[key] == own[key] for key in ("m", "n", "k", "dtype", "threads",
                                                      "computes_in"))}
        best = max((value for name, value in same.items() if name.startswith("vendor.")),
                   default=None)
        mine = own["median_gflops"]
        yield "| " + " | ".join([
            own["dtype"], size, str(own["threads"]), rate(mine),
            f"{mine / same[before]:.2f} x" if before in same else "",
            f"{own['percent_of_roofline']:.1f} %", f"{100 * mine / best:.1f} %" if best else ""]) + " |"


def measured(page, arguments, __):
    where, steps = arguments.split(":", 1)
    file, dtypes, sizes = where.split()
    step, before = (name.strip() for name in steps.split(","))
    path = ROOT / "results" / file
    if not path.exists():
        return f"Not measured yet: `results/{file}` is missing.\n"
    results = json.loads(path.read_text())
    rows = list(measured_rows(results, dtypes.split("/"), sizes.split("/"), step, before))
    if not rows:
        raise SystemExit(f"{page.name}: results/{file} has no {step} in {dtypes} at {sizes}")
    over = f"over `{before.split('.')[-1]}`" if before != "-" else ""
    head = (f"| type | size | threads | | {over} | of the roofline | of the best library |\n"
            "|---|--:|--:|--:|--:|--:|--:|")
    machine = results["machine"]
    left_out = [c for c in results["results"] if c.get("busy") and c["implementation"] == step]
    notes = ["the run was cut short"] if not results.get("complete", True) else []
    if left_out:
        notes.append(f"{len(left_out)} figures left out, which other work disturbed")
    name = machine["gpus"][0]["name"] if step.startswith("cuda.") else machine["cpu_model"]
    return "\n".join([head, *rows, "", f"`results/{file}`: {name}, revision {results['revision']}, "
                                       f"{'; '.join([results['date'][:10], *notes])}.", ""])


def bars(rows):
    """Bars of (name, TFLOP/s, is it a library), in the order given."""
    most = max(rate for _, rate, _ in rows)
    height = 26 * len(rows) + 20
    drawn = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 {height}" role="img" '
             'aria-label="Throughput of each step">', f"<style>{STYLE}</style>",
             f'<rect class="page" width="760" height="{height}"/>']
    for number, (name, rate, is_library) in enumerate(rows):
        y = 10 + 26 * number
        length = 460 * rate / most
        drawn += [f'<text class="text" style="text-anchor: end" x="190" y="{y + 16}">{escape(name)}</text>',
                  f'<rect class="{"stop" if is_library else "new"}" x="200" y="{y + 2}" '
                  f'width="{length:.1f}" height="19"/>',
                  f'<text class="soft" style="text-anchor: start" x="{208 + length:.1f}" '
                  f'y="{y + 16}">{rate:.4g}</text>']
    return "".join(drawn) + "</svg>\n"


def waterfall(page, arguments, written):
    file, dtype, size, *threads = arguments.split()
    path = ROOT / "results" / file
    if not path.exists():
        return f"Not measured yet: `results/{file}` is missing.\n"
    cells = [c for c in json.loads(path.read_text())["results"]
             if c.get("median_gflops", 0) > 0 and not c.get("busy") and c["dtype"] == dtype
             and {c["m"], c["n"], c["k"]} == {int(size)}
             and (not threads or c["threads"] == int(threads[0]))]
    unit, each = ("TFLOP/s", 1000) if max(c["median_gflops"] for c in cells) >= 1000 else ("GFLOP/s", 1)
    rows = [(c["implementation"].removeprefix("cuda.ladder.").removeprefix("cpu.ladder."),
             c["median_gflops"] / each, ".ladder." not in c["implementation"]) for c in cells]
    rows.sort(key=lambda row: row[2])  # steps in their order, then libraries
    image = ROOT / "docs/images/ladder" / f"{pathlib.Path(file).stem.removesuffix('_' + dtype)}_{dtype}.svg"
    written[image] = bars(rows)
    where = f"{dtype}, N = {size}{', threads: ' + threads[0] if threads else ''}"
    return (f"![Throughput of each step, {where}, {unit}](../images/ladder/{image.name})\n\n"
            f"{unit}, {where}, `results/{file}`.\n")


def shares_of_cublas(results, dtype, size):
    """What each implementation of the GPU reaches of cuBLAS at size x size x size, in percent."""
    reached = {c["implementation"].split("[")[0].split(".")[-1]: c["median_gflops"]
               for c in results["results"] if c.get("median_gflops", 0) > 0 and c["dtype"] == dtype
               and {c["m"], c["n"], c["k"]} == {int(size)} and c["device"] == "cuda"}
    return {name: f"{100 * rate / reached['cublas']:.1f} %" for name, rate in reached.items()}


def beside(page, arguments, _):
    where, table = arguments.split(":", 1)
    files, dtype, size = where.split()
    shares, measured_by = {}, []
    for file in files.split("+"):
        if (ROOT / "results" / file).exists():
            results = json.loads((ROOT / "results" / file).read_text())
            shares.update(shares_of_cublas(results, dtype, size))
            measured_by.append(f"`results/{file}`, {results['machine']['gpus'][0]['name']}, revision "
                               f"{results['revision']}")
    heads, *rows = table.split(";")
    head = ["idea", "carat", "lines", "of cuBLAS", *(cell.strip() for cell in heads.split("|"))]
    written = [f"| {' | '.join(head)} |", "|---|---|--:|--:|" + "---|" * (len(head) - 4)]
    for row in rows:
        idea, step, *others = (cell.strip() for cell in row.split("|"))
        own = ["not a step of its own", "", ""]
        if step:
            (source,) = ROOT.glob(f"ladder/cuda/[0-9][0-9]_{step}.cu")
            own = [f"`{source.name}`", str(len(source.read_text().splitlines())),
                   shares.get(step, "not measured")]
        written.append(f"| {' | '.join([idea, *own, *others])} |")
    return "\n".join([*written, "", f"carat, {dtype}, N = {size}: {'; '.join(measured_by)}.", ""])


FILLED_BY = {"way": way, "quote": quote, "measured": measured, "waterfall": waterfall, "beside": beside}


def main(check):
    written = {}
    for page in sorted(PAGES.glob("*.md")):
        def fill(block, page=page):
            return block[1] + FILLED_BY[block[2]](page, block[3], written) + block[4]
        written[page] = BLOCK.sub(fill, page.read_text())
    stale = [path for path, text in written.items()
             if not path.exists() or path.read_text() != text]
    for path in stale:
        if check:
            print(f"{path.relative_to(ROOT)}: differs from its sources; run scripts/ladder_pages.py")
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(written[path])
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
