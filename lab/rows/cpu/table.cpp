#include "lab/rows/cpu/table.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/threads.hpp"
#include "cpu/engine.hpp"
#include "cpu/threads/group.hpp"
#include "lab/rows/operation.hpp"

namespace carat::rows::cpu {

namespace {

constexpr core::signature signatures[] = {
    {dtype::f64, dtype::f64, dtype::f64, "f64"},
    {dtype::f32, dtype::f32, dtype::f32, "f32"},
    {dtype::i32, dtype::i32, dtype::i32, "i32 modulo 2^32"},
    {dtype::f16, dtype::f16, dtype::f16, "f32, rounded once"},
    {dtype::bf16, dtype::bf16, dtype::bf16, "f32, rounded once"},
    {dtype::f16, dtype::f16, dtype::f32, "f32"},
    {dtype::bf16, dtype::bf16, dtype::f32, "f32"},
    {dtype::i8, dtype::i8, dtype::i32, "i32 modulo 2^32"},
    {dtype::u8, dtype::i8, dtype::i32, "i32 modulo 2^32"},
};

constexpr core::tunable tunables[] = {
    {"mc", 0, 0, 1 << 20, "rows of a packed block of A; 0: from the cache sizes"},
    {"nc", 0, 0, 1 << 24, "columns of a packed panel of B; 0: from the cache sizes"},
    {"kc", 0, 0, 1 << 20, "depth of packed blocks; 0: from the cache sizes"},
    {"loop", 0, 0, 1, "1: a call for each product of a batch or group instead of one for all"},
};

std::string refuse(const core::problem& p, const core::settings&) {
    return cpu_engine::unsupported(p);
}

std::string refuse_operation(const operation& all, const core::settings& s) {
    if (all.prepared && !s.tunables.empty())
        return "a prepared B is packed for the engine's own blocks: leave tunables out";
    return s.value(tunables[3]) == 0 ? std::string() : reason_against_loop(all);
}

plan::blocking blocking_of(const core::settings& s) {
    return {s.value(tunables[0]), s.value(tunables[1]), s.value(tunables[2])};
}

class ready_product final : public runnable {
  public:
    ready_product(const cpu_engine::product& made) : product_(made) {
        memory_ = workspace_.reserve(product_.workspace_bytes());
    }
    void run(const core::operands& data) override { product_.run(data, memory_); }
    [[nodiscard]] int threads() const override { return product_.threads(); }
    [[nodiscard]] core::plan_facts planned() const override { return product_.facts(); }

  private:
    cpu_engine::product product_;
    cpu_engine::workspace workspace_;
    std::byte* memory_;
};

// The steps of an operation; a bias comes with the operands.
class ready_epilogue {
  public:
    explicit ready_epilogue(const operation& all)
        : has_bias_(all.last.bias), other_e_(all.other_e), steps_(steps_of(all, nullptr)) {
        request_ = {.steps = std::span(steps_.at).first(steps_.count),
                    .e_layout = all.one.c_layout,
                    .in_place = all.one.beta != 0 && !other_e_};
    }
    ready_epilogue(const ready_epilogue&) = delete;
    ready_epilogue& operator=(const ready_epilogue&) = delete;

    // Null if no epilogue is requested.
    [[nodiscard]] const cpu_engine::epilogue_request* get() const {
        return steps_.count == 0 && !other_e_ ? nullptr : &request_;
    }

    // C is passed as E.
    [[nodiscard]] bool reads_c() const { return get() != nullptr && request_.in_place; }

    void use(const void* bias) {
        if (has_bias_) steps_.at[0].values = bias;
    }

  private:
    bool has_bias_;
    bool other_e_;
    detail::epilogue_steps steps_;
    cpu_engine::epilogue_request request_ = {};
};

class ready_batch final : public runnable {
  public:
    ready_batch(const operation& all, const cpu_engine::kernel_set& kernels,
                const core::settings& s)
        : all_(all),
          apart_(distances_of(all)),
          last_(all),
          made_(all.one, static_cast<std::size_t>(all.count), core::most_threads(s.threads),
                kernels, blocking_of(s), last_.get()) {
        memory_ = workspace_.reserve(made_.workspace_bytes());
    }
    void run(const core::operands& data) override {
        last_.use(data.bias);
        made_.run(
            [&](std::size_t i) {
                core::operands one =
                    product_at(all_, apart_, data, shuffled(all_, static_cast<std::int64_t>(i)));
                if (last_.reads_c()) one.e = one.c;
                return one;
            },
            memory_);
    }
    [[nodiscard]] int threads() const override { return made_.threads(); }
    [[nodiscard]] core::plan_facts planned() const override { return made_.facts(); }

  private:
    operation all_;
    distances apart_;
    ready_epilogue last_;  // which the products refer to
    cpu_engine::batch_product made_;
    cpu_engine::workspace workspace_;
    std::byte* memory_;
};

// B as carat::prepare packs it, with a plan for each B that refers to it.
class ready_prepared final : public runnable {
  public:
    ready_prepared(const operation& all, const cpu_engine::kernel_set& kernels,
                   const core::settings& s)
        : all_(all), last_(all), kernels_(kernels), threads_(core::most_threads(s.threads)) {}

