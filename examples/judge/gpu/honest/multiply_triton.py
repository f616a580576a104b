"""A product of tiles in Triton, in the arithmetic of its operands."""

import triton
import triton.language as tl


@triton.jit
def multiply(a, b, c, m, n, k, lda, ldb, ldc, rows: tl.constexpr, cols: tl.constexpr, depth: tl.constexpr):
    i = tl.program_id(0) * rows + tl.arange(0, rows)[:, None]
    j = tl.program_id(1) * cols + tl.arange(0, cols)[None, :]
    total = tl.zeros((rows, cols), dtype=tl.float32)
    for p in range(0, k, depth):
        across = p + tl.arange(0, depth)
        left = tl.load(a + i * lda + across[None, :], mask=(i < m) & (across[None, :] < k), other=0.0)
        right = tl.load(b + across[:, None] * ldb + j, mask=(across[:, None] < k) & (j < n), other=0.0)
        total = tl.dot(left, right, total, input_precision="ieee")
    tl.store(c + i * ldc + j, total, mask=(i < m) & (j < n))
