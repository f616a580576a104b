#include "lab/catalogue/catalogue.hpp"

namespace carat::lab {

const core::catalogue& catalogue() {
    static const core::catalogue all({});
    return all;
}

}  // namespace carat::lab
