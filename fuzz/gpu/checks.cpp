#include "checks.hpp"

#include <cmath>

#include "chain.hpp"
#include "fuzz/numbers.hpp"
#include "fuzz/oracle.hpp"

namespace carat::fuzz {

namespace {

bool allows(const range& all, dtype type, double stored) {
    if (all.excused) return true;
    if (all.is_nan || std::isnan(stored)) return all.is_nan && std::isnan(stored);
    return rounded(type, all.low) <= stored && stored <= rounded(type, all.high);
}

// Checks what the step wrote and restores its memory; a changed value must be found.
std::string check_largest(const running& r) {
    const std::size_t step = r.of.place_of_largest();
    range all;
    std::size_t entries = 0;
    for (std::size_t p = 0; p < r.of.sizes.size(); ++p) {
        oracle(r.of, r.on, p, r.in.flushes).note_largest(step, all);
        entries += r.of.sizes[p].m * r.of.sizes[p].n;
    }
    operand& memory = r.on.values[step];
    const double stored = memory.read(memory.all[0])[0];
    memory.restore_elements();
    if (entries == 0) return {};
    r.count.note(feature::largest);
    if (!allows(all, memory.type, stored))
        return "the largest number is " + std::to_string(stored) + ", but must be " +
               std::to_string(all.low) + " to " + std::to_string(all.high);
    if (all.excused || !r.random.chance(4)) return {};
    const auto kind = static_cast<std::size_t>(error_kind::largest);
    ++r.count.planted[kind];
    const double other = all.is_nan ? 1 : static_cast<double>(all.high) * 1.5 + 1;
    if (std::isfinite(other) && allows(all, memory.type, other))
        return "a planted error was not found: another largest number";
    ++r.count.caught[kind];
    return {};
}

}  // namespace

std::string check_memory(const running& r) {
    r.on.c.restore_elements();
    if (std::string wrong = r.on.c.changed(); !wrong.empty()) return "around C: " + wrong;
    return changed_inputs(r);
}

std::string check_refusal_for_memory(const running& r) {
    if (r.of.chained) r.on.a.restore_elements();
    if (const std::size_t largest = r.of.place_of_largest(); largest < r.of.steps.size())
        r.on.values[largest].restore_elements();
    return changed_inputs(r);
}

std::string check_outcome(const running& r, const outcome& o) {
    if (r.of.chained && o.returned)
        if (std::string wrong = check_made_a(r); !wrong.empty()) return wrong;
    if (std::string wrong = check_result(r, o, false); !wrong.empty()) return wrong;
    return r.of.place_of_largest() < r.of.steps.size() ? check_largest(r) : std::string();
}

}  // namespace carat::fuzz
