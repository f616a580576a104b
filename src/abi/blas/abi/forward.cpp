// Trampolines to the fallback. Each forwarded symbol is one indirect jump through its own slot:
//
//   daxpy_:  jmp *slot          slot: address of `first`, later of the fallback's daxpy_
//   first:   r11 = &slot        then saves every register that may hold an argument, asks for the
//            jmp carat_blas_first_call       address, restores them, and jumps there
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

#if !defined(__x86_64__)
#error "carat_blas: the trampolines are written for x86-64"
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

// What a first call receives in rax and rdx.
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

// The System V calling convention passes arguments in rdi, rsi, rdx, rcx, r8, r9, xmm0 to xmm7, al
// (their number, for variable arguments), r10 and on the stack, of which no BLAS routine needs more
// than 10 words; r11 is free. The BLAS has no wider vectors. Results are in rax, rdx, xmm0 and
// xmm1. The frame has what an unwinder needs, as a program's xerbla_ may throw.
__asm__(R"(
    .pushsection .text
    .type carat_blas_first_call, @function
carat_blas_first_call:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    subq $208, %rsp
    movq %rax, -8(%rbp)
    movq %rdi, -16(%rbp)
    movq %rsi, -24(%rbp)
    movq %rdx, -32(%rbp)
    movq %rcx, -40(%rbp)
    movq %r8, -48(%rbp)
    movq %r9, -56(%rbp)
    movq %r10, -64(%rbp)
    movaps %xmm0, -80(%rbp)
    movaps %xmm1, -96(%rbp)
    movaps %xmm2, -112(%rbp)
    movaps %xmm3, -128(%rbp)
    movaps %xmm4, -144(%rbp)
    movaps %xmm5, -160(%rbp)
    movaps %xmm6, -176(%rbp)
    movaps %xmm7, -192(%rbp)
    movq %r11, -200(%rbp)
    movq %r11, %rdi
    movq 8(%rbp), %rsi
    call carat_blas_resolve
    movq %rdx, -208(%rbp)
    movq %rax, %r11
    testq %rdx, %rdx
    movq -8(%rbp), %rax
    movq -16(%rbp), %rdi
    movq -24(%rbp), %rsi
    movq -32(%rbp), %rdx
    movq -40(%rbp), %rcx
    movq -48(%rbp), %r8
    movq -56(%rbp), %r9
    movq -64(%rbp), %r10
    movaps -80(%rbp), %xmm0
    movaps -96(%rbp), %xmm1
    movaps -112(%rbp), %xmm2
    movaps -128(%rbp), %xmm3
    movaps -144(%rbp), %xmm4
    movaps -160(%rbp), %xmm5
    movaps -176(%rbp), %xmm6
    movaps -192(%rbp), %xmm7
    jnz 1f
    .cfi_remember_state
    leave
    .cfi_def_cfa %rsp, 8
    jmp *%r11
1:  .cfi_restore_state
    .set .Lword, 15
    .rept 16
    pushq 16+8*.Lword(%rbp)
    .set .Lword, .Lword-1
    .endr
    call *%r11
    movq %rax, -8(%rbp)
    movq %rdx, -16(%rbp)
    movaps %xmm0, -80(%rbp)
    movaps %xmm1, -96(%rbp)
    movq -200(%rbp), %rdi
    movq -208(%rbp), %rsi
    call carat_blas_record
    movq -8(%rbp), %rax
    movq -16(%rbp), %rdx
    movaps -80(%rbp), %xmm0
    movaps -96(%rbp), %xmm1
    leave
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size carat_blas_first_call, . - carat_blas_first_call
    .popsection
)");

#define CARAT_BLAS_TRAMPOLINE(symbol)                 \
    __asm__(                                          \
        ".pushsection .text\n"                        \
        ".balign 16\n"                                \
        ".globl " #symbol                             \
        "\n"                                          \
        ".type " #symbol ", @function\n" #symbol      \
        ":\n"                                         \
        "  endbr64\n"                                 \
        "  jmp *.Lslot_" #symbol                      \
        "(%rip)\n"                                    \
        ".size " #symbol ", . - " #symbol             \
        "\n"                                          \
        ".Lfirst_" #symbol                            \
        ":\n"                                         \
        "  endbr64\n"                                 \
        "  leaq .Lslot_" #symbol                      \
        "(%rip), %r11\n"                              \
        "  jmp carat_blas_first_call\n"               \
        ".popsection\n"                               \
        ".pushsection .rodata\n"                      \
        ".Lname_" #symbol ": .string \"" #symbol      \
        "\"\n"                                        \
        ".popsection\n"                               \
        ".pushsection carat_blas_forwarded, \"aw\"\n" \
        ".balign 8\n"                                 \
        ".Lslot_" #symbol ": .quad .Lfirst_" #symbol  \
        ", 0\n"                                       \
        ".long .Lfirst_" #symbol                      \
        " - .\n"                                      \
        ".long .Lname_" #symbol                       \
        " - .\n"                                      \
        ".popsection\n");

#define OWN(symbol)
#define FORWARD(symbol) CARAT_BLAS_TRAMPOLINE(symbol)
#include "abi/blas/abi/routines.def"
