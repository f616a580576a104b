// oneDNN's matmul primitive on plain matrices: kernels made in prepare() for one shape, one pair of
// layouts and one number of threads. B stays as it lies; in a layout of oneDNN's choice it would be
// faster on machines with AMX, but that is no product of two plain matrices any more.
//
// Versions 2 and 3 describe a product differently and run it alike. Beta is the weight of a sum
// that follows the product, and an activation comes before it; alpha has no place that both
// versions know.
#include <array>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include <carat/error.hpp>

#include "lab/rows/operation.hpp"
#include "lab/vendor/common/blas_shape.hpp"
#include "lab/vendor/common/scale_only.hpp"
#include "lab/vendor/onednn/matmul_library.hpp"
#include "lab/vendor/rows.hpp"

namespace carat::vendor {

namespace {

using namespace onednn;

// A matrix as the library knows it.
class layout {
  public:
    layout(dtype type, std::int64_t rows, std::int64_t cols, const core::layout& where)
        : created_(matmul().destroy_layout) {
        const matmul_library& m = matmul();
        const sizes extents = {rows, cols};
        const sizes strides = {where.row_stride, where.col_stride};
        if (m.init_layout != nullptr)
            check(
                m.init_layout(own_.bytes.data(), 2, extents.data(), type_of(type), strides.data()),
                "dnnl_memory_desc_init_by_strides");
        else
            check(m.create_layout(created_.out(), 2, extents.data(), type_of(type), strides.data()),
                  "dnnl_memory_desc_create_with_strides");
    }

    [[nodiscard]] handle get() {
        return created_.get() != nullptr ? created_.get() : static_cast<handle>(own_.bytes.data());
    }

  private:
    descriptor own_{};
    owned created_;
};

// The product turned so that C lies by rows. Where a dimension is 1 its stride is free for us, but
// the library reads a leading dimension from it and fails in execute() where that is too small.
struct turned {
    explicit turned(const core::problem& p) : turned(p, shape_for_blas(p)) {}

    bool swapped;
    layout a;
    layout b;
    layout c;

  private:
    static core::layout lies(char letter, std::int64_t ld) {
        return letter == 'N' ? core::layout{ld, 1} : core::layout{1, ld};
    }
    // What lies by rows is BLAS's transpose, so its second operand comes first.
    turned(const core::problem& p, const blas_shape& s)
        : swapped(!s.swapped),
          a(swapped ? p.b_type : p.a_type, s.n, s.k, lies(s.second_letter, s.second_ld)),
          b(swapped ? p.a_type : p.b_type, s.k, s.m, lies(s.first_letter, s.first_ld)),
          c(p.c_type, s.n, s.m, {s.c_ld, 1}) {}
};

// dnnl_types.h: relu, gelu by tanh and silu, of versions 2 and 3.
int kind_of(rows::activation f, bool is_2) {
    switch (f) {
        case rows::activation::gelu:
            return is_2 ? 0xcf : 0x2b;
        case rows::activation::silu:
            return is_2 ? 0xdf : 0x2c;
        default:
            return is_2 ? 0x1f : 0x20;
    }
}

// oneDNN's alpha is silu's factor in the exponent.
void append_activation(rows::activation f, handle steps) {
    const matmul_library& m = matmul();
    const bool is_2 = m.append_activation_2 != nullptr;
    const float inside = f == rows::activation::silu ? 1 : 0;
    check(is_2 ? m.append_activation_2(steps, 1, kind_of(f, is_2), inside, 0)
               : m.append_activation_3(steps, kind_of(f, is_2), inside, 0),
          "dnnl_post_ops_append_eltwise");
}

// What follows the product and its bias: an activation, and beta C, which is added to that.
void describe_steps(const rows::operation& all, handle attributes) {
    const matmul_library& m = matmul();
    owned steps(m.destroy_steps);
    check(m.create_steps(steps.out()), "dnnl_post_ops_create");
    if (all.last.f != rows::activation::none) append_activation(all.last.f, steps.get());
    const auto beta = static_cast<float>(all.one.beta);
    if (beta != 0)
        check(m.append_sum_2 != nullptr
                  ? m.append_sum_2(steps.get(), beta)
                  : m.append_sum_3(steps.get(), beta, 0, type_of(all.one.c_type)),
              "dnnl_post_ops_append_sum");
    check(m.set_steps(attributes, steps.get()), "dnnl_primitive_attr_set_post_ops");
}

// A number for each column.
layout layout_of_bias(const rows::operation& all) {
    return {dtype::f32, 1, all.one.n, core::row_major(all.one.n)};
}

void describe_product(const rows::operation& all, turned& of, owned& description) {
    const matmul_library& m = matmul();
    owned attributes(m.destroy_attributes);
    if (all.one.beta != 0 || all.last.f != rows::activation::none) {
        check(m.create_attributes(attributes.out()), "dnnl_primitive_attr_create");
        describe_steps(all, attributes.get());
    }
    layout numbers = layout_of_bias(all);
    const handle bias = all.last.bias ? numbers.get() : nullptr;
    if (m.init_matmul == nullptr)
        return check(m.describe_3(description.out(), m.engine, of.a.get(), of.b.get(), bias,
                                  of.c.get(), attributes.get()),
                     "dnnl_matmul_primitive_desc_create");
    descriptor product{};
    check(m.init_matmul(product.bytes.data(), of.a.get(), of.b.get(), bias, of.c.get()),
          "dnnl_matmul_desc_init");
    check(
        m.describe_2(description.out(), product.bytes.data(), attributes.get(), m.engine, nullptr),
        "dnnl_primitive_desc_create");
}

class matmul_call final : public rows::runnable {
  public:
    matmul_call(const rows::operation& all, int threads)
        : threads_(threads),
          has_bias_(all.last.bias),
          stream_(matmul().destroy_stream),
          primitive_(matmul().destroy_primitive),
          a_(matmul().destroy_memory),
          b_(matmul().destroy_memory),
          c_(matmul().destroy_memory),
          bias_(matmul().destroy_memory) {
        const matmul_library& m = matmul();
        const threads_held held(opened().threads, threads_);
        turned of(all.one);
        layout numbers = layout_of_bias(all);
        swapped_ = of.swapped;
        owned description(m.destroy_description);
        describe_product(all, of, description);
        check(m.create_primitive(primitive_.out(), description.get()), "dnnl_primitive_create");
        check(m.create_stream(stream_.out(), m.engine, stream_default), "dnnl_stream_create");
        for (auto& [memory, where] :
             {std::pair{&a_, &of.a}, {&b_, &of.b}, {&c_, &of.c}, {&bias_, &numbers}})
            check(m.create_memory(memory->out(), where->get(), m.engine, nullptr),
                  "dnnl_memory_create");
    }

