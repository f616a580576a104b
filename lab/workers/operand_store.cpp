#include "lab/workers/operand_store.hpp"

#include <carat/error.hpp>

#include "lab/gpu/verify/verify.hpp"
#include "lab/verify/poison.hpp"

namespace carat::workers {

namespace {

class local_operands final : public operand_store {
  public:
    local_operands(const rows::operation& all, placed_operands& data, space::execution_space& space)
        : all_(all), data_(data), space_(space) {}

    bool on_host() const override { return &space_ == &space::host_space(); }
    std::size_t sets() override { return data_.on(space_).size(); }

    void fill(const workload::distribution& values, std::uint64_t seed) override {
        data_.fill(space_, values, seed);
    }
    void fill_ends(const workload::distribution& values, std::uint64_t seed) override {
        data_.fill_ends(space_, values, seed);
    }
    void load(const verify::exact_passes& pass, std::size_t set) override {
        data_.load(pass, space_, set);
    }
    void poison(std::size_t set) override { data_.poison(space_, set); }
    void fill_c(const verify::exact_passes& pass, std::size_t set) override {
        data_.fill_c(pass, space_, set);
    }
    void fill_c(const workload::distribution& values, std::uint64_t seed) override {
        data_.fill_c(space_, values, seed);
    }
    const void* result(std::size_t set) override { return data_.result(space_, set); }

    verify::verdict check(const verify::exact_passes& pass, std::size_t set) override {
        const core::problem whole = problem_of_whole_c(all_);
        core::operands data = data_.on(space_).at(set);
        if (on_gpu(space_) && !verify::are_many_and_small(all_)) {
            const verify::verdict entries = gpu::check(pass, all_, data);
            return entries.passed ? gpu::check_padding(whole, data.c) : entries;
        }
        data.c = const_cast<void*>(result(set));  // it is only read
        const verify::verdict entries = pass.check(data);
        return entries.passed ? verify::check_padding(whole, data.c) : entries;
    }

    bool make_reference() override {
        if (!on_gpu(space_)) return false;
        try {
            reference_.emplace(all_, with_read_c(all_, data_.on(space_).at(0)), most_madds);
        } catch (const error& failure) {
            if (failure.code() != error_code::out_of_memory) throw;
        }
        return reference_.has_value();
    }

    std::optional<verify::verdict> against_reference(const std::string& claim) override {
        if (!reference_) return {};
        return reference_->check(data_.on(space_).at(0).c, claim);
    }

  private:
    // A batch takes no longer than one of the largest products that people measure.
    static constexpr double most_madds = 4.4e12;  // 16384^3

    rows::operation all_;
    placed_operands& data_;
    space::execution_space& space_;
    std::optional<verify::references<gpu::reference>> reference_;
};

}  // namespace

std::unique_ptr<operand_store> local_operand_store(const rows::operation& all,
                                                   placed_operands& data,
                                                   space::execution_space& space) {
    return std::make_unique<local_operands>(all, data, space);
}

}  // namespace carat::workers
