#include "core/left_sms.hpp"

#include <utility>

namespace carat::core {

namespace {

thread_local int left = 0;

}  // namespace

int left_sms() {
    return left;
}

int leave_sms(int count) {
    return std::exchange(left, count);
}

}  // namespace carat::core
