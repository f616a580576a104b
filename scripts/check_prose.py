#!/usr/bin/env python3
"""Checks that pages and comments read as plain English.

Pages (README, CONTRIBUTING, docs/*.md, docs/studies/*.md, docs/ladder/*.md, the ladder's): no sentence, list item or table
cell begins with a fronted object ("Of ..."), or has one of the turns of phrase that readers stumbled over.
Comments: none begins with a preposition, and none has such a turn of phrase. Exits 1 after one line for each miss.
"""

import pathlib
import re
import subprocess
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

SUFFIXES = {".hpp", ".cpp", ".h", ".c", ".cu", ".cuh", ".py", ".sh", ".cmake", ".f90"}
PREPOSITION = re.compile(
    r"(?:Above|Across|After|Against|Along|Among|As(?! (?:few|many|much))|At(?! (?:least|most))|Before|Behind|"
    r"Below|Beside|Besides|Between|Beyond|By|During|For|From|In|Inside|Into|Near|Of|Off|On|Onto|Out|Outside|"
    r"Over|Past|Per|Through|To|Toward|Towards|Under|Up|Upon|Via|With|Within|Without)\b")
DOCSTRING = re.compile(r'\s*"""(\w.*)')
MARK = re.compile(r"[ \t]*(//+|#|!)(?:$|\s(?P<text>.*))")


def pages():
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "ladder/README.md",
            *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs/studies").glob("*.md")),
            *sorted((ROOT / "docs/ladder").glob("*.md"))]


def sources():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True)
    names = [pathlib.Path(line) for line in listed.stdout.splitlines()]
    return [name for name in names
            if name.suffix in SUFFIXES or name.name in ("CMakeLists.txt", "dev")]


def blanked(text):
    """The text with its code left blank, so that lines keep their numbers."""
    return CODE.sub(lambda code: re.sub(r"[^\n]", "x", code[0]), text)


def findings(text):
    prose = blanked(text)
    for rule, remedy in RULES.items():
        for found in rule.finditer(prose):
            words = " ".join(text[found.start():found.end()].split())[:60]
            yield text.count("\n", 0, found.start()) + 1, words, remedy


def comments(text, mark):
    """The line number and text of each run of comment lines, and of the first line of each docstring."""
    first, lines = 0, []
    for number, line in enumerate([*text.splitlines(), ""], 1):
        found = MARK.match(line)
        if found and found[1].startswith(mark) and (found["text"] or lines):
            first = first if lines else number
            lines.append(found["text"] or "")
        elif lines:
            yield first, "\n".join(lines)
            lines = []
        elif mark == "#" and (found := DOCSTRING.match(line)):
            yield number, found[1]


def comment_findings(path):
    text = (ROOT / path).read_text("utf-8")
    mark = {".py": "#", ".sh": "#", ".cmake": "#", ".txt": "#", "": "#", ".f90": "!"}.get(path.suffix, "//")
    for first, comment in comments(text, mark):
        if PREPOSITION.match(comment):
            yield first, comment.split("\n")[0][:60], "begins with a preposition"
        for line, words, remedy in findings(comment):
            if line > 1 or not PREPOSITION.match(comment):
                yield first + line - 1, words, remedy


def main():
    misses = [f"{page.relative_to(ROOT)}:{line}: '{words}': {remedy}"
              for page in pages() for line, words, remedy in sorted(findings(page.read_text("utf-8")))]
    misses += [f"{path}:{line}: '{words}': {remedy}"
               for path in sources() for line, words, remedy in comment_findings(path)]
    print(*misses, f"prose: {len(pages())} pages and the comments read, {len(misses)} misses", sep="\n")
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
