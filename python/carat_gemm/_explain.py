"""carat_gemm.explain: what the engine would do with a product."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import _native


@dataclass(frozen=True)
class Explanation:
    """How one row-major product would be done on this machine's CPU. Prints as a page."""

    m: int
    n: int
    k: int
    a_type: str
    b_type: str
    result_type: str
    instruction_set: str
    threads: int
    #: Sums kept in registers, rows x columns; (0, 0) where they are not in tiles.
    register_tile: tuple[int, int]
    #: mc, nc, kc of the packed blocks, in elements; 0: not cut that way.
    blocks: tuple[int, int, int]
    #: Rectangles of the result, one for each thread.
    grid: tuple[int, int]
    workspace_bytes: int
    #: The engine's own reasons, line by line.
    text: str

    @property
    def flop(self) -> int:
        return 2 * self.m * self.n * self.k

    def __str__(self) -> str:
        types = self.a_type if self.a_type == self.b_type else f"{self.a_type} x {self.b_type}"
        lines = [
            f"{self.m} x {self.n} x {self.k} (m x n x k), {types} into {self.result_type}: "
            f"{self.flop:.4g} operations",
            f"  instructions   {self.instruction_set}, {self.threads} thread(s), grid "
            f"{self.grid[0]} x {self.grid[1]}",
        ]
        if any(self.register_tile):
            lines.append(f"  register tile  {self.register_tile[0]} x {self.register_tile[1]}")
        if any(self.blocks):
            lines.append("  blocks         mc {}, nc {}, kc {}".format(*self.blocks))
        lines.append(f"  workspace      {self.workspace_bytes} bytes")
        return "\n".join(lines + ["  " + line for line in self.text.splitlines()])

    __repr__ = __str__


def explain(
    a_shape: tuple[int, int],
    b_shape: tuple[int, int],
    dtype: Any = "float64",
    *,
    b_dtype: Any = None,
    result: Any = None,
    threads: int = 0,
) -> Explanation:
    """What the engine would do with a row-major a (m, k) by b (k, n): path, tiles, threads, why.

    dtype is that of a, and of b unless b_dtype says otherwise; threads=0 takes what a call would.
    Nothing is multiplied. Raises ValueError for shapes that don't fit, TypeError for types.
    """
    if len(a_shape) != 2 or len(b_shape) != 2:
        raise ValueError(
            f"explain: a_shape is {tuple(a_shape)} and b_shape {tuple(b_shape)}: give the two "
            "extents of one matrix each"
        )
    (m, k), (rows, n) = a_shape, b_shape
    if k != rows:
        raise ValueError(
            f"explain: a is {m} x {k} and b is {rows} x {n}: b must have as many rows as a has columns"
        )
    if min(m, n, k) < 0:
        raise ValueError(f"explain: sizes are {m}, {n} and {k}: they can't be negative")
    return Explanation(m, n, k, **_native.plan(dtype, b_dtype, result, m, n, k, threads))
