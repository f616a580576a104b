#include "lab/session/session.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include <carat/error.hpp>

#include "lab/gpu/gpu.hpp"
#include "lab/results/build_info.hpp"
#include "lab/session/known_results.hpp"
#include "lab/session/settle.hpp"

namespace carat::session {

nlohmann::json settings_of(const request::measurement& r) {
    return {{"threads", r.threads},
            {"layout", to_string(r.stored)},
            {"call", rows::describe(r.asked)},
            {"seed", r.seed},
            {"distribution", workload::to_string(r.values)},
            {"inputs", r.rotate_inputs ? "rotated" : "hot"},
            {"trials", r.timing.trials},
            {"ci_width", r.timing.ci_width},
            {"budget_s", r.timing.budget_s},
            {"min_trial_s", r.timing.min_trial_s},
            {"confidence", 0.95},
            {"alpha", r.alpha},
            {"equivalence_margin", r.equivalence_margin},
            {"operations", r.convention == request::operation_count::exact ? "2n3-n2" : "2mnk"},
            {"phases", r.phases ? name(*r.phases) : ""},
            {"base", r.base},
            {"settle_s", r.settle_s},
            {"order", "interleaved, random"},
            {"processes", r.processes}};
}

namespace {

void add_peaks(results::document& doc, const gpu::known_gpu& gpu) {
    for (nlohmann::json& one : doc.machine["gpus"])
        if (one["device"] == gpu.device) one["peaks"] = machine::to_json(gpu.limits);
}

// A result that says all it will ever say of this selection.
bool answers(const results::result& c, const request::selection& s, const std::string& label) {
    const bool same =
        c.implementation == label && std::ranges::all_of(s.tunables, [&](const auto& asked) {
            const auto has = c.tunables.find(asked.first);
            return has != c.tunables.end() && has->second == asked.second;
        });
    const auto whole = [](const std::string& stop) {
        return stop != measure::name(measure::stop_reason::interrupted);
    };
    return same && whole(c.stop) && (!c.end_to_end || whole(c.end_to_end->stop));
}

// The work of a case for the progress of a session: the time goes into trials whose number hardly
// depends on the size, so cases count alike.
class session {
  public:
    session(const request::measurement& r, const machine::description& machine,
            const machine::peaks& limits, const std::optional<gpu::known_gpu>& gpu,
            const outputs& out, const hooks& user, results::document& doc)
        : request_(r),
          limits_(limits),
          gpu_(gpu),
          around_{machine,
                  limits_,
                  [this](const request::selection& s, const request::case_key& k) {
                      return expected_run_s(s, k);
                  },
                  user.interrupted,
                  [this](const std::string& what, double share) { tell(what, share); },
                  [this](rows::device where, const std::vector<int>& threads) {
                      measure_again(where, threads);
                  },
                  gpu_ ? &*gpu_ : nullptr,
                  {},
                  user.probe,
                  [this](const request::selection& s, const request::case_key& k) {
                      return one_thread_s(s, k);
                  },
                  user.start},
          user_(user),
          doc_(doc),
          known_(doc),
          saver_(doc, out) {}
    session(const session&) = delete;
    session& operator=(const session&) = delete;
    ~session() { known_.settle(); }  // before the saver saves what an error left

    bool run() {
        const bool all = run_cases();
        known_.settle();
        doc_.complete = all || doc_.complete;
        if (all || saver_.is_behind()) saver_.finish();
        return all;
    }

  private:
    bool run_cases() {
        const std::vector<request::case_key> cases = cases_of(request_);
        total_ = cases.size();
        for (const request::case_key& key : cases) {
            if (user_.interrupted && user_.interrupted()) return false;
            if (!measured_already(key)) {
                // All trials of a case must be interleaved, so it is measured whole, whatever an
                // interrupted or smaller session left of it.
                known_.forget(key);
                current_ = describe(key);
                if (!run_one(key)) return false;
            }
            ++done_;
        }
        return true;
    }

    [[nodiscard]] bool measured_already(const request::case_key& key) const {
        const std::vector<const results::result*> known = known_.of_case(key);
        return std::ranges::all_of(request_.chosen, [&](const request::selection& s) {
            const std::string label = label_of(s, request_.chosen);
            return std::ranges::any_of(
                known, [&](const results::result* c) { return answers(*c, s, label); });
        });
    }

