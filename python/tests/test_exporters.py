"""What hands out memory in any way, right or wrong: the product is right or a TypeError says why."""

import array
import ctypes
import multiprocessing.sharedctypes
import sys

import numpy as np
import pytest

import carat_gemm as cg
from conftest import need

SQUARE = np.arange(9.0).reshape(3, 3)


def of_ctypes(values):
    """Its buffer has no strides."""
    values = np.asarray(values, np.float64)
    made = np.ctypeslib.as_ctypes_type(values.dtype)
    for extent in reversed(values.shape):
        made *= extent
    return made.from_buffer_copy(values.tobytes())


def shared(values):
    return multiprocessing.sharedctypes.RawArray("d", [float(x) for x in values])


@pytest.mark.parametrize("line", [of_ctypes, shared, lambda values: array.array("d", values)])
def test_lines_in_every_place(line):
    ones, one_to_three = np.ones(3), [1.0, 2.0, 3.0]
    assert cg.matmul(line(one_to_three), ones) == 6
    assert cg.matmul(ones, line(one_to_three)) == 6
    wanted = SQUARE @ ones
    out = line([0.0, 0.0, 0.0])
    assert cg.matmul(SQUARE, ones, out=out) is out
    np.testing.assert_array_equal(out, wanted)
    np.testing.assert_array_equal(cg.matmul(SQUARE, SQUARE, bias=line(one_to_three)),
                                  SQUARE @ SQUARE + one_to_three)
    np.testing.assert_array_equal(cg.matmul(SQUARE, SQUARE, scale=line(one_to_three)),
                                  SQUARE @ SQUARE * one_to_three)


def test_matrices_and_stacks_of_ctypes():
    np.testing.assert_array_equal(cg.matmul(of_ctypes(SQUARE), of_ctypes(SQUARE.T)), SQUARE @ SQUARE.T)
    stack = np.arange(18.0).reshape(2, 3, 3)
    np.testing.assert_array_equal(cg.matmul_batched(of_ctypes(stack), SQUARE), stack @ SQUARE)
    np.testing.assert_array_equal(cg.matmul(SQUARE, cg.prepare(of_ctypes(SQUARE))), SQUARE @ SQUARE)
    got = cg.matmul_grouped([of_ctypes(SQUARE)], of_ctypes(SQUARE), [of_ctypes(SQUARE)])
    np.testing.assert_array_equal(got[0], SQUARE @ SQUARE)


def released():
    view = memoryview(np.ones(3))
    view.release()
    return view


@pytest.mark.parametrize(
    "wrong, line",
    [
        (lambda: (ctypes.c_double.__ctype_be__ * 3)(1, 2, 3), "'>d'"),
        (lambda: (ctypes.c_int64 * 3)(1, 2, 3), "a has elements of type"),
        (lambda: (ctypes.POINTER(ctypes.c_double) * 3)(), "a has elements of type"),
        (lambda: memoryview(b"abc").cast("c"), "a has elements of type 'c'"),
        (released, "a is a memoryview that does not hand out its memory: ValueError"),
        (lambda: np.ndarray, "a has an __array_interface__ that is no dict"),
        (object, "a is a object: give an array"),
    ],
)
def test_buffers_that_are_refused(wrong, line):
    with pytest.raises(TypeError, match=line):
        cg.matmul(wrong(), np.ones(3))


def test_memory_that_is_read_only():
    a = np.full((2, 2), 3, np.uint8)
    assert cg.matmul(b"ab", np.ones(2, np.uint8)) == ord("a") + ord("b")
    with pytest.raises(TypeError, match="out is a bytes that does not hand out its memory to be written"):
        cg.matmul(a, np.ones(2, np.uint8), out=b"12345678")
    with pytest.raises(ValueError, match="out is read-only"):
        cg.matmul(a, a, out=np.broadcast_to(np.int32(1), (2, 2)))


def test_records_are_of_no_other_byte_order():
    with pytest.raises(TypeError) as thrown:
        cg.matmul(np.ones(3, [("x", "f8")]), np.ones(3))
    assert "other byte order" not in str(thrown.value)


