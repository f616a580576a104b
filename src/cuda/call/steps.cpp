#include "cuda/call/steps.hpp"

#include <string>

#include <carat/error.hpp>

namespace carat::cuda_call {

namespace {

using cuda::sm90::activation;
using cuda::sm90::line_values;
using detail::finish_step;
using detail::step_kind;

// In the order that the kernels have.
enum class phase : std::uint8_t { scale, bias, activation };

phase phase_of(step_kind kind) {
    if (kind == step_kind::scale || kind == step_kind::scale_all) return phase::scale;
    return kind == step_kind::bias ? phase::bias : phase::activation;
}

const char* name_of(step_kind kind) {
    switch (kind) {
        case step_kind::bias:
            return "bias";
        case step_kind::scale:
        case step_kind::scale_all:
            return "scale";
        case step_kind::relu:
            return "relu";
        case step_kind::gelu:
            return "gelu";
        case step_kind::silu:
            return "silu";
        case step_kind::each:
            return "each";
    }
    return "?";
}

[[noreturn]] void refuse(const finish_step& step, const std::string& why) {
    throw error(error_code::unsupported,
                std::string("a finish on a GPU is at most a scale, a bias and an activation, in "
                            "this order, and ") +
                    name_of(step.kind) + " " + why +
                    ": take another finish, or a kernel of your own after the product");
}

activation activation_of(const finish_step& step) {
    if (step.kind == step_kind::relu) return activation::relu;
    if (step.kind == step_kind::gelu) return activation::gelu;
    if (step.kind == step_kind::silu) return activation::silu;
    refuse(step, "is a function of the host");
}

void take_values(line_values& into, const finish_step& step) {
    if (into.values != nullptr) refuse(step, "comes twice");
    into = {static_cast<const float*>(step.values), step.of == by::row};
}

void take(kernel_finish& into, const finish_step& step) {
    switch (phase_of(step.kind)) {
        case phase::scale:
            if (step.kind == step_kind::scale) return take_values(into.last.scale, step);
            // A factor of 0 would be one that reads no A and B, and hides what is not a number.
            if (step.number == 0) refuse(step, "is by 0");
            into.factor *= step.number;
            return;
        case phase::bias:
            return take_values(into.last.bias, step);
        case phase::activation:
            into.last.then = activation_of(step);
            return;
    }
}

}  // namespace

kernel_finish finish_of(const detail::finish_steps& steps) {
    kernel_finish made;
    phase reached = phase::scale;
    for (std::size_t i = 0; i < steps.count; ++i) {
        const finish_step& step = steps.at[i];
        const phase now = phase_of(step.kind);
        if (step.kind == step_kind::each) (void)activation_of(step);
        if (now < reached) refuse(step, std::string("follows ") + name_of(steps.at[i - 1].kind));
        if (now == phase::activation && reached == phase::activation)
            refuse(step, "is a second activation");
        take(made, step);
        reached = now;
    }
    return made;
}

}  // namespace carat::cuda_call
