"""explain, bench and the command."""

import math
import subprocess
import sys

import numpy as np
import pytest

import carat_gemm as cg
from carat_gemm import _bench
from conftest import need


def test_explain_tells_the_plan():
    page = cg.explain((64, 100), (100, 32), np.float32, threads=1)
    assert (page.m, page.n, page.k, page.flop) == (64, 32, 100, 2 * 64 * 32 * 100)
    assert page.a_type == page.result_type == "float32" and page.threads == 1
    assert "64 x 32 x 100" in str(page) and page.instruction_set in str(page)
    assert cg.explain((8, 8), (8, 8), "int8").result_type == "int32"


def test_t_quantiles():
    for df, wanted in ((5, 2.5706), (9, 2.2622), (11, 2.2010), (30, 2.0423)):
        assert _bench.t_quantile(0.975, df) == pytest.approx(wanted, rel=2e-3)


def test_bench_measures_and_ranks():
    figures = cg.bench({"carat": cg.matmul, "numpy": np.matmul}, [16, (8, 24, 16)], rounds=6)
    assert len(figures) == 4
    for result in figures:
        assert result.verified and len(result.seconds) == 6 and result.error_of_bound <= 1
        assert result.ci95_gflops[0] <= result.median_gflops <= result.ci95_gflops[1]
    assert [r.verdict for r in figures].count("fastest") == 2
    assert (figures.results[2].m, figures.results[2].k, figures.results[2].n) == (8, 24, 16)
    table = str(figures)
    assert "16 x 16 x 16" in table and "8 x 16 x 24" in table and "numpy" in table


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "uint8", "int32"])
def test_bench_of_other_types(dtype):
    (result,) = cg.bench({"carat": cg.matmul}, [24], dtype, rounds=6)
    assert result.verified and result.dtype == dtype


def test_bench_says_that_numpy_wraps():
    by_name = {r.name: r for r in cg.bench({"numpy": np.matmul}, [(2, 300, 2)], "uint8", rounds=6)}
    assert not by_name["numpy"].verified and "whole numbers" in by_name["numpy"].reason


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16", "int8"])
def test_bench_of_tensors(dtype):
    torch = need("torch")
    if dtype == "bfloat16":
        need("ml_dtypes")
    seen = []

    def mine(a, b):
        seen.append((type(a), str(a.dtype)))
        return torch.matmul(a.double(), b.double()).to(torch.int32 if dtype == "int8" else a.dtype)

    def wrong(a, b):
        return mine(a, b) + 1

    figures = cg.bench({"carat": cg.matmul, "mine": mine, "wrong": wrong}, [12], dtype, device="cpu",
                       rounds=6)
    assert {r.name: r.verified for r in figures} == {"carat": True, "mine": True, "wrong": False}
    assert set(seen) == {(torch.Tensor, f"torch.{dtype}")}


def test_bench_refuses_devices():
    need("torch")
    with pytest.raises(ValueError, match="device is 'gpu'"):
        cg.bench({"carat": cg.matmul}, [8], device="gpu")


def off_by_one(a, b):
    c = a @ b
    c[-1, -1] += 1
    return c


def test_bench_refuses_what_is_wrong():
    def of_float32(a, b):
        return (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float64)

    def throws(a, b):
        raise RuntimeError("no such kernel")

    wrong = {"off": off_by_one, "narrow": of_float32, "throws": throws, "shape": lambda a, b: a[0]}
    by_name = {r.name: r for r in cg.bench({**wrong, "numpy": np.matmul}, [32], rounds=6)}
    assert by_name["numpy"].verified and not any(by_name[name].verified for name in wrong)
    assert "element (31, 31)" in by_name["off"].reason
    assert "times its bound" in by_name["narrow"].reason
    assert by_name["throws"].reason == "RuntimeError: no such kernel"
    assert math.isnan(by_name["off"].median_gflops)
    assert "not measured: " in str(_bench.Bench(tuple(by_name.values())))


def test_the_command_ranks():
    command = [sys.executable, "-m", "carat_gemm", "--size", "16", "--dtype", "float64", "--rounds", "6"]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=50).stdout
    assert "16 x 16 x 16" in told and "carat" in told and "numpy" in told
    bad = subprocess.run([*command[:3], "--rounds", "1"], capture_output=True, text=True, timeout=50)
    assert bad.returncode == 2 and "rounds is 1" in bad.stderr


def test_stubs_name_what_there_is():
    import ast
    import pathlib
    import re

    folder = pathlib.Path(cg.__file__).parent
    assert (folder / "py.typed").exists()
    stub = ast.parse((folder / "_native.pyi").read_text())
    named = {x.name for x in stub.body if isinstance(x, (ast.FunctionDef, ast.ClassDef))}
    assert named == {x for x in dir(cg._native) if not x.startswith("_")}
    for name in ("matmul", "matmul_grouped", "prepare"):
        keywords = next(x for x in stub.body if getattr(x, "name", "") == name).args
        asked = [x.arg for x in keywords.args + keywords.kwonlyargs]
        signature = getattr(cg._native, name).__nb_signature__[0][0]
        assert [x for x in asked if re.search(rf"[(, ]{x}\b", signature)] == asked
        assert "Raises" in getattr(cg, name).__doc__ or "errors" in getattr(cg, name).__doc__
