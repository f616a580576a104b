// What every kernel needs before its first launch. Its code reaches a GPU when it is first asked
// for; where there is no memory for it then, the runtime fails for that kernel until the process
// ends (ADR 0094). So all are asked for here, and only where there is memory.
#pragma once

#include "core/facts.hpp"

namespace carat::cuda {

/// Gives back what isn't used where little memory is free. @throws carat::error(out_of_memory).
void find_room_for_code(int device);

/// How an SM shares its memory out between L1 and what kernels share: as the driver likes, or with
/// the least for L1, as all tiled kernels want it. Where two want it differently, the second can't
/// begin before the first has ended.
enum class l1_share { usual, least };

/// Loads `kernel` onto the device in use and grants it the most shared memory that one may take
/// beyond what it declares. Never less: a smaller grant, made for one product on one thread, would
/// have the launch of another product fail. Does nothing the second time: attributes of a kernel
/// that several threads set again and again have stopped all of them within the driver (580.159).
/// @throws carat::error: out_of_memory, by when the kernel isn't spoilt; as check().
void load(const void* kernel, l1_share share = l1_share::usual);
template <class... Parameters>
void load(void (*kernel)(Parameters...)) {
    load(reinterpret_cast<const void*>(kernel));
}

/// The same; what a block of so many threads takes is returned.
[[nodiscard]] core::kernel_facts load_kernel(const char* name, const void* kernel, int threads,
                                             int shared_bytes, l1_share share = l1_share::usual);

}  // namespace carat::cuda
