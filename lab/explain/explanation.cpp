#include "lab/explain/explanation.hpp"

#include <algorithm>

#include "lab/explain/foretold.hpp"
#include "lab/gpu/published.hpp"
#include "lab/machine/counters.hpp"
#include "lab/machine/plan.hpp"

namespace carat::explain {

namespace {

model::element_bytes bytes_of(const core::problem& p) {
    return {static_cast<double>(size_bytes(p.a_type)), static_cast<double>(size_bytes(p.c_type))};
}

core::settings settings_of(const rows::implementation& entry, int threads) {
    core::settings s;
    s.threads = entry.threaded ? threads : 1;
    return s;
}

choice choose_on(const rows::catalogue& all, const request::case_key& key, rows::device where,
                 std::initializer_list<std::string_view> names) {
    choice made{where, nullptr, {}};
    for (const std::string_view name : names) {
        const auto row = std::ranges::find_if(
            all.entries(), [&](const rows::implementation* e) { return e->name == name; });
        const rows::implementation* entry = row == all.entries().end() ? nullptr : *row;
        const std::string why = entry == nullptr
                                    ? "this build was made without CUDA"
                                    : rows::reason_against(*entry, request::operation_of(key),
                                                           settings_of(*entry, key.threads));
        if (why.empty()) {
            made.entry = entry;
            return made;
        }
        made.rejected.push_back({std::string(name), why});
    }
    return made;
}

// The memories between which a product moves data whose operands are in `resident`.
std::vector<model::level> levels_through(std::vector<model::level> levels,
                                         const std::string& resident) {
    const auto last = std::ranges::find(levels, resident, &model::level::name);
    if (last != levels.end()) levels.erase(last + 1, levels.end());
    return levels;
}

// Products of a plan that packs nothing read all of each operand.
model::packed packed_of(const core::plan_facts& plan, std::int64_t k) {
    const auto or_all = [](std::int64_t block, std::int64_t all) {
        return static_cast<double>(block > 0 ? block : std::max<std::int64_t>(all, 1));
    };
    return {static_cast<double>(plan.mr),
            static_cast<double>(plan.nr),
            or_all(plan.mc, plan.rows),
            or_all(plan.nc, plan.cols),
            or_all(plan.kc, k),
            static_cast<double>(plan.threads_m),
            static_cast<double>(plan.threads_n),
            plan.mc > 0,
            plan.keeps_c};
}

void explain_cpu(device_report& d, const explanation& all, const machine_facts& here) {
    const rows::operation what = request::operation_of(all.key);
    const core::problem& p = what.one;
    const rows::implementation& entry = *d.chosen.entry;
    const auto ready = rows::prepare(entry, what, settings_of(entry, all.key.threads));
    d.plan = ready->planned();
    d.threads = std::max(1, ready->threads());
    const int threads =
        what.is_one_product() ? std::max(1, d.plan.threads_m * d.plan.threads_n) : d.threads;
    d.peak_gflops =
        machine::peak_gflops(here.peaks, p.a_type, threads, here.machine.isa_in_use).value_or(0);
    d.roof = machine::roofline(here.peaks, what, threads, here.machine.isa_in_use);
    if (d.roof) d.lower_bound_s = all.flop / d.roof->gflops / 1e9;
    // The products of a batch share the caches, so only a single product is modelled.
    if (d.plan.mr <= 0 || !d.roof || !what.is_one_product()) return;
    d.predicted =
        model::predict(packed_of(d.plan, p.k), {d.plan.rows, d.plan.cols, p.k}, bytes_of(p),
                       levels_through(levels_of(here, threads), d.roof->level), d.peak_gflops);
    d.lower_bound_s = std::max(d.lower_bound_s, d.predicted->time_s);
}

// What a GPU's description lacks is taken from compute capability 9.0.
model::multiprocessor sm_of(const nlohmann::json& gpu) {
    model::multiprocessor on;
    if (!gpu.is_object()) return on;
    on.threads = gpu.value("threads_per_multiprocessor", on.threads);
    on.registers = gpu.value("registers_per_multiprocessor", on.registers);
    on.shared_bytes = gpu.value("shared_bytes_per_multiprocessor", on.shared_bytes);
    on.shared_bytes_per_block = gpu.value("shared_bytes_per_block", on.shared_bytes_per_block);
    return on;
}

void explain_gpu(device_report& d, const explanation& all, const machine_facts& here) {
    const rows::operation what = request::operation_of(all.key);
    const auto product = rows::prepare(*d.chosen.entry, what, settings_of(*d.chosen.entry, 1));
    d.plan = product->planned();
    if (what.is_one_product())
        d.foretold = foretell(*product, d.chosen.entry, what.one, here.gpu_peaks);
    if (d.measured.roofline_gflops > 0)
        d.lower_bound_s = all.flop / d.measured.roofline_gflops / 1e9;
    for (const core::kernel_facts& k : d.measured.kernels)
        d.kernels.push_back(
            model::residency_of({static_cast<double>(k.threads), static_cast<double>(k.registers),
                                 static_cast<double>(k.shared_bytes)},
                                sm_of(here.gpu)));
}

// The unit's best measured rate, or what is published for an H200 where there is no GPU.
sm_rates rates_for(const gpu_step& s, const machine_facts& here) {
    sm_rates rates;
    const gpu::published_gpu* const known = gpu::published("NVIDIA H200");
    if (known != nullptr) rates.unit_gflops = 1000 * known->tflops(s.unit).value_or(0);
    if (here.gpu_peaks == nullptr || !here.gpu.is_object()) return rates;
    double measured = 0;
    for (const machine::compute_peak& p : here.gpu_peaks->compute)
        if (p.unit == s.unit) measured = std::max(measured, p.gflops);
    if (measured <= 0) return rates;
    return {here.gpu.value("name", std::string("this GPU")) + ", as measured",
            here.gpu.value("multiprocessors", rates.sms),
            here.gpu.value("clock_max_mhz", 1000 * rates.clock_ghz) / 1000, measured};
}

// A CPU's step against the widest vectors that it has; AMX's peak is that of its own unit.
step_limits limits_here(const cpu_step& s, const explanation& all, const machine_facts& here) {
    const int threads = s.all_cores ? all.key.threads : 1;
    const dtype type = all.key.type;
    const core::isa level = here.machine.isa_in_use;
    const int widest = level == core::isa::baseline ? 128 : level == core::isa::avx2 ? 256 : 512;
    const double peak = machine::peak_gflops(here.peaks, type, threads, level).value_or(0);
    const model::element_bytes each = bytes_of(request::problem_of(all.key));
    const double bytes = model::working_set_bytes({}, all.size, each);
    const std::vector<model::level> levels = levels_of(here, threads);
    return limits_of(s, all.size, each, peak, widest,
                     levels_through(levels, model::level_holding(levels, bytes).name));
}

std::optional<step_limits> step_of(const choice& c, const explanation& all,
                                   const machine_facts& here) {
    const std::string name = c.entry != nullptr   ? std::string(c.entry->name)
                             : c.rejected.empty() ? std::string()
                                                  : c.rejected.front().implementation;
    const auto gpu = std::ranges::find(gpu_steps(), name, &gpu_step::implementation);
    if (gpu != gpu_steps().end()) return limits_of(*gpu, all.size, rates_for(*gpu, here));
    const auto cpu = std::ranges::find(cpu_steps(), name, &cpu_step::implementation);
    if (cpu != cpu_steps().end()) return limits_here(*cpu, all, here);
    return std::nullopt;
}

// What the ladder's plain loops would move on one core.
std::vector<loop_nest> loops_of(const explanation& all, const machine_facts& here) {
    const core::problem p = request::problem_of(all.key);
    if (p.a_type != p.c_type || !all.key.asked.is_one_product()) return {};
    const double peak =
        machine::peak_gflops(here.peaks, p.a_type, 1, here.machine.isa_in_use).value_or(0);
    const double bytes = model::working_set_bytes({}, all.size, bytes_of(p));
    const std::vector<model::level> levels =
        levels_through(all.levels, model::level_holding(all.levels, bytes).name);
    std::vector<loop_nest> found;
    for (const model::schedule& s : {model::schedule{model::order::ijk, 0},
                                     {model::order::ikj, 0},
                                     {model::order::tiled_ikj, 32},
                                     {model::order::tiled_ikj, 144}})
        found.push_back({s, model::intensity(s, all.size, bytes_of(p)),
                         model::predict(s, all.size, bytes_of(p), levels, peak)});
    return found;
}

}  // namespace

std::vector<choice> choose(const rows::catalogue& all, const request::case_key& key,
                           std::optional<rows::device> only) {
    std::vector<choice> made;
    if (only != rows::device::cuda)
        made.push_back(choose_on(all, key, rows::device::cpu, {"cpu.engine"}));
    if (only != rows::device::cpu)
        made.push_back(choose_on(all, key, rows::device::cuda,
                                 {"cuda.engine", "vendor.cublas", "vendor.cublaslt"}));
    return made;
}

choice choose(const rows::catalogue& all, const request::case_key& key,
              std::string_view implementation) {
    const bool on_gpu =
        implementation.starts_with("cuda.") || implementation.starts_with("vendor.cu");
    return choose_on(all, key, on_gpu ? rows::device::cuda : rows::device::cpu, {implementation});
}

std::vector<model::level> levels_of(const machine_facts& here, int threads) {
    std::vector<model::level> levels;
    const auto bandwidth = [&](const std::string& name) {
        return machine::bandwidth_gb_per_s(here.peaks, name, threads).value_or(0);
    };
    for (int level = 1; level <= 3; ++level) {
        const machine::cache* c = machine::data_cache(here.machine, level);
        if (c == nullptr) continue;
        const int sharing = std::max(1, machine::sharing_cores(here.machine, *c, threads));
        const std::string name = "L" + std::to_string(level);
        if (!here.peaks.bandwidth.empty() && bandwidth(name) <= 0) continue;  // no plateau is its
        levels.push_back({name, static_cast<double>(c->size_bytes) / sharing, bandwidth(name),
                          c->line_bytes > 0 ? c->line_bytes : 64});
    }
    levels.push_back({"DRAM", 0, bandwidth("DRAM"), 64});
    return levels;
}

explanation explain(const request::case_key& key, const std::vector<choice>& chosen,
                    const machine_facts& here, const std::vector<results::result>& results) {
    const rows::operation what = request::operation_of(key);
    explanation all;
    all.key = key;
    all.size = {what.one.m, what.one.n, what.one.k};
    all.flop = 2 * multiply_adds(what);
    all.intensity = machine::arithmetic_intensity(what);
    all.operand_bytes = machine::compulsory_bytes(what);
    all.c_read_bytes = machine::bytes_of_c_read(what);
    all.levels = levels_of(here, 1);
    all.counters = machine::counters_unavailable();
    for (const choice& c : chosen) {
        device_report d;
        d.chosen = c;
        d.step = step_of(c, all, here);
        if (c.entry != nullptr) {
            const auto result =
                std::ranges::find(results, c.entry->name, &results::result::implementation);
            if (result != results.end()) d.measured = *result;
            if (c.where == rows::device::cpu)
                explain_cpu(d, all, here);
            else
                explain_gpu(d, all, here);
            d.advice = advice_for(d, all, here);
        }
        all.devices.push_back(std::move(d));
    }
    // A step is explained by its own loops.
    if (std::ranges::none_of(all.devices, [](const auto& d) { return d.step.has_value(); }))
        all.loops = loops_of(all, here);
    return all;
}

}  // namespace carat::explain
