// What ranks do whose messages don't travel beside products, as processes of one machine: no piece
// hides a message, and putting a face together takes as long as a message. So K is multiplied in
// the parts in which ranks hold the faces, each where it lies or arrived, and the sums stay in C:
//
//     C  =  A of rank 0 x B of rank 0  +  A of rank 1 x B of rank 1  +  ...
#pragma once

#include <vector>

#include "distributed/steps.hpp"

namespace carat::distributed {

// None: shares are not ranges of K with all lines of the face, or the parts are thin.
[[nodiscard]] std::vector<step> steps_in_parts(const box& own, int rank, const distribution& a,
                                               const distribution& b);

// Whether shares of faces that are cut along K are such parts.
[[nodiscard]] bool has_parts(const schedule& plan);

// The schedule whose words and copies take least.
[[nodiscard]] schedule schedule_of_parts(const task& what);

// The time of words of a sum over that of others: the part that is sent is written first, and what
// arrives is added to what is there.
inline constexpr double words_of_a_sum = 2.5;

}  // namespace carat::distributed
