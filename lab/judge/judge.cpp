#include "lab/judge/judge.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include <carat/carat_kernel.h>
#include <carat/error.hpp>

#include "core/execution_space.hpp"
#include "lab/gpu/gpu.hpp"
#include "lab/judge/party.hpp"
#include "lab/judge/processes.hpp"
#include "lab/judge/rounds.hpp"
#include "lab/judge/speed.hpp"
#include "lab/judge/target.hpp"
#include "lab/verify/exact_rules.hpp"

namespace carat::judge {

namespace {

constexpr std::int64_t memory_for_sets = std::int64_t{128} << 20;
constexpr std::int64_t gpu_memory_for_sets = std::int64_t{512} << 20;

// Numbers of one judgement, from its seed.
class lot {
  public:
    explicit lot(std::uint64_t seed) : seed_(seed) {}
    std::int64_t between(std::int64_t least, std::int64_t most) {
        return least + static_cast<std::int64_t>(verify::mixed(seed_ + ++draws_) %
                                                 static_cast<std::uint64_t>(most - least + 1));
    }
    std::int64_t odd(std::int64_t least, std::int64_t most) { return between(least, most) | 1; }

  private:
    std::uint64_t seed_;
    std::uint64_t draws_ = 0;
};

// Shapes that are tried, not timed: single rows, columns and terms, what is just beside a multiple
// of a tile's side, what is long in one direction, and any.
std::vector<session::shape> shapes_to_try(std::uint64_t seed) {
    lot l(seed);
    std::vector<session::shape> all = {{1, 1, 1}};
    all.push_back({1, l.between(2, 90), l.between(2, 90)});
    all.push_back({l.between(2, 90), 1, l.between(2, 90)});
    all.push_back({l.between(2, 90), l.between(2, 90), 1});
    for (const std::int64_t side : {8, 32, 64}) {
        const std::int64_t base = side * l.between(1, 2);
        all.push_back({base, base, base});
        all.push_back({base + 1, base - 1, base + l.between(-1, 1)});
    }
    all.push_back({l.between(2, 20), l.between(2, 20), l.between(2000, 4000)});
    all.push_back({l.between(400, 900), l.between(2, 30), l.between(2, 60)});
    all.push_back({l.between(2, 30), l.between(400, 900), l.between(2, 60)});
    for (int i = 0; i < 3; ++i)
        all.push_back({l.between(2, 200), l.between(2, 200), l.between(2, 200)});
    all.push_back({l.odd(201, 330), l.odd(201, 330), l.odd(201, 330)});
    return all;
}

// A multiple of all tiles' sides, and one of none.
std::vector<session::shape> sizes_to_time(const request& r, bool on_gpu) {
    if (!r.sizes.empty()) return r.sizes;
    lot l(r.seed + 1);
    const std::int64_t side = on_gpu ? 4096 : 512;
    const std::int64_t least = side / 32 * 25, most = side / 4 * 5;
    return {{side, side, side}, {l.odd(least, most), l.odd(least, most), l.odd(least, most)}};
}

constexpr std::array judged_types = {dtype::f64, dtype::f32, dtype::f16, dtype::bf16, dtype::i8};

class referee {
  public:
    referee(const request& r, const hooks& user) : asked_(r), user_(user) {
        out_.target = r.target;
        out_.seed = r.seed;
        out_.threads = r.threads;
        out_.at_least = r.at_least;
    }

    outcome run() {
        protect_referee();
        try {
            const target what = open_target(asked_.target, asked_.python_on_gpu);
            if (asked_.python_on_gpu) require_gpu();
            out_.target = what.name;
            out_.warnings = what.notes;
            out_.ruled = ruling::right;
            run_target(what);
        } catch (const does_not_compile& failure) {
            out_.ruled = ruling::wrong;
            out_.reason = failure.what();
        } catch (const foul& found) {
            out_.ruled = ruling::wrong;
            out_.reason = found.what();
        }
        end_orphans();
        return out_;
    }

  private:
    void require_gpu() const {
        const int device = gpu::in_use();
        if (const std::string why = gpu::unavailable(device); !why.empty())
            throw error(error_code::unsupported,
                        fmt::format("TARGET '{}' needs a GPU: none here: {}", asked_.target, why));
    }

