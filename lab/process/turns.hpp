// Of several children one runs at a time, and the others are stopped: spinning threads of a pool
// that has nothing to do take processors from the one that is measured.
#pragma once

#include "lab/process/child.hpp"

namespace carat::process {

class turns {
  public:
    // Whoever has the turn is stopped; then `next` goes on. Null: none of them runs.
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
