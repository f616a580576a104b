// Products at pointers and of different sizes: a loop, one call, and cuBLAS's if it is available.
#pragma once

namespace carat::benchmark {

void measure_groups();

}  // namespace carat::benchmark
