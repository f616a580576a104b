// The schedule for matrices that lie in given layouts: the one that suits the sizes best, or one
// that finds more of them where they are.
#pragma once

#include <functional>

#include <carat/distributed.hpp>

#include "distributed/schedule.hpp"

namespace carat::distributed {

// Calls with each grid of all ranks along M, N and K.
void for_each_grid(const task& what, const std::function<void(const schedule&)>& call);

// The words that the busiest rank receives of A and B and sends of C; a word of C counts as
// `of_sum`.
[[nodiscard]] double words_between(const schedule& plan, const layouts& given, double of_sum = 1);

// `overlaps`: messages travel beside products (communicator::overlaps). Throws what schedule's
// constructor does.
[[nodiscard]] schedule choose_schedule(const task& what, const layouts& given,
                                       bool overlaps = true);

}  // namespace carat::distributed
