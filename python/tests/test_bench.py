"""explain, bench and the command."""

import math
import subprocess
import sys
import time

import numpy as np
import pytest

import carat_gemm as cg
from carat_gemm import _bench
from carat_gemm._quiet import Seen, Watch, reason_against_verdicts
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
    disturbed = {(r.m, r.verdict) for r in figures if "other work" in r.remark}
    assert disturbed <= {(16, "unclear"), (8, "unclear")}
    assert [r.verdict for r in figures].count("fastest") == 2 - len(disturbed)
    assert (figures.results[2].m, figures.results[2].k, figures.results[2].n) == (8, 24, 16)
    table = str(figures)
    assert "16 x 16 x 16" in table and "8 x 16 x 24" in table and "numpy" in table


def ranked(slower, disturbed=""):
    """Verdicts and remarks of a callable that takes 1 ms each round and of one that takes `slower`."""
    times = {"fast": [1e-3] * len(slower), "slow": [1e-3 * x for x in slower]}
    rows = _bench._rank((8, 8, 8, "float64"), times, dict.fromkeys(times, 0.0), disturbed)
    return [(r.verdict, r.remark) for r in rows], str(_bench.Bench(tuple(rows)))


def test_bench_gives_no_verdict_on_an_interval_too_wide():
    verdicts, table = ranked([2.9, 3.1, 3.0, 3.0, 2.9, 3.1])
    assert verdicts == [("fastest", ""), ("slower", "")] and "no verdict" not in table
    verdicts, table = ranked([2.0, 3.0, 4.0, 30.0, 40.0, 35.0])
    assert verdicts[0] == ("fastest", "") and verdicts[1][0] == "unclear"
    assert "no verdict: slow takes [" in table and "times as long as fast, an interval too wide" in table


def test_bench_gives_no_verdict_on_a_busy_machine():
    reason = reason_against_verdicts(Seen(2, busy_s=4, own_s=2, waited_s=1.9, cpus=2))
    assert reason == "other work took 50 % of the processors' time: stop it and measure again"
    assert "40 %" in reason_against_verdicts(Seen(2, busy_s=4, own_s=2.4, waited_s=0, cpus=2))
    verdicts, table = ranked([2.9, 3.1, 3.0, 3.0, 2.9, 3.1], reason)
    assert verdicts == [("unclear", reason)] * 2 and table.count("no verdict: other work") == 1
    for quiet in (
        Seen(2, busy_s=4.1, own_s=3.9, waited_s=0.01, cpus=2),
        Seen(2, busy_s=4.1, own_s=3.9, waited_s=3, cpus=2),  # its threads waited for one another
        Seen(2, busy_s=4.0, own_s=2.0, waited_s=0, cpus=2),  # on the processor that was idle
        Seen(0.01, busy_s=0.02, own_s=0.01, waited_s=0, cpus=2),  # a tick that may be anybody's
        None,
    ):
        assert reason_against_verdicts(quiet) == ""


def test_what_others_take_is_seen():
    watch = Watch()
    work = "import time; end = time.time() + 0.5\nwhile time.time() < end: pass"
    others = [subprocess.Popen(["setsid", "--fork", sys.executable, "-c", work]) for _ in range(2)]
    time.sleep(1)
    seen = watch.seen()
    assert seen.busy_s - seen.own_s > 0.4 and seen.own_s < 0.5 and 0.9 < seen.passed_s
    assert all(other.wait() == 0 for other in others)


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
    import inspect
    import pathlib

    folder = pathlib.Path(cg.__file__).parent
    assert (folder / "py.typed").exists()
    stub, package = (ast.parse((folder / f).read_text()) for f in ("_native.pyi", "__init__.pyi"))
    parts = [x for x in stub.body if isinstance(x, (ast.FunctionDef, ast.ClassDef))]
    named = {x.name for x in parts if not x.name.startswith("_")}
    assert not [x.name for x in [*parts, *package.body]
                if isinstance(x, ast.FunctionDef) and ast.unparse(x.returns) == "Any"]
    assert named == {x for x in dir(cg._native) if not x.startswith("_")}
    options = [x.target.id for x in next(x for x in parts if x.name == "_Options").body]
    for name in ("matmul", "matmul_grouped", "prepare"):
        keywords = next(x for x in stub.body if getattr(x, "name", "") == name).args
        asked = [x.arg for x in keywords.args + keywords.kwonlyargs]
        asked += options if keywords.kwarg else []
        assert sorted(inspect.signature(getattr(cg, name)).parameters) == sorted(asked)
        assert "Raises" in getattr(cg, name).__doc__ or "errors" in getattr(cg, name).__doc__
