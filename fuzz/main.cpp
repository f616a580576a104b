// carat_fuzz: random calls, each checked (docs/fuzzing.md).
#include <chrono>
#include <csignal>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <carat/carat.hpp>

#include "blas/cases.hpp"
#include "blocks.hpp"
#include "c_cases.hpp"
#include "gpu/cases.hpp"
#include "gpu/stress.hpp"
#include "options.hpp"

namespace carat::fuzz {

namespace {

// Cases that never end: the test fuzz.endless checks that a run ends nevertheless and names them.

bool holds_process = false;

[[noreturn]] void wait_for_ever() {
    for (;;) pause();
}

std::string run(std::uint64_t, std::uint64_t number, const surroundings& in, tally&) {
    tell_description(in, "endless");
    holds_process = number == 2;
    if (holds_process) return {};
    if (number == 0) static_cast<void>(std::signal(SIGALRM, SIG_IGN));
    wait_for_ever();
}

void end(const std::string&) {
    if (holds_process) wait_for_ever();
}

// Number 0 ignores attempts to end it, 1 does not, and 2 ends but not its process.
family of_endless_cases() {
    return {"endless", run, nullptr, end};
}

constexpr int no_gpu = 77;  // as tests say that they were skipped

std::vector<family> families_on_cpus() {
    std::vector<family> all = {{"", run_product_case}, {"c", run_c_case}};
    if (const std::string why = why_no_blas(); why.empty())
        all.push_back({"blas", run_blas_case});
    else
        std::printf("the drop-in BLAS is not fuzzed: %s\n", why.c_str());
    return all;
}

std::vector<family> families_on_gpus() {
    if constexpr (CARAT_HAS_CUDA)
        return {of_full_gpus(), of_stressed_gpus(), of_gpus()};
    else
        return {};
}

// Unless a family is named, memory is filled only by a process that has the GPU to itself and no
// limit of cases, and nothing is stressed: some of those cases do not end.
std::vector<family> families(const options& o) {
    std::vector<family> all = o.gpu ? families_on_gpus() : families_on_cpus();
    const auto is_left_out = [&](const family& of) {
        if (!o.family.empty()) return of.name != o.family;
        return of.name == "stress" || (of.name == "full" && (o.jobs > 1 || o.cases != 0));
    };
    std::erase_if(all, is_left_out);
    if (all.empty() && !o.family.empty())
        throw std::invalid_argument("--family is '" + o.family +
                                    "': give it c or blas, with --gpu gpu, full or stress");
    return all;
}

std::string why_no_calls_on_gpus() {
    if constexpr (CARAT_HAS_CUDA)
        return why_no_gpu();
    else
        return "this build has no CUDA: configure with -DCARAT_CUDA=ON";
}

void print_counts(const family& of, const tally& t) {
    std::printf("%s", text_of(t, of.name.empty() ? "products" : of.name).c_str());
}

std::uint64_t found_by_all(std::span<const report> reports) {
    std::uint64_t findings = 0;
    for (const report& r : reports) findings += r.findings;
    return findings;
}

// A run's families and its process number `job`.
struct share {
    std::span<const family> of;
    std::uint64_t job;
};

// Runs every n-th block of all families in turn, until the time is over.
void run_blocks(const options& o, const share& own, std::span<report> reports) {
    const bool counts = o.gpu && o.cases != 0;
    const std::uint64_t end = counts ? o.cases : ~std::uint64_t{0};
    for (std::uint64_t block = own.job; clock::now() < o.until; block += o.jobs) {
        if (!counts && o.cases != 0 && reports[0].all.cases * o.jobs >= o.cases) return;
        if (found_by_all(reports) >= most_findings) {
            std::printf("stopped after %llu findings\n",
                        static_cast<unsigned long long>(found_by_all(reports)));
            return;
        }
        for (std::size_t f = 0; f < own.of.size(); ++f) {
            const family& of = own.of[f];
            const std::uint64_t cases = counts ? (o.cases + o.jobs - 1) / o.jobs : of.cases;
            const std::uint64_t first = block * cases;
            if (first >= end) return;
            if (!of.on_gpu && !machine_has(isa_of(first))) continue;
            run_block(of, o, first, std::min(first + cases, end), reports[f]);
        }
    }
}

std::string not_run(const options& o) {
    std::string all;
    for (std::uint64_t block = 0; block < isa_count && !o.gpu; ++block)
        if (const char* const isa = isa_of(block * cases_in_a_block); !machine_has(isa))
            all += std::string(all.empty() ? "" : ", ") + isa;
    return all;
}

// Each process of a run has its own reports in `all`.
int run_all(options o) {
    const std::vector<family> all = families(o);
    const clock::time_point start = clock::now();
    const std::chrono::duration<double> limit(std::min(o.minutes, 1e6) * 60);
    o.until = start + std::chrono::duration_cast<clock::duration>(limit);
    const std::span<report> of_jobs = shared_reports(o.jobs * all.size());
    const auto run_job = [&](std::uint64_t job) {
        run_blocks(o, {all, job}, of_jobs.subspan(job * all.size(), all.size()));
    };
    if (o.jobs == 1)
        run_job(0);
    else
        in_children(o.jobs, run_job);
    std::vector<report> reports(all.size());
    for (std::size_t i = 0; i < of_jobs.size(); ++i) {
        reports[i % all.size()].all.add(of_jobs[i].all);
        reports[i % all.size()].findings += of_jobs[i].findings;
    }
    const double seconds = std::chrono::duration<double>(clock::now() - start).count();
    std::printf("seed %llu, %.0f s\n", static_cast<unsigned long long>(o.seed), seconds);
    if (const std::string left_out = not_run(o); !left_out.empty())
        std::printf("not run, since this processor lacks them: %s\n", left_out.c_str());
    for (std::size_t f = 0; f < all.size(); ++f) print_counts(all[f], reports[f].all);
    const std::uint64_t findings = found_by_all(reports);
    std::printf("%llu findings\n", static_cast<unsigned long long>(findings));
    return findings == 0 ? 0 : 1;
}

int run_some_here(const options& o) {
    if (const std::string why = why_no_calls_on_gpus(); !why.empty()) {
        std::fprintf(stderr, "carat_fuzz: --gpu: %s\n", why.c_str());
        return no_gpu;
    }
    const family of = families(o)[0];
    const report r = run_here(of, o, 0, o.cases);
    print_counts(of, r.all);
    std::printf("%llu findings\n", static_cast<unsigned long long>(r.findings));
    return r.findings == 0 ? 0 : 1;
}

bool is_on_gpu(const options& o) {
    return o.gpu || o.only.starts_with("gpu:") || o.only.starts_with("full:") ||
           o.only.starts_with("stress:");
}

int run_only(const options& o) {
    const std::size_t colon = o.only.find(':');
    const std::string name = colon == std::string::npos ? "" : o.only.substr(0, colon);
    const std::string digits = colon == std::string::npos ? o.only : o.only.substr(colon + 1);
    std::vector<family> all = is_on_gpu(o) ? families_on_gpus() : families_on_cpus();
    all.push_back(of_endless_cases());
    for (const family& of : all) {
        if (of.name != name || digits.empty() ||
            digits.find_first_not_of("0123456789") != std::string::npos)
            continue;
        const std::uint64_t number = std::stoull(digits);
        if (!of.on_gpu && !machine_has(isa_of(number))) {
            std::fprintf(stderr, "carat_fuzz: case %s is for %s, which this processor lacks\n",
                         o.only.c_str(), isa_of(number));
            return 2;
        }
        report r;
        options alone = o;
        alone.threads = alone.jobs = 1;
        run_block(of, alone, number, number + 1, r);
        print_counts(of, r.all);
        return r.findings == 0 ? 0 : 1;
    }
    std::fprintf(
        stderr,
        "carat_fuzz: --only is '%s': give it the number of a case, or c:, blas:, gpu:, full: "
        "or stress:NUMBER\n",
        o.only.c_str());
    return 2;
}

// Whether the library runs with the instruction set that CARAT_FORCE_ISA names.
bool answers() {
    float a = 2, b = 3, c = 0;
    matrix_product(matrix_view<const float>(&a, 1, 1), matrix_view<const float>(&b, 1, 1),
                   matrix_view<float>(&c, 1, 1));
    return c == 6;
}

}  // namespace

}  // namespace carat::fuzz

int main(int count, char** words) {
    using namespace carat::fuzz;
    try {
        if (count == 2 && std::string_view(words[1]) == "--answers") return answers() ? 0 : 1;
        const options o = parse(count, words);
        if (o.help) {
            std::printf("%s", usage);
            return 0;
        }
        if (!o.block.empty()) {
            std::vector<family> all = {{"", run_product_case},
                                       {"blas", run_blas_case},
                                       {"c", run_c_case},
                                       of_endless_cases()};
            for (const family& of : families_on_gpus()) all.push_back(of);
            run_given_block(o, all);
        }
        if (o.here) return run_some_here(o);
        if (is_on_gpu(o)) {
            // Runs in its own process: those that run cases are forked, which CUDA does not
            // survive.
            const bool there = in_a_child([] {
                const std::string why = why_no_calls_on_gpus();
                if (!why.empty()) std::fprintf(stderr, "carat_fuzz: --gpu: %s\n", why.c_str());
                return why.empty();
            });
            if (!there) return no_gpu;
        }
        return o.only.empty() ? run_all(o) : run_only(o);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "carat_fuzz: %s\n", e.what());
        return 2;
    }
}