    void take(const core::operands& data) override {
        const core::problem& p = all_.one;
        packed& to = place_of(data.b);
        to.operand.place = side::right;
        pack_operand(
            to.operand, kernels_, p.b_type,
            {static_cast<const std::byte*>(data.b), static_cast<std::int64_t>(size_bytes(p.b_type)),
             p.b_layout.col_stride, p.b_layout.row_stride},
            p.n, p.k);
        to.made.emplace(p, threads_, kernels_, plan::blocking{}, last_.get(), &to.operand);
        memory_ = workspace_.reserve(to.made->workspace_bytes());
    }
    void run(const core::operands& data) override {
        last_.use(data.bias);
        core::operands one = data;
        if (last_.reads_c()) one.e = one.c;
        place_of(data.b).made.value().run(one, memory_);
    }
    [[nodiscard]] int threads() const override { return usual().threads(); }
    [[nodiscard]] core::plan_facts planned() const override { return usual().facts(); }

  private:
    struct packed {
        const void* from = nullptr;
        cpu_engine::prepared_operand operand;
        std::optional<cpu_engine::product> made;
    };
    // Runs take the Bs in turn, so the next one is usually right and no search is timed.
    packed& place_of(const void* b) {
        for (std::size_t tried = 0; tried < packed_.size(); ++tried, ++last_used_) {
            if (last_used_ == packed_.size()) last_used_ = 0;
            if (packed_[last_used_].from == b) return packed_[last_used_];
        }
        last_used_ = packed_.size();
        packed_.emplace_back().from = b;
        return packed_.back();
    }
    [[nodiscard]] cpu_engine::product usual() const {
        return {all_.one, threads_, kernels_, {}, last_.get()};
    }

    operation all_;
    ready_epilogue last_;  // which the products refer to
    const cpu_engine::kernel_set& kernels_;
    int threads_;
    std::deque<packed> packed_;  // products refer to their operands
    std::size_t last_used_ = 0;
    cpu_engine::workspace workspace_;
    std::byte* memory_ = nullptr;
};

// Planned in each run, as the public call does. Products without rows are left out, and those with
// most work come first.
class ready_group final : public runnable {
  public:
    ready_group(const operation& all, const cpu_engine::kernel_set& kernels,
                const core::settings& s)
        : all_(all),
          apart_(distances_of(all)),
          last_(all),
          kernels_(kernels),
          blocking_(blocking_of(s)),
          threads_(core::most_threads(s.threads)) {
        for (std::int64_t i = 0; i < all.count; ++i)
            if (const std::int64_t at = shuffled(all, i); problem_of(all, at).m != 0)
                order_.push_back(at);
        std::ranges::stable_sort(order_, std::greater(),
                                 [&](std::int64_t i) { return problem_of(all, i).m; });
        for (const std::int64_t i : order_) work_.push_back(multiply_adds(problem_of(all, i)));
    }
    void run(const core::operands& data) override {
        last_.use(data.bias);
        const auto with_plan = [&](std::size_t i, int threads, const auto& use) {
            use(plan_of(i, threads));
        };
        cpu_engine::run_group(work_, threads_, with_plan,
                              [&](std::size_t i, int threads, std::byte* memory) {
                                  core::operands one = product_at(all_, apart_, data, order_[i]);
                                  if (last_.reads_c()) one.e = one.c;
                                  plan_of(i, threads).run(one, memory);
                              });
    }
    [[nodiscard]] int threads() const override {
        const cpu_engine::shares of = cpu_engine::shares_for(work_, threads_);
        return std::max(of.workers, of.with_all_threads == 0 ? 1 : plan_of(0, threads_).threads());
    }
    // The plan of the largest cpu_engine::product.
    [[nodiscard]] core::plan_facts planned() const override { return plan_of(0, threads_).facts(); }

  private:
    [[nodiscard]] cpu_engine::product plan_of(std::size_t i, int threads) const {
        return {problem_of(all_, order_[i]), threads, kernels_, blocking_, last_.get()};
    }