    bool run_one(const request::case_key& key) {
        const case_result result = settle(
            run_case(request_, key, around_),
            {request_.settle_s, request_.timing.ci_width, analysis_of(request_)}, [&](int more) {
                request::measurement again = request_;
                again.seed += static_cast<std::uint64_t>(more);
                again.measure_energy = false;
                return run_case(again, key, around_);
            });
        known_.add(result);
        doc_.complete = false;
        if (saver_.is_due()) known_.settle();
        saver_.add(result.results, result.compared);  // before it is told: the reader may have gone
        if (user_.case_done) user_.case_done(key, result);
        return !result.interrupted;
    }

    void measure_again(rows::device where, const std::vector<int>& threads) {
        saver_.changed();
        if (where == rows::device::cuda && user_.measure_gpu_again) {
            gpu_->limits = user_.measure_gpu_again(*gpu_);
            add_peaks(doc_, *gpu_);
        } else if (where == rows::device::cpu && user_.measure_again) {
            limits_ = user_.measure_again(limits_, threads);
            doc_.machine["peaks"] = machine::to_json(limits_);
        }
    }

    // Follows from this implementation's rate on the largest product of the type so far with as
    // many threads: small ones say nothing, being all overhead.
    [[nodiscard]] double expected_run_s(const request::selection& s,
                                        const request::case_key& key) const {
        const results::result* largest =
            known_.largest(label_of(s, request_.chosen), key.type,
                           s.entry->threaded ? std::optional(key.threads) : std::nullopt);
        if (largest == nullptr) return 0;
        return operations(key, request_.convention) / largest->flop * run_s(*largest);
    }

    [[nodiscard]] double one_thread_s(const request::selection& s, request::case_key key) const {
        key.threads = 1;
        for (const results::result* c : known_.of_case(key))
            if (c->implementation == label_of(s, request_.chosen) && c->has_figure())
                return c->median_s;
        return 0;
    }

    // Checks between trials and after the last know no share of their own.
    void tell(const std::string& what, double share) {
        if (!user_.progress) return;
        const double all = (static_cast<double>(done_) + share) / static_cast<double>(total_);
        furthest_ = std::max(furthest_, all);
        user_.progress(current_ + ": " + what, furthest_);
    }

    const request::measurement& request_;
    machine::peaks limits_;
    std::optional<gpu::known_gpu> gpu_;
    const surroundings around_;
    const hooks& user_;
    results::document& doc_;
    known_results known_;
    saver saver_;
    std::size_t total_ = 0;
    std::size_t done_ = 0;
    double furthest_ = 0;
    std::string current_;
};

}  // namespace

results::document new_document(const request::measurement& r, const machine::description& machine,
                               const machine::peaks& limits, const std::string& command,
                               const std::optional<gpu::known_gpu>& gpu) {
    results::document doc = results::new_document(command);
    doc.machine = machine::to_json(machine);
    doc.machine["peaks"] = machine::to_json(limits);
    doc.machine["gpus"] = nlohmann::json::array();
    for (int device = 0; device < gpu::count(); ++device)
        if (nlohmann::json facts = gpu::describe(device); !facts.is_null())
            doc.machine["gpus"].push_back(std::move(facts));
    if (gpu) add_peaks(doc, *gpu);
    doc.settings = settings_of(r);
    return doc;
}

void require_resumable(const results::document& earlier, const results::document& now,
                       const std::string& file) {
    const auto require_same = [&](const std::string& what, const nlohmann::json& a,
                                  const nlohmann::json& b) {
        if (a != b)
            throw error(error_code::invalid_argument,
                        "--resume: " + file + " has " + what + " " + a.dump() + ", now it is " +
                            b.dump() + ": repeat its options, or start a new file");
    };
    const auto field = [](const nlohmann::json& j, const char* key) {
        return j.value(key, nlohmann::json());
    };
    for (const char* key : {"cpu_model", "cores", "isa_in_use"})
        require_same(key, field(earlier.machine, key), field(now.machine, key));
    for (const char* key :
         {"distribution", "inputs", "operations", "seed", "min_trial_s", "phases", "processes"})
        require_same(key, field(earlier.settings, key), field(now.settings, key));
    require_same("layout", earlier.settings.value("layout", nlohmann::json("nn")),
                 now.settings["layout"]);
    require_same("call", earlier.settings.value("call", nlohmann::json("")), now.settings["call"]);
    require_same("revision", earlier.revision, now.revision);
}

bool run_session(const request::measurement& r, const machine::description& machine,
                 const machine::peaks& limits, const outputs& out, const hooks& user,
                 results::document& doc, const std::optional<gpu::known_gpu>& gpu) {
    return session(r, machine, limits, gpu, out, user, doc).run();
}

}  // namespace carat::session
