// oneDNN's matmul primitive on plain matrices: kernels made in prepare() for one shape, one pair of
// layouts and one number of threads. B stays as it lies; in a layout of oneDNN's choice it would be
// faster on machines with AMX, but that is no product of two plain matrices any more.
//
// Versions 2 and 3 describe a product differently and run it alike. Beta is the weight of a sum
// that follows the product; alpha has no place that both versions know.
#include <array>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include <carat/error.hpp>

#include "vendor/common/blas_shape.hpp"
#include "vendor/common/scale_only.hpp"
#include "vendor/onednn/library.hpp"
#include "vendor/onednn/rows.hpp"

namespace carat::vendor {

namespace {

using namespace onednn;

// dnnl_types.h
enum data_type { type_bf16 = 2, type_f32 = 3, type_s32 = 4, type_s8 = 5, type_u8 = 6 };
enum argument { argument_source = 1, argument_destination = 17, argument_weights = 33 };
constexpr int engine_cpu = 1;
constexpr unsigned stream_default = 1;
using handle = void*;
using sizes = std::array<std::int64_t, 12>;
struct bound_argument {
    int which;
    handle memory;
};
// Larger than any descriptor of version 2, where the caller owns them.
struct alignas(64) descriptor {
    std::array<std::byte, 8192> bytes;
};

data_type type_of(dtype type) {
    switch (type) {
        case dtype::bf16:
            return type_bf16;
        case dtype::i32:
            return type_s32;
        case dtype::i8:
            return type_s8;
        case dtype::u8:
            return type_u8;
        default:
            return type_f32;
    }
}

struct matmul_library {
    int (*create_engine)(handle*, int, std::size_t);
    int (*create_stream)(handle*, handle, unsigned);
    int (*create_primitive)(handle*, handle);
    int (*create_memory)(handle*, const void*, handle, void*);
    int (*set_data)(handle, void*);
    int (*execute)(handle, handle, int, const bound_argument*);
    int (*wait)(handle);
    int (*destroy_stream)(handle);
    int (*destroy_primitive)(handle);
    int (*destroy_description)(handle);
    int (*destroy_memory)(handle);
    int (*create_attributes)(handle*);
    int (*destroy_attributes)(handle);
    int (*create_steps)(handle*);
    int (*destroy_steps)(handle);
    int (*set_steps)(handle, handle);
    // Version 2.
    int (*init_layout)(void*, int, const std::int64_t*, int, const std::int64_t*) = nullptr;
    int (*init_matmul)(void*, const void*, const void*, const void*, const void*) = nullptr;
    int (*describe_2)(handle*, const void*, handle, handle, handle) = nullptr;
    int (*append_sum_2)(handle, float) = nullptr;
    // Version 3.
    int (*create_layout)(handle*, int, const std::int64_t*, int, const std::int64_t*) = nullptr;
    int (*destroy_layout)(handle) = nullptr;
    int (*describe_3)(handle*, handle, handle, handle, handle, handle, handle) = nullptr;
    int (*append_sum_3)(handle, float, std::int32_t, int) = nullptr;
    handle engine = nullptr;
    std::string missing;
};

void check(int status, const char* what) {
    if (status != success) throw rejected(fmt::format("{} failed, status {}", what, status));
}

template <class Function>
void find(const shared_library& file, Function*& out, const char* symbol) {
    out = file.required<Function>(symbol);
}

void connect_version(const onednn_library& base, matmul_library& m) {
    const shared_library& file = *base.file;
    if (base.major == 2) {
        find(file, m.init_layout, "dnnl_memory_desc_init_by_strides");
        find(file, m.init_matmul, "dnnl_matmul_desc_init");
        find(file, m.describe_2, "dnnl_primitive_desc_create");
        find(file, m.append_sum_2, "dnnl_post_ops_append_sum");
    } else {
        find(file, m.create_layout, "dnnl_memory_desc_create_with_strides");
        find(file, m.destroy_layout, "dnnl_memory_desc_destroy");
        find(file, m.describe_3, "dnnl_matmul_primitive_desc_create");
        find(file, m.append_sum_3, "dnnl_post_ops_append_sum");
    }
}

void connect(const onednn_library& base, matmul_library& m) {
    const shared_library& file = *base.file;
    find(file, m.create_engine, "dnnl_engine_create");
    find(file, m.create_stream, "dnnl_stream_create");
    find(file, m.create_primitive, "dnnl_primitive_create");
    find(file, m.create_memory, "dnnl_memory_create");
    find(file, m.set_data, "dnnl_memory_set_data_handle");
    find(file, m.execute, "dnnl_primitive_execute");
    find(file, m.wait, "dnnl_stream_wait");
    find(file, m.destroy_stream, "dnnl_stream_destroy");
    find(file, m.destroy_primitive, "dnnl_primitive_destroy");
    find(file, m.destroy_description, "dnnl_primitive_desc_destroy");
    find(file, m.destroy_memory, "dnnl_memory_destroy");
    find(file, m.create_attributes, "dnnl_primitive_attr_create");
    find(file, m.destroy_attributes, "dnnl_primitive_attr_destroy");
    find(file, m.create_steps, "dnnl_post_ops_create");
    find(file, m.destroy_steps, "dnnl_post_ops_destroy");
    find(file, m.set_steps, "dnnl_primitive_attr_set_post_ops");
    connect_version(base, m);
    check(m.create_engine(&m.engine, engine_cpu, 0), "dnnl_engine_create");
}

const matmul_library& matmul() {
    static const matmul_library library = [] {
        matmul_library found{};
        const onednn_library& base = opened();
        found.missing = base.missing;
        if (!found.missing.empty()) return found;
        try {
            connect(base, found);
        } catch (const rejected& why) {
            found.missing = fmt::format("oneDNN {}: {}", base.facts.version, why.what());
        }
        return found;
    }();
    return library;
}

// Something of the library's that is destroyed with its owner.
class owned {
  public:
    explicit owned(int (*destroy)(handle)) : destroy_(destroy) {}
    ~owned() {
        if (made_ != nullptr) destroy_(made_);
    }
    owned(const owned&) = delete;
    owned& operator=(const owned&) = delete;

