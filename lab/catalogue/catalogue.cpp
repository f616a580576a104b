#include "lab/catalogue/catalogue.hpp"

#include "lab/rows/cpu/table.hpp"
#include "lab/rows/cuda/table.hpp"
#include "lab/vendor/cublas/table.hpp"
#include "lab/vendor/table.hpp"
#include "ladder/cpu/table.hpp"
#include "ladder/cuda/table.hpp"

namespace carat::lab {

namespace {

// What is discarded here need not be there: a build without CUDA has none of these modules.
rows::catalogue all() {
    if constexpr (CARAT_HAS_CUDA)
        return rows::catalogue({rows::cpu::table(), rows::cuda::table(), ladder::cpu::table(),
                                ladder::cuda::table(), vendor::cublas::table(),
                                vendor::vendor_table()});
    else
        return rows::catalogue({rows::cpu::table(), ladder::cpu::table(), vendor::vendor_table()});
}

}  // namespace

const rows::catalogue& catalogue() {
    static const rows::catalogue found = all();
    return found;
}

}  // namespace carat::lab
