#!/usr/bin/env python3
"""Reads the tables that `carat report --tables` writes, as Markdown and as LaTeX, and compares every
figure with the results file they come from. Arguments: carat."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

CARAT = sys.argv[1]
RESULTS = pathlib.Path(__file__).resolve().parents[2] / "results"
FILES = ["cpu/ladder.json", "cpu/five-algorithms.json", "cpu/workloads.json",
         "h200/crossover.json"]

UNESCAPED = {r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^",
             r"\textless{}": "<", r"\textgreater{}": ">", r"\textbar{}": "|",
             r"\textquotedbl{}": '"', "{[}": "[", r"$\times$": "×", r"$\mu$": "µ",
             r"$^\circ$": "°", "$^3$": "³", **{"\\" + c: c for c in "{}&%$#_"}}


def from_latex(cell):
    """The text of a cell; what is no escape that the writer may use is an error."""
    cell = re.sub(r"\$([\d.]+)\\times10\^\{(-?\d+)\}\$", r"\1e\2", cell.strip())
    cell = re.sub(r"\\text(?:tt|bf)\{((?:[^{}\\]|\\.|\{\[\}|\w\{\})*)\}", r"\1", cell)
    plain = re.sub("|".join(map(re.escape, sorted(UNESCAPED, key=len, reverse=True))),
                   "", cell)
    if re.search(r"[\\{}$&%#_~^]", plain):
        raise ValueError(f"{cell!r} is not escaped")
    return re.sub("|".join(map(re.escape, sorted(UNESCAPED, key=len, reverse=True))),
                  lambda m: UNESCAPED[m[0]], cell)


def latex_tables(text):
    """{title: [head, rows...]}; counts the columns of each row."""
    found = {}
    for body in re.findall(r"\\begin\{table\}(.*?)\\end\{table\}", text, re.DOTALL):
        sides = re.search(r"\\begin\{tabular\}\{([lr]+)\}", body)[1]
        lines = [line.strip() for line in body.splitlines() if line.strip().endswith(r"\\")]
        rows = [[from_latex(c) for c in re.split(r"(?<!\\)&", line.removesuffix(r"\\"))]
                for line in lines]
        assert all(len(row) == len(sides) for row in rows), rows
        for rule in (r"\toprule", r"\midrule", r"\bottomrule"):
            assert body.count(rule) == 1, rule
        title = from_latex(re.search(r"\\caption\{(.*)\}\n", body)[1])
        assert title not in found, title
        found[title] = rows
    return found


def markdown_tables(text):
    found = {}
    for part in text.split("\n## ")[1:]:
        title, rest = part.split("\n", 1)
        lines = [line for line in rest.splitlines() if line.startswith("|")]
        rows = [[c.strip().strip("`*") for c in re.split(r"(?<!\\)\|", line)[1:-1]]
                for line in lines]
        assert re.fullmatch(r"(\|(:--|--:))+\|", lines[1]), lines[1]
        found[title] = [rows[0], *rows[2:]]
    return found


def without_marks(rows):
    """Cells as bare text, exponents written in one way."""
    bare = [[re.sub(r"[`*\\]", "", cell) for cell in row] for row in rows]
    return [[re.sub(r"(?<=\d)e([-+]?)0*(\d)", lambda m: f"e{m[1].strip('+')}{m[2]}", cell)
             for cell in row] for row in bare]


def near(test, shown, value, what):
    """Four digits are shown."""
    test.assertAlmostEqual(float(shown) / value, 1, delta=6e-4, msg=f"{what}: {shown}, {value}")


def label(c):
    threads = f", {c['threads']} thread{'s' * (c['threads'] != 1)}" if c["threads"] else ""
    return f"{c['dtype']} {c['m']} × {c['n']} × {c['k']}{threads}"


class Tables(unittest.TestCase):
    def tables_of(self, file):
        def run(form):
            return subprocess.run([CARAT, "report", RESULTS / file, "--tables", form], check=True,
                                  capture_output=True, text=True, timeout=120).stdout
        markdown, latex = markdown_tables(run("markdown")), latex_tables(run("latex"))
        self.assertEqual({t: without_marks(r) for t, r in markdown.items()},
                         {t: without_marks(r) for t, r in latex.items()})
        return json.loads((RESULTS / file).read_text()), latex

    def test_both_forms_hold_the_same_and_what_the_file_holds(self):
        for file in FILES:
            with self.subTest(file):
                results, tables = self.tables_of(file)
                self.check_cases(results, tables)
                self.check_studies(results, tables)
                self.check_crossovers(results, tables)

    def check_cases(self, results, tables):
        cells = {(label(c), c["implementation"]): c for c in results["results"]
                 if c.get("rank", 0) > 0}
        checked = 0
        for title, (head, *rows) in tables.items():
            unit = re.fullmatch(r"([GT])FLOP/s \(median\)", head[2] if len(head) > 2 else "")
            if head[1:2] != ["implementation"] or unit is None:
                continue
            gflops = 1000 if unit[1] == "T" else 1
            for row in rows:
                name = row[1].split(" (")[0]
                cell = next((c for (where, who), c in cells.items()
                             if who == name and where.split(",")[0] == title.split(",")[0]
                             and f"{c['median_gflops']:.3e}" == f"{gflops * float(row[2]):.3e}"), None)
                self.assertIsNotNone(cell, (title, row))
                near(self, row[head.index("cold, ms")], 1e3 * cell["cold_s"], row)
                if cell["percent_of_roofline"]:
                    self.assertAlmostEqual(float(row[head.index("% of roofline")]),
                                           cell["percent_of_roofline"], delta=0.051)
                checked += 1
        self.assertGreaterEqual(checked, len(cells))
        pairs = sum(len(rows) - 1 for title, rows in tables.items() if "every pair" in title)
        self.assertEqual(pairs, sum(len(c["pairs"]) for c in results["comparisons"]))

    def check_studies(self, results, tables):
        for study in results.get("studies", []):
            for t in study["tables"]:
                rows = tables[f"{study['title']}: {t['title']}"]
                self.assertEqual(without_marks([t["head"], *t["rows"]]), without_marks(rows))

    def check_crossovers(self, results, tables):
        for column, found in enumerate(results.get("crossovers", []), 3):
            rows = tables["From which size a GPU pays"]
            self.assertEqual(rows[0][column].strip("`"), f"{found['gpu']}, ms")
            shown = {row[0]: row[column] for row in rows[1:]}
            for point in found["points"]:
                near(self, shown[str(point["n"])], 1e3 * point["gpu_s"], point)

    def test_a_file_is_written_whole_and_bad_input_is_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "t.tex"
            file = RESULTS / FILES[0]
            subprocess.run([CARAT, "report", file, "--tables", "latex", "-o", out], check=True,
                           capture_output=True, timeout=120)
            self.assertIn("booktabs", out.read_text())
            for more in (["--tables", "word"], ["--tables", "latex", "--csv"],
                         ["--tables", "latex", "-o", f"{folder}/none/t.tex"]):
                done = subprocess.run([CARAT, "report", file, *more], capture_output=True,
                                      text=True, timeout=120, check=False)
                self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