    [[nodiscard]] handle* out() { return &made_; }
    [[nodiscard]] handle get() const { return made_; }

  private:
    int (*destroy_)(handle);
    handle made_ = nullptr;
};

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

// What follows the product: beta C is added to it.
void describe_sum(const core::problem& p, handle attributes) {
    const matmul_library& m = matmul();
    owned steps(m.destroy_steps);
    check(m.create_steps(steps.out()), "dnnl_post_ops_create");
    const auto beta = static_cast<float>(p.beta);
    check(m.append_sum_2 != nullptr ? m.append_sum_2(steps.get(), beta)
                                    : m.append_sum_3(steps.get(), beta, 0, type_of(p.c_type)),
          "dnnl_post_ops_append_sum");
    check(m.set_steps(attributes, steps.get()), "dnnl_primitive_attr_set_post_ops");
}

void describe_product(const core::problem& p, turned& of, owned& description) {
    const matmul_library& m = matmul();
    owned attributes(m.destroy_attributes);
    if (p.beta != 0) {
        check(m.create_attributes(attributes.out()), "dnnl_primitive_attr_create");
        describe_sum(p, attributes.get());
    }
    if (m.init_matmul == nullptr)
        return check(m.describe_3(description.out(), m.engine, of.a.get(), of.b.get(), nullptr,
                                  of.c.get(), attributes.get()),
                     "dnnl_matmul_primitive_desc_create");
    descriptor product{};
    check(m.init_matmul(product.bytes.data(), of.a.get(), of.b.get(), nullptr, of.c.get()),
          "dnnl_matmul_desc_init");
    check(
        m.describe_2(description.out(), product.bytes.data(), attributes.get(), m.engine, nullptr),
        "dnnl_primitive_desc_create");
}

class matmul_call final : public core::runnable {
  public:
    matmul_call(const core::problem& p, int threads)
        : threads_(threads),
          stream_(matmul().destroy_stream),
          primitive_(matmul().destroy_primitive),
          a_(matmul().destroy_memory),
          b_(matmul().destroy_memory),
          c_(matmul().destroy_memory) {
        const matmul_library& m = matmul();
        const threads_held held(opened().threads, threads_);
        turned of(p);
        swapped_ = of.swapped;
        owned description(m.destroy_description);
        describe_product(p, of, description);
        check(m.create_primitive(primitive_.out(), description.get()), "dnnl_primitive_create");
        check(m.create_stream(stream_.out(), m.engine, stream_default), "dnnl_stream_create");
        for (auto& [memory, where] : {std::pair{&a_, &of.a}, {&b_, &of.b}, {&c_, &of.c}})
            check(m.create_memory(memory->out(), where->get(), m.engine, nullptr),
                  "dnnl_memory_create");
    }

