// numpy.matmul's rules on carat's calls: vectors, broadcast stacks, out.
#include "matmul.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "dtypes.hpp"
#include "run.hpp"

namespace carat::python {

namespace {

using extents = std::span<const std::int64_t>;
using detail::erased_batch;
using detail::erased_matrix;

std::int64_t product_of(extents shape) {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

// The common shape of a and b, broadcast as in NumPy.
std::vector<std::int64_t> common_stack(extents a, extents b) {
    std::vector<std::int64_t> shape(std::max(a.size(), b.size()));
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const auto extent = [&](extents of) {
            return i < of.size() ? of[of.size() - 1 - i] : std::int64_t{1};
        };
        const std::int64_t x = extent(a);
        const std::int64_t y = extent(b);
        if (x != y && x != 1 && y != 1)
            throw nb::value_error(("a is a stack of " + size_of(a) + " matrices and b of " +
                                   size_of(b) + ": they must broadcast, as in numpy.matmul")
                                      .c_str());
        shape[shape.size() - 1 - i] = x == 1 ? y : x;
    }
    return shape;
}

std::vector<std::int64_t> result_shape(const operand& a, const operand& b, extents stack) {
    std::vector<std::int64_t> shape(stack.begin(), stack.end());
    if (!a.is_vector()) shape.push_back(static_cast<std::int64_t>(a.matrix().rows));
    if (!b.is_vector()) shape.push_back(static_cast<std::int64_t>(b.matrix().cols));
    return shape;
}

// C's matrix in an array from which vectors have removed an axis.
erased_matrix result_matrix(const foreign_array& c, const operand& a, const operand& b) {
    const auto strides = c.strides();
    const std::size_t axes = c.axes();
    const std::ptrdiff_t down = a.is_vector() ? 0 : strides[axes - (b.is_vector() ? 1 : 2)];
    const std::ptrdiff_t across = b.is_vector() ? 0 : strides[axes - 1];
    return {c.data(), a.matrix().rows, b.matrix().cols, down, across, c.type(), 1};
}

// A stack broadcast to the common shape: a stride for each axis, 0 if one matrix serves all.
struct spread {
    erased_matrix first;
    std::vector<std::int64_t> strides;
};

spread spread_over(const erased_matrix& first, extents shape, extents strides, extents stack) {
    spread over = {first, std::vector<std::int64_t>(stack.size(), 0)};
    const std::size_t missing = stack.size() - shape.size();
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (shape[i] != 1) over.strides[missing + i] = strides[i];
    return over;
}

// The stride from each matrix to the next in row-major order, if there is one.
std::optional<std::int64_t> single_stride(const spread& x, extents stack) {
    std::int64_t stride = 0;
    std::int64_t after = 1;
    for (std::size_t i = stack.size(); i-- > 0; after *= stack[i]) {
        if (stack[i] == 1) continue;
        if (after == 1) stride = x.strides[i];
        if (x.strides[i] != stride * after) return {};
    }
    return stride;
}

std::vector<const void*> addresses(const spread& x, extents stack) {
    std::vector<const void*> all;
    all.reserve(static_cast<std::size_t>(product_of(stack)));
    std::vector<std::int64_t> at(stack.size(), 0);
    const auto size = static_cast<std::int64_t>(size_bytes(x.first.type));
    const auto* const first = static_cast<const std::byte*>(x.first.data);
    for (std::int64_t count = product_of(stack); count > 0; --count) {
        all.push_back(first + size * std::inner_product(at.begin(), at.end(), x.strides.begin(),
                                                        std::int64_t{0}));
        for (std::size_t i = stack.size(); i-- > 0;) {
            if (++at[i] < stack[i]) break;
            at[i] = 0;
        }
    }
    return all;
}

erased_batch batch_of(const spread& x, extents stack, std::vector<const void*>& kept) {
    erased_batch batch = {x.first, static_cast<std::size_t>(product_of(stack)), 0, nullptr};
    if (const auto stride = single_stride(x, stack)) {
        batch.stride = *stride;
        return batch;
    }
    kept = addresses(x, stack);
    batch.pointers = kept.data();
    batch.first.data = nullptr;
    return batch;
}

erased_batch for_all(const erased_matrix& x) {
    erased_batch one = {x, 0, 0, nullptr};
    one.for_all = true;
    return one;
}

// One matrix of all rows, if each matrix's rows follow those of the one before.
std::optional<erased_matrix> all_rows(const erased_matrix& first, extents shape, extents strides) {
    erased_matrix all = first;
    if (all.rows == 1 && !shape.empty()) all.row_stride = strides.back();
    for (std::size_t i = shape.size(); i-- > 0;) {
        if (shape[i] != 1 && strides[i] != all.row_stride * static_cast<std::ptrdiff_t>(all.rows))
            return {};
        all.rows *= static_cast<std::size_t>(shape[i]);
    }
    return all;
}

struct call {
    const operand& a;
    const operand& b;
    const foreign_array& c;
    erased_matrix result;
    extents stack;
    const keywords& asked;
    nb::handle like;
    std::optional<int> gpu;
    const epilogue* last;

