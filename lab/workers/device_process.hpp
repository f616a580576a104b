// All implementations of a case that run on a GPU share one process, which has the only context of
// that GPU: contexts that take turns there would cost what no user pays. When an implementation
// breaks it (a crash, a hang, an error that stays in the context), the next question starts
// another, which is given what the lost one had.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "lab/workers/lazy_process.hpp"
#include "lab/workers/messages.hpp"
#include "lab/workers/operand_store.hpp"
#include "lab/workers/worker.hpp"

namespace carat::workers {

class device_process final : public operand_store {
  public:
    device_process(process_pool& all, const rows::operation& what, int device)
        : all_(all), operation_(what), device_(device), process_(all) {}

    // Must not outlive this object.
    [[nodiscard]] std::unique_ptr<worker> make_worker(const rows::implementation& entry,
                                                      const core::settings& how);

    // The host's operands, which shared memory holds; before anything of the base.
    void lay_out(placed_operands& host) { host_ = &host; }

    // How many processes were lost so far.
    [[nodiscard]] int losses() const { return losses_; }

    std::size_t sets() override;
    void fill(const workload::distribution& values, std::uint64_t seed) override;
    void fill_ends(const workload::distribution& values, std::uint64_t seed) override;
    void load(const verify::exact_passes& pass, std::size_t set) override;
    void poison(std::size_t set) override;
    void fill_c(const verify::exact_passes& pass, std::size_t set) override;
    void fill_c(const workload::distribution& values, std::uint64_t seed) override;
    const void* result(std::size_t set) override;
    verify::verdict check(const verify::exact_passes& pass, std::size_t set) override;
    bool make_reference() override;
    std::optional<verify::verdict> against_reference(const std::string& claim) override;

  private:
    class row;

    nlohmann::json ask(const nlohmann::json& question, const char* when, double expected_s);
    [[nodiscard]] bool is_sound();
    bool place();
    template <class Ask>
    void insist(const Ask& once);
    void bring(const nlohmann::json& question);
    [[nodiscard]] double longest_s() const;

    process_pool& all_;
    const rows::operation operation_;
    int device_;
    lazy_process process_;
    placed_operands* host_ = nullptr;
    int rows_ = 0;
    int losses_ = 0;
    int placed_in_ = 0;     // number of the process that has the operands
    int reference_in_ = 0;  // and of the one that has the reference
    bool wants_reference_ = false;
    std::size_t sets_ = 0;
    std::optional<nlohmann::json> filled_;          // the question that filled all sets
    std::map<std::size_t, nlohmann::json> loaded_;  // and those that loaded one since
};

}  // namespace carat::workers
