"""Seven tasks with NumPy; see docs/choose.md. The operands are those of operands.hpp."""

import numpy as np

M, N, K, PRODUCTS = 4, 6, 5, 3


def numbers(rows, cols, seed, count=1, dtype=np.float32):
    i = np.arange(count * rows * cols)
    values = (i * i * 3 + i * 7 + seed * 3) % 11 - 5
    shape = (rows, cols) if count == 1 else (count, rows, cols)
    return values.astype(dtype).reshape(shape)


def show(task, values):
    print(task, *(f"{x:.4f}" for x in np.ravel(values)))


a, b, bt, e = numbers(M, K, 1), numbers(K, N, 2), numbers(N, K, 3), numbers(M, N, 4)
v = numbers(1, N, 5)[0]

# task product
c = a @ b
# end
show("product", c)

# task scaled
c = 2 * a @ bt.T + e
# end
show("scaled", c)

# task layer
x = a @ b + v
y = x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
# end
show("layer", y)

a8, b8 = numbers(M, K, 1, dtype=np.int8), numbers(K, N, 2, dtype=np.int8)
# task bytes
c = a8.astype(np.int32) @ b8.astype(np.int32)
# end
show("bytes", c)

p, q = numbers(M, K, 1, PRODUCTS), numbers(K, N, 2, PRODUCTS)
# task batch
c = p @ q
# end
show("batch", c)
