#include "lab/workers/worker.hpp"

namespace carat::workers {

namespace {

class local_worker final : public worker {
  public:
    local_worker(const rows::implementation& entry, const rows::operation& all,
                 const core::settings& how, space::execution_space& space)
        : entry_(entry), all_(all), settings_(how), space_(space) {}

    introduction introduce() override { return workers::introduce(entry_, all_, settings_); }

    readiness prepare(placed_operands& data) override {
        data_ = &data;
        const double prepare_s =
            space::host_space().time_s([&] { ready_ = rows::prepare(entry_, all_, settings_); });
        const operand_sets& sets = data.on(space_);
        for (std::size_t set = 0; set < sets.size(); ++set) ready_->expect(sets.at(set));
        const double packing_s =
            all_.prepared ? space::host_space().time_s([&] { ready_->take(sets.at(0)); }) : 0;
        return facts_of(*ready_, prepare_s + packing_s);
    }

    timing run(std::int64_t runs, std::size_t first) override {
        const operand_sets& sets = data_->on(space_);
        // Nobody says here whether they have been filled anew.
        for (std::size_t i = 0; all_.prepared && i < sets.size(); ++i) ready_->take(sets.at(i));
        std::size_t set = first;
        return {space_.time_s([&] {
            for (std::int64_t i = 0; i < runs; ++i) {
                ready_->run(sets.at(set));
                set = (set + 1) % sets.size();
            }
        })};
    }

    rows::runnable* here() override { return ready_.get(); }

  private:
    const rows::implementation& entry_;
    const rows::operation all_;
    const core::settings settings_;
    space::execution_space& space_;
    placed_operands* data_ = nullptr;
    std::unique_ptr<rows::runnable> ready_;
};

}  // namespace

introduction introduce(const rows::implementation& entry, const rows::operation& all,
                       const core::settings& how) {
    introduction out{rows::reason_against(entry, all, how), {}};
    if (out.reason.empty() && entry.library != nullptr) out.library = entry.library();
    return out;
}

readiness facts_of(const rows::runnable& ready, double prepare_s) {
    const std::string why = ready.planned().why;
    return {prepare_s, ready.threads(), ready.note(), ready.kernels(),
            why.substr(0, why.find('\n'))};
}

std::unique_ptr<worker> worker_here(const rows::implementation& entry, const rows::operation& all,
                                    const core::settings& how, space::execution_space& space) {
    return std::make_unique<local_worker>(entry, all, how, space);
}

}  // namespace carat::workers
