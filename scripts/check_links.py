#!/usr/bin/env python3
"""Checks that what pages and comments point at exists: check_links.py (no arguments).

It reads relative links, anchors and pictures of every Markdown page, the paths that pages set as code
(`src/api/`), and the pages, decisions (ADR 0040) and lab notes that comments of the sources name. Exits 1
after one line for each miss.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\(([^)\s]+)\)")
NAMED = re.compile(r"\b(docs/[\w./-]+\.md)\b")
DECISION = re.compile(r"(?:\bADRs?\s|docs/adr/)(\d{4})\b")
PATH = re.compile(r"`((?:src|lab|cli|tests|scripts|include|ladder|python|examples|docs|results|benchmarks|fuzz|"
                  r"cmake|costs)/[\w./*+-]+)`(?! is missing)")
CODE = re.compile(r"```.*?```|`(?:[^`\n]|\n(?!\n))*`", re.DOTALL)


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", *patterns],
                            cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [ROOT / line for line in listed.splitlines() if (ROOT / line).is_file()]


def anchors(page):
    """The anchors that a page's headings get where Markdown is shown."""
    heads = re.findall(r"(?m)^#+ (.+)$", CODE.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


def broken_links(page):
    for target in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        if not found.exists():
            yield target
        elif anchor and found.suffix == ".md" and anchor not in anchors(found):
            yield target


def broken_paths(page):
    return [path for path in PATH.findall(page.read_text(encoding="utf-8")) if not any(ROOT.glob(path))]


def broken_names(file, decisions):
    text = file.read_text(encoding="utf-8", errors="replace")
    yield from (f"ADR {number}" for number in DECISION.findall(text) if number not in decisions)
    yield from (name for name in NAMED.findall(text) if not (ROOT / name).is_file())


def main():
    pages = tracked("*.md")
    sources = [file for file in tracked("*") if file.suffix in
               {".hpp", ".cpp", ".cu", ".cuh", ".h", ".py", ".sh", ".txt", ".cmake", ".md", ".js"}]
    decisions = {page.name[:4] for page in (ROOT / "docs/adr").glob("[0-9]*.md")}
    misses = [f"{page.relative_to(ROOT)}: nothing is at {target}"
              for page in pages for target in broken_links(page)]
    misses += [f"{page.relative_to(ROOT)}: names {path}, which is not there"
               for page in pages if page.name != "CHANGELOG.md" for path in broken_paths(page)]
    misses += [f"{file.relative_to(ROOT)}: names {name}, which is not there"
               for file in sources for name in broken_names(file, decisions)]
    print(*misses, f"links: {len(pages)} pages and {len(sources)} files read, {len(misses)} misses",
          sep="\n")
    return 1 if misses or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
