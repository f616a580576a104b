// Trampolines to the fallback. Each forwarded symbol is one indirect jump through its own slot:
//
//   daxpy_:  jump to *slot      slot: address of `first`, later of the fallback's daxpy_
//   first:   take &slot         then saves every register that may hold an argument, asks for the
//            jump to carat_blas_first_call   address, restores them, and jumps there
//
// A jump leaves arguments, hidden lengths of Fortran strings and complex return values exactly as
// caller and fallback agree on them; nothing here needs to know them. With CARAT_PROFILE a call is
// timed: the slot stays as it is, and a call with a copy of all possible stack arguments replaces
// the jump.
#include "abi/blas/abi/forward.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>

#include "abi/blas/abi/fallback.hpp"
#include "abi/blas/level3/profile.hpp"

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "carat_blas: the trampolines are written for x86-64 and 64-bit Arm"
#endif

namespace carat::blas {

// Laid out as in the assembly below. Distances, because the loader would have to relocate addresses
// at the start of every process.
struct forwarded {
    std::atomic<void*> slot;
    std::atomic<void*> target;  // of calls that are timed
    std::int32_t to_first;
    std::int32_t to_symbol;

    [[nodiscard]] const char* at(const std::int32_t& distance) const {
        return reinterpret_cast<const char*>(&distance) + distance;
    }
    [[nodiscard]] const char* symbol() const { return at(to_symbol); }
};
static_assert(sizeof(forwarded) == 24 && sizeof(std::atomic<void*>) == 8);

// The linker marks the ends of a section whose name is an identifier.
extern forwarded first_forwarded[] __asm__("__start_carat_blas_forwarded")
    __attribute__((visibility("hidden")));
extern forwarded end_of_forwarded[] __asm__("__stop_carat_blas_forwarded")
    __attribute__((visibility("hidden")));

void forget_forwarded() noexcept {
    for (forwarded* f = first_forwarded; f != end_of_forwarded; ++f) {
        f->slot.store(const_cast<char*>(f->at(f->to_first)), std::memory_order_relaxed);
        f->target.store(nullptr, std::memory_order_relaxed);
    }
}

namespace {

void* find(const forwarded& f) {
    return fallback_function(f.symbol());
}

std::int64_t now_ns() {
    return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

}  // namespace

// What a first call receives in two registers.
struct resolved {
    void* target;
    std::int64_t start_ns;  // 0: not timed
};

// A call that the fallback makes itself (CBLAS calling Fortran, say) belongs to one that is timed.
extern "C" __attribute__((visibility("hidden"), used)) resolved carat_blas_resolve(
    forwarded* f, const void* caller) noexcept {
    if (!profile::enabled) {
        void* const target = find(*f);
        f->slot.store(target, std::memory_order_release);
        return {target, 0};
    }
    void* target = f->target.load(std::memory_order_relaxed);
    if (target == nullptr) f->target.store(target = find(*f), std::memory_order_relaxed);
    return {target, is_in_fallback(caller) ? 0 : now_ns()};
}

extern "C" __attribute__((visibility("hidden"), used)) void carat_blas_record(
    const forwarded* f, std::int64_t start_ns) noexcept {
    profile::record({.routine = f->symbol(), .forwarded = true},
                    std::chrono::nanoseconds(now_ns() - start_ns));
}

}  // namespace carat::blas

#if defined(__x86_64__)
#include "abi/blas/abi/trampolines_x86.hpp"
#else
#include "abi/blas/abi/trampolines_arm.hpp"
#endif

#define OWN(symbol)
#define FORWARD(symbol) CARAT_BLAS_TRAMPOLINE(symbol)
#include "abi/blas/abi/routines.def"
