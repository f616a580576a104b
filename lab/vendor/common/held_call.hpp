// A product that one call of a library computes, which is held at its number of threads meanwhile.
#pragma once

#include <memory>
#include <utility>

#include "lab/rows/implementation.hpp"
#include "lab/vendor/common/thread_control.hpp"

namespace carat::vendor {

template <class Call>
class held_call final : public rows::runnable {
  public:
    held_call(const thread_control& control, int asked, Call call)
        : control_(control), threads_(granted(control, asked)), call_(std::move(call)) {}

    void run(const core::operands& data) override {
        const threads_held held(control_, threads_);
        call_(data);
    }
    [[nodiscard]] int threads() const override { return threads_; }

  private:
    const thread_control& control_;
    int threads_;
    Call call_;
};

// `call` takes the operands; `control` must outlive the product.
template <class Call>
[[nodiscard]] std::unique_ptr<rows::runnable> holding_threads(const thread_control& control,
                                                              int asked, Call call) {
    return std::make_unique<held_call<Call>>(control, asked, std::move(call));
}

}  // namespace carat::vendor
