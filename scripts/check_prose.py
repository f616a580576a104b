#!/usr/bin/env python3
"""Checks that pages read as plain English: check_prose.py (no arguments).

No sentence, list item or table cell of README, CONTRIBUTING, docs/*.md, docs/studies/*.md and the
ladder's page may begin with a fronted object ("Of ..."), or have one of the turns of phrase that readers
stumbled over. Exits 1 after one line for each.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CODE = re.compile(r"```.*?```|^(?: {4}|\t).*?$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
# A sentence begins after a full stop, at a list item, in a cell or at a paragraph.
START = r"(?:(?<=[.!?:] )|(?<=[.!?:]\n)|(?<=\n\n)|(?<=\A)|(?<=[-*] )|(?<=\| ))"
RULES = {
    re.compile(START + r"(?:\*\*)?Of (?!course\b)[^\n]*"): "begins with 'Of': put the subject first",
    re.compile(r"\b(?:have|has|had) (?:theirs|it|ours) (?:inside|beside)\b"): "say what has what",
    re.compile(r"\b(?:are|is|what is) ours\b|\bours\b(?= (?:under|on|for|of))"): "say 'carat's'",
    re.compile(r"\bhave beside\b|\bhas beside\b"): "say 'relative to'",
    re.compile(r"\btrue or (?:an error|refused|a refusal)\b"): "say 'exact, or an error'",
    re.compile(r"\b(?:one|those|each|ones) that (?:are|is|there are|there is)(?=[.,;])"): "say which",
    re.compile(r"\bcosts? its row\b"): "say 'loses only that row'",
    re.compile(r"\bsomebody else's\b|\bof somebody\b"): "say whose",
}


def pages():
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "ladder/README.md",
            *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs/studies").glob("*.md"))]


def blanked(text):
    """The text with its code left blank, so that lines keep their numbers."""
    return CODE.sub(lambda code: re.sub(r"[^\n]", "x", code[0]), text)


def findings(text):
    prose = blanked(text)
    for rule, remedy in RULES.items():
        for found in rule.finditer(prose):
            words = " ".join(text[found.start():found.end()].split())[:60]
            yield text.count("\n", 0, found.start()) + 1, words, remedy


def main():
    misses = [f"{page.relative_to(ROOT)}:{line}: '{words}': {remedy}"
              for page in pages() for line, words, remedy in sorted(findings(page.read_text("utf-8")))]
    print(*misses, f"prose: {len(pages())} pages read, {len(misses)} misses", sep="\n")
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
