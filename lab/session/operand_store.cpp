#include "lab/session/operand_store.hpp"

#include <carat/error.hpp>

#include "lab/gpu/verify/verify.hpp"
#include "lab/verify/poison.hpp"

namespace carat::session {

namespace {

class local final : public operand_store {
  public:
    local(const core::problem& p, placed_operands& data, core::execution_space& space)
        : problem_(p), data_(data), space_(space) {}

    bool on_host() const override { return &space_ == &core::host_space(); }
    std::size_t sets() override { return data_.on(space_).size(); }

    void fill(const workload::distribution& values, std::uint64_t seed) override {
        data_.fill(space_, values, seed);
    }
    void fill_ends(const workload::distribution& values, std::uint64_t seed) override {
        data_.fill_ends(space_, values, seed);
    }
    void load(const planned_pass& pass, std::size_t set) override {
        data_.load(pass.pass, space_, set);
    }
    void poison(std::size_t set) override { data_.poison(space_, set); }
    const void* result(std::size_t set) override { return data_.result(space_, set); }

    verify::verdict check(const planned_pass& pass, std::size_t set) override {
        if (on_gpu(space_)) {
            const void* const c = data_.on(space_).at(set).c;
            const verify::verdict entries = gpu::check(pass.pass, problem_, c);
            return entries.passed ? gpu::check_padding(problem_, c) : entries;
        }
        const void* const c = result(set);
        const verify::verdict entries = pass.pass.check(c);
        return entries.passed ? verify::check_padding(problem_, c) : entries;
    }

    bool make_reference() override {
        if (!on_gpu(space_)) return false;
        try {
            reference_.emplace(problem_, data_.on(space_).at(0));
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
    core::problem problem_;
    placed_operands& data_;
    core::execution_space& space_;
    std::optional<gpu::reference> reference_;
};

}  // namespace

std::unique_ptr<operand_store> local_operand_store(const core::problem& p, placed_operands& data,
                                                   core::execution_space& space) {
    return std::make_unique<local>(p, data, space);
}

}  // namespace carat::session
