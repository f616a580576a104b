#!/usr/bin/env python3
"""What README and CHANGELOG promise of themselves: short, nothing twice, the version of the build."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def entries(changelog):
    """Each entry in one line."""
    found = re.findall(r"(?ms)^- .*?(?=^- |^#|\Z)", changelog)
    return [" ".join(entry.split()) for entry in found]


class Pages(unittest.TestCase):
    def test_readme_has_900_words_at_most(self):
        words = [word for word in text("README.md").split() if re.search(r"\w", word)]
        self.assertLessEqual(len(words), 900)

    def test_first_screen_has_both_commands_and_the_comparison(self):
        first = text("README.md")[:900]
        for part in ("std::linalg", "./dev bench", "./dev test", "docs/images/compare.svg"):
            self.assertIn(part, first)

    def test_no_entry_of_the_changelog_stands_twice(self):
        found = entries(text("CHANGELOG.md"))
        self.assertEqual({e for e in found if found.count(e) > 1}, set())

    def test_the_last_closed_version_is_the_builds(self):
        closed = re.search(r"(?m)^## (\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$", text("CHANGELOG.md"))
        built = re.search(r"project\(carat VERSION (\S+)", text("CMakeLists.txt"))
        self.assertEqual(closed.group(1), built.group(1))
        self.assertIn("\n## Unreleased\n", text("CHANGELOG.md"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
