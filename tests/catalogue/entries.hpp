// The catalogue's rows as test parameters, and what can be asked of each on this machine.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <iostream>
#include <string>
#include <vector>

#include "generate.hpp"
#include "lab/catalogue/catalogue.hpp"
#include "tests/parameters.hpp"

namespace carat::test {

inline bool is_ours(const rows::implementation& entry) {
    return entry.name.starts_with("cpu.");
}

// Known mistakes of a vendor's library, reported in words while the rest of its row is still
// tested. Never for carat's own rows.
inline std::string known_flaw(const product_case& c) {
    const bool infinite = c.special == special_value::inf_in_a ||
                          c.special == special_value::inf_in_b ||
                          c.special == special_value::inf_times_zero;
    if (c.entry->name == "vendor.onednn" && c.p.a_type == dtype::bf16 && infinite && c.p.k % 2 == 1)
        return "oneDNN's bf16 product gives NaN for Inf when k is odd (seen in 2.7)";
    const bool ends_at_a_page = std::ranges::any_of(
        c.places, [](const placement& place) { return place.side == flush::back; });
    if (c.entry->name == "vendor.blis" && c.p.a_type == dtype::f32 && ends_at_a_page)
        return "BLIS reads beyond the end of f32 operands (seen in 0.9 with its AVX2 kernels)";
    return {};
}

class Entry : public testing::TestWithParam<const rows::implementation*> {
  protected:
    void SetUp() override {
        if (entry().where != rows::device::cpu)
            GTEST_SKIP() << "NOT TESTED here: " << entry().name << " does not run on the CPU";
        const std::string why = entry().unavailable == nullptr ? "" : entry().unavailable();
        if (!why.empty()) GTEST_SKIP() << "NOT TESTED: " << entry().name << ": " << why;
        for (const core::signature& types : entry().signatures) {
            const product_case plain = plain_case(entry(), types, 8, 8, 8);
            const std::string refusal = rows::reason_against(entry(), plain.p, plain.how);
            if (refusal.empty())
                offered_.push_back(&types);
            else
                std::cout << "NOT TESTED: " << describe(plain) << ": " << refusal << "\n";
        }
        ASSERT_FALSE(offered_.empty()) << entry().name << " offers nothing to test";
    }

    [[nodiscard]] static const rows::implementation& entry() { return *GetParam(); }
    [[nodiscard]] const std::vector<const core::signature*>& offered() const { return offered_; }

    // Runs a case, and counts it unless the entry refuses it. A failure is reported as the smallest
    // case that fails the same test.
    void run(const product_case& c) {
        if (!rows::reason_against(*c.entry, c.p, c.how).empty()) {
            ++refused_;
            return;
        }
        if (const std::string flaw = known_flaw(c); !flaw.empty()) {
            if (excused_++ == 0) std::cout << "KNOWN: " << flaw << "\n";
            return;
        }
        ++executed_;
        const std::string why = failure_of(c);
        if (why.empty()) return;
        const product_case smallest = smallest_failing(c);
        ADD_FAILURE() << describe(c) << "\n    " << why
                      << "\n  smallest that fails: " << describe(smallest) << "\n    "
                      << failure_of(smallest);
    }

    // What a test must have run, which is reported with its result. carat's own rows take every
    // product; a vendor's library may refuse factors or strides, but not most of them.
    void expect_executed(int wanted) {
        RecordProperty("executed", executed_);
        RecordProperty("refused", refused_);
        RecordProperty("excused", excused_);
        std::cout << entry().name << ": " << executed_ << " products run, " << refused_
                  << " refused, " << excused_ << " excused\n";
        EXPECT_EQ(executed_ + refused_ + excused_, wanted);
        EXPECT_LE(refused_ + excused_, is_ours(entry()) ? 0 : wanted * 2 / 3);
        EXPECT_GT(executed_, 0);
    }

    int executed_ = 0;
    int refused_ = 0;
    int excused_ = 0;

  private:
    std::vector<const core::signature*> offered_;
};

inline std::vector<const rows::implementation*> all_entries() {
    const rows::table entries = lab::catalogue().entries();
    return {entries.begin(), entries.end()};
}

inline std::vector<const rows::implementation*> own_entries() {
    std::vector<const rows::implementation*> entries = all_entries();
    std::erase_if(entries, [](const auto* e) { return !is_ours(*e); });
    return entries;
}

inline std::vector<const rows::implementation*> own_threaded_entries() {
    std::vector<const rows::implementation*> entries = own_entries();
    std::erase_if(entries, [](const auto* e) { return !e->threaded; });
    return entries;
}

// Random cases for each signature: CARAT_TEST_CASES, or 120.
inline int random_cases() {
    const char* asked = std::getenv("CARAT_TEST_CASES");
    const int count = asked == nullptr ? 120 : std::atoi(asked);
    return count > 0 ? count : 120;
}

}  // namespace carat::test