    void run(const core::operands& data) override {
        const threads_held held(opened().threads, threads_);
        const matmul_library& m = matmul();
        m.set_data(a_.get(), const_cast<void*>(swapped_ ? data.b : data.a));
        m.set_data(b_.get(), const_cast<void*>(swapped_ ? data.a : data.b));
        m.set_data(c_.get(), data.c);
        const std::array arguments = {bound_argument{argument_source, a_.get()},
                                      bound_argument{argument_weights, b_.get()},
                                      bound_argument{argument_destination, c_.get()}};
        int status = m.execute(primitive_.get(), stream_.get(), 3, arguments.data());
        if (status == success) status = m.wait(stream_.get());
        if (status != success)
            throw error(error_code::unsupported, fmt::format("oneDNN failed, status {}", status));
    }

    [[nodiscard]] int threads() const override { return threads_; }

  private:
    int threads_;
    bool swapped_ = false;
    owned stream_;
    owned primitive_;
    owned a_;
    owned b_;
    owned c_;
};

std::string reason_against_its_factors(const core::problem& p) {
    if (p.c_type == dtype::i32) return reason_against_float_scaling(p);
    if (p.alpha == 1) return {};
    return fmt::format("it has no factor for the product: alpha is {}, use 1", p.alpha);
}

std::string unsupported(const core::problem& p, const core::settings& s) {
    if (is_degenerate(p)) return core::reason_against_factors(p);
    std::string why = reason_against_shape(p, std::numeric_limits<std::int64_t>::max());
    if (why.empty()) why = reason_against_its_factors(p);
    if (why.empty() && is_byte_integer(p.a_type)) why = reason_against_sums_of_bytes(opened());
    if (why.empty()) why = reason_against_threads(opened().threads, s.threads);
    if (!why.empty()) return why;
    try {
        turned of(p);
        owned description(matmul().destroy_description);
        describe_product(p, of, description);
    } catch (const rejected& refused) {
        return fmt::format("oneDNN {} has no such product for this CPU ({})",
                           opened().facts.version, refused.what());
    }
    return {};
}

std::unique_ptr<core::runnable> prepare(const core::problem& p, const core::settings& s) {
    if (is_degenerate(p) && p.c_type == dtype::i32)
        return std::make_unique<scale_only<std::uint32_t>>(p);
    if (is_degenerate(p)) return std::make_unique<scale_only<float>>(p);
    const thread_control& control = opened().threads;
    return std::make_unique<matmul_call>(p, control.confirm ? control.confirm(s.threads) : 1);
}

constexpr std::array signatures = {
    core::signature{dtype::f32, dtype::f32, dtype::f32, "f32"},
    core::signature{dtype::bf16, dtype::bf16, dtype::f32, "f32"},
    core::signature{dtype::i8, dtype::i8, dtype::i32, "i32 modulo 2^32"},
    core::signature{dtype::u8, dtype::i8, dtype::i32, "i32 modulo 2^32"},
};

constexpr core::implementation make_row() {
    core::implementation row;
    row.name = "vendor.onednn_matmul";
    row.summary = "oneDNN's matmul primitive: kernels generated for one shape";
    row.signatures = signatures;
    row.threaded = true;
    row.unavailable = [] { return matmul().missing; };
    row.unsupported = unsupported;
    row.prepare = prepare;
    row.library = [] { return opened().facts; };
    return row;
}

}  // namespace

constexpr core::implementation onednn_matmul_row = make_row();

}  // namespace carat::vendor
