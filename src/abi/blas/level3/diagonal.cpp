#include "abi/blas/level3/diagonal.hpp"

#include <carat/error.hpp>

#include "abi/blas/level3/product.hpp"
#include "core/isa.hpp"

namespace carat::blas {

namespace baseline {
extern const diagonal_set diagonal;
}
#if defined(__x86_64__)
namespace avx2 {
extern const diagonal_set diagonal;
}
namespace avx512 {
extern const diagonal_set diagonal;
}
#endif

const diagonal_set& diagonal_functions_in_use() {
    try {
        const core::isa level = core::vectors_of(core::isa_in_use());
#if defined(__x86_64__)
        if (level == core::isa::avx512) return avx512::diagonal;
        if (level == core::isa::avx2) return avx2::diagonal;
#else
        (void)level;
#endif
    } catch (const error& why) {
        give_up(why.what());
    }
    return baseline::diagonal;
}

}  // namespace carat::blas