    [[nodiscard]] const detail::epilogue_steps* steps() const {
        return last == nullptr ? nullptr : last->steps();
    }
};

void multiply_stack(const call& x) {
    const extents c_strides = x.c.strides().first(x.stack.size());
    if (x.b.stack_shape().empty() && !x.a.is_vector() &&
        !(x.last != nullptr && x.last->by_rows())) {
        const auto rows_a = all_rows(x.a.matrix(), x.a.stack_shape(), x.a.stack_strides());
        const auto rows_c = all_rows(x.result, x.stack, c_strides);
        if (rows_a && rows_c)
            return run_one(x.asked, x.like, x.gpu, *rows_a, x.b.matrix(), *rows_c, x.steps());
    }
    std::vector<const void*> kept[3];
    const auto side_of = [&](const operand& of, std::vector<const void*>& addresses) {
        if (product_of(of.stack_shape()) == 1) return for_all(of.matrix());
        return batch_of(spread_over(of.matrix(), of.stack_shape(), of.stack_strides(), x.stack),
                        x.stack, addresses);
    };
    const erased_batch a = side_of(x.a, kept[0]);
    const erased_batch b = side_of(x.b, kept[1]);
    const erased_batch c =
        batch_of(spread_over(x.result, x.stack, c_strides, x.stack), x.stack, kept[2]);
    const double work = static_cast<double>(c.count) * static_cast<double>(a.first.rows) *
                        static_cast<double>(a.first.cols) * static_cast<double>(b.first.cols);
    run_many(x.asked, x.like, x.gpu, work, a, b, c, x.steps());
}

void check_out(const foreign_array& c, extents shape, const keywords& asked) {
    if (!std::ranges::equal(c.shape(), shape))
        throw nb::value_error(
            ("out is " + size_of(c.shape()) + " but the product is " + size_of(shape)).c_str());
    if (!asked.dtype.is_none() && type_asked(asked.dtype, "dtype") != c.type())
        throw nb::type_error(("out is " + std::string(numpy_name(c.type())) + " but dtype is " +
                              nb::repr(asked.dtype).c_str() + ": leave one of them out")
                                 .c_str());
}

nb::object multiply(nb::handle a_source, nb::handle b_source, const keywords& asked) {
    const operand a(a_source, "a", side::left);
    const operand b(b_source, "b", side::right);
    const dtype natural = natural_result(a.type(), b.type());
    const std::optional<int> gpu = common_gpu(a, b);
    std::vector<std::int64_t> stack;
    if (!a.stack_shape().empty() || !b.stack_shape().empty())
        stack = common_stack(a.stack_shape(), b.stack_shape());
    const std::vector<std::int64_t> shape = result_shape(a, b, stack);

    const bool has_a = a.array().has_value();
    const nb::handle like = has_a ? a_source : b_source;
    const bool of_numpy = !(has_a ? a : b).array() || (has_a ? a : b).array()->of_numpy();
    nb::object result = nb::borrow(asked.out);
    if (asked.out.is_none()) {
        const dtype type = asked.dtype.is_none() ? natural : type_asked(asked.dtype, "dtype");
        check_result(a.type(), type);
        result = empty_like(like, of_numpy, gpu.has_value(), shape, type);
    }
    const foreign_array c(result, "out", access::write);
    check_end(asked, c.type());
    if (!asked.out.is_none()) {
        check_out(c, shape, asked);
        check_result(a.type(), c.type());
    }

    std::optional<epilogue> last;
    if (has_epilogue(asked))
        last.emplace(asked, a.type(), static_cast<std::int64_t>(a.matrix().rows),
                     static_cast<std::int64_t>(b.matrix().cols), gpu.has_value());
    const call made = {a,     b,    c,   result_matrix(c, a, b), stack,
                       asked, like, gpu, last ? &*last : nullptr};
    if (stack.empty())
        run_one(asked, like, gpu, a.matrix(), b.matrix(), made.result, made.steps());
    else
        multiply_stack(made);
    if (!of_numpy && asked.out.is_none())
        return nb::module_::import_("carat_gemm._arrays").attr("returned")(like, result);
    return result;
}

}  // namespace

nb::object matmul(nb::handle a, nb::handle b, const keywords& asked) {
    try {
        return multiply(a, b, asked);
    } catch (const class_answers&) {
        if (!is_plain(asked)) throw;
    }
    // The class's answer to NumPy also multiplies units, for example.
    const nb::object matmul = nb::module_::import_("numpy").attr("matmul");
    return asked.out.is_none() ? matmul(a, b) : matmul(a, b, nb::arg("out") = asked.out);
}

}  // namespace carat::python
