// What every row of this ladder needs on the host. A step is a struct whose
//
//     template <class In, class Out, class Sum> static plan<...> choose(const core::settings&)
//
// names the kernel and the tile of C that one block of it computes. Preparing a product loads the
// kernel onto the device, running it launches one grid; nothing else is in the timed region.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuda/common/device.hpp"
#include "cuda/common/handles.hpp"
#include "cuda/common/kernel.hpp"
#include "lab/rows/implementation.hpp"
#include "ladder/cuda/product.cuh"
#include "ladder/cuda/step.hpp"

namespace carat::ladder::cuda {

template <class In, class Out, class Sum>
struct plan {
    void (*kernel)(product<In, Out, Sum>);
    int tile_m;  // of C, of one block
    int tile_n;
    int threads;
    int shared_bytes = 0;  // beyond what the kernel declares
};

template <class In, class Out, class Sum>
class step_runnable final : public rows::runnable {
  public:
    step_runnable(const char* name, const core::problem& p, plan<In, Out, Sum> chosen)
        : problem_(p),
          plan_(chosen),
          blocks_(static_cast<unsigned>(blocks_for(p, chosen.tile_m, chosen.tile_n))),
          facts_(carat::cuda::load_kernel(name, reinterpret_cast<const void*>(chosen.kernel),
                                          chosen.threads, chosen.shared_bytes)) {}

    void run(const core::operands& data) override {
        if (blocks_ == 0) return;
        const cudaStream_t stream = carat::cuda::stream_in_use();
        plan_.kernel<<<blocks_, plan_.threads, plan_.shared_bytes, stream>>>(
            make_product<In, Out, Sum>(problem_, data));
        CARAT_CUDA_CHECK(cudaGetLastError());
    }

    [[nodiscard]] std::vector<core::kernel_facts> kernels() const override { return {facts_}; }

  private:
    core::problem problem_;
    plan<In, Out, Sum> plan_;
    unsigned blocks_;
    core::kernel_facts facts_;
};

template <class Step, class In, class Out, class Sum>
[[nodiscard]] std::unique_ptr<rows::runnable> prepare_as(const core::problem& p,
                                                         const core::settings& s) {
    const auto chosen = Step::template choose<In, Out, Sum>(s);
    return std::make_unique<step_runnable<In, Out, Sum>>(Step::name, p, chosen);
}

// Steps that use plain arithmetic: one type for everything.
inline constexpr core::signature plain_types[] = {{dtype::f64, dtype::f64, dtype::f64, "f64"},
                                                  {dtype::f32, dtype::f32, dtype::f32, "f32"},
                                                  {dtype::i32, dtype::i32, dtype::i32, "i32"}};

template <class Step>
[[nodiscard]] std::unique_ptr<rows::runnable> prepare_plain(const core::problem& p,
                                                            const core::settings& s) {
    using integer = std::uint32_t;
    if (p.c_type == dtype::f64) return prepare_as<Step, double, double, double>(p, s);
    if (p.c_type == dtype::f32) return prepare_as<Step, float, float, float>(p, s);
    return prepare_as<Step, integer, integer, integer>(p, s);
}

template <class Step>
[[nodiscard]] std::string unsupported_plain(const core::problem& p, const core::settings& s) {
    if constexpr (requires { Step::unsupported(s); })
        if (std::string why = Step::unsupported(s); !why.empty()) return why;
    // The tile of C has the same size for every type, or f64's is the smallest.
    const auto chosen = Step::template choose<double, double, double>(s);
    return unsupported_problem(p, blocks_for(p, chosen.tile_m, chosen.tile_n), 70);
}

// The row of such a step.
template <class Step>
[[nodiscard]] constexpr rows::implementation plain_row(
    std::string_view summary, std::span<const core::tunable> tunables = {}) {
    return {.name = Step::name,
            .summary = summary,
            .where = rows::device::cuda,
            .signatures = plain_types,
            .tunables = tunables,
            .unavailable = carat::cuda::unavailable_in_use,
            .unsupported = unsupported_plain<Step>,
            .prepare = prepare_plain<Step>};
}

}  // namespace carat::ladder::cuda
