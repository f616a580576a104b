"""Matrix products by carat, on arrays of NumPy, PyTorch, CuPy, JAX and others, without copies.

    >>> import numpy as np, carat_gemm
    >>> a, b = np.random.rand(2, 512, 512).astype(np.float32)
    >>> c = carat_gemm.matmul(a, b)                                   # a @ b
    >>> y = carat_gemm.matmul(a, b, bias=np.ones(512), activation="gelu")

Wrong sizes, strides and options raise ValueError, wrong types TypeError, each with one line that
names the argument, the values met and the remedy; the result is then untouched. What this machine
lacks, or a GPU that failed, raises RuntimeError.
"""

from __future__ import annotations

from ._bench import Bench, bench
from ._explain import Explanation, explain
from ._native import Prepared, __version__, matmul, matmul_grouped, prepare

__all__ = [
    "Bench",
    "Explanation",
    "Prepared",
    "__version__",
    "bench",
    "explain",
    "matmul",
    "matmul_batched",
    "matmul_grouped",
    "prepare",
]


def _shape(name, array):
    """The array's own value, or its buffer's, since ctypes' arrays and others have none."""
    try:
        return tuple(array.shape if hasattr(array, "shape") else memoryview(array).shape)
    except TypeError as why:
        raise TypeError(
            f"matmul_batched: {name} is a {type(array).__name__}: give an array, or a list of them"
        ) from why


def matmul_batched(a, b, out=None, **keywords):
    """Returns the products of two stacks of matrices: c[i] = a[i] @ b[i].

    a is (..., m, k), b is (..., k, n); one of them may be a single matrix or prepared, and stacks
    broadcast. Lists of matrices of one size are accepted too, and then the result is a list.
    Keywords and errors are those of matmul.
    """
    for name, operand in (("a", a), ("b", b)):
        if not isinstance(operand, (list, tuple)):
            continue
        sizes = {_shape(f"{name}[{i}]", matrix) for i, matrix in enumerate(operand)}
        if len(sizes) > 1:
            first, second = sorted(sizes)[:2]
            raise ValueError(
                f"matmul_batched: {name} has matrices of {first} and of {second}: all must be of "
                "one size; matmul_grouped takes any"
            )
    if isinstance(a, (list, tuple)) or isinstance(b, (list, tuple)):
        return matmul_grouped(a, b, out, **keywords)
    shapes = _shape("a", a), _shape("b", b)
    if max(map(len, shapes)) < 3:
        raise ValueError(
            f"matmul_batched: a is {shapes[0]} and b {shapes[1]}: one must have three "
            "dimensions or more; matmul takes single matrices"
        )
    return matmul(a, b, out, **keywords)
