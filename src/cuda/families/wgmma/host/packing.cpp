#include "cuda/families/wgmma/host/packing.hpp"

namespace carat::cuda::wgmma {

void start_packing(const operand& a, const operand& b, const core::operands& data,
                   cudaStream_t stream, const core::product_distances& apart) {
    packing all[2];
    std::size_t count = 0;
    if (a.packed()) all[count++] = a.packing_of(data.a, apart.a);
    if (b.packed()) all[count++] = b.packing_of(data.b, apart.b);
    if (count > 0) pack({all, count}, stream);
}

}  // namespace carat::cuda::wgmma
