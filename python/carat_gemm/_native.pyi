from typing import Any, Literal, Protocol, Sequence, TypedDict, TypeVar, overload

from numpy.typing import NDArray
from typing_extensions import Unpack

__version__: str

class _Exporter(Protocol):
    """An array of a library that makes arrays of its own: PyTorch's, CuPy's, JAX's ..."""

    def __dlpack__(self) -> Any: ...

_Array = TypeVar("_Array", bound=_Exporter)
_Out = TypeVar("_Out")
_Activation = Literal["relu", "gelu", "silu"] | None
_Accuracy = Literal["native", "f16_sums", "tf32", "three_tf32"] | None

class _Options(TypedDict, total=False):
    bias: Any  # default None
    activation: _Activation  # None
    scale: Any  # None
    accuracy: _Accuracy  # "native"
    dtype: Any  # None
    stream: Any  # None
    threads: int | None  # None

class Prepared:
    """A matrix in the form that products read it in, in memory of its own; made by prepare."""

    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def dtype(self) -> str:
        """NumPy's name of the element type."""
    @property
    def side(self) -> Literal["left", "right"]: ...
    @property
    def nbytes(self) -> int:
        """Bytes of packed elements."""
    @property
    def instruction_set(self) -> str:
        """What it was packed for: baseline, avx2, avx512 or amx."""

# out itself; without it an array of a's library (of b's where a is prepared), or of NumPy where that
# has none.
@overload
def matmul(
    a: NDArray[Any], b: Any, out: None = None, **options: Unpack[_Options]
) -> NDArray[Any]: ...
@overload
def matmul(
    a: Prepared, b: NDArray[Any], out: None = None, **options: Unpack[_Options]
) -> NDArray[Any]: ...
@overload
def matmul(a: Prepared, b: _Array, out: None = None, **options: Unpack[_Options]) -> _Array: ...
@overload
def matmul(a: _Array, b: Any, out: None = None, **options: Unpack[_Options]) -> _Array: ...
@overload
def matmul(a: Any, b: Any, out: None = None, **options: Unpack[_Options]) -> NDArray[Any]: ...
@overload
def matmul(a: Any, b: Any, out: _Out, **options: Unpack[_Options]) -> _Out: ...
@overload
def matmul_grouped(
    a: Sequence[NDArray[Any]] | NDArray[Any],
    b: Any,
    out: None = None,
    *,
    ends: None = None,
    **options: Unpack[_Options],
) -> list[NDArray[Any]]: ...
@overload
def matmul_grouped(
    a: Sequence[_Array] | _Array,
    b: Any,
    out: None = None,
    *,
    ends: None = None,
    **options: Unpack[_Options],
) -> list[_Array]: ...
@overload
def matmul_grouped(
    a: Prepared,
    b: Sequence[_Array],
    out: None = None,
    *,
    ends: None = None,
    **options: Unpack[_Options],
) -> list[_Array]: ...
@overload
def matmul_grouped(
    a: Any, b: Any, out: None = None, *, ends: None = None, **options: Unpack[_Options]
) -> list[Any]: ...
@overload
def matmul_grouped(
    a: Any, b: Any, out: _Out, *, ends: None = None, **options: Unpack[_Options]
) -> _Out: ...
@overload
def matmul_grouped(
    a: NDArray[Any], b: Any, out: None = None, *, ends: Any, **options: Unpack[_Options]
) -> NDArray[Any]: ...
@overload
def matmul_grouped(
    a: _Array, b: Any, out: None = None, *, ends: Any, **options: Unpack[_Options]
) -> _Array: ...
@overload
def matmul_grouped(
    a: Any, b: Any, out: _Out, *, ends: Any, **options: Unpack[_Options]
) -> _Out: ...
def prepare(b: Any, *, side: Literal["left", "right"] = "right") -> Prepared: ...
def plan(
    a_type: Any, b_type: Any, c_type: Any, m: int, n: int, k: int, threads: int
) -> dict[str, Any]: ...
