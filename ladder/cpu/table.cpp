#include "ladder/cpu/table.hpp"

namespace carat::ladder::cpu {

extern const rows::implementation naive_entry;
extern const rows::implementation reordered_entry;
extern const rows::implementation transposed_b_entry;
extern const rows::implementation tiled_entry;
extern const rows::implementation tiled_reordered_entry;
extern const rows::implementation openmp_entry;
extern const rows::implementation threads_entry;
extern const rows::implementation anatomy_entries[6];
extern const rows::implementation parallel_rows_entry;
extern const rows::implementation parallel_shared_entry;
extern const rows::implementation amx_entries[3];

rows::table table() {
    static constexpr const rows::implementation* rows[] = {
        &naive_entry,           &reordered_entry,     &transposed_b_entry,    &tiled_entry,
        &tiled_reordered_entry, &openmp_entry,        &threads_entry,         &anatomy_entries[0],
        &anatomy_entries[1],    &anatomy_entries[2],  &anatomy_entries[3],    &anatomy_entries[4],
        &anatomy_entries[5],    &parallel_rows_entry, &parallel_shared_entry, &amx_entries[0],
        &amx_entries[1],        &amx_entries[2]};
    return rows;
}

}  // namespace carat::ladder::cpu
