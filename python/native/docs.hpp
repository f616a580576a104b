// Docstrings. Python reads a builtin function's signature from the first line, up to the "--"; the
// types are in _native.pyi.
#pragma once

namespace carat::python {

#define CARAT_KEYWORDS                                                                     \
    "out=None, *, bias=None, activation=None, scale=None, accuracy='native', dtype=None, " \
    "stream=None, threads=None"
#define CARAT_SIGNATURE(text) text "\n--\n\n"

inline constexpr char matmul_doc[] = CARAT_SIGNATURE("matmul(a, b, " CARAT_KEYWORDS ")")
    R"(Returns activation(scale * (a @ b) + bias), with the shapes of numpy.matmul.

a is (..., m, k) or (k,), b is (..., k, n) or (k,). Stacks broadcast, strides may be any, and
nothing is copied. Both may be arrays of NumPy (with ml_dtypes), PyTorch, CuPy or JAX, or objects
with __dlpack__ or the buffer protocol; one of them may come from prepare. The result is an array of
a's library.

out: an array that is written and returned; it must overlap neither operand.
dtype: the result's type if there is no out; by default that of a and b, int32 for 8-bit integers,
float32 for fp8.
scale: a number; or, like bias, n values for the columns or (m, 1) for the rows.
activation: None, 'relu', 'gelu' (by tanh) or 'silu'.
accuracy: 'native', 'f16_sums' (float16 on a CPU), 'tf32' or 'three_tf32' (float32 on a GPU).
stream: a GPU's stream, of PyTorch or CuPy, or a cudaStream_t as a number; None: the current one.
threads: the most to use; None: as many as OMP_NUM_THREADS or the machine offers.

Raises ValueError for sizes, strides, options, overlaps and integer sums that do not fit; TypeError
for types; MemoryError; RuntimeError for what this machine lacks or a GPU that failed. The result is
then untouched, except where a GPU failed.)";

inline constexpr char grouped_doc[] =
    CARAT_SIGNATURE("matmul_grouped(a, b, " CARAT_KEYWORDS ", ends=None)")
        R"(Returns products of matrices of any sizes from one call: [x @ y for x, y in zip(a, b)].

a and b are equally long lists of (m, k) and (k, n) matrices of one element type. One of the two may
be a single matrix for all products, or prepared. out is a list of results to write. The list of
results is returned.

ends divides one matrix among products: it is a vector of int32 in the memory where the operands
are, and product i begins at ends[i - 1] (the first at 0) and stops before ends[i]. With a (rows, k)
and b (products, k, n) the products divide the rows; the result is (rows, n), and its rows from the
last end on are not written. With a (m, k) and b (k, n) they divide k; the result is (products, m,
n). On a GPU nothing waits for these numbers: a product whose end is not above the one before is
empty, and an end beyond the matrix counts as the matrix's end.

Keywords and errors are those of matmul; the values of bias and scale hold for all products.)";

inline constexpr char prepare_doc[] = CARAT_SIGNATURE("prepare(b, *, side='right')")
    R"(Returns a matrix packed once for many products, such as weights, in memory of its own.

b is (k, n), of float64, float32, float16, bfloat16, int8 or uint8, in this machine's memory. Pass
the result instead of b to matmul, or instead of a if it was made with side='left'. Raises
ValueError, TypeError and MemoryError.)";

#undef CARAT_SIGNATURE
#undef CARAT_KEYWORDS

}  // namespace carat::python
