// A call whose A is the C of a call ahead of it on the same stream: A times ones on a diagonal.
#pragma once

#include "fuzz/trials.hpp"
#include "gpu_worker.hpp"

namespace carat::fuzz {

// A's own elements are not there yet: what is not a number lies where A is copied to.
void upload_for_chain(const running& r, gpu_worker& there);
// Starts it, some times.
void make_a(const running& r, const gpu_worker& there);
// What was made is A; its bytes are put back, zeros of either sign being alike.
[[nodiscard]] std::string check_made_a(const running& r);

}  // namespace carat::fuzz
