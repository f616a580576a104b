#!/usr/bin/env python3
"""What pages promise: README is short, CHANGELOG says nothing twice, versions are the build's, the reference
names every public function, riddles are found, and the site's own pages are made."""

import importlib
import pathlib
import re
import sys
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import check_prose  # noqa: E402


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def entries(changelog):
    """Each entry in one line."""
    found = re.findall(r"(?ms)^- .*?(?=^- |^#|\Z)", changelog)
    return [" ".join(entry.split()) for entry in found]


def public_names():
    """What the headers offer to programs in C++ and C."""
    names = set(re.findall(r"\b(carat_\w+)\(", text("include/carat/carat.h").split("#endif", 1)[1]))
    names -= {"carat_run_piece", "carat_parallel", "carat_allocate", "carat_release"}
    for header in sorted((ROOT / "include/carat").glob("*.hpp")):
        if header.name in ("erased.hpp", "eigen.hpp"):  # nothing there is called by name
            continue
        plain = re.sub(r"(?ms)^namespace (?:carat::)?detail \{.*?^\}  // namespace (?:carat::)?detail", "",
                       header.read_text(encoding="utf-8"))
        plain = re.sub(r"//[^\n]*", "", plain)
        names |= set(re.findall(r"(?m)^(?:struct|class|enum class)(?: CARAT_API)? (\w+)\b(?!;|<)", plain))
        names |= set(re.findall(r"(?m)^concept (\w+)", plain))
        names |= set(re.findall(r"(?m)^inline constexpr epilogue<> (\w+)", plain))
        names |= set(re.findall(r"(?:auto|void|bool|epilogue<\w*>|matrix_view<T>|prepared_matrix) (\w+)\(",
                                re.sub(r"(?m)^ {4,}(?!\[\[nodiscard\]\] auto).*$", "", plain)))
    return names - {"dtype_of", "CUstream_st", "operator"}


class Pages(unittest.TestCase):
    def test_readme_has_860_words_at_most(self):
        words = [word for word in text("README.md").split() if re.search(r"\w", word)]
        self.assertLessEqual(len(words), 860)

    def test_first_screen_has_both_commands_and_the_comparison(self):
        first = text("README.md")[:900]
        for part in ("std::linalg", "./dev bench", "./dev test", "docs/images/compare.svg"):
            self.assertIn(part, first)
        sentence = first.split("\n\n")[1].split(". ")[0]
        self.assertLessEqual(len(sentence.split()), 25, sentence)

    def test_no_entry_of_the_changelog_stands_twice(self):
        found = entries(text("CHANGELOG.md"))
        self.assertEqual({e for e in found if found.count(e) > 1}, set())

    def test_the_last_closed_version_is_the_builds(self):
        closed = re.search(r"(?m)^## (\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$", text("CHANGELOG.md"))
        built = re.search(r"project\(carat VERSION (\S+)", text("CMakeLists.txt"))
        self.assertEqual(closed.group(1), built.group(1))
        self.assertIn("\n## Unreleased\n", text("CHANGELOG.md"))

    def test_the_citation_is_of_the_build(self):
        built = re.search(r"project\(carat VERSION (\S+)", text("CMakeLists.txt")).group(1)
        closed = re.search(rf"(?m)^## {re.escape(built)} \((\S+)\)$", text("CHANGELOG.md")).group(1)
        self.assertIn(f"\nversion: {built}\n", text("CITATION.cff"))
        self.assertIn(f"\ndate-released: {closed}\n", text("CITATION.cff"))

    def test_the_systems_named_are_those_of_ci(self):
        tried = set(re.findall(r"- system: \w+-(\S+)", text(".github/workflows/ci.yml")))
        self.assertEqual(tried, {"12", "13", "24.04"})
        for page in "README.md", "docs/faq.md":
            named = re.search(r"CI runs on (.*?)(?:\)|\.\s)", text(page), re.DOTALL).group(1)
            self.assertEqual(set(re.findall(r"[\d.]+", named)), tried, page)

    def test_the_reference_names_every_public_name(self):
        page = text("docs/api.md")
        names = public_names()
        self.assertGreater(len(names), 60)
        self.assertLessEqual({"matrix_product", "ragged", "swiglu", "carat_matmul_ragged_k"}, names)
        self.assertEqual({n for n in names if not re.search(rf"\b{n}\b", page)}, set())

    def test_a_riddle_is_found_and_plain_english_is_not(self):
        for riddle in ("Of it nothing stays.\n", "It waits. Of these one is kept.\n", "- Of lists: none.\n",
                       "Sums are true or an error.\n", "PyTorch and JAX have theirs inside.\n",
                       "| a | Of more than 30 shapes |\n", "Random calls have beside it 1.3.\n"):
            self.assertEqual(len(list(check_prose.findings(riddle))), 1, riddle)
        for plain in ("Most of it stays.\n", "`Of it`\n", "Of course it stays.\n", "    Of code\n",
                      "Sums are exact, or an error.\n"):
            self.assertEqual(list(check_prose.findings(plain)), [], plain)

    def test_a_comment_that_begins_with_a_preposition_is_found(self):
        def lines(source, mark="//"):
            return [first for first, words in check_prose.comments(source, mark)
                    if check_prose.PREPOSITION.match(words)]
        self.assertEqual(lines("int a;\n// Of all rows.\nint b;  // of all\n    /// By columns.\n"), [2, 4])
        self.assertEqual(lines("// All of them,\n// In any order.\n//\n// On a GPU too.\n"), [])
        self.assertEqual(lines("// At least one.\n// As many as fit.\n// Often.\n"), [])
        self.assertEqual(lines("# As above.\ndef f():\n    \"\"\"Of rows.\"\"\"\n", "#"), [1, 3])


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """The hook that makes the site's other pages, without mkdocs, which tests do not need."""
        for name, part in (("mkdocs.exceptions", "PluginError"), ("mkdocs.structure.files", "File")):
            module = types.ModuleType(name)
            setattr(module, part, Exception)
            sys.modules.setdefault(name, module)
        cls.pages = importlib.import_module("site_pages")

    def test_the_reference_of_python_has_every_function(self):
        page = self.pages.python_reference()
        for name in re.findall(r"(?m)^    ([a-z]\w+) as \1,$", text("python/carat_gemm/__init__.pyi")):
            self.assertIn(f"## `{name}`", page)
        for words in ("numpy.matmul", "one call", "packed once"):
            self.assertIn(words, page)

    def test_the_search_finds_guides_before_decisions(self):
        self.assertEqual({self.pages.search_boost(page) for page in ("library.md", "start.md", "faq.md")}, {1})
        for page in "adr/0131-launch-costs.md", "lab-notes.md", "reference/carat.hpp.md":
            self.assertLess(self.pages.search_boost(page), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
