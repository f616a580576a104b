#include "lab/catalogue/catalogue.hpp"

#include "ladder/cpu/table.hpp"

namespace carat::lab {

const core::catalogue& catalogue() {
    static const core::catalogue all({ladder::cpu::table()});
    return all;
}

}  // namespace carat::lab