class Interface:
    """What has __array_interface__ only, changed by `changes`; without the keys that are None there."""

    def __init__(self, values, **changes):
        self.values = values
        about = dict(values.__array_interface__, **changes)
        self.__array_interface__ = {key: x for key, x in about.items() if x is not None}


def test_array_interfaces(rng):
    a = rng.standard_normal((3, 3))
    for x in (a, a.T, a[::-1, ::2]):
        np.testing.assert_allclose(cg.matmul(Interface(x), np.eye(x.shape[1])), x)
    out = np.zeros((3, 3))
    cg.matmul(Interface(a), a, out=Interface(out))
    np.testing.assert_allclose(out, a @ a)
    # typestr decides the type, not the name of a dtype beside it.
    misnamed = Interface(np.arange(3, dtype=np.int32))
    misnamed.dtype = np.dtype(np.float32)
    assert cg.matmul(misnamed, np.ones(3, np.int32)) == 3


@pytest.mark.parametrize(
    "changes",
    [
        {"typestr": None},
        {"typestr": "<"},
        {"typestr": 8},
        {"typestr": ">f8"},
        {"typestr": "<f16"},
        {"typestr": "<V8"},
        {"shape": None},
        {"shape": 9},
        {"shape": ("3", "3")},
        {"shape": (-3, 3)},
        {"strides": (8,)},
        {"strides": "ab"},
        {"data": None},
        {"data": b"memory"},
        {"data": ("address", False)},
        {"data": (0, False)},
        {"data": (2**80, False)},
        {"mask": np.ones((3, 3), bool)},
    ],
    ids=repr,
)
def test_array_interfaces_that_are_wrong(changes):
    with pytest.raises(TypeError, match="^a "):
        cg.matmul(Interface(SQUARE, **changes), SQUARE)


class Raises:
    """An exporter with `attribute`, which fails with `error`."""

    def __init__(self, error):
        self.error = error

    def fail(self, *_, **__):
        raise self.error


class RaisesFromInterface(Raises):
    __array_interface__ = property(Raises.fail)


class RaisesFromDlpack(Raises):
    __dlpack__ = Raises.fail


class RaisesFromAttribute(Raises):
    __dlpack__ = property(Raises.fail)


FAIL = [RaisesFromInterface, RaisesFromDlpack, RaisesFromAttribute]
if sys.version_info >= (3, 12):

    class RaisesFromBuffer(Raises):
        __buffer__ = Raises.fail

    FAIL.append(RaisesFromBuffer)


@pytest.mark.parametrize("kind", FAIL)
def test_what_raises(kind):
    calls = [
        lambda x: cg.matmul(x, SQUARE),
        lambda x: cg.matmul(SQUARE, x),
        lambda x: cg.matmul(SQUARE, SQUARE, out=x),
        lambda x: cg.matmul(SQUARE, SQUARE, bias=x),
        cg.prepare,
        lambda x: cg.matmul_grouped([SQUARE], [x]),
    ]
    for call in calls:
        for error in (RuntimeError("no memory\ntoday"), ValueError("none"), BufferError("none")):
            with pytest.raises(TypeError, match="does not hand out its memory") as thrown:
                call(kind(error))
            assert "\n" not in str(thrown.value) and str(error).split("\n")[0] in str(thrown.value)
        for error in (KeyboardInterrupt(), SystemExit(3), MemoryError()):
            with pytest.raises(type(error)):
                call(kind(error))


def test_capsules_that_are_none_or_used_up():
    class Returns:
        def __init__(self, made):
            self.made = made

        def __dlpack__(self, **_):
            return self.made

    with pytest.raises(TypeError, match="returns a list"):
        cg.matmul(Returns([1.0]), SQUARE)
    again = Returns(SQUARE.__dlpack__())
    np.testing.assert_array_equal(cg.matmul(again, SQUARE), SQUARE @ SQUARE)
    with pytest.raises(TypeError, match="used up"):
        cg.matmul(again, SQUARE)
    for whole in (np.ones(3, np.int64), np.ones(3, bool)):
        with pytest.raises(TypeError, match="number . of DLPack, (64|8) bits"):
            cg.matmul(Returns(whole.__dlpack__()), SQUARE)


