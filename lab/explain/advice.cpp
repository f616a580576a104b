// What would have to change. Each sentence follows from figures of this machine and names them.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "lab/explain/explanation.hpp"

namespace carat::explain {

namespace {

constexpr double worth_saying = 1.1;  // a factor below this is no reason to change anything
constexpr double worth_telling_conflicts = 2;

// The binding limit: the model's or the roofline's, whichever takes longer.
std::string bound_of(const device_report& d) {
    if (d.predicted && d.predicted->time_s >= d.lower_bound_s) return d.predicted->bound;
    if (d.roof) return d.roof->bound;
    return d.measured.bound;
}

// Types whose products are faster here, and what they give up.
void add_types(std::vector<std::string>& out, const device_report& d, const explanation& all,
               const machine_facts& here) {
    const int threads = std::max(1, d.plan.threads_m * d.plan.threads_n);
    for (const dtype other : {dtype::f32, dtype::f16, dtype::bf16, dtype::i8}) {
        const bool both_integers = is_integer(other) == is_integer(all.key.type);
        if (!both_integers || traits_of(other).bits >= traits_of(all.key.type).bits) continue;
        const double peak =
            machine::peak_gflops(here.peaks, other, threads, here.machine.isa_in_use).value_or(0);
        if (peak < worth_saying * d.peak_gflops) continue;
        out.push_back(
            fmt::format("{} multiplies up to {:.1f} times as fast here ({:.0f} against "
                        "{:.0f} GFLOP/s), where its precision is enough",
                        name(other), peak / d.peak_gflops, peak, d.peak_gflops));
    }
}

// The threads of the plan for all cores.
int most_threads(const device_report& d, const explanation& all, const machine_facts& here) {
    core::settings s;
    s.threads = here.machine.cores;
    const auto ready = rows::prepare(*d.chosen.entry, request::operation_of(all.key), s);
    if (!all.key.asked.is_one_product()) return std::max(1, ready->threads());
    const auto plan = ready->planned();
    return std::max(1, plan.threads_m * plan.threads_n);
}

void add_threads(std::vector<std::string>& out, const device_report& d, const explanation& all,
                 const machine_facts& here) {
    const int used = all.key.asked.is_one_product()
                         ? std::max(1, d.plan.threads_m * d.plan.threads_n)
                         : d.threads;
    if (used < all.key.threads) {
        out.push_back(
            fmt::format("too small for more than {} of {} threads: several such products "
                        "at once would use the others",
                        used, all.key.threads));
    } else if (used < here.machine.cores) {
        const int more = most_threads(d, all, here);
        if (more > used)
            out.push_back(fmt::format("{} of {} cores were asked to work: --threads {}", used,
                                      here.machine.cores, more));
    }
}

// Memory is the limit, so more operations for each byte would help.
void add_traffic(std::vector<std::string>& out, const device_report& d, const explanation& all,
                 const std::string& bound) {
    const auto& [m, n, k] = all.size;
    const std::int64_t least = std::min({m, n, k});
    const char* which = least == k ? "k" : least == n ? "n" : "m";
    std::string need;
    if (d.peak_gflops > 0 && d.roof && d.roof->bound == bound)
        need = fmt::format(" ({:.3g} flop a byte; computing is the limit from {:.3g} on)",
                           all.intensity,
                           d.peak_gflops / (d.roof->gflops / d.roof->arithmetic_intensity));
    out.push_back(
        fmt::format("{} feeds it too slowly{}: a larger {} ({}, the smallest) reuses what "
                    "comes in more often; join products that share an operand",
                    bound, need, which, least));
    if (d.roof && d.roof->level == "DRAM")
        out.push_back(
            "its operands come from DRAM: use the result, or the next product, while "
            "they are still in a cache, or store them in a narrower type");
}

// Work on rows and columns that a register tile has and the matrices do not.
void add_edges(std::vector<std::string>& out, const device_report& d) {
    if (d.plan.mr <= 0 || d.plan.rows <= 0 || d.plan.cols <= 0) return;
    const auto padded = [](std::int64_t extent, std::int64_t unit) {
        return std::ceil(static_cast<double>(extent) / static_cast<double>(unit)) *
               static_cast<double>(unit);
    };
    const double work = padded(d.plan.rows, d.plan.mr) * padded(d.plan.cols, d.plan.nr);
    const double useful = static_cast<double>(d.plan.rows) * static_cast<double>(d.plan.cols);
    if (work < worth_saying * useful) return;
    out.push_back(
        fmt::format("{:.0f} % of the sums in registers are padding: sizes that are "
                    "multiples of {} and {} waste none",
                    100 * (1 - useful / work), d.plan.mr, d.plan.nr));
}

void add_gap(std::vector<std::string>& out, const device_report& d) {
    if (d.measured.median_s <= 0 || d.lower_bound_s <= 0 || !d.measured.busy.empty()) return;
    const double share = d.lower_bound_s / d.measured.median_s;
    if (share > 1 / worth_saying) {
        out.push_back(
            fmt::format("it runs at {:.0f} % of the bound: only a change of the problem "
                        "makes it faster",
                        100 * share));
    } else {
        out.push_back(
            fmt::format("{:.0f} % of the time is above the bound: packing, edges, waiting "
                        "for threads and latency, which the model leaves out; `carat "
                        "bench --impl all` says whether another implementation has less",
                        100 * (1 - share)));
    }
}

void add_strides(std::vector<std::string>& out, const explanation& all, const machine_facts& here) {
    const core::problem p = request::problem_of(all.key);
    const double factor = conflict_factor(here.machine, p);
    if (factor < worth_telling_conflicts) return;
    const auto bytes = static_cast<std::int64_t>(size_bytes(p.b_type));
    out.push_back(
        fmt::format("rows of B lie {} bytes apart and compete for the same sets of L1: "
                    "simulated, tiles read there miss {:.1f} times as often as with a "
                    "leading dimension of {}",
                    p.n * bytes, factor, p.n + 64 / bytes));
}

void add_occupancy(std::vector<std::string>& out, const device_report& d) {
    for (std::size_t i = 0; i < d.kernels.size(); ++i) {
        const model::residency& r = d.kernels[i];
        out.push_back(
            fmt::format("{}: {} block{} a multiprocessor, {:.0f} % of its threads; {} end "
                        "first",
                        d.measured.kernels[i].name, r.blocks, r.blocks == 1 ? "" : "s",
                        100 * r.occupancy, r.limit));
    }
}

}  // namespace

std::vector<std::string> advice_for(const device_report& d, const explanation& all,
                                    const machine_facts& here) {
    std::vector<std::string> out;
    const std::string bound = bound_of(d);
    if (d.chosen.where == rows::device::cpu) {
        if (!bound.empty() && bound != "compute") add_traffic(out, d, all, bound);
        if (bound == "compute" && d.peak_gflops > 0) add_types(out, d, all, here);
        add_threads(out, d, all, here);
        add_edges(out, d);
        add_strides(out, all, here);
    } else {
        if (!bound.empty() && bound != "compute") add_traffic(out, d, all, bound);
        add_occupancy(out, d);
    }
    add_gap(out, d);
    if (out.empty()) out.push_back("nothing was measured that would tell");
    return out;
}

}  // namespace carat::explain
