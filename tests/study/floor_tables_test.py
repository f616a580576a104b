"""scripts/floor_tables.py: cases of one size keep their own comparison, and what a call asks is told."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(sys.argv[1]).resolve()))
import floor_tables


def result(name, rank, **more):
    return {"implementation": name, "rank": rank, "dtype": "bf16", "m": 8, "n": 8, "k": 4, "flop": 512,
            "roofline_gflops": 2.0, **more}


def comparison(ratio):
    return {"dtype": "bf16", "m": 8, "n": 8, "k": 4,
            "pairs": [{"a": "cuda.engine", "b": "vendor.cublas", "ratio": ratio, "ci95_ratio": [1, 2], "verdict": ""}]}


class FloorTables(unittest.TestCase):
    def test_cases_of_one_size_are_told_in_order(self):
        results = {"results": [result("cuda.engine", 2), result("vendor.cublaslt", 3), result("vendor.cublas", 1),
                               result("cuda.engine", 1, layout="nt"), result("vendor.cublas", 2, layout="nt"),
                               result("cuda.engine", 1, layout="tt")],
                   "comparisons": [comparison(0.5), comparison(1.5), comparison(9)]}
        found = [(ours.get("layout"), vendor["implementation"], floor_tables.pair_in(
            compared, "cuda.engine", "vendor.cublas")[0])
            for ours, vendor, compared in floor_tables.told_cases(results)]
        self.assertEqual(found, [(None, "vendor.cublas", 0.5), ("nt", "vendor.cublas", 1.5)])

    def test_a_call_and_its_plan_in_words(self):
        told = result("cuda.engine", 1, groups="uneven:3:489/64", layout="nt", beta=1, epilogue="bias",
                      plan="tiles of 64 x 16, 98 of them for 2 products in 0.742 waves of 132 SMs, C by TMA")
        self.assertEqual(floor_tables.product_of(told), "8x8x4, 64 groups, 489 rows in all, nt, E = C, bias")
        self.assertEqual(floor_tables.plan_of(told), "tiles of 64 x 16, 98 of them for 2 products in 0.742 waves")
        self.assertEqual(floor_tables.plan_of(result("cuda.engine", 1)), "-")
        self.assertAlmostEqual(floor_tables.floor_s(told), 256e-9)
        self.assertEqual(floor_tables.type_of(told), "bf16 into f32")
        self.assertEqual(floor_tables.type_of(result("cuda.engine", 1, out="bf16")), "bf16")
        told.update(dtype="f32", computes_in="tf32")
        self.assertEqual(floor_tables.type_of(told), "tf32")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
