#include "cli/explain_text.hpp"

#include <fmt/format.h>
#include <sstream>

#include "cli/terminal.hpp"
#include "lab/compare/analyse.hpp"
#include "lab/explain/foretold.hpp"
#include "lab/report/words.hpp"
#include "lab/rows/group_sizes.hpp"

namespace carat::cli {

namespace {

// A dash that stands where nothing was measured.
std::string time_of(double time_s) {
    return time_s > 0 ? report::duration(time_s) : "-";
}

std::string bytes_text(double count) {
    const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    std::size_t unit = 0;
    for (; count >= 1024 && unit + 1 < std::size(units); ++unit) count /= 1024;
    return fmt::format("{:.4g} {}", count, units[unit]);
}

std::string heading(const std::string& text) {
    return "\n" + styled(text, style::strong) + "\n";
}

std::string item(const std::string& text) {
    return "  " + wrapped("- " + text, 4) + "\n";
}

std::string plan_lines(const core::plan_facts& plan) {
    std::string text;
    std::istringstream lines(plan.why);
    for (std::string line; std::getline(lines, line);) text += "  " + wrapped(line, 4) + "\n";
    return text;
}

std::string roof_lines(const explain::device_report& d, const explain::explanation& all) {
    if (!d.roof && d.peak_gflops > 0)
        return "  no roofline: there is too little memory to measure how fast it is read\n";
    if (!d.roof)
        return fmt::format(
            "  no roofline: no unit for {} was found to measure (see carat info --measure)\n",
            name(all.key.type));
    return "  " +
           wrapped(
               fmt::format("its operands, {}, lie in {}; {:.4g} flop a byte; units do {:.4g} "
                           "GFLOP/s: at least {} ({})",
                           bytes_text(all.operand_bytes), d.roof->level, all.intensity,
                           d.peak_gflops, time_of(all.flop / d.roof->gflops / 1e9), d.roof->bound),
               4) +
           "\n";
}

std::string flow_table(const model::prediction& p) {
    std::string text = fmt::format("  {:<8} {:>12} {:>10}   {}\n", "from", "moved", "at least",
                                   "because the level before keeps");
    text += fmt::format("  {:<8} {:>12} {:>10}\n", "units", "", time_of(p.compute_s));
    for (const model::flow& f : p.flows)
        text += fmt::format("  {:<8} {:>12} {:>10}   {}\n", f.from, bytes_text(f.bytes),
                            time_of(f.time_s), f.kept.empty() ? "sums in registers" : f.kept);
    return text;
}

// What ran at once, then what followed, then the sum with its interval.
std::string foretold_lines(const core::gpu_prediction& told) {
    std::string text = fmt::format(
        "  {} tiles, {} at once: {:.2f} waves, {:.0f} % of the room left empty\n"
        "  {} from memory, {} from L2 to the SMs, {} of C",
        told.tiles, told.at_once, told.waves, 100 * told.idle_share, bytes_text(told.memory_bytes),
        bytes_text(told.l2_bytes), bytes_text(told.stored_bytes));
    if (told.packed_bytes > 0) text += fmt::format(", {} to pack", bytes_text(told.packed_bytes));
    text += "\n";
    for (const bool at_once : {true, false})
        for (const auto& p : told.parts)
            if (p.at_once_with_others == at_once && p.time_s != 0)
                text += fmt::format("  {:<20} {:>10}  {}\n", p.name,
                                    p.time_s < 0 ? "-" + time_of(-p.time_s) : time_of(p.time_s),
                                    at_once ? "at once" : "");
    if (const std::string most = explain::binding(told); !most.empty())
        text += "  bound by " + most + "\n";
    return text;
}

std::string verdict_line(const explain::device_report& d) {
    const core::gpu_prediction& told = *d.foretold;
    const results::result& c = d.measured;
    std::string text = fmt::format("predicted {} ({} to {}, by constants not calibrated here)",
                                   time_of(told.time_s), time_of(told.low_s), time_of(told.high_s));
    if (!c.trials_s.empty()) {
        const comparing::extent_of_median extent = comparing::extent_of(c);
        text += fmt::format("; measured {} ({} to {}, {}), {:.4g} GFLOP/s", time_of(c.median_s),
                            time_of(extent.s[0]), time_of(extent.s[1]), extent.words(),
                            c.median_gflops);
    }
    return "  " + wrapped(text + ": " + explain::verdict_on(told, c), 2) + "\n";
}

std::string measured_line(const explain::device_report& d) {
    const results::result& c = d.measured;
    if (c.trials_s.empty())
        return "  not measured" + (c.reason.empty() ? std::string() : ": " + c.reason) + "\n";
    std::string text;
    if (d.foretold) {
        text = verdict_line(d);
    } else {
        const comparing::extent_of_median extent = comparing::extent_of(c);
        const std::string line =
            fmt::format("at least {} (a bound), measured {} ({} to {}, {}), {:.4g} GFLOP/s",
                        time_of(d.lower_bound_s), time_of(c.median_s), time_of(extent.s[0]),
                        time_of(extent.s[1]), extent.words(), c.median_gflops);
        text = "  " + wrapped(line, 2) + "\n";
    }
    text += fmt::format("  {} trials; {}\n", c.trials_s.size(),
                        c.verified ? "verified " + c.verification : "NOT VERIFIED: " + c.reason);
    if (c.above_peak) text += "  " + wrapped(c.reason, 2) + "\n";
    if (!c.busy.empty() && !d.foretold)
        text += "  " + wrapped(report::no_verdict(c.busy), 2) + "\n";
    return text;
}

std::string rate_of(double gflops) {
    return gflops >= 1000 ? fmt::format("{:.4g} TFLOP/s", gflops / 1000)
                          : fmt::format("{:.4g} GFLOP/s", gflops);
}

// The limits of a step of the ladder; the one that costs most is marked.
std::string step_text(const explain::step_limits& told) {
    std::string text = heading("  What the step asks of its machine");
    text += "  " + wrapped(told.of + "; rates of " + told.on, 2) + "\n";
    for (const explain::ceiling& c : told.ceilings)
        text += fmt::format("  {} {:<26} {:<34} {:>13}\n", c.what == told.binding ? '>' : ' ',
                            c.what, c.counted, rate_of(c.gflops));
    text += "  " +
            wrapped(fmt::format("Together at most {}. The limit that costs most: {}.",
                                rate_of(told.gflops), told.binding),
                    2) +
            "\n";
    text += "  " +
            wrapped(told.next.empty() ? std::string("It is the last step of its kind.")
                                      : "The next step: " + told.next + ".",
                    2) +
            "\n";
    return text;
}

std::string device_text(const explain::device_report& d, const explain::explanation& all) {
    const std::string device = d.chosen.where == rows::device::cpu ? "CPU" : "GPU";
    if (d.chosen.entry == nullptr) {
        std::string text = heading(device + ": nothing runs");
        for (const explain::rejection& o : d.chosen.rejected)
            text += item(o.implementation + ": " + o.reason);
        if (d.step) text += step_text(*d.step);
        return text;
    }
    std::string text = heading(device + ": " + std::string(d.chosen.entry->name));
    for (const explain::rejection& o : d.chosen.rejected)
        text += item("not " + o.implementation + ": " + o.reason);
    text += plan_lines(d.plan);
    if (d.chosen.where == rows::device::cpu) {
        text += heading("  Bound by the roofline") + roof_lines(d, all);
        if (d.predicted) text += heading("  What its blocks move") + flow_table(*d.predicted);
    } else if (d.measured.roofline_gflops > 0) {
        text += fmt::format("  roofline {:.4g} GFLOP/s, bound by {}\n", d.measured.roofline_gflops,
                            d.measured.bound);
    }
    if (d.step) text += step_text(*d.step);
    if (d.foretold) text += heading("  What its plan foretells") + foretold_lines(*d.foretold);
    text += heading(d.foretold ? "  Predicted and measured" : "  Bound and measured");
    text += measured_line(d);
    text += heading("  To go faster");
    for (const std::string& advice : d.advice) text += item(advice);
    return text;
}

std::string loops_text(const explain::explanation& all) {
    if (all.loops.empty()) return {};
    std::string text = heading("The same by plain loops on one core, at best");
    text += fmt::format("  {:<14} {:>10} {:>10}  {:<8} {}\n", "order", "flop/byte", "at least",
                        "bound", "L1 keeps");
    for (const explain::loop_nest& l : all.loops) {
        std::string order(model::name(l.schedule.how));
        if (l.schedule.tile > 0) order += fmt::format(" {}", l.schedule.tile);
        const auto& flows = l.predicted.flows;
        text += fmt::format("  {:<14} {:>10.4g} {:>10}  {:<8} {}\n", order, l.intensity,
                            time_of(l.predicted.time_s), l.predicted.bound,
                            flows.size() > 1 ? flows[1].kept : "everything");
    }
    return text;
}

// What a batch, a group and beta add to the bytes of a product.
std::string traffic_text(const explain::explanation& told) {
    std::string text = bytes_text(told.operand_bytes) + " of operands";
    if (told.key.asked.batch > 1)
        text +=
            fmt::format(" of {} products, {} of each", told.key.asked.batch,
                        bytes_text(told.operand_bytes / static_cast<double>(told.key.asked.batch)));
    if (!told.key.asked.groups.empty())
        text += fmt::format(" of {} products with a B each",
                            rows::rows_of_groups(told.key.asked.groups).size());
    if (told.c_read_bytes > 0)
        text += fmt::format("; {} of them are {}, read for beta", bytes_text(told.c_read_bytes),
                            told.key.asked.other_e ? "E" : "C");
    return text;
}

}  // namespace

std::string explain_text(const explain::explanation& told) {
    std::string text =
        fmt::format("{}: {:.4g} GFLOP\n", request::describe(told.key), told.flop / 1e9);
    if (!told.key.asked.is_one_product() || told.c_read_bytes > 0)
        text += "  " + wrapped(traffic_text(told), 2) + "\n";
    for (const explain::device_report& d : told.devices) text += device_text(d, told);
    text += loops_text(told);
    if (!told.counters.empty()) text += "\n" + wrapped("Misses are modelled: " + told.counters, 0);
    return text + (told.counters.empty() ? "" : ".\n");
}

}  // namespace carat::cli
