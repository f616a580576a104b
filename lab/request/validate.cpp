#include <algorithm>

#include <carat/error.hpp>

#include "lab/machine/description.hpp"
#include "lab/request/cases.hpp"
#include "lab/space/execution_space.hpp"
#include "lab/verify/exact.hpp"
#include "lab/verify/verify.hpp"

namespace carat::request {

namespace {

// The least of what the machine and the control group have left; 0: unknown.
double memory_left_bytes() {
    const auto machine = static_cast<double>(space::host_space().available_bytes());
    const auto group = static_cast<double>(machine::memory_left_by_group());
    return group > 0 && (machine == 0 || group < machine) ? group : machine;
}

// Three matrices that fit in 64 bits each need not do so together.
double operand_bytes(const rows::operation& all) {
    const workload::operand_bytes each = workload::bytes_needed(all);
    return static_cast<double>(each.a) + static_cast<double>(each.b) + static_cast<double>(each.c) +
           static_cast<double>(each.e);
}

std::string mebibytes(double bytes) {
    return std::to_string(static_cast<std::int64_t>(bytes / (1 << 20))) + " MiB";
}

}  // namespace

void validate(const measurement& r) {
    for (const selection& s : r.chosen) {
        if (const std::string why = core::reason_against_tunables(s.entry->tunables, s.tunables);
            !why.empty())
            throw error(error_code::invalid_argument, std::string(s.entry->name) + ": " + why);
        const auto tile = s.tunables.find("tile-size");
        if (tile == s.tunables.end()) continue;
        std::int64_t largest = 0;
        for (const shape& size : r.shapes) largest = std::max({largest, size.m, size.n, size.k});
        if (tile->second > largest)
            throw error(error_code::invalid_argument,
                        "tile-size " + std::to_string(tile->second) + " of " +
                            std::string(s.entry->name) + " is larger than the largest matrix (" +
                            std::to_string(largest) + "): choose at most " +
                            std::to_string(largest));
    }
    const double available = memory_left_bytes();
    for (const case_key& key : cases_of(r)) {
        const rows::operation all = operation_of(key);
        if (r.phases && !all.last.is_none())
            throw error(error_code::invalid_argument,
                        "--phases and --epilogue " + describe(all.last) +
                            ": what comes back is checked by a reference, which only products "
                            "without an epilogue have");
        if (r.phases && (all.other_e || all.block_scales))
            throw error(error_code::invalid_argument,
                        "--phases copies A, B and C alone: leave --e and --scale-by out");
        if (all.block_scales && (all.one.a_type != dtype::e4m3 || all.one.b_type != dtype::e4m3))
            throw error(error_code::invalid_argument, "--scale-by blocks is of e4m3, not of " +
                                                          std::string(name(all.one.a_type)) +
                                                          ": add --dtype e4m3");
        if (const std::string why =
                verify::reason_against_exact(key.asked.alpha, key.asked.beta, all.one.c_type);
            !why.empty())
            throw error(error_code::invalid_argument, std::string(name(key.type)) + ": " + why);
        const double needed = operand_bytes(all) * (r.rotate_inputs ? 2 : 1) +
                              static_cast<double>(all.is_group() ? 1 : all.count) *
                                  static_cast<double>(verify::bytes_needed(all.one));
        if (available > 0 && needed > available)
            throw error(error_code::out_of_memory, describe(key) + " needs " + mebibytes(needed) +
                                                       " with its reference, and " +
                                                       mebibytes(available) +
                                                       " are free: choose a smaller size");
    }
}

}  // namespace carat::request
