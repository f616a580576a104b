// Lets one of several children run at a time and stops the others, since spinning threads of an
// idle pool take processors from the measured one.
#pragma once

#include "lab/process/child.hpp"

namespace carat::process {

class turns {
  public:
    // Stops the running child and continues `next`. Null: none runs.
    void give(child* next);

    // A child that is about to end.
    void forget(const child* one) {
        if (current_ == one) current_ = nullptr;
    }

    [[nodiscard]] const child* current() const { return current_; }

  private:
    child* current_ = nullptr;
};

}  // namespace carat::process
