"""matmul against numpy.matmul: types, strides, stacks, out, epilogues."""

import threading

import numpy as np
import pytest

import carat_gemm as cg
from conftest import need


def close(got, wanted, dtype):
    wanted = np.asarray(wanted, np.float64)
    bits = {"float64": 52, "float32": 23, "float16": 10, "bfloat16": 7}[np.dtype(dtype).name]
    scale = np.max(np.abs(wanted), initial=1e-300)
    np.testing.assert_allclose(
        np.asarray(got, np.float64), wanted, rtol=0, atol=200 * 2.0**-bits * scale
    )


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("shape", [(1, 1, 1), (8, 8, 8), (5, 7, 3), (129, 65, 257), (0, 4, 3), (3, 0, 4)])
def test_floating(rng, dtype, shape):
    m, k, n = shape
    a, b = rng.standard_normal((m, k)).astype(dtype), rng.standard_normal((k, n)).astype(dtype)
    c = cg.matmul(a, b)
    assert c.dtype == a.dtype and c.shape == (m, n)
    close(c, a.astype(np.float64) @ b.astype(np.float64), dtype)


@pytest.mark.parametrize("x", [np.int8, np.uint8])
@pytest.mark.parametrize("y", [np.int8, np.uint8])
def test_bytes_are_summed_in_int32(rng, x, y):
    a, b = rng.integers(0, 100, (33, 70)).astype(x), rng.integers(0, 100, (70, 19)).astype(y)
    c = cg.matmul(a, b)
    assert c.dtype == np.int32
    np.testing.assert_array_equal(c, a.astype(np.int64) @ b.astype(np.int64))


def test_int32_is_true_or_an_error():
    a = np.full((2, 2), 40000, np.int32)
    np.testing.assert_array_equal(cg.matmul(a, np.eye(2, dtype=np.int32)), a)
    with pytest.raises(ValueError, match="fit in a 32-bit integer"):
        cg.matmul(a, a)


def test_bfloat16(rng):
    ml_dtypes = need("ml_dtypes")
    bf16 = np.dtype(ml_dtypes.bfloat16)
    a, b = rng.standard_normal((2, 40, 40)).astype(bf16)
    wide = a.astype(np.float64) @ b.astype(np.float64)
    assert cg.matmul(a, b).dtype == bf16
    close(cg.matmul(a, b), wide, bf16)
    assert cg.matmul(a, b, dtype="float32").dtype == np.float32
    close(cg.matmul(a, b, dtype=np.float32), wide, np.float32)
    close(cg.matmul(a[::2, ::-1], b.T[::-1]), wide_of(a[::2, ::-1], b.T[::-1]), bf16)
    out = np.empty((40, 40), bf16)
    assert cg.matmul(a, b, out) is out
    close(out, wide, bf16)


def wide_of(a, b):
    return a.astype(np.float64) @ b.astype(np.float64)


def test_fp8_is_known_and_refused_on_a_cpu(rng):
    ml_dtypes = need("ml_dtypes")
    a = rng.standard_normal((8, 8)).astype(ml_dtypes.float8_e4m3fn)
    with pytest.raises(TypeError, match="a is float8_e4m3fn in this machine's memory"):
        cg.matmul(a, a)
    with pytest.raises(TypeError, match="fp8 is multiplied on GPUs"):
        cg.matmul_grouped([a], [a])


@pytest.mark.parametrize("cut_a", ["plain", "transposed", "sliced", "reversed", "zero"])
@pytest.mark.parametrize("cut_b", ["plain", "transposed", "sliced", "reversed", "zero"])
def test_any_strides(rng, cut_a, cut_b):
    def cut(x, how):
        return {
            "plain": x,
            "transposed": x.T,
            "sliced": np.repeat(np.repeat(x, 2, 0), 3, 1)[::2, ::3],
            "reversed": x[::-1, ::-1],
            "zero": np.broadcast_to(x[0], x.shape),
        }[how]

    a, b = (cut(rng.standard_normal((24, 24)), how) for how in (cut_a, cut_b))
    close(cg.matmul(a, b), a @ b, np.float64)


