#include "lab/catalogue/catalogue.hpp"

#include "cpu/engine.hpp"
#include "cuda/engine/table.hpp"
#include "ladder/cpu/table.hpp"
#include "ladder/cuda/table.hpp"
#include "vendor/cublas/table.hpp"
#include "vendor/table.hpp"

namespace carat::lab {

const core::catalogue& catalogue() {
    static const core::catalogue all({cpu_engine::table(), cuda::engine::table(),
                                      ladder::cpu::table(), ladder::cuda::table(),
                                      vendor::cublas::table(), vendor::vendor_table()});
    return all;
}

}  // namespace carat::lab
