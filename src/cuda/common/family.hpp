// The seam between cuda.engine and a family of kernels: what a folder of src/cuda/families offers
// the registry (src/cuda/engine/families.cpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cuda/common/device.hpp"
#include "cuda/common/gemm.hpp"
#include "plan/gemm_plan.hpp"
#include "plan/gpu_plan.hpp"

namespace carat::cuda {

/// What is wanted of a plan beside the call.
struct plan_wish {
    plan::gemm_overrides asked = {};
    bool is_asked = false;  // something is, be it nothing in particular
    std::string_view chosen_by = "from the model";
    bool answers = true;  // the family is the first that is_for() the call
};

struct group_choice {
    plan::gpu_plan plan;
    bool at_once = false;      // it is predicted to be no slower than a launch for each
    bool shares_rows = false;  // by persistent tiles, for products that share out rows
};

/// What a family offers that multiplies products of any sizes in one launch.
struct grouping {
    /// Nothing where the kernels can't read such a member where it lies.
    std::optional<layout_class> (*layout)(const core::gpu_product& member,
                                          core::gpu_arithmetic how);
    /// Its plan for all of them. Persistent tiles are for those that `share_rows`.
    group_choice (*choose)(const core::gpu_call& call, std::span<const core::gpu_product> all,
                           const layout_class& layout, bool share_rows);
    /// Whether C and what is added to it lie so that a GLU can be taken on the way there.
    bool (*stores_glu)(const core::problem& p, const core::operands& data);
};

struct family {
    std::string_view name;  // "wgmma"

    /// Why none of its kernels runs on such a GPU; empty where some do. Null: on all.
    std::string (*why_not_on)(const device_facts& gpu) = nullptr;

    /// Whether it answers for what is asked of such a call: the first family does that says so.
    /// Null: for none.
    bool (*is_for)(const core::gpu_call& call) = nullptr;

    /// Why it can't do what was asked for; empty where it can. Null: nothing can be asked of it.
    std::string (*why_not)(const core::gpu_call& call, const plan::gemm_overrides& asked) = nullptr;

    /// Its plan that is legal and takes least, packing included; nothing where there is none.
    std::optional<plan::gpu_plan> (*choose)(const core::gpu_call& call, const plan_wish& wish);

    /// Makes a call ready by a plan of choose()'s, or of choose() of its grouping. Null where one
    /// launch can't hold a batch. @throws carat::error(out_of_memory).
    std::unique_ptr<const gemm_product> (*prepare)(const core::gpu_call& call,
                                                   const plan::gpu_plan& with);

    const grouping* groups = nullptr;  // none
    core::kernel_table kernels = {};   // of tensor cores, whose values tunables have
};

}  // namespace carat::cuda
