// Work on a GPU that spoils the context of its process, or does not end for a long while.
#pragma once

namespace carat::faults {

void start_illegal_write();
void start_endless_kernel();

}  // namespace carat::faults