    void run(const core::operands& data) override {
        const threads_held held(opened().threads, threads_);
        const matmul_library& m = matmul();
        m.set_data(a_.get(), const_cast<void*>(swapped_ ? data.b : data.a));
        m.set_data(b_.get(), const_cast<void*>(swapped_ ? data.a : data.b));
        m.set_data(c_.get(), data.c);
        if (has_bias_) m.set_data(bias_.get(), const_cast<void*>(data.bias));
        const std::array arguments = {bound_argument{argument_source, a_.get()},
                                      bound_argument{argument_weights, b_.get()},
                                      bound_argument{argument_destination, c_.get()},
                                      bound_argument{argument_bias, bias_.get()}};
        int status =
            m.execute(primitive_.get(), stream_.get(), has_bias_ ? 4 : 3, arguments.data());
        if (status == success) status = m.wait(stream_.get());
        if (status != success)
            throw error(error_code::unsupported, fmt::format("oneDNN failed, status {}", status));
    }

    [[nodiscard]] int threads() const override { return threads_; }

  private:
    int threads_;
    bool has_bias_;
    bool swapped_ = false;
    owned stream_;
    owned primitive_;
    owned a_;
    owned b_;
    owned c_;
    owned bias_;
};

std::string reason_against_its_factors(const core::problem& p) {
    if (p.c_type == dtype::i32) return reason_against_float_scaling(p);
    if (p.alpha == 1) return {};
    return fmt::format("it has no factor for the product: alpha is {}, use 1", p.alpha);
}

// One product, maybe with an epilogue.
std::string unsupported_operation(const rows::operation& all, const core::settings& s) {
    const core::problem& p = all.one;
    if (!all.is_one_product()) return "it is called for single products alone";
    if (is_degenerate(p))
        return all.is_plain() ? core::reason_against_factors(p)
                              : "it is asked for no empty product";
    std::string why = reason_against_shape(p, std::numeric_limits<std::int64_t>::max());
    if (why.empty()) why = reason_against_its_factors(p);
    if (why.empty() && is_byte_integer(p.a_type)) why = reason_against_sums_of_bytes(opened());
    if (why.empty()) why = reason_against_threads(opened().threads, s.threads);
    if (!why.empty()) return why;
    try {
        turned of(p);
        if (of.swapped && all.last.bias) return "its bias is of the columns of a C by rows";
        owned description(matmul().destroy_description);
        describe_product(all, of, description);
    } catch (const rejected& refused) {
        return fmt::format("oneDNN {} has no such product for this CPU ({})",
                           opened().facts.version, refused.what());
    }
    return {};
}

std::string unsupported(const core::problem& p, const core::settings& s) {
    return unsupported_operation(p, s);
}

std::unique_ptr<rows::runnable> prepare_operation(const rows::operation& all,
                                                  const core::settings& s) {
    return std::make_unique<matmul_call>(all, granted(opened().threads, s.threads));
}

std::unique_ptr<rows::runnable> prepare(const core::problem& p, const core::settings& s) {
    if (is_degenerate(p) && p.c_type == dtype::i32)
        return std::make_unique<scale_only<std::uint32_t>>(p);
    if (is_degenerate(p)) return std::make_unique<scale_only<float>>(p);
    return prepare_operation(p, s);
}

constexpr std::array signatures = {
    core::signature{dtype::f32, dtype::f32, dtype::f32, "f32"},
    core::signature{dtype::bf16, dtype::bf16, dtype::f32, "f32"},
    core::signature{dtype::i8, dtype::i8, dtype::i32, "i32 modulo 2^32"},
    core::signature{dtype::u8, dtype::i8, dtype::i32, "i32 modulo 2^32"},
};

constexpr rows::implementation make_row() {
    rows::implementation row;
    row.name = "vendor.onednn_matmul";
    row.summary = "oneDNN's matmul primitive: kernels generated for one shape";
    row.signatures = signatures;
    row.threaded = true;
    row.unavailable = [] { return matmul().missing; };
    row.unsupported = unsupported;
    row.prepare = prepare;
    row.library = [] { return opened().facts; };
    row.unsupported_operation = unsupported_operation;
    row.prepare_operation = prepare_operation;
    return row;
}

}  // namespace

constexpr rows::implementation onednn_matmul_row = make_row();

}  // namespace carat::vendor
