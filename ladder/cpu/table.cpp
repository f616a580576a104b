#include "ladder/cpu/table.hpp"

namespace carat::ladder::cpu {

extern const core::implementation naive_entry;
extern const core::implementation reordered_entry;
extern const core::implementation transposed_b_entry;
extern const core::implementation tiled_entry;
extern const core::implementation tiled_reordered_entry;

core::table table() {
    static constexpr const core::implementation* rows[] = {
        &naive_entry, &reordered_entry, &transposed_b_entry, &tiled_entry, &tiled_reordered_entry};
    return rows;
}

}  // namespace carat::ladder::cpu
