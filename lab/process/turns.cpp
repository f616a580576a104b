#include "lab/process/turns.hpp"

namespace carat::process {

void turns::give(child* next) {
    if (current_ == next) return;
    if (current_ != nullptr) current_->stop();
    current_ = next;
    if (next != nullptr) next->go_on();
}

}  // namespace carat::process
