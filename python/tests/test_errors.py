"""One line for each thing that is wrong, and the result untouched."""

import numpy as np
import pytest

import carat_gemm as cg

F64 = np.ones((3, 4))
REFUSED = [
    ("sizes", ValueError, "A is 3 x 4 and B is 3 x 4", lambda: cg.matmul(F64, F64)),
    ("stacks", ValueError, "stack of 2 matrices and b of 3",
     lambda: cg.matmul(np.ones((2, 3, 4)), np.ones((3, 4, 3)))),
    ("types", TypeError, "a is float64 and b is float32",
     lambda: cg.matmul(F64, np.ones((4, 3), np.float32))),
    ("int64", TypeError, "a has elements of type int64", lambda: cg.matmul(F64.astype(int), F64.T)),
    ("complex", TypeError, "complex128", lambda: cg.matmul(F64 * 1j, F64.T)),
    ("big endian", TypeError, ">f8", lambda: cg.matmul(F64.astype(">f8"), F64.T)),
    ("bool", TypeError, "bool", lambda: cg.matmul(F64 > 0, F64.T)),
    ("list", TypeError, "b is a list", lambda: cg.matmul(F64, [[1.0]])),
    ("none", TypeError, "a is a NoneType", lambda: cg.matmul(None, F64)),
    ("number", ValueError, "a is a number", lambda: cg.matmul(np.float64(2) * np.ones(()), F64)),
    ("out's size", ValueError, "out is 3 x 2 but the product is 3 x 3",
     lambda: cg.matmul(F64, F64.T, np.ones((3, 2)))),
    ("out's type", TypeError, "float32", lambda: cg.matmul(F64, F64.T, np.ones((3, 3), "f4"))),
    ("out and dtype", TypeError, "leave one of them out",
     lambda: cg.matmul(F64, F64.T, np.ones((3, 3)), dtype="float32")),
    ("result's type", TypeError, "out or dtype must be float64",
     lambda: cg.matmul(F64, F64.T, dtype="float32")),
    ("no type", TypeError, "dtype is 'float3'", lambda: cg.matmul(F64, F64.T, dtype="float3")),
    ("bias", ValueError, "bias is 4 but a product is 3 x 3: give 3 values",
     lambda: cg.matmul(F64, F64.T, bias=np.ones(4))),
    ("activation", ValueError, "activation is 'tanh': it must be",
     lambda: cg.matmul(F64, F64.T, activation="tanh")),
    ("accuracy", ValueError, "accuracy is 'best'", lambda: cg.matmul(F64, F64.T, accuracy="best")),
    ("accuracy of f64", ValueError, "a is float64", lambda: cg.matmul(F64, F64.T, accuracy="f16_sums")),
    ("stream", ValueError, "stream is 7", lambda: cg.matmul(F64, F64.T, stream=7)),
    ("threads", ValueError, "threads", lambda: cg.matmul(F64, F64.T, threads=-1)),
    ("threads' type", TypeError, "threads is 'two'",
     lambda: cg.matmul(F64, F64.T, threads="two")),
    ("strides", ValueError, "whole elements",
     lambda: cg.matmul(np.zeros((3, 4), "u1,f8")["f1"], F64.T)),
    ("epilogue of int32", ValueError, "C is i32, which has no epilogue", lambda: cg.matmul(
        np.ones((3, 3), np.int8), np.ones((3, 3), np.int8), activation="relu")),
    ("prepared stack", ValueError, "only matrices", lambda: cg.prepare(np.ones((2, 3, 4)))),
    ("prepared side", ValueError, "side is 'top'", lambda: cg.prepare(F64, side="top")),
    ("prepared type", TypeError, "b is int32", lambda: cg.prepare(np.ones((3, 3), np.int32))),
    ("wrong side", ValueError, "side", lambda: cg.matmul(cg.prepare(F64), F64.T)),
    ("group", ValueError, "a has 1 matrices and b 2",
     lambda: cg.matmul_grouped([F64], [F64.T, F64.T])),
    ("group's matrix", ValueError, r"a\[1\] is 4", lambda: cg.matmul_grouped([F64, F64[0]], F64.T)),
    ("group's type", TypeError, r"a\[1\] is float32",
     lambda: cg.matmul_grouped([F64, F64.astype("f4")], F64.T)),
    ("empty group", ValueError, "a is empty", lambda: cg.matmul_grouped([], F64)),
    ("batch", ValueError, "three", lambda: cg.matmul_batched(F64, F64.T)),
    ("batch of sizes", ValueError, "one size", lambda: cg.matmul_batched([F64, F64[1:]], F64.T)),
    ("explain", ValueError, "as many rows", lambda: cg.explain((3, 4), (3, 4))),
    ("rounds", ValueError, "rounds is 2", lambda: cg.bench({"a": np.matmul}, [8], rounds=2)),
]


@pytest.mark.parametrize("kind, line, call", [x[1:] for x in REFUSED], ids=[x[0] for x in REFUSED])
def test_refused_in_one_line(kind, line, call):
    with pytest.raises(kind, match=line) as thrown:
        call()
    assert "\n" not in str(thrown.value)


def test_overlapping_out_is_refused_and_untouched():
    x = np.arange(16.0).reshape(4, 4)
    before = x.copy()
    with pytest.raises(ValueError, match="C overlaps A"):
        cg.matmul(x, np.ones((4, 4)), out=x)
    np.testing.assert_array_equal(x, before)


def test_read_only_out_is_refused():
    out = np.ones((3, 3))
    out.flags.writeable = False
    with pytest.raises((TypeError, ValueError), match="read-only"):
        cg.matmul(F64, F64.T, out=out)
    cg.matmul(out, out)