    operation all_;
    distances apart_;
    ready_epilogue last_;  // which the products refer to
    const cpu_engine::kernel_set& kernels_;
    plan::blocking blocking_;
    int threads_;
    std::vector<std::int64_t> order_;
    std::vector<double> work_;
};

std::unique_ptr<runnable> prepare_with(const cpu_engine::kernel_set& kernels,
                                       const core::problem& p, const core::settings& s) {
    return std::make_unique<ready_product>(
        cpu_engine::product(p, core::most_threads(s.threads), kernels, blocking_of(s)));
}

std::unique_ptr<runnable> prepare_with(const cpu_engine::kernel_set& kernels, const operation& all,
                                       const core::settings& s) {
    if (s.value(tunables[3]) != 0)
        return loop_over([&](const core::problem& p) { return prepare_with(kernels, p, s); }, all);
    if (all.prepared) return std::make_unique<ready_prepared>(all, kernels, s);
    if (all.is_listed()) return std::make_unique<ready_group>(all, kernels, s);
    return std::make_unique<ready_batch>(all, kernels, s);
}

// `What` is a core::problem or an operation.
template <class What>
std::unique_ptr<runnable> prepare_chosen(const What& what, const core::settings& s) {
    return prepare_with(cpu_engine::kernels_for(core::isa_in_use()), what, s);
}

template <core::isa Level, class What>
std::unique_ptr<runnable> prepare_level(const What& what, const core::settings& s) {
    return prepare_with(cpu_engine::kernels_for(Level), what, s);
}

template <core::isa Level>
std::string missing() {
    if (core::has(Level)) return {};
    return "this machine has no " + std::string(core::name(Level));
}

constexpr implementation engine_row(std::string_view name, std::string_view summary,
                                    std::string (*unavailable)(),
                                    decltype(implementation::prepare) prepare,
                                    decltype(implementation::prepare_operation) prepare_operation,
                                    std::span<const core::signature> types = signatures) {
    return {.name = name,
            .summary = summary,
            .signatures = types,
            .tunables = tunables,
            .threaded = true,
            .unavailable = unavailable,
            .unsupported = &refuse,
            .prepare = prepare,
            .unsupported_operation = &refuse_operation,
            .prepare_operation = prepare_operation,
            .takes_prepared = true,
            .takes_groups = true,
            .takes_other_e = true};
}

template <core::isa Level>
constexpr implementation row(std::string_view name, std::string_view summary) {
    return engine_row(name, summary, &missing<Level>, &prepare_level<Level, core::problem>,
                      &prepare_level<Level, operation>);
}

constexpr implementation chosen = engine_row(
    "cpu.engine", "what carat's own call uses: packed blocks, the best kernels of this machine",
    nullptr, &prepare_chosen<core::problem>, &prepare_chosen<operation>);
constexpr auto baseline = row<core::isa::baseline>(
    "cpu.engine.baseline", "the engine with what every machine of the architecture has");
#if defined(__x86_64__)
constexpr auto avx2 = row<core::isa::avx2>(
    "cpu.engine.avx2", "the engine with its AVX2 and FMA kernels, AVX-VNNI where it is");
constexpr auto avx512 = row<core::isa::avx512>(
    "cpu.engine.avx512",
    "the engine with its AVX-512 kernels, VNNI and AVX512_BF16 where they are");
constexpr auto amx = row<core::isa::amx>(
    "cpu.engine.amx", "the engine with tiles for bf16 and 8-bit integers, AVX-512 for the rest");
#elif defined(__aarch64__)
constexpr auto dotprod = row<core::isa::dotprod>(
    "cpu.engine.dotprod", "the engine with NEON and dot products of bytes (SDOT)");
constexpr auto i8mm = row<core::isa::i8mm>(
    "cpu.engine.i8mm", "the engine with NEON and matrix products of bytes, of bf16 where they are");
constexpr auto sve256 =
    row<core::isa::sve256>("cpu.engine.sve256", "the engine with SVE vectors of 256 bits");
constexpr auto sve512 =
    row<core::isa::sve512>("cpu.engine.sve512", "the engine with SVE vectors of 512 bits");
#endif

#if defined(__x86_64__) || defined(__aarch64__)
constexpr core::signature f16_sums_types[] = {
    {dtype::f16, dtype::f16, dtype::f16, "f16/f32 (f16 sums of 32)"},
    {dtype::f16, dtype::f16, dtype::f32, "f16/f32 (f16 sums of 32)"},
};

template <class What>
std::unique_ptr<runnable> prepare_f16_sums(const What& what, const core::settings& s) {
    return prepare_with(cpu_engine::kernels_with_f16_sums(core::best_isa()), what, s);
}

std::string missing_f16_sums() {
    return cpu_engine::why_no_f16_sums(core::best_isa());
}

constexpr implementation f16_sums =
    engine_row("cpu.engine.f16_sums",
               "carat::cpu{.f16 = f16_as::f16_sums}: f16 summed in f16, 32 products at a time",
               &missing_f16_sums, &prepare_f16_sums<core::problem>, &prepare_f16_sums<operation>,
               f16_sums_types);
#endif

}  // namespace

rows::table table() {
#if defined(__x86_64__)
    static constexpr const implementation* rows[] = {&chosen, &baseline, &avx2,
                                                     &avx512, &amx,      &f16_sums};
#elif defined(__aarch64__)
    static constexpr const implementation* rows[] = {&chosen, &baseline, &dotprod, &i8mm,
                                                     &sve256, &sve512,   &f16_sums};
#else
    static constexpr const implementation* rows[] = {&chosen, &baseline};
#endif
    return rows;
}

}  // namespace carat::rows::cpu
