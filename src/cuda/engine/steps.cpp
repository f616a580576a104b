#include "cuda/engine/steps.hpp"

#include <span>
#include <string>

#include <carat/error.hpp>

namespace carat::gpu_engine {

namespace {

using cuda::activation;
using cuda::broadcast_vector;
using detail::epilogue_step;
using detail::step_kind;

// The order of steps within the kernels.
enum class phase : std::uint8_t { scale, bias, activation, none };

phase phase_of(step_kind kind) {
    switch (kind) {
        case step_kind::scale:
        case step_kind::scale_all:
            return phase::scale;
        case step_kind::bias:
            return phase::bias;
        case step_kind::relu:
        case step_kind::gelu:
        case step_kind::silu:
        case step_kind::reglu:
        case step_kind::geglu:
        case step_kind::swiglu:
            return phase::activation;
        case step_kind::each:
        case step_kind::amax:
            break;
    }
    return phase::none;
}

activation activation_of(step_kind kind) {
    if (kind == step_kind::relu || kind == step_kind::reglu) return activation::relu;
    if (kind == step_kind::gelu || kind == step_kind::geglu) return activation::gelu;
    return activation::silu;
}

// Whether there was none yet.
bool take_values(broadcast_vector& into, const epilogue_step& step) {
    if (into.values != nullptr) return false;
    into = {static_cast<const float*>(step.values), step.of == by::row};
    return true;
}

bool take(kernel_epilogue& into, const epilogue_step& step) {
    switch (step.kind) {
        case step_kind::scale:
            return take_values(into.fusion.scale, step);
        case step_kind::scale_all:
            into.factor *= step.number;
            // A factor of 0 would be one that reads no A and B, and hides what is not a number.
            return step.number != 0;
        case step_kind::bias:
            return take_values(into.fusion.bias, step);
        default:
            if (into.fusion.activation_function != activation::none) return false;
            into.fusion.activation_function = activation_of(step.kind);
            into.fusion.is_glu = is_gate(step.kind);
            return true;
    }
}

std::span<const epilogue_step> in_order(const detail::epilogue_steps& steps) {
    return std::span(steps.at).first(steps.count);
}

[[noreturn]] void refuse(const char* why) {
    throw error(error_code::unsupported, std::string("on a GPU ") + why);
}

}  // namespace

std::optional<kernel_epilogue> epilogue_of(const detail::epilogue_steps& steps) {
    kernel_epilogue made;
    phase reached = phase::scale;
    for (const epilogue_step& step : in_order(steps)) {
        const phase now = phase_of(step.kind);
        if (now == phase::none || now < reached || !take(made, step)) return std::nullopt;
        reached = now;
    }
    return made;
}

void check_steps(const detail::epilogue_steps& steps) {
    int gates = 0;
    int largest = 0;
    for (const epilogue_step& step : in_order(steps)) {
        if (step.kind == step_kind::each)
            refuse(
                "each is a function of the host: take another epilogue, or a kernel of your own "
                "after the product");
        if (is_gate(step.kind) && largest > 0)
            refuse("amax can't come before a gate: take it after the gate");
        gates += is_gate(step.kind) ? 1 : 0;
        largest += step.kind == step_kind::amax ? 1 : 0;
    }
    if (gates > 1) refuse("an epilogue has one gate: take a kernel of your own after the product");
    if (largest > 1) refuse("an epilogue has one amax: take the other after the product");
}

}  // namespace carat::gpu_engine
