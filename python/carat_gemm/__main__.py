"""`python -m carat_gemm`: the command where the package carries it, else NumPy against carat."""

from __future__ import annotations

import argparse
import os
import pathlib
import sys


def main() -> int:
    command = pathlib.Path(__file__).parent / "bin" / "carat"
    if command.exists():
        os.execv(command, [str(command), *sys.argv[1:]])

    import numpy

    import carat_gemm

    parser = argparse.ArgumentParser(
        prog="python -m carat_gemm",
        description="Ranks carat's product against NumPy's on this machine, verified first.",
    )
    parser.add_argument("--size", default="64,512,1024", help="n of n x n products, comma between")
    parser.add_argument("--dtype", default="float64,float32", help="NumPy's names")
    parser.add_argument("--rounds", type=int, default=12, help="of interleaved trials, at least 6")
    asked = parser.parse_args()
    callables = {"carat": carat_gemm.matmul, "numpy": numpy.matmul}
    try:
        sizes = [int(size) for size in asked.size.split(",")]
        for dtype in asked.dtype.split(","):
            print(carat_gemm.bench(callables, sizes, dtype, rounds=asked.rounds), flush=True)
    except (TypeError, ValueError) as why:
        print(f"carat_gemm: {why}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
