#include "lab/judge/judge.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <set>

#include <carat/carat_kernel.h>
#include <carat/error.hpp>

#include "lab/gpu/gpu.hpp"
#include "lab/judge/ceiling.hpp"
#include "lab/judge/participant.hpp"
#include "lab/judge/processes.hpp"
#include "lab/judge/products.hpp"
#include "lab/judge/rounds.hpp"
#include "lab/judge/speed.hpp"
#include "lab/judge/target.hpp"
#include "lab/space/execution_space.hpp"

namespace carat::judge {

namespace {

constexpr std::int64_t memory_for_sets = std::int64_t{128} << 20;
constexpr std::int64_t gpu_memory_for_sets = std::int64_t{512} << 20;

constexpr std::array judged_types = {dtype::f64, dtype::f32, dtype::f16, dtype::bf16, dtype::i8};

class judgement {
  public:
    judgement(const options& r, const hooks& user) : asked_(r), user_(user), numbers_(r.seed) {
        out_.target = r.target;
        out_.seed = r.seed;
        out_.threads = r.threads;
        out_.at_least = r.at_least;
    }

    outcome run() {
        protect_judge();
        try {
            target what = open_target(asked_.target, asked_.python_on_gpu);
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

    // A process that does nothing else is asked what the target requires.
    [[nodiscard]] bool wants_gpu(const target& what) const {
        if (asked_.python_on_gpu) return true;
        const shared_memory small(data_begins + std::int64_t{sizeof(carat_gpu_channel)});
        table_of_rules rules{small, asked_, user_};
        participant one(what.name, what.arguments, rules, true);
        one.load();
        return (one.description().features & CARAT_ON_GPU) != 0;
    }

    void lay_table(target& what) {
        const bool on_gpu = wants_gpu(what);
        what.keep_open(on_gpu);
        to_time_ = products_to_time(asked_, on_gpu, numbers_.shapes);
        if (on_gpu) {
            require_gpu();
            out_.gpu = gpu::describe(gpu::in_use()).value("name", "");
            gpu_ = std::make_unique<gpu_memory>(gpu_bytes_needed());
        }
        const std::int64_t channel = data_begins + std::int64_t{sizeof(carat_gpu_channel)};
        memory_ = std::make_unique<shared_memory>(on_gpu ? channel : bytes_needed());
        rules_.emplace(table_of_rules{*memory_, asked_, user_, gpu_.get(), numbers_});
    }

    [[nodiscard]] std::vector<request::shape> largest_sizes() const {
        std::vector<request::shape> all;
        for (const alternatives& one : to_time_)
            for (const timed_product& product : one) all.push_back(product.size);
        return all;
    }

    [[nodiscard]] std::int64_t gpu_bytes_needed() const {
        constexpr std::int64_t copies =
            6;  // the gpu_memory's, and a reference in twice the precision
        constexpr std::int64_t for_others = std::int64_t{3} << 30;
        const std::int64_t free = gpu_memory::memory().free_bytes - for_others;
        std::int64_t most = std::min(gpu_memory_for_sets, std::max<std::int64_t>(free, 0) / copies);
        for (const request::shape& s : largest_sizes()) {
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
        // Counts what is shared with the peers and three processes of the target, and the images of
        // it.
        constexpr std::int64_t copies = 10;
        const auto available = static_cast<std::int64_t>(space::host_space().available_bytes());
        std::int64_t most = memory_for_sets;
        for (const request::shape& s : largest_sizes()) {
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

    void run_target(target& what) {
        lay_table(what);
        participant one(what.name, what.arguments, *rules_, true);
        const std::vector<std::string> before = one.wait_until_started();
        one.load();
        out_.boundary = one.process().boundary();
        out_.bounded = !out_.boundary.empty();
        choose_type(one.description());
        const bool offers_factors = (one.description().features & CARAT_ALPHA_BETA) != 0;
        choose_products(one);
        tell("checking");
        check_shapes(one, offers_factors);
        for (const timed_product& product : products_)
            if (asked_.at_least > 0)
                time(one, product);
            else
                check_product(one, product);
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

    // Finds which of the products to be timed the target takes.
    void choose_products(participant& one) {
        for (const alternatives& of : to_time_) {
            const auto taken = first_taken(one, type_, asked_.threads, of);
            const request::shape s = of.front().size;
            const std::string size = fmt::format("{}x{}x{}", s.m, s.n, s.k);
            if (taken)
                products_.push_back(*taken);
            else if (!asked_.sizes.empty())
                throw error(error_code::invalid_argument,
                            fmt::format("--size {}: '{}' refuses it, with padded and with "
                                        "contiguous rows: name a size that it takes",
                                        size, out_.kernel));
            if (taken && taken->size != s)
                out_.warnings.push_back(fmt::format("it refuses {}: {}x{}x{} is used instead", size,
                                                    taken->size.m, taken->size.n, taken->size.k));
        }
        if (products_.empty())
            throw error(error_code::invalid_argument,
                        fmt::format("'{}' refuses every product that would be timed: name a size "
                                    "that it takes with --size",
                                    out_.kernel));
    }

    // The shapes and places have their own streams. A kernel for contiguous rows takes few of these
    // products, so it gets more, at arbitrary addresses and at multiples of 64 bytes.
    void check_shapes(participant& one, bool offers_factors) {
        const std::vector<request::shape> shapes = shapes_to_try(rules_->numbers.shapes);
        stream& places = rules_->numbers.places;
        std::vector<core::problem> scattered, contiguous;
        for (const request::shape& s : shapes) {
            scattered.push_back(draw_problem(type_, s, places));
            contiguous.push_back(problem_of(type_, s, row_layout::contiguous));
        }
        out_.refused.clear();
        check_all_kinds(one, scattered, &places);
        if (std::ranges::any_of(products_, is_contiguous)) {
            check_all_kinds(one, contiguous, &places);
            check_all_kinds(one, contiguous, nullptr);
        }
        if (!offers_factors) return;
        for (core::problem& p : scattered) {
            p.alpha = static_cast<double>(places.between(-2, 2));
            p.beta = static_cast<double>(places.between(-1, 1));
        }
        std::vector<std::string> ignored;
        one.enter(batch(scattered, asked_.threads, &places), &ignored);
        go(one, data_kind::general);
    }

    static bool is_contiguous(const timed_product& product) {
        return product.rows == row_layout::contiguous;
    }

    // Uses both exact passes and general data.
    void check_all_kinds(participant& one, const std::vector<core::problem>& problems,
                         stream* places) {
        one.enter(batch(problems, asked_.threads, places), &out_.refused);
        for (const data_kind kind :
             {data_kind::significands, data_kind::sums, data_kind::general, data_kind::exact})
            go(one, kind);
    }

    static void go_and_check(participant& one) {
        one.go();
        one.check(60);
    }

    void go(participant& one, data_kind kind) {
        if (one.calls().calls() == 0) return;
        one.make_ready(kind);
        go_and_check(one);
    }

    void check_product(participant& one, const timed_product& product) {
        const core::problem p = problem_of(type_, product.size, product.rows);
        one.enter(batch({p, p}, asked_.threads), nullptr);
        for (const data_kind kind : {data_kind::general, data_kind::exact, data_kind::general})
            go(one, kind);
    }

    void time(participant& one, const timed_product& product) {
        rounds all(*rules_, one, product, type_);
        out_.cases.push_back(all.run());
        out_.calls_checked += all.checked();
        loaded_.insert(loaded_.end(), all.libraries().begin(), all.libraries().end());
        if (busy_.empty()) busy_ = all.busy();
        const ceiling_check seen = hold_against_peak(out_.cases.back(), type_, *rules_);
        if (!seen.foul.empty()) throw foul(seen.foul);
        if (busy_.empty()) busy_ = seen.doubt;
    }

    // Notes the libraries that any process of the target loaded.
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

    const options& asked_;
    const hooks& user_;
    draws numbers_;
    std::vector<alternatives> to_time_;
    std::vector<timed_product> products_;
    std::unique_ptr<gpu_memory> gpu_;
    std::unique_ptr<shared_memory> memory_;
    std::optional<table_of_rules> rules_;
    dtype type_ = dtype::f64;
    std::string busy_;
    std::string own_file_;  // what it was made, or is, itself
    std::vector<std::string> loaded_;
    outcome out_;
};

}  // namespace

outcome judge(const options& r, const hooks& user) {
    return judgement(r, user).run();
}

}  // namespace carat::judge
