// Docstrings. Python reads a builtin function's signature from the first line, up to the "--"; the
// types are in _native.pyi.
#pragma once

namespace carat::python {

#define CARAT_KEYWORDS                                                                     \
    "out=None, *, bias=None, activation=None, scale=None, accuracy='native', dtype=None, " \
    "stream=None, threads=None"
#define CARAT_SIGNATURE(text) text "\n--\n\n"

inline constexpr char matmul_doc[] = CARAT_SIGNATURE("matmul(a, b, " CARAT_KEYWORDS ")")
    R"(activation(scale * (a @ b) + bias), with the shapes of numpy.matmul.

a: (..., m, k) or (k,), b: (..., k, n) or (k,), stacks broadcast; any strides, nothing is copied.
Arrays of NumPy (with ml_dtypes), PyTorch, CuPy, JAX, or with __dlpack__ or the buffer protocol; one
of them may come from prepare. The result is of a's library.

out: written and returned; must overlap neither operand. dtype: of the result, where there is no out:
by default that of a and b, int32 for 8-bit integers, float32 for fp8.
scale: a number; or, like bias, n values for the columns or (m, 1) for the rows.
activation: None, 'relu', 'gelu' (by tanh) or 'silu'.
accuracy: 'native', 'f16_sums' (float16 on a CPU), 'tf32' or 'three_tf32' (float32 on a GPU).
stream: on a GPU, of PyTorch or CuPy or a cudaStream_t as a number; None: the current one.
threads: the most to use; None: what OMP_NUM_THREADS or the machine offers.

Raises ValueError for sizes, strides, options, overlaps and sums of integers that don't fit;
TypeError for types; MemoryError; RuntimeError for what this machine lacks or a GPU that failed. The
result is then untouched, but where a GPU failed.)";

inline constexpr char grouped_doc[] =
    CARAT_SIGNATURE("matmul_grouped(a, b, " CARAT_KEYWORDS ", ends=None)")
        R"(Products of matrices of any sizes in one call: [x @ y for x, y in zip(a, b)].

a and b: lists of (m, k) and (k, n) matrices of one element type, as many each; one of the two may
be a single matrix for all, or prepared. out: a list of results to write. Returns the list.

ends: how products share out one matrix, a line of int32 where the operands lie: those of product i
end before ends[i] and begin where those ahead of it end. a (rows, k) by b (products, k, n) share out
rows, into (rows, n), of which rows behind the last end aren't written; a (m, k) by b (k, n) share
out k, into (products, m, n). On a GPU nothing waits for the numbers: an end that isn't above the one
ahead leaves its product nothing, one beyond the matrix what there is.

Keywords and errors are those of matmul; the values of bias and scale are for all products.)";

inline constexpr char prepare_doc[] = CARAT_SIGNATURE("prepare(b, *, side='right')")
    R"(A matrix packed once for many products, in memory of its own: weights, say.

b: (k, n), of float64, float32, float16, bfloat16, int8 or uint8, in this machine's memory. The
result stands in b's place in matmul; made with side='left', in a's. Raises ValueError, TypeError
and MemoryError.)";

#undef CARAT_SIGNATURE
#undef CARAT_KEYWORDS

}  // namespace carat::python