def every_type():
    names = ["float64", "float32", "float16", "int32", "bfloat16", "float8_e4m3fn"]
    for name in names:
        if hasattr(np, name):
            yield np.dtype(name)
        else:
            yield np.dtype(getattr(need("ml_dtypes"), name))


def test_types_of_the_other_byte_order():
    tried = 0
    for native in every_type():
        a = np.ones((3, 3), native)
        swapped = np.ones((3, 3)).astype(native).astype(native.newbyteorder())
        if swapped.dtype.itemsize == 1:
            continue
        tried += 1
        for call in (
            lambda: cg.matmul(swapped, a),
            lambda: cg.matmul(a, swapped),
            lambda: cg.matmul(swapped, swapped),
            lambda: cg.matmul(a, a, out=swapped),
            lambda: cg.matmul(SQUARE, SQUARE, bias=swapped[0]),
            lambda: cg.matmul(SQUARE, SQUARE, scale=swapped[0]),
            lambda: cg.prepare(swapped),
            lambda: cg.matmul_grouped([swapped], [a]),
        ):
            with pytest.raises(TypeError, match="other byte order"):
                call()
        with pytest.raises(TypeError, match="other byte order"):
            cg.matmul(a, a, dtype=swapped.dtype)
        with pytest.raises(TypeError):
            cg.matmul(Interface(swapped), a)
    assert tried == 5


def test_masked_arrays():
    masked = np.ma.array(SQUARE, mask=SQUARE == 4)
    for call in (
        lambda: cg.matmul(masked, SQUARE),
        lambda: cg.matmul(SQUARE, masked),
        lambda: cg.matmul(SQUARE, SQUARE, out=masked),
        lambda: cg.matmul(SQUARE, SQUARE, bias=masked[0]),
        lambda: cg.matmul(SQUARE, SQUARE, scale=np.ma.masked),
    ):
        with pytest.raises(TypeError, match="masked array, whose mask carat would ignore"):
            call()
    np.testing.assert_array_equal(cg.matmul(masked.filled(0), SQUARE), np.ma.dot(masked, SQUARE).data)


class Metres(np.ndarray):
    """A class that answers for NumPy's functions, like classes with units (NEP 13)."""

    power = 1

    def __array_ufunc__(self, ufunc, method, *inputs, out=None):
        assert ufunc is np.matmul and method == "__call__"
        plain = [np.asarray(x).view(np.ndarray) for x in inputs]
        into = {} if out is None else {"out": out[0].view(np.ndarray)}
        made = ufunc(*plain, **into).view(Metres) if out is None else (ufunc(*plain, **into), out[0])[1]
        made.power = sum(getattr(x, "power", 0) for x in inputs)
        return made


class NoUfuncs(np.ndarray):
    __array_ufunc__ = None


def test_classes_that_answer_for_numpys_functions():
    x = SQUARE.view(Metres)
    for got, power in ((cg.matmul(x, x), 2), (cg.matmul(SQUARE, x), 1), (cg.matmul(x, SQUARE), 1)):
        assert isinstance(got, Metres) and got.power == power
        np.testing.assert_array_equal(got.view(np.ndarray), SQUARE @ SQUARE)
    out = np.zeros((3, 3)).view(Metres)
    assert cg.matmul(x, SQUARE, out=out) is out and out.power == 1
    for call in (
        lambda: cg.matmul(x, SQUARE, bias=np.ones(3)),
        lambda: cg.matmul(SQUARE, SQUARE, scale=x[0]),
        lambda: cg.matmul(SQUARE, SQUARE, scale=np.array(2.0).view(Metres)),
        lambda: cg.prepare(x),
        lambda: cg.matmul_grouped([x], [SQUARE]),
    ):
        with pytest.raises(TypeError, match="Metres, which overrides NumPy's functions"):
            call()
    with pytest.raises(TypeError, match="NoUfuncs"):
        cg.matmul(SQUARE.view(NoUfuncs), SQUARE)


def test_subclasses_that_answer_for_nothing():
    plain = SQUARE.view(type("Mine", (np.ndarray,), {}))
    np.testing.assert_array_equal(cg.matmul(plain, SQUARE), SQUARE @ SQUARE)