@pytest.mark.parametrize(
    "a_shape, b_shape",
    [
        ((4,), (4,)),
        ((4,), (4, 3)),
        ((3, 4), (4,)),
        ((5, 3, 4), (4,)),
        ((4,), (5, 4, 3)),
        ((5, 3, 4), (4, 2)),
        ((3, 4), (5, 4, 2)),
        ((5, 3, 4), (5, 4, 2)),
        ((1, 3, 4), (5, 4, 2)),
        ((2, 1, 3, 4), (5, 4, 2)),
        ((2, 5, 3, 4), (2, 1, 4, 2)),
        ((0, 3, 4), (4, 2)),
        ((2, 0, 3, 4), (0, 4, 2)),
        ((1, 1, 3, 4), (1, 4, 2)),
    ],
)
def test_vectors_and_stacks(rng, a_shape, b_shape):
    a, b = rng.standard_normal(a_shape), rng.standard_normal(b_shape)
    c = cg.matmul(a, b)
    assert c.shape == np.matmul(a, b).shape
    close(c, np.matmul(a, b), np.float64)


def test_stacks_with_strides_of_their_own(rng):
    a = rng.standard_normal((4, 3, 6, 5)).transpose(1, 0, 3, 2)[::-1, ::2]
    b = rng.standard_normal((2, 6, 3, 7)).transpose(2, 0, 1, 3)
    close(cg.matmul(a, b), np.matmul(a, b), np.float64)
    out = np.zeros((3, 5, 2, 7)).transpose(0, 2, 1, 3)
    assert cg.matmul(a, b, out=out) is out
    close(out, np.matmul(a, b), np.float64)


def test_out_is_written_and_returned(rng):
    a, b = rng.standard_normal((2, 30, 30))
    out = np.full((60, 60), np.nan)
    assert cg.matmul(a, b, out=out[::2, 1::2]).base is out
    close(out[::2, 1::2], a @ b, np.float64)
    assert np.isnan(out[1::2]).all() and np.isnan(out[:, ::2]).all()


def test_narrow_results_of_float32(rng):
    a, b = rng.standard_normal((2, 20, 20)).astype(np.float32)
    assert cg.matmul(a, b, dtype=np.float16).dtype == np.float16
    close(cg.matmul(a, b, dtype="float16"), a @ b, np.float16)


def gelu(x):
    return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


ACTIVATIONS = {
    None: lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "gelu": gelu,
    "silu": lambda x: x / (1 + np.exp(-x)),
}


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("stack", [(), (3,)])
def test_scale_bias_activation_in_this_order(rng, activation, dtype, stack):
    a, b = rng.standard_normal((*stack, 12, 9)).astype(dtype), rng.standard_normal((9, 7)).astype(dtype)
    bias = rng.standard_normal(7)
    wanted = ACTIVATIONS[activation](0.5 * (a @ b) + bias)
    close(cg.matmul(a, b, bias=bias, scale=0.5, activation=activation), wanted, dtype)
    down = rng.standard_normal((12, 1)).astype(np.float16)
    wanted = ACTIVATIONS[activation](a @ b * bias + down)
    close(cg.matmul(a, b, scale=bias[None], bias=down, activation=activation), wanted, dtype)


def test_a_scale_of_any_library(rng):
    a, b = rng.standard_normal((2, 4, 4))
    for scale in (2, 2.0, np.float32(2), np.array(2.0), np.int64(2)):
        close(cg.matmul(a, b, scale=scale), 2 * (a @ b), np.float64)


def test_quantised_layer(rng):
    x, w = rng.integers(-128, 128, (6, 64), np.int8), rng.integers(-128, 128, (64, 5), np.int8)
    scale = rng.random(5).astype(np.float32) / 100
    wanted = scale * (x.astype(np.int64) @ w.astype(np.int64))
    close(cg.matmul(x, w, scale=scale, dtype=np.float32), wanted, np.float32)


