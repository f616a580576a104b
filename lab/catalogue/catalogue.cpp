#include "lab/catalogue/catalogue.hpp"

#include "cpu/engine.hpp"
#include "cuda/engine/table.hpp"
#include "lab/vendor/cublas/table.hpp"
#include "lab/vendor/table.hpp"
#include "ladder/cpu/table.hpp"
#include "ladder/cuda/table.hpp"

namespace carat::lab {

namespace {

// What is discarded here need not be there: a build without CUDA has none of these modules.
core::catalogue all() {
    if constexpr (CARAT_HAS_CUDA)
        return core::catalogue({cpu_engine::table(), cuda::engine::table(), ladder::cpu::table(),
                                ladder::cuda::table(), vendor::cublas::table(),
                                vendor::vendor_table()});
    else
        return core::catalogue({cpu_engine::table(), ladder::cpu::table(), vendor::vendor_table()});
}

}  // namespace

const core::catalogue& catalogue() {
    static const core::catalogue found = all();
    return found;
}

}  // namespace carat::lab
