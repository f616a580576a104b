// Products of different sizes, checked together and run by cpu/threads/group.hpp.
#include "api/group.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/batch_checks.hpp"
#include "api/checks.hpp"
#include "api/elements.hpp"
#include "api/integers.hpp"
#include "core/threads.hpp"
#include "cpu/engine.hpp"
#include "cpu/threads/group.hpp"

namespace carat::api {

namespace {

using detail::erased_matrix;

struct one {
    core::problem problem;
    erased_matrix a;
    erased_matrix b;
    erased_matrix e;  // C itself where there is none
    erased_matrix c;
    double work;        // multiplications
    std::size_t place;  // among the caller's
};

// The products that have something to write, most work first.
std::vector<one> products_of(const std::vector<core::problem>& problems, const erased_batch& a,
                             const erased_batch& b, const erased_batch* e, const erased_batch& c) {
    std::vector<one> all;
    all.reserve(problems.size());
    for (std::size_t i = 0; i < problems.size(); ++i) {
        const core::problem& p = problems[i];
        if (p.m == 0 || p.n == 0) continue;
        const double work = static_cast<double>(p.m) * static_cast<double>(p.n) *
                            static_cast<double>(std::max<std::int64_t>(p.k, 1));
        all.push_back(
            {p, item(a, i), item(b, i), item(e == nullptr ? c : *e, i), item(c, i), work, i});
    }
    std::ranges::sort(all, [](const one& x, const one& y) {
        return std::pair(y.work, x.place) < std::pair(x.work, y.place);
    });
    return all;
}

void check_sums(const std::vector<core::problem>& problems, int threads, const erased_batch& a,
                const erased_batch& b, const erased_batch* e) {
    for (std::size_t i = 0; i < problems.size(); ++i) {
        const core::problem& p = problems[i];
        if (p.m == 0 || p.n == 0) continue;
        const erased_matrix added = e == nullptr ? erased_matrix{} : item(*e, i);
        as_product(i, [&] {
            if (core::rounds_integers(p)) return check_sums_fit(p, item(a, i), item(b, i));
            (void)exact_if_needed(p, threads, item(a, i), item(b, i),
                                  e == nullptr ? nullptr : &added);
        });
    }
}

class group {
  public:
    group(std::vector<one> all, bool adds, bool has_epilogue, const detail::epilogue_steps* steps,
          int threads, const cpu_engine::kernel_set& kernels)
        : all_(std::move(all)),
          adds_(adds),
          has_epilogue_(has_epilogue),
          steps_(steps),
          threads_(threads),
          kernels_(kernels) {}

    void run() const {
        std::vector<double> work(all_.size());
        std::ranges::transform(all_, work.begin(), &one::work);
        cpu_engine::run_group(
            work, threads_,
            [&](std::size_t i, int threads, const auto& use) { with_plan(all_[i], threads, use); },
            [&](std::size_t i, int threads, std::byte* memory) {
                run_one(all_[i], threads, memory);
            });
    }

  private:
    [[nodiscard]] cpu_engine::epilogue_request epilogue_of(const one& x) const {
        cpu_engine::epilogue_request last = {
            .steps = {}, .e_layout = layout_of(x.e), .in_place = adds_ && same_elements(x.e, x.c)};
        if (steps_ != nullptr) last.steps = std::span(steps_->at).first(steps_->count);
        return last;
    }

    // Calls use(product) with a plan for this number of threads.
    template <class Use>
    void with_plan(const one& x, int threads, const Use& use) const {
        const auto* const ready = x.a.prepared != nullptr ? x.a.prepared : x.b.prepared;
        const cpu_engine::epilogue_request last =
            has_epilogue_ ? epilogue_of(x) : cpu_engine::epilogue_request{};
        use(cpu_engine::product(x.problem, threads, kernels_, {}, has_epilogue_ ? &last : nullptr,
                                ready));
    }

    void run_one(const one& x, int threads, std::byte* memory) const {
        if (!has_epilogue_ && adds_ && x.problem.beta != 0 && !same_elements(x.e, x.c))
            copy_elements(x.e, x.c);
        with_plan(x, threads, [&](const cpu_engine::product& made) {
            made.run({.a = x.a.data, .b = x.b.data, .c = x.c.data, .e = adds_ ? x.e.data : nullptr},
                     memory);
        });
    }

    std::vector<one> all_;
    bool adds_;
    bool has_epilogue_;
    const detail::epilogue_steps* steps_;
    int threads_;
    const cpu_engine::kernel_set& kernels_;
};

}  // namespace

void multiply_group(const cpu& where, const erased_batch& a, const erased_batch& b,
                    const erased_batch* e, const erased_batch& c,
                    const detail::epilogue_steps* steps) {
    const std::vector<core::problem> problems = checked_group(a, b, e, c, steps);
    if (problems.empty()) return;
    if (const std::string why = cpu_engine::unsupported(problems.front()); !why.empty())
        throw error(error_code::invalid_argument, "matrix_products: " + why);
    const bool is_prepared = a.first.prepared != nullptr || b.first.prepared != nullptr;
    const cpu_engine::kernel_set& kernels =
        kernels_for_call(where, problems.front(), is_prepared, "matrix_products");
    const int threads = core::most_threads(where.threads);
    const core::problem& like = problems.front();
    if (is_integer(like.a_type)) check_sums(problems, threads, a, b, e);
    group(products_of(problems, a, b, e, c), e != nullptr,
          steps != nullptr || core::rounds_integers(like), steps, threads, kernels)
        .run();
}

}  // namespace carat::api
