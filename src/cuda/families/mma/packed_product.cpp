#include "cuda/families/mma/packed_product.hpp"

#include <utility>

#include "cuda/common/pack.hpp"
#include "cuda/common/scratch.hpp"
#include "cuda/families/mma/operand.hpp"

namespace carat::cuda::mma {

namespace {

strided lines_of(const operand_shape& of, std::int64_t matrices) {
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
    packed_product(const gemm_task& task, packed_operands which,
                   std::unique_ptr<const gemm_product> inner)
        : inner_(std::move(inner)) {
        if (which.a) a_ = packed_copy(lines_of(a_of(task.problem), task.batch.matrices_a()));
        if (which.b) b_ = packed_copy(lines_of(b_of(task.problem), task.batch.matrices_b()));
    }

    void run(const launch_arguments& with, launch_cache* kept) const override {
        launch_arguments own = with;
        batch_strides apart;
        start_packing(own, apart);
        inner_->run(own, kept);
    }
    bool run_batch(const launch_arguments& with, const batch_strides& given) const override {
        launch_arguments own = with;
        batch_strides apart = given;
        start_packing(own, apart);
        return inner_->run_batch(own, apart);
    }
    bool run_ragged(const ragged_group& all, const launch_arguments& with) const override {
        launch_arguments own = with;
        ragged_group group = all;
        start_packing(own, group.apart);
        return inner_->run_ragged(group, own);
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
    void start_packing(launch_arguments& with, batch_strides& apart) const {
        packing all[2];
        std::size_t count = 0;
        a_.take(with.data.a, apart.a, all, count);
        b_.take(with.data.b, apart.b, all, count);
        pack({all, count}, with.stream);
    }

    packed_copy a_;
    packed_copy b_;
    std::unique_ptr<const gemm_product> inner_;
};

}  // namespace

gemm_task packed(gemm_task task, packed_operands which) {
    core::problem& p = task.problem;
    if (which.a) {
        p.a_layout = core::row_major(packed_stride(lines_of(a_of(p), 1)));
        task.aligned.a = true;
    }
    if (which.b) {
        p.b_layout = core::column_major(packed_stride(lines_of(b_of(p), 1)));
        task.aligned.b = true;
    }
    return task;
}

std::unique_ptr<const gemm_product> prepare_packed(
    const gemm_task& task, packed_operands which,
    const std::function<std::unique_ptr<const gemm_product>(const gemm_task&)>& prepare) {
    if (!which.a && !which.b) return prepare(task);
    return std::make_unique<packed_product>(task, which, prepare(packed(task, which)));
}

}  // namespace carat::cuda::mma