def test_prepared(rng):
    a, b = rng.standard_normal((50, 40)).astype(np.float32), rng.standard_normal((40, 30)).astype(np.float32)
    ready = cg.prepare(b)
    assert ready.shape == (40, 30) and ready.dtype == "float32" and ready.side == "right"
    assert ready.nbytes > 0 and "40 x 30 float32" in repr(ready)
    np.testing.assert_array_equal(cg.matmul(a, ready), cg.matmul(a, b))
    b[:] = 0  # it has memory of its own
    assert np.any(cg.matmul(a, ready))
    stack = np.stack([a, a])
    np.testing.assert_array_equal(cg.matmul(stack, ready)[1], cg.matmul(a, ready))
    left = cg.prepare(a, side="left")
    c = rng.standard_normal((40, 3)).astype(np.float32)
    np.testing.assert_array_equal(cg.matmul(left, c), cg.matmul(a, c))


def test_batched_and_grouped(rng):
    a, b = rng.standard_normal((4, 6, 5)), rng.standard_normal((4, 5, 3))
    close(cg.matmul_batched(a, b), a @ b, np.float64)
    close(np.stack(cg.matmul_batched(list(a), list(b))), a @ b, np.float64)
    rows = [rng.standard_normal((m, 5)) for m in (1, 9, 0, 30)]
    for got, x, y in zip(cg.matmul_grouped(rows, list(b), activation="relu"), rows, b):
        close(got, np.maximum(x @ y, 0), np.float64)
    for got, x in zip(cg.matmul_grouped(rows, cg.prepare(b[0])), rows):
        close(got, x @ b[0], np.float64)
    outs = [np.empty((len(x), 3)) for x in rows]
    assert cg.matmul_grouped(rows, b[0], outs) is outs
    close(outs[3], rows[3] @ b[0], np.float64)


def test_grouped_by_ends(rng):
    x, w = rng.standard_normal((40, 5)), rng.standard_normal((4, 5, 3))
    ends = np.array([7, 7, 30, 38], np.int32)
    parts = [slice(first, end) for first, end in zip([0, *ends], ends)]
    out = np.full((40, 3), 9.0)
    assert cg.matmul_grouped(x, w, out, ends=ends, activation="relu") is out
    for part, weights in zip(parts, w):
        close(out[part], np.maximum(x[part] @ weights, 0), np.float64)
    assert np.all(out[38:] == 9)
    assert cg.matmul_grouped(x, w, ends=ends).shape == (40, 3)
    dy = rng.standard_normal((40, 3))
    close(cg.matmul_grouped(x.T, dy, ends=ends), np.stack([x[p].T @ dy[p] for p in parts]), np.float64)
    for wrong, message in [
        (ends.astype(np.int64), "ends has elements of type int64"),
        (ends.astype(np.float32), "float32: it must be a line of int32"),
        (ends[::2], "gaps"),
        (ends[:3], "as many"),
        (ends[::-1].copy(), "product 1 gets of A the end is 30"),
    ]:
        with pytest.raises((TypeError, ValueError), match=message):
            cg.matmul_grouped(x, w, ends=wrong)
    with pytest.raises(ValueError, match="a must be a matrix if ends is given"):
        cg.matmul_grouped(w, w, ends=ends)
    with pytest.raises(ValueError, match="out is 40 x 4 but the products are 40 x 3"):
        cg.matmul_grouped(x, w, np.empty((40, 4)), ends=ends)


def test_other_threads_run_meanwhile():
    """Another thread must get the interpreter before a long product ends."""
    a = np.ones((1500, 1500))
    turns, done = [0], threading.Event()

    def count():
        while not done.is_set():
            turns[0] += 1

    other = threading.Thread(target=count)
    other.start()
    try:
        before = turns[0]
        cg.matmul(a, a, threads=1)
        during = turns[0] - before
    finally:
        done.set()
        other.join()
    # If the product held the interpreter lock, there would be none: switching takes 5 ms.
    assert during > 100


def test_any_number_of_threads(rng):
    a, b = rng.standard_normal((2, 200, 200))
    wanted = cg.matmul(a, b)
    wrong = []

    def work():
        for _ in range(20):
            if not np.array_equal(cg.matmul(a, b), wanted):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
