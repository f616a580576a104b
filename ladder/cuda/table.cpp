#include "ladder/cuda/table.hpp"

#include "ladder/cuda/rows.hpp"

namespace carat::ladder::cuda {

rows::table table() {
    static constexpr const rows::implementation* rows[] = {&naive,
                                                           &coalesced,
                                                           &tiled,
                                                           &register_tiled,
                                                           &vectorised,
                                                           &double_buffered,
                                                           &warp_tiled,
                                                           &wmma,
                                                           &wmma_shared,
                                                           &wmma_converted,
                                                           &mma,
                                                           &swizzled,
                                                           &staged,
                                                           &tma,
                                                           &wgmma,
                                                           &specialised,
                                                           &multicast,
                                                           &persistent,
                                                           &deferred_store,
                                                           &stream_k,
                                                           &turned,
                                                           &wide};
    return rows;
}

}  // namespace carat::ladder::cuda
