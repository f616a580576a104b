// Products at pointers and of different sizes: a loop, one call, and cuBLAS's where it is found.
#pragma once

namespace carat::benchmark {

void measure_groups();

}  // namespace carat::benchmark
