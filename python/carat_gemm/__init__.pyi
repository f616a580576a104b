from typing import Any, Sequence, TypeVar, overload

from numpy.typing import NDArray

from ._bench import Bench as Bench, bench as bench
from ._explain import Explanation as Explanation, explain as explain
from ._native import (
    Prepared as Prepared,
    __version__ as __version__,
    _Array,
    _Out,
    matmul as matmul,
    matmul_grouped as matmul_grouped,
    prepare as prepare,
)

@overload
def matmul_batched(
    a: Sequence[_Array], b: Any, out: None = None, **keywords: Any
) -> list[_Array]: ...
@overload
def matmul_batched(a: NDArray[Any], b: Any, out: None = None, **keywords: Any) -> NDArray[Any]: ...
@overload
def matmul_batched(a: _Array, b: Any, out: None = None, **keywords: Any) -> _Array: ...
@overload
def matmul_batched(a: Any, b: Any, out: None = None, **keywords: Any) -> Any: ...
@overload
def matmul_batched(a: Any, b: Any, out: _Out, **keywords: Any) -> _Out: ...
