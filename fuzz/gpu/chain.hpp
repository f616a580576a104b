// A call whose A is the C of an earlier call on the same stream: A times the identity.
#pragma once

#include "fuzz/trials.hpp"
#include "gpu_worker.hpp"

namespace carat::fuzz {

// A's elements do not exist yet; the place that they will be copied to holds NaN.
void upload_for_chain(const running& r, gpu_worker& there);
// Starts the earlier call, a few times.
void make_a(const running& r, const gpu_worker& there);
// Checks that A was made and restores its bytes; zeros of either sign are equal.
[[nodiscard]] std::string check_made_a(const running& r);

}  // namespace carat::fuzz
