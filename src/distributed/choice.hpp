// The schedule for matrices that lie in given layouts: the one that suits the sizes best, or one
// that finds more of them where they are.
#pragma once

#include <carat/distributed.hpp>

#include "distributed/schedule.hpp"

namespace carat::distributed {

// The words that the busiest rank receives of A and B and sends of C; a word of C counts as
// `of_sum`.
[[nodiscard]] double words_between(const schedule& plan, const layouts& given, double of_sum = 1);

// `overlaps`: messages travel beside products (communicator::overlaps). Throws what schedule's
// constructor does.
[[nodiscard]] schedule choose_schedule(const task& what, const layouts& given,
                                       bool overlaps = true);

}  // namespace carat::distributed