    // What it wants is asked of a process that does nothing else.
    [[nodiscard]] bool wants_gpu(const target& what) const {
        if (asked_.python_on_gpu) return true;
        const shared_memory small(data_begins + std::int64_t{sizeof(carat_door)});
        table_of_rules rules{small, asked_, user_};
        party one(what.name, what.arguments, rules, true);
        one.load();
        return (small.head().features & CARAT_ON_GPU) != 0;
    }

    void lay_table(const target& what) {
        const bool on_gpu = wants_gpu(what);
        sizes_ = sizes_to_time(asked_, on_gpu);
        if (on_gpu) {
            require_gpu();
            out_.gpu = gpu::describe(gpu::in_use()).value("name", "");
            desk_ = std::make_unique<desk>(gpu_bytes_needed());
        }
        const std::int64_t door = data_begins + std::int64_t{sizeof(carat_door)};
        memory_ = std::make_unique<shared_memory>(on_gpu ? door : bytes_needed());
        rules_.emplace(table_of_rules{*memory_, asked_, user_, desk_.get()});
    }

    [[nodiscard]] std::int64_t gpu_bytes_needed() const {
        constexpr std::int64_t copies = 6;  // the desk's, and a reference in twice the precision
        constexpr std::int64_t for_others = std::int64_t{3} << 30;
        const std::int64_t free = desk::memory().free_bytes - for_others;
        std::int64_t most = std::min(gpu_memory_for_sets, std::max<std::int64_t>(free, 0) / copies);
        for (const session::shape& s : sizes_) {
            const std::int64_t bytes = least_bytes(s, asked_.type.value_or(dtype::f64));
            if (bytes > free / copies)
                throw error(error_code::out_of_memory,
                            fmt::format("--size {}x{}x{} takes {} MiB of a GPU's memory to judge, "
                                        "and {} are free: choose a smaller size",
                                        s.m, s.n, s.k, (bytes * copies + for_others) >> 20,
                                        (free + for_others) >> 20));
            most = std::max(most, bytes);
        }
        return most;
    }

    [[nodiscard]] std::int64_t bytes_needed() const {
        // The shared memory, three images of it, and those of the peers.
        constexpr std::int64_t copies = 8;
        const auto available = static_cast<std::int64_t>(core::host_space().available_bytes());
        std::int64_t most = memory_for_sets;
        for (const session::shape& s : sizes_) {
            const std::int64_t bytes = least_bytes(s, asked_.type.value_or(dtype::f64));
            if (available > 0 && bytes > available / copies)
                throw error(error_code::out_of_memory,
                            fmt::format("--size {}x{}x{} takes {} MiB to judge, and {} are free: "
                                        "choose a smaller size",
                                        s.m, s.n, s.k, (bytes >> 20) * copies, available >> 20));
            most = std::max(most, bytes);
        }
        return most;
    }

    void run_target(const target& what) {
        lay_table(what);
        party one(what.name, what.arguments, *rules_, true);
        const std::vector<std::string> before = one.wait_until_started();
        one.load();
        choose_type(memory_->head());
        const bool offers_factors = (memory_->head().features & CARAT_ALPHA_BETA) != 0;
        tell("checking");
        check_shapes(one, offers_factors);
        for (const session::shape& s : sizes_)
            if (asked_.at_least > 0)
                time(one, s);
            else
                check_size(one, s);
        tell("checking again");
        check_shapes(one, offers_factors);
        out_.calls_checked += one.checked();
        own_file_ = std::filesystem::path(what.arguments.back()).filename();
        const std::vector<std::string> own = one.process().libraries();
        if (own.empty()) out_.warnings.push_back("it hides what it loaded");
        loaded_.insert(loaded_.end(), own.begin(), own.end());
        note_libraries(before, {loaded_.begin(), loaded_.end()});
        rule();
    }

    void tell(const std::string& what) const {
        if (user_.progress) user_.progress(what, 0);
    }

    void choose_type(const header& head) {
        out_.kernel = std::string(head.name, strnlen(head.name, sizeof head.name));
        std::vector<std::string> offered;
        for (const dtype type : judged_types)
            if ((head.types & kernel_type(type)) != 0) offered.emplace_back(carat::name(type));
        const auto found = std::ranges::find_if(judged_types, [&](dtype type) {
            return (head.types & kernel_type(type)) != 0 && (!asked_.type || type == *asked_.type);
        });
        if (found == judged_types.end())
            throw error(error_code::invalid_argument,
                        fmt::format("--dtype {}: '{}' offers {}",
                                    asked_.type ? carat::name(*asked_.type) : "", out_.kernel,
                                    offered.empty() ? "no type"
                                                    : fmt::format("{}", fmt::join(offered, ", "))));
        type_ = *found;
        out_.type = std::string(carat::name(type_));
    }

