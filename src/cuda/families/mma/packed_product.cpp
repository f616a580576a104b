#include "cuda/families/mma/packed_product.hpp"

#include <utility>

#include "core/dtype_traits.hpp"
#include "cuda/common/pack.hpp"
#include "cuda/common/scratch.hpp"
#include "cuda/families/mma/operand.hpp"

namespace carat::cuda::mma {

namespace {

strided runs_of(operand_shape of, bool across_k, std::int64_t matrices) {
    if (across_k) {
        std::swap(of.lines, of.depth);
        std::swap(of.across, of.along);
    }
    return {.data = nullptr,
            .element_bytes = static_cast<int>(of.element_bytes),
            .lines = of.lines,
            .depth = of.depth,
            .across = of.across,
            .along = of.along,
            .matrices = matrices};
}

// One operand's copy.
class packed_copy {
  public:
    packed_copy() = default;
    explicit packed_copy(const strided& from)
        : from_(from),
          to_(static_cast<std::size_t>(packed_matrix_stride(from) * from.matrices *
                                       from.element_bytes)) {
        load_packing(from);
    }
    [[nodiscard]] bool is_none() const { return to_.is_none(); }

    // Adds what is to be packed, and puts the copy in its place.
    void take(const void*& data, std::int64_t& apart, packing* all, std::size_t& count) const {
        if (is_none()) return;
        packing own{from_, to_.get(), packed_stride(from_)};
        own.from.data = data;
        own.from.matrix_stride = apart;
        all[count++] = own;
        data = own.to;
        apart = from_.matrices == 1 ? 0 : packed_matrix_stride(from_);
    }

  private:
    strided from_{};
    scratch to_;
};

class packed_product final : public gemm_product {
  public:
    packed_product(const core::gpu_call& call, packed_operands which,
                   std::unique_ptr<const gemm_product> inner)
        : inner_(std::move(inner)) {
        if (which.a)
            a_ = packed_copy(
                runs_of(a_of(call.problem), which.across_k, call.products.matrices_a()));
        if (which.b)
            b_ = packed_copy(
                runs_of(b_of(call.problem), which.across_k, call.products.matrices_b()));
    }

    bool run(const bindings& given) const override {
        bindings with = given;
        packing all[2];
        std::size_t count = 0;
        a_.take(with.data.a, with.apart.a, all, count);
        b_.take(with.data.b, with.apart.b, all, count);
        pack({all, count}, with.stream);
        return inner_->run(with);
    }

    [[nodiscard]] std::vector<core::kernel_facts> kernels() const override {
        return inner_->kernels();
    }
    [[nodiscard]] core::plan_facts planned() const override {
        core::plan_facts told = inner_->planned();
        told.why += a_.is_none()   ? "B is packed first\n"
                    : b_.is_none() ? "A is packed first\n"
                                   : "A and B are packed first\n";
        return told;
    }

  private:
    packed_copy a_;
    packed_copy b_;
    std::unique_ptr<const gemm_product> inner_;
};

}  // namespace

core::gpu_call packed(core::gpu_call call, packed_operands which) {
    core::problem& p = call.problem;
    const auto stride = [&](const operand_shape& of) {
        return packed_stride(runs_of(of, which.across_k, 1));
    };
    if (which.a) {
        const std::int64_t own = stride(a_of(p));
        p.a_layout = which.across_k ? core::column_major(own) : core::row_major(own);
        call.aligned.a = true;
    }
    if (which.b) {
        const std::int64_t own = stride(b_of(p));
        p.b_layout = which.across_k ? core::row_major(own) : core::column_major(own);
        call.aligned.b = true;
    }
    return call;
}

plan::packed_first bytes_packed(const core::gpu_call& call, packed_operands which) {
    const core::problem& p = call.problem;
    plan::packed_first all;
    const auto add = [&](const operand_shape& of, std::int64_t matrices) {
        (of.lies_along_k() != which.across_k ? all.lines : all.columns) +=
            2.0 * static_cast<double>(core::bytes_of(p.a_type, of.lines * of.depth * matrices));
    };
    if (which.a) add(a_of(p), call.products.matrices_a());
    if (which.b) add(b_of(p), call.products.matrices_b());
    return all;
}

std::unique_ptr<const gemm_product> prepare_packed(
    const core::gpu_call& call, packed_operands which,
    const std::function<std::unique_ptr<const gemm_product>(const core::gpu_call&)>& prepare) {
    if (!which.a && !which.b) return prepare(call);
    return std::make_unique<packed_product>(call, which, prepare(packed(call, which)));
}

}  // namespace carat::cuda::mma
