// One implementation on its way through a case.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "core/execution_space.hpp"
#include "lab/results/document.hpp"
#include "lab/session/gpu_watch.hpp"
#include "lab/session/request.hpp"

namespace carat::session {

struct contender {
    const selection* what = nullptr;
    core::execution_space* space = nullptr;  // set when it is available
    core::settings settings;
    results::result result;
    std::unique_ptr<core::runnable> ready;
    std::size_t next_set = 0;
    gpu_watch watch;

    [[nodiscard]] bool ruled_out() const { return !result.available || !result.reason.empty(); }

    void give_up(std::string reason) {
        ready.reset();
        result.available = result.verified = false;
        result.reason = std::move(reason);
    }
};

}  // namespace carat::session
