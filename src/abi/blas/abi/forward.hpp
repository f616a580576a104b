// How often the program called what is forwarded, counted while CARAT_PROFILE is on.
#pragma once

#include <cstdint>
#include <functional>

namespace carat::blas {

// Calls visit(symbol, calls) for every forwarded symbol that was called.
void for_each_forwarded(const std::function<void(const char*, std::uint64_t)>& visit);

}  // namespace carat::blas
