// The right product is the plain one of the laboratory's reference, in f64.
#include "product_on_gpu.hpp"

#include <optional>

#include "cuda/common/handles.hpp"
#include "lab/gpu/verify/kernels.hpp"
#include "spoil.hpp"

namespace carat::mutants {

namespace {

struct space_for_doubles {
    explicit space_for_doubles(std::int64_t entries)
        : memory(cuda::allocate(static_cast<std::size_t>(entries) * sizeof(double))) {}

    [[nodiscard]] double* data() const { return static_cast<double*>(memory.get()); }

    cuda::device_memory memory;
};

void copy(void* to, const void* from, std::int64_t bytes) {
    CARAT_CUDA_CHECK(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes),
                                     cudaMemcpyDeviceToDevice, cuda::stream_in_use()));
}

class product final : public rows::runnable {
  public:
    product(const core::problem& p, const mutant* by)
        : problem_(p), by_(by), when_(by), entries_(p.m * p.n) {
        if (by == nullptr || by->how != effect::stale) return;
        keeps_a_and_b_ = spoils_sums(*by);
        if (!keeps_a_and_b_) return;
        a_ = cuda::allocate(static_cast<std::size_t>(a_bytes()));
        b_ = cuda::allocate(static_cast<std::size_t>(b_bytes()));
    }

    // Slow, and all of its memory is made anew: nobody reads its time.
    void run(const core::operands& where) override {
        const bool spoils = when_.spoils_next(where);
        const space_for_doubles sums = right_product(where);
        const bool keeps_sums = by_ != nullptr && by_->how == effect::stale && !keeps_a_and_b_;
        std::optional<space_for_doubles> right;
        if (keeps_sums || (spoils && !spoils_sums(*by_))) {
            right.emplace(entries_);
            copy(right->data(), sums.data(), entries_ * 8);
        }
        if (spoils && spoils_sums(*by_)) spoil_sums(where, sums.data());
        if (spoils && !spoils_sums(*by_))
            start_spoiling(problem_, *by_, right->data(), before_ ? before_->data() : nullptr,
                           sums.data());
        start_storing(problem_, sums.data(), where.c);
        if (keeps_a_and_b_) {
            copy(a_.get(), where.a, a_bytes());
            copy(b_.get(), where.b, b_bytes());
            has_a_and_b_ = true;
        }
        CARAT_CUDA_CHECK(cudaStreamSynchronize(cuda::stream_in_use()));
        if (keeps_sums) before_ = std::move(right);
    }

  private:
    [[nodiscard]] std::int64_t a_bytes() const {
        return core::checked_bytes(problem_.a_type, problem_.m * problem_.k, "A");
    }
    [[nodiscard]] std::int64_t b_bytes() const {
        return core::checked_bytes(problem_.b_type, problem_.k * problem_.n, "B");
    }

    [[nodiscard]] space_for_doubles right_product(const core::operands& where) const {
        space_for_doubles sums(entries_);
        if (problem_.c_type == dtype::i32) {
            const space_for_doubles integers(entries_);
            gpu::start_reference(problem_, where, integers.data(), nullptr);
            start_widening(integers.data(), entries_, sums.data());
            CARAT_CUDA_CHECK(cudaStreamSynchronize(cuda::stream_in_use()));
            return sums;
        }
        const space_for_doubles magnitudes(entries_);
        gpu::start_reference(problem_, where, sums.data(),
                             static_cast<float*>(magnitudes.memory.get()));
        CARAT_CUDA_CHECK(cudaStreamSynchronize(cuda::stream_in_use()));
        return sums;
    }

    void add(const core::operands& data, const addend& what, double* sums) const {
        start_adding(problem_, data, *by_, what, sums);
    }

    void spoil_sums(const core::operands& now, double* sums) const {
        add(now, {.sign = -1}, sums);
        const std::int64_t depth = by_->k1 - by_->k0;
        const std::int64_t other = by_->k0 >= depth ? -depth : depth;
        switch (by_->how) {
            case effect::zero:
                return;
            case effect::stale:
                if (has_a_and_b_) add({a_.get(), b_.get()}, {}, sums);
                return;
            case effect::repeated:
                return add(now, {.a_shift = other, .b_shift = other}, sums);
            case effect::shifted:
                return add(now, {.a_shift = 1}, sums);
            case effect::narrower:
                return add(
                    now,
                    {.a_digits = by_->whose == narrowed::b ? 0 : narrower_digits(problem_.a_type),
                     .b_digits = by_->whose == narrowed::a ? 0 : narrower_digits(problem_.b_type)},
                    sums);
        }
    }

    core::problem problem_;
    const mutant* by_;
    schedule when_;
    std::int64_t entries_;
    bool keeps_a_and_b_ = false;
    bool has_a_and_b_ = false;
    cuda::device_memory a_, b_;                // of the run before
    std::optional<space_for_doubles> before_;  // its right sums
};

}  // namespace

std::unique_ptr<rows::runnable> make_product_on_gpu(const core::problem& p, const mutant* by) {
    return std::make_unique<product>(p, by);
}

}  // namespace carat::mutants
