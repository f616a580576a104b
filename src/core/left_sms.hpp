// How many SMs of a GPU the products of this thread leave to other work (carat/leave_sms.hpp). A
// persistent kernel has a CTA for each SM that it may use: those that find no SM free begin when
// others end, and the product takes that much longer.
#pragma once

namespace carat::core {

[[nodiscard]] int left_sms();
// Returns what it was before.
int leave_sms(int count);

}  // namespace carat::core
