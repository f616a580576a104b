#!/usr/bin/env python3
"""NumPy beside carat, from fresh processes that take turns; figures as JSON.

    scripts/numpy_speed.py call [--json FILE]              carat_gemm.matmul against numpy.matmul at 8^3
    scripts/numpy_speed.py preload LIBRARY [--json FILE]   numpy.matmul at 1000^3 with and without LIBRARY

Run it with a Python that has NumPy and, for `call`, carat_gemm. A ratio is the median of those of rounds
in a process (`call`), or of the medians of a pair of processes (`preload`); its interval is Student's,
95 %, of the logarithms over processes.
"""

import argparse
import datetime
import importlib.util
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

import json_lines

ROOT = pathlib.Path(__file__).resolve().parents[1]
CALL_N, CALL_REPEATS, CALL_ROUNDS = 8, 200, 400
PRELOAD_N, PRELOAD_ROUNDS = 1000, 15


def microseconds(call, repeats):
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats * 1e6


def operands(n, dtype):
    import numpy as np

    generator = np.random.default_rng(n)
    return (generator.standard_normal((n, n)).astype(dtype) for _ in range(2))


def measure_call():
    """{case: [carat, NumPy, carat / NumPy]} of this process, medians of interleaved rounds."""
    import carat_gemm
    import numpy as np

    told = {}
    for dtype in ("float64", "float32"):
        a, b = operands(CALL_N, dtype)
        out = np.empty_like(a)
        np.testing.assert_allclose(carat_gemm.matmul(a, b, out=out), a @ b, rtol=1e-4)
        carat, numpy = carat_gemm.matmul, np.matmul
        for case, calls in (
            (dtype, {"carat": lambda: carat(a, b), "numpy": lambda: numpy(a, b)}),
            (f"{dtype} out=", {"carat": lambda: carat(a, b, out=out),
                               "numpy": lambda: numpy(a, b, out=out)}),
        ):
            taken = {who: [] for who in calls}
            for _ in range(CALL_ROUNDS):
                for who in random.sample(list(calls), len(calls)):
                    taken[who].append(microseconds(calls[who], CALL_REPEATS))
            ratios = [x / y for x, y in zip(taken["carat"], taken["numpy"])]
            told[case] = [statistics.median(of) for of in (taken["carat"], taken["numpy"], ratios)]
    return told


def measure_product():
    import numpy as np

    a, b = operands(PRELOAD_N, "float64")
    error = np.abs(a[:3] @ b - np.einsum("ik,kj->ij", a[:3], b)).max()
    assert error < 1e-10, error
    a @ b
    return statistics.median(microseconds(lambda: a @ b, 1) for _ in range(PRELOAD_ROUNDS))


def in_fresh_process(task, **environment):
    done = subprocess.run([sys.executable, __file__, "--inside", task], capture_output=True, text=True,
                          check=True, env={**os.environ, **environment})
    return json.loads(done.stdout)


def summary(processes):
    """Medians of carat and NumPy for each product, and their ratio with its interval."""
    spec = importlib.util.spec_from_file_location("bench", ROOT / "python/carat_gemm/_bench.py")
    bench = importlib.util.module_from_spec(spec)
    sys.modules["bench"] = bench
    spec.loader.exec_module(bench)
    carat, numpy, ratios = zip(*processes)
    middle, low, high = bench._interval([math.log(ratio) for ratio in ratios])
    return {"carat_us": round(statistics.median(carat), 3), "numpy_us": round(statistics.median(numpy), 3),
            "ratio": round(middle, 3), "ci95": [round(low, 3), round(high, 3)],
            "least_and_most": [round(min(ratios), 3), round(max(ratios), 3)]}


def speed_of_calls(processes):
    extension = pathlib.Path(importlib.util.find_spec("carat_gemm._native").origin).name
    told = [in_fresh_process("call") for _ in range(processes)]
    return {"what": f"carat_gemm.matmul and numpy.matmul of {CALL_N} x {CALL_N} matrices: microseconds a "
                    "call of carat and of NumPy, and carat's over NumPy's",
            "extension": extension,
            "cases": {case: summary([of[case] for of in told]) for case in told[0]}}


def pairs_of_processes(processes, library, threads):
    pairs = []
    for _ in range(processes):
        taken = {}
        for who in random.sample(("carat", "numpy"), 2):
            preload = {"LD_PRELOAD": library} if who == "carat" else {}
            taken[who] = in_fresh_process("product", OMP_NUM_THREADS=str(threads), **preload)
        pairs.append([taken["carat"], taken["numpy"], taken["carat"] / taken["numpy"]])
    return summary(pairs)


def speed_preloaded(processes, library):
    n, all_threads = PRELOAD_N, len(os.sched_getaffinity(0))
    return {"what": f"numpy.matmul of {n} x {n} float64 matrices, with libcarat_blas.so preloaded (carat) "
                    "and without (numpy): microseconds of each, and the first over the second",
            "cases": {f"{threads} threads": pairs_of_processes(processes, library, threads)
                      for threads in sorted({1, all_threads})}}


def conditions(processes):
    import numpy as np

    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    processor = pathlib.Path("/proc/cpuinfo").read_text().split("model name\t: ")[-1].splitlines()[0]
    git = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short=10", "HEAD"], capture_output=True,
                         text=True, check=False)
    return {"revision": git.stdout.strip(), "date": str(datetime.date.today()),
            "processes": processes, "python": sys.version.split()[0], "numpy": np.__version__,
            "blas_of_numpy": f"{blas['name']} {blas['version']}", "processor": processor,
            "cpus": len(os.sched_getaffinity(0)), "load_before": round(os.getloadavg()[0], 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=("call", "preload", "product"))
    parser.add_argument("library", nargs="?", help="libcarat_blas.so, for preload")
    parser.add_argument("--json", type=pathlib.Path, help="the file to write; else standard output")
    parser.add_argument("--processes", type=int, default=10)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.inside:
        print(json.dumps(measure_call() if asked.task == "call" else measure_product()))
        return
    if asked.task == "product" or (asked.task == "preload") != (asked.library is not None):
        parser.error("give `call`, or `preload` and the path of libcarat_blas.so")
    if asked.processes < 6:
        parser.error(f"--processes {asked.processes}: an interval needs 6")
    start = conditions(asked.processes)
    if asked.task == "call":
        told = speed_of_calls(asked.processes)
    else:
        told = speed_preloaded(asked.processes, str(pathlib.Path(asked.library).resolve(strict=True)))
    command = f"scripts/numpy_speed.py {asked.task}" + (" libcarat_blas.so" if asked.library else "")
    text = json_lines.written({"what": told.pop("what"), **start, "command": command, **told})
    if asked.json:
        asked.json.write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()
