from typing import Any, Literal, Sequence, overload

__version__: str

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

def matmul(
    a: Any,
    b: Any,
    out: Any = None,
    *,
    bias: Any = None,
    activation: Literal["relu", "gelu", "silu"] | None = None,
    scale: Any = None,
    accuracy: Literal["native", "f16_sums", "tf32", "three_tf32"] = "native",
    dtype: Any = None,
    stream: Any = None,
    threads: int | None = None,
) -> Any: ...
@overload
def matmul_grouped(
    a: Sequence[Any] | Any,
    b: Sequence[Any] | Any,
    out: Sequence[Any] | None = None,
    *,
    bias: Any = None,
    activation: Literal["relu", "gelu", "silu"] | None = None,
    scale: Any = None,
    accuracy: Literal["native", "f16_sums", "tf32", "three_tf32"] = "native",
    dtype: Any = None,
    stream: Any = None,
    threads: int | None = None,
    ends: None = None,
) -> list[Any]: ...
@overload
def matmul_grouped(
    a: Any,
    b: Any,
    out: Any = None,
    *,
    bias: Any = None,
    activation: Literal["relu", "gelu", "silu"] | None = None,
    scale: Any = None,
    accuracy: Literal["native", "f16_sums", "tf32", "three_tf32"] = "native",
    dtype: Any = None,
    stream: Any = None,
    threads: int | None = None,
    ends: Any,
) -> Any: ...
def prepare(b: Any, *, side: Literal["left", "right"] = "right") -> Prepared: ...
def plan(
    a_type: Any, b_type: Any, c_type: Any, m: int, n: int, k: int, threads: int
) -> dict[str, Any]: ...
