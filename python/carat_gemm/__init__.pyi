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

_T = TypeVar("_T")
_List = list[_T] | tuple[_T, ...]

# A list, if a or b is one. The arrays are out or of a's library, as matmul's are.
@overload
def matmul_batched(
    a: Sequence[_Array], b: Any, out: None = None, **keywords: Any
) -> list[_Array]: ...
@overload
def matmul_batched(
    a: NDArray[Any], b: _List[Any], out: None = None, **keywords: Any
) -> list[NDArray[Any]]: ...
@overload
def matmul_batched(a: NDArray[Any], b: Any, out: None = None, **keywords: Any) -> NDArray[Any]: ...
@overload
def matmul_batched(
    a: Prepared, b: _List[_Array], out: None = None, **keywords: Any
) -> list[_Array]: ...
@overload
def matmul_batched(
    a: Prepared, b: NDArray[Any], out: None = None, **keywords: Any
) -> NDArray[Any]: ...
@overload
def matmul_batched(a: Prepared, b: _Array, out: None = None, **keywords: Any) -> _Array: ...
@overload
def matmul_batched(a: _Array, b: _List[Any], out: None = None, **keywords: Any) -> list[_Array]: ...
@overload
def matmul_batched(a: _Array, b: Any, out: None = None, **keywords: Any) -> _Array: ...
@overload
def matmul_batched(a: Any, b: Any, out: None = None, **keywords: Any) -> NDArray[Any]: ...
@overload
def matmul_batched(a: Any, b: Any, out: _Out, **keywords: Any) -> _Out: ...
