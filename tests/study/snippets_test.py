#!/usr/bin/env python3
"""Compiles the C++ and C that pages show a reader to copy. Arguments: a C++ compiler."""

import pathlib
import re
import subprocess
import sys
import unittest

COMPILER = sys.argv.pop(1)
ROOT = pathlib.Path(__file__).resolve().parents[2]
MATRICES = """std::size_t m = 2, n = 3, k = 4, experts = 2;
CUstream_st* stream = nullptr;
carat::matrix_view<float> a, b, c, e, q, r;
std::vector<float> v;
"""

# Page, language: what its blocks take as given.
GIVEN = {
    ("README.md", "cpp"): "std::size_t m = 2, n = 3, k = 4; CUstream_st* stream = nullptr;\n"
                          "carat::matrix_view<float> gpu_a, gpu_b, gpu_c;\n",
    ("docs/library.md", "cpp"): "float* data = nullptr; std::size_t rows = 2, cols = 3, ld = 2;\n"
                                "std::ptrdiff_t row_stride = 4;\n",
    ("docs/library.md", "c"): "size_t m = 2, n = 3, k = 4; float x[8], w[12], y[6], bias[3];\n",
    ("docs/gpu.md", "cpp"): MATRICES + "carat::matrix_view<float> bt, x, w, y;\n"
                                       "std::vector<carat::matrix_view<float>> rows, results;\n",
}


def blocks(page, language):
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```", text)


def compiled(code, given):
    """What the compiler says of a block as the body of a function, its includes ahead of it."""
    includes = "".join(re.findall(r"(?m)^#include.*\n", code))
    body = re.sub(r"(?m)^#include.*\n", "", code)
    source = ("#include <cstdio>\n#include <vector>\n#include <carat/carat.h>\n#include <carat/carat.hpp>\n"
              f"{includes}using std::puts;\nvoid shown() {{\n{given}{body}}}\n")
    return subprocess.run([COMPILER, "-std=c++20", "-fsyntax-only", "-I", ROOT / "include", "-x", "c++", "-"],
                          input=source, capture_output=True, text=True, check=False)


class Snippets(unittest.TestCase):
    def test_what_pages_show_compiles(self):
        for (page, language), given in GIVEN.items():
            found = blocks(page, language)
            self.assertTrue(found, f"{page} shows no {language}")
            for code in found:
                done = compiled(code, given)
                self.assertEqual(done.returncode, 0, f"{page}\n{done.stderr}")

    def test_a_misspelt_name_does_not(self):
        self.assertNotEqual(compiled("carat::matrix_prod(a, b, c);\n", MATRICES).returncode, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
