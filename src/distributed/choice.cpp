#include "distributed/choice.hpp"

#include <algorithm>
#include <optional>

#include <carat/error.hpp>

#include "distributed/movement.hpp"
#include "distributed/parts.hpp"

namespace carat::distributed {

namespace {

// Elements of a face that a share lacks.
double missing(const share& held, index_range rows, index_range cols) {
    const overlap have = overlap_of(held, {rows, cols});
    return static_cast<double>(rows.size() * cols.size() - have.size());
}

bool is_in_ranges(const distribution& c, int ranks) {
    if (c.is_replicated()) return false;
    for (int rank = 0; rank < ranks; ++rank)
        if (!is_range(c.of(rank))) return false;
    return true;
}

// How many multiply-adds take the time of moving a word: 400 to 2000 on the machines measured
// (docs/distributed.md).
constexpr double madds_of_a_word = 1000;

struct best {
    double of_sum;
    std::optional<schedule> found = {};
    double cost = 0;

    void consider(const schedule& plan, const layouts& given) {
        const double here =
            plan.most_madds() + madds_of_a_word * words_between(plan, given, of_sum);
        if (found && here >= cost) return;
        found = plan;
        cost = here;
    }
};

}  // namespace

void for_each_grid(const task& what, const std::function<void(const schedule&)>& call) {
    for (int m = 1; m <= what.ranks; ++m) {
        if (what.ranks % m != 0) continue;
        for (int n = 1; n <= what.ranks / m; ++n) {
            if (what.ranks / m % n != 0 || (m * n < what.ranks && !what.may_split_k)) continue;
            for (const bool by_columns : {false, true}) {
                try {
                    call(schedule::grid(what, m, n, by_columns));
                } catch (const error&) {
                    // It needs more memory than there is.
                }
            }
        }
    }
}

double words_between(const schedule& plan, const layouts& given, double of_sum) {
    double most = 0;
    std::optional<distribution> summed;  // where parts of a replicated C are added up
    if (given.c.is_replicated()) summed = plan.of_c();
    for (int rank = 0; rank < plan.what().ranks; ++rank) {
        const box own = plan.of(rank);
        if (own.empty()) continue;
        const index_range m = own[dimension::m], n = own[dimension::n], k = own[dimension::k];
        double words = missing(given.a.of(rank), m, k) + missing(given.b.of(rank), k, n);
        if (summed) {
            const share mine = summed->of(rank);
            words +=
                of_sum * missing(mine, m, n) +
                static_cast<double>(mine.rows.size() * mine.cols.size() * (plan.what().ranks - 1));
        } else {
            words += of_sum * missing(given.c.of(rank), m, n);
        }
        most = std::max(most, words);
    }
    return most;
}

schedule choose_schedule(const task& what, const layouts& given, bool overlaps) {
    const schedule suits(what);
    if (what.along || what.size.volume() == 0) return suits;
    // Matrices that lie as this schedule has them are there for the fewest words.
    const bool fits = words_between(suits, given) <= 1.05 * suits.most_words();
    best chosen{overlaps || fits ? 1 : words_of_a_sum};
    chosen.consider(suits, given);
    chosen.of_sum = overlaps ? 1 : words_of_a_sum;
    const auto attempt = [&](const auto& made) {
        try {
            chosen.consider(made(), given);
        } catch (const error&) {
            // It needs more memory than there is.
        }
    };
    for_each_grid(what, [&](const schedule& plan) {
        if (!overlaps || !plan.splits_k()) chosen.consider(plan, given);
    });
    if (is_in_ranges(given.c, what.ranks))
        attempt([&] { return schedule::where_c_lies(what, given.c); });
    task along_k = what;
    along_k.along = dimension::k;
    if (what.may_split_k) attempt([&] { return schedule(along_k); });
    return *chosen.found;
}

}  // namespace carat::distributed
