"""The functions as objects of Python: signatures, pickles, other processes and interpreters."""

import inspect
import multiprocessing
import pickle
import subprocess
import sys
import timeit

import numpy as np
import pytest

import carat_gemm as cg
from conftest import need

SQUARE = np.arange(9.0).reshape(3, 3)
CALLS = [cg.matmul, cg.matmul_grouped, cg.prepare]


def test_signatures():
    told = inspect.signature(cg.matmul)
    assert list(told.parameters)[:3] == ["a", "b", "out"]
    assert told.parameters["accuracy"].default == "native"
    assert told.parameters["bias"].kind is inspect.Parameter.KEYWORD_ONLY
    assert list(inspect.signature(cg.matmul_grouped).parameters) == [*told.parameters, "ends"]
    assert str(inspect.signature(cg.prepare)) == "(b, *, side='right')"
    assert all(f.__doc__ and not f.__doc__.startswith(f.__name__) for f in CALLS)


@pytest.mark.parametrize(
    "call, line",
    [
        (lambda: cg.matmul(SQUARE), "matmul needs a, b: b is missing"),
        (lambda: cg.matmul(SQUARE, SQUARE, None, SQUARE), "at most 3 arguments without a name and got 4"),
        (lambda: cg.matmul(SQUARE, SQUARE, beta=1), "matmul has no argument 'beta': it takes a, b, out"),
        (lambda: cg.matmul(SQUARE, SQUARE, ends=SQUARE), "has no argument 'ends'"),
        (lambda: cg.matmul(SQUARE, b=SQUARE, a=SQUARE), "matmul got a twice"),
        (lambda: cg.prepare(SQUARE, "left"), "prepare takes at most 1"),
        (lambda: cg.prepare(cg.prepare(SQUARE)), "b is prepared already"),
    ],
)
def test_wrong_calls(call, line):
    with pytest.raises(TypeError, match=line) as thrown:
        call()
    assert "\n" not in str(thrown.value)


def test_arguments_by_name():
    np.testing.assert_array_equal(cg.matmul(b=SQUARE, a=SQUARE.T), SQUARE.T @ SQUARE)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles(protocol):
    for call in [*CALLS, cg.matmul_batched, cg.bench, cg.explain]:
        assert pickle.loads(pickle.dumps(call, protocol)) is call


def test_a_pool():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        (got,) = pool.starmap(cg.matmul, [(SQUARE, SQUARE)])
    np.testing.assert_array_equal(got, SQUARE @ SQUARE)


def test_joblib():
    joblib = need("joblib")
    got = joblib.Parallel(n_jobs=2)(joblib.delayed(cg.matmul)(SQUARE, SQUARE) for _ in range(2))
    np.testing.assert_array_equal(got[1], SQUARE @ SQUARE)


OTHER_INTERPRETER = """
import sys
import numpy as np
import carat_gemm as cg
try:
    import _interpreters as interpreters
    other = interpreters.create("legacy")
except ImportError:
    import _xxsubinterpreters as interpreters
    other = interpreters.create(isolated=False) if sys.version_info >= (3, 9) else None
ready = cg.prepare(np.eye(3))
code = f'''
import sys
sys.path[:] = {sys.path!r}
try:
    import carat_gemm._native
except ImportError as why:
    assert "main interpreter" in str(why) or "subinterpreters" in str(why), why
else:
    raise AssertionError("it was imported")
'''
failed = interpreters.run_string(other, code)
assert failed is None, failed
print(cg.matmul(np.ones((3, 3)), ready).sum(), cg.prepare(np.eye(2)).shape)
"""


def test_a_sub_interpreter_may_not_import_it():
    """It had taken the classes, and with them its Prepared, from the main one."""
    done = subprocess.run([sys.executable, "-c", OTHER_INTERPRETER], capture_output=True, text=True,
                          check=False)
    assert (done.returncode, done.stdout) == (0, "9.0 (2, 2)\n"), done.stderr


def test_bfloat16_is_called_as_fast_as_float16():
    """NumPy's buffer protocol refuses bfloat16 slowly: it took ten times as long."""
    ml_dtypes = need("ml_dtypes")

    def least_time(dtype):
        x = np.ones((4, 4), dtype)
        return min(timeit.repeat(lambda: cg.matmul(x, x), number=500, repeat=20))

    assert least_time(ml_dtypes.bfloat16) < 4 * least_time(np.float16)
