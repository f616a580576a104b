// The rows of the catalogue that this folder defines, one a step.
#pragma once

#include "lab/rows/implementation.hpp"

namespace carat::ladder::cuda {

// Steps that use plain arithmetic: one type for everything.
inline constexpr core::signature plain_types[] = {{dtype::f64, dtype::f64, dtype::f64, "f64"},
                                                  {dtype::f32, dtype::f32, dtype::f32, "f32"},
                                                  {dtype::i32, dtype::i32, dtype::i32, "i32"}};

extern const rows::implementation naive;
extern const rows::implementation coalesced;
extern const rows::implementation tiled;
extern const rows::implementation register_tiled;
extern const rows::implementation vectorised;
extern const rows::implementation double_buffered;
extern const rows::implementation warp_tiled;
extern const rows::implementation wmma;
extern const rows::implementation wmma_shared;
extern const rows::implementation wmma_converted;
extern const rows::implementation mma;
extern const rows::implementation swizzled;
extern const rows::implementation staged;
extern const rows::implementation tma;
extern const rows::implementation wgmma;
extern const rows::implementation specialised;
extern const rows::implementation multicast;
extern const rows::implementation persistent;
extern const rows::implementation deferred_store;
extern const rows::implementation stream_k;
extern const rows::implementation turned;
extern const rows::implementation wide;

}  // namespace carat::ladder::cuda
