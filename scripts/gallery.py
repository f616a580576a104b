#!/usr/bin/env python3
"""Takes the pictures of docs/gallery.md: gallery.py CARAT. Each is a section of a committed file's report.

Exit status 77: no Chromium (CARAT_CHROMIUM names one), nothing was taken.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from tables_common import ROOT

IMAGES = ROOT / "docs" / "images"
WIDTH = 1100

# Picture: results, the section shown (None: the page's beginning), pixels of height.
PICTURES = {
    "report_verdict": ("cpu/bench.json", None, 560),
    "report_ranking": ("cpu/bench.json", "ranking", 760),
    "report_roofline": ("cpu/bench.json", "roofline", 860),
    "report_explorer": ("cpu/bench.json", "explorer", 1080),
}


def chromium():
    named = os.environ.get("CARAT_CHROMIUM", "chromium")
    found = shutil.which(named)
    if found is None:
        print(f"gallery: there is no {named}: install chromium, or name one in CARAT_CHROMIUM",
              file=sys.stderr)
        sys.exit(77)
    return found


def page_of(carat, file, section, folder):
    """The report with one section alone, since a headless browser shows no place but the top."""
    page = folder / "report.html"
    subprocess.run([carat, "report", ROOT / "results" / file, "-o", page], check=True,
                   stdout=subprocess.DEVNULL)
    text = page.read_text(encoding="utf-8")
    if section is not None:
        if f'id: "{section}"' not in text:
            sys.exit(f"gallery: the report has no section {section}")
        rule = f"<style>section:not(#{section}) {{ display: none !important }}</style>"
        page.write_text(text.replace("</head>", rule + "</head>", 1), encoding="utf-8")
    return page


def take(browser, page, height, picture):
    subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                    "--virtual-time-budget=5000", f"--window-size={WIDTH},{height}",
                    f"--screenshot={picture}", page.as_uri()],
                   check=True, capture_output=True, timeout=120)


def main():
    browser = chromium()
    for name, (file, section, height) in PICTURES.items():
        with tempfile.TemporaryDirectory() as folder:
            page = page_of(sys.argv[1], file, section, pathlib.Path(folder))
            take(browser, page, height, IMAGES / f"{name}.png")


if __name__ == "__main__":
    main()
