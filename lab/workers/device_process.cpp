#include "lab/workers/device_process.hpp"

namespace carat::workers {

using nlohmann::json;

class device_process::row final : public worker {
  public:
    row(device_process& all, int number, const rows::implementation& entry,
        const core::settings& how)
        : all_(all), number_(number), task_{std::string(entry.name), all.operation_, how} {}

    introduction introduce() override {
        return introduction_from(
            ask({{"do", "introduce"}, {"task", to_json(task_)}, {"device", all_.device_}},
                "while its library was loaded", 0));
    }

    readiness prepare(placed_operands& /*data*/) override {
        all_.place();
        (void)introduce();
        const readiness ready =
            readiness_from(ask({{"do", "prepare"}}, "while it was made ready", all_.longest_s()));
        ready_in_ = all_.process_.number();
        run_s_ = 0;
        return ready;
    }

    // A process that replaces one which another row lost is made ready first.
    timing run(std::int64_t runs, std::size_t first) override {
        if (!is_ready()) (void)prepare(*all_.host_);
        const timing t = timing_from(ask({{"do", "run"}, {"runs", runs}, {"set", first}},
                                         run_s_ > 0 ? "in a later product" : "in its first product",
                                         static_cast<double>(runs) * longest_run_s()));
        run_s_ = t.time_s / static_cast<double>(runs);
        all_.all_.displaced += t.displaced;
        return t;
    }

    [[nodiscard]] bool has_process() const override { return true; }
    [[nodiscard]] bool is_ready() const override {
        return all_.process_.alive() && ready_in_ == all_.process_.number();
    }

    // The first of all rows to ask for it ends the process.
    bool renew() override {
        if (is_ready()) all_.process_.dismiss();
        return true;
    }

    [[nodiscard]] std::vector<double> hand_overs_s() const override {
        return all_.process_.hand_overs_s();
    }

  private:
    [[nodiscard]] double longest_run_s() const {
        return run_s_ > 0 ? 20 * run_s_ : all_.longest_s();
    }

    json ask(json question, const char* when, double expected_s) {
        question["row"] = number_;
        return all_.ask(question, when, expected_s);
    }

    device_process& all_;
    const int number_;
    const task task_;
    int ready_in_ = 0;
    double run_s_ = 0;  // of the last one; 0: none yet
};

std::unique_ptr<worker> device_process::make_worker(const rows::implementation& entry,
                                                    const core::settings& how) {
    return std::make_unique<row>(*this, rows_++, entry, how);
}

// Generous: 2 m n k at 10 GFLOP/s, and operands made at 10 MB/s.
double device_process::longest_s() const {
    constexpr double copies_s = 1e-3;  // of the tables that the passes of a product are made from
    const auto bytes = static_cast<double>(workload::bytes_needed(operation_).total());
    return 2 * multiply_adds(operation_) / 1e10 + copies_s * static_cast<double>(operation_.count) +
           static_cast<double>(sets_) * bytes / 1e7;
}

// An error may be of one product alone, or stay in the context for all that follow.
json device_process::ask(const json& question, const char* when, double expected_s) {
    try {
        return process_.ask(question, when, expected_s);
    } catch (const process::lost&) {
        ++losses_;
        throw;
    } catch (const std::exception&) {
        if (!is_sound()) {
            process_.dismiss();
            ++losses_;
        }
        throw;
    }
}

bool device_process::is_sound() {
    try {
        (void)process_.ask({{"do", "probe"}}, "", 0);
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

// True where the process is a new one, which has then what the one before had.
bool device_process::place() {
    if (process_.alive() && placed_in_ == process_.number()) return false;
    constexpr const char* when = "while matrices were made";
    sets_ = ask({{"do", "place"},
                 {"problem", to_json(operation_)},
                 {"device", device_},
                 {"sets", host_->on(space::host_space()).size()}},
                when, longest_s())
                .at("sets")
                .get<std::size_t>();
    if (filled_) (void)ask(*filled_, when, longest_s());
    for (const auto& [set, question] : loaded_) (void)ask(question, when, longest_s());
    placed_in_ = process_.number();
    return true;
}

// Where the process broke, that may be what an earlier product left behind: a new one is asked
// again.
template <class Ask>
void device_process::insist(const Ask& once) {
    for (bool again = false;; again = true) {
        try {
            return once();
        } catch (const std::exception&) {
            if (again || process_.alive()) throw;
        }
    }
}

// What is asked here is known to place().
void device_process::bring(const json& question) {
    insist([&] {
        if (!place()) (void)ask(question, "while matrices were made", longest_s());
    });
}

std::size_t device_process::sets() {
    if (sets_ == 0) bring({{"do", "ready"}});
    return sets_;
}

void device_process::fill(const workload::distribution& values, std::uint64_t seed) {
    filled_ = {{"do", "fill"}, {"values", to_json(values)}, {"seed", seed}};
    loaded_.clear();
    bring(*filled_);
}

void device_process::fill_ends(const workload::distribution& values, std::uint64_t seed) {
    loaded_.clear();
    bring({{"do", "fill_ends"}, {"values", to_json(values)}, {"seed", seed}});
}

void device_process::load(const verify::exact_passes& pass, std::size_t set) {
    const json question = {{"do", "load"}, {"pass", to_json(pass)}, {"set", set}};
    loaded_[set] = question;
    try {
        bring(question);
    } catch (...) {
        loaded_.erase(set);
        throw;
    }
}

void device_process::poison(std::size_t set) {
    insist([&] {
        place();
        (void)ask({{"do", "poison"}, {"set", set}}, "while C was poisoned", longest_s());
    });
}

void device_process::fill_c(const verify::exact_passes& pass, std::size_t set) {
    insist([&] {
        place();
        (void)ask({{"do", "fill_c"}, {"pass", to_json(pass)}, {"set", set}}, "while C was made",
                  longest_s());
    });
}

void device_process::fill_c(const workload::distribution& values, std::uint64_t seed) {
    insist([&] {
        place();
        (void)ask({{"do", "fill_c"}, {"values", to_json(values)}, {"seed", seed}},
                  "while C was made", longest_s());
    });
}

// The result is copied to the C of the host's first set, as placed_operands does.
const void* device_process::result(std::size_t set) {
    (void)ask({{"do", "fetch"}, {"set", set}}, "while C was copied", longest_s());
    return host_->on(space::host_space()).at(0).c;
}

verify::verdict device_process::check(const verify::exact_passes& pass, std::size_t set) {
    return verdict_from(ask({{"do", "check"}, {"pass", to_json(pass)}, {"set", set}},
                            "while C was compared", longest_s()));
}

// Where it can't be made, for whatever reason, the host's serves.
bool device_process::make_reference() {
    wants_reference_ = false;
    try {
        place();
        wants_reference_ =
            ask({{"do", "reference"}}, "while the reference was computed", longest_s())
                .at("made")
                .get<bool>();
        reference_in_ = process_.number();
    } catch (const std::exception&) {
    }
    return wants_reference_;
}

std::optional<verify::verdict> device_process::against_reference(const std::string& claim) {
    if (!wants_reference_) return {};
    const bool is_there = process_.alive() && reference_in_ == process_.number();
    if (!is_there && !make_reference()) return {};
    return verdict_from(
        ask({{"do", "against_reference"}, {"claim", claim}}, "while C was compared", longest_s()));
}

}  // namespace carat::workers
