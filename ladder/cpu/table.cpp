#include "ladder/cpu/table.hpp"

namespace carat::ladder::cpu {

extern const core::implementation naive_entry;
extern const core::implementation reordered_entry;
extern const core::implementation transposed_b_entry;
extern const core::implementation tiled_entry;
extern const core::implementation tiled_reordered_entry;
extern const core::implementation openmp_entry;
extern const core::implementation threads_entry;
extern const core::implementation anatomy_entries[5];

core::table table() {
    static constexpr const core::implementation* rows[] = {
        &naive_entry,           &reordered_entry,    &transposed_b_entry, &tiled_entry,
        &tiled_reordered_entry, &openmp_entry,       &threads_entry,      &anatomy_entries[0],
        &anatomy_entries[1],    &anatomy_entries[2], &anatomy_entries[3], &anatomy_entries[4]};
    return rows;
}

}  // namespace carat::ladder::cpu