    // Both exact passes and general data, on shapes and places of their own.
    void check_shapes(party& one, bool offers_factors) {
        std::vector<core::problem> problems;
        for (const session::shape& s : shapes_to_try(rules_->draw()))
            problems.push_back(draw_problem(type_, s.m, s.n, s.k, alignment::any, rules_->draw()));
        out_.refused.clear();
        one.enter(batch(problems, alignment::any, asked_.threads, rules_->draw()), &out_.refused);
        for (const data_kind kind :
             {data_kind::significands, data_kind::sums, data_kind::general, data_kind::exact})
            go(one, kind);
        if (!offers_factors) return;
        lot l(rules_->draw());
        for (core::problem& p : problems) {
            p.alpha = static_cast<double>(l.between(-2, 2));
            p.beta = static_cast<double>(l.between(-1, 1));
        }
        std::vector<std::string> ignored;
        one.enter(batch(problems, alignment::any, asked_.threads, rules_->draw()), &ignored);
        go(one, data_kind::general);
    }

    static void go_and_check(party& one) {
        one.go();
        one.check(60);
    }

    void go(party& one, data_kind kind) {
        if (one.calls().calls() == 0) return;
        one.make_ready(kind);
        go_and_check(one);
    }

    void check_size(party& one, session::shape s) {
        const core::problem p = draw_problem(type_, s.m, s.n, s.k, alignment::wide, rules_->draw());
        one.enter(batch({p, p}, alignment::wide, asked_.threads, rules_->draw()), nullptr);
        for (const data_kind kind : {data_kind::general, data_kind::exact, data_kind::general})
            go(one, kind);
    }

    void time(party& one, session::shape s) {
        rounds all(*rules_, one, s, type_);
        out_.cases.push_back(all.run());
        out_.calls_checked += all.checked();
        loaded_.insert(loaded_.end(), all.libraries().begin(), all.libraries().end());
        if (busy_.empty()) busy_ = all.busy();
    }

    // By any of its processes.
    void note_libraries(const std::vector<std::string>& before,
                        const std::set<std::string>& after) {
        const std::set<std::string> known(before.begin(), before.end());
        constexpr std::array vendors = {"openblas", "mkl",   "blis", "libblas", "cublas", "dnnl",
                                        "xsmm",     "armpl", "nvpl", "atlas",   "carat",  "cuda"};
        const bool on_gpu = !out_.gpu.empty();
        std::vector<std::string> of_vendors;
        for (const std::string& path : after) {
            const std::string file = std::filesystem::path(path).filename();
            if (known.contains(path) || file == own_file_) continue;
            if (on_gpu && is_of_driver(file)) continue;
            out_.libraries.push_back(file);
            const bool vendor = std::ranges::any_of(vendors, [&](std::string_view name) {
                return file.find(name) != file.npos && !(on_gpu && name == "cuda");
            });
            if (vendor) of_vendors.push_back(file);
        }
        if (!of_vendors.empty())
            out_.warnings.push_back(
                fmt::format("it loaded {}: is that its own work?", fmt::join(of_vendors, ", ")));
    }

    static bool is_of_driver(const std::string& file) {
        return file.starts_with("libcuda.so") || file.starts_with("libcudart") ||
               file.starts_with("libnvidia-");
    }

    void rule() {
        if (out_.cases.empty()) return;
        std::vector<statistics::estimate> sizes;
        for (const timed_case& c : out_.cases) sizes.push_back(c.slower);
        const speed found = speed_of(over_sizes(sizes));
        out_.ratio = found.ratio;
        out_.ci95_ratio = found.ci95;
        out_.ruled = judge::rule(found, asked_.at_least);
        if (busy_.empty()) return;
        out_.ruled = ruling::none;
        out_.reason = busy_;
    }

    const request& asked_;
    const hooks& user_;
    std::vector<session::shape> sizes_;
    std::unique_ptr<desk> desk_;
    std::unique_ptr<shared_memory> memory_;
    std::optional<table_of_rules> rules_;
    dtype type_ = dtype::f64;
    std::string busy_;
    std::string own_file_;  // what it was made, or is, itself
    std::vector<std::string> loaded_;
    outcome out_;
};

}  // namespace

outcome judge(const request& r, const hooks& user) {
    return referee(r, user).run();
}

}  // namespace carat::judge
