// Trampolines to the fallback. Each forwarded symbol is one indirect jump through a slot of its
// own:
//
//   daxpy_:  jmp *slot          slot: address of `first`, later of the fallback's daxpy_
//   first:   r11 = &slot        then saves every register an argument may be in, asks for the
//            jmp carat_blas_first_call       address, restores them, and jumps there
//
// A jump leaves the arguments, the hidden lengths of Fortran strings and the way complex numbers
// are returned exactly as the caller and the fallback agree on; nothing here needs to know them.
#include "abi/blas/abi/forward.hpp"

#include <atomic>

#include "abi/blas/abi/fallback.hpp"
#include "abi/blas/level3/profile.hpp"

#if !defined(__x86_64__)
#error "carat_blas: the trampolines are written for x86-64"
#endif

namespace carat::blas {

// As the assembly below lays it out.
struct forwarded {
    std::atomic<void*> slot;
    const char* symbol;
    const char* alternative;
    std::atomic<std::uint64_t> calls;
};
static_assert(sizeof(forwarded) == 32 && sizeof(std::atomic<void*>) == 8);

// The linker marks the ends of a section whose name could be an identifier.
extern forwarded first_forwarded[] __asm__("__start_carat_blas_forwarded")
    __attribute__((visibility("hidden")));
extern forwarded end_of_forwarded[] __asm__("__stop_carat_blas_forwarded")
    __attribute__((visibility("hidden")));

void for_each_forwarded(const std::function<void(const char*, std::uint64_t)>& visit) {
    for (forwarded* f = first_forwarded; f != end_of_forwarded; ++f)
        if (const std::uint64_t calls = f->calls.load(std::memory_order_relaxed); calls != 0)
            visit(f->symbol, calls);
}

// While calls are counted the slot stays as it is, so that every call comes by.
extern "C" __attribute__((visibility("hidden"), used)) void* carat_blas_resolve(
    forwarded* f) noexcept {
    void* const target = fallback_function(f->symbol, f->alternative);
    if (profile::enabled) {
        f->calls.fetch_add(1, std::memory_order_relaxed);
    } else {
        f->slot.store(target, std::memory_order_release);
    }
    return target;
}

}  // namespace carat::blas

// The System V calling convention passes arguments in rdi, rsi, rdx, rcx, r8, r9, xmm0 to xmm7, al
// (their number, for variable arguments) and r10; r11 is free. The BLAS has no wider vectors.
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
    pushq %rax
    pushq %rdi
    pushq %rsi
    pushq %rdx
    pushq %rcx
    pushq %r8
    pushq %r9
    pushq %r10
    subq $128, %rsp
    movaps %xmm0, (%rsp)
    movaps %xmm1, 16(%rsp)
    movaps %xmm2, 32(%rsp)
    movaps %xmm3, 48(%rsp)
    movaps %xmm4, 64(%rsp)
    movaps %xmm5, 80(%rsp)
    movaps %xmm6, 96(%rsp)
    movaps %xmm7, 112(%rsp)
    movq %r11, %rdi
    call carat_blas_resolve
    movq %rax, %r11
    movaps (%rsp), %xmm0
    movaps 16(%rsp), %xmm1
    movaps 32(%rsp), %xmm2
    movaps 48(%rsp), %xmm3
    movaps 64(%rsp), %xmm4
    movaps 80(%rsp), %xmm5
    movaps 96(%rsp), %xmm6
    movaps 112(%rsp), %xmm7
    addq $128, %rsp
    popq %r10
    popq %r9
    popq %r8
    popq %rcx
    popq %rdx
    popq %rsi
    popq %rdi
    popq %rax
    popq %rbp
    .cfi_def_cfa %rsp, 8
    jmp *%r11
    .cfi_endproc
    .size carat_blas_first_call, . - carat_blas_first_call
    .popsection
)");

#define CARAT_BLAS_TRAMPOLINE(symbol, alternative)                       \
    __asm__(                                                             \
        ".pushsection .text\n"                                           \
        ".balign 16\n"                                                   \
        ".globl " #symbol                                                \
        "\n"                                                             \
        ".type " #symbol ", @function\n" #symbol                         \
        ":\n"                                                            \
        "  endbr64\n"                                                    \
        "  jmp *.Lslot_" #symbol                                         \
        "(%rip)\n"                                                       \
        ".size " #symbol ", . - " #symbol                                \
        "\n"                                                             \
        ".Lfirst_" #symbol                                               \
        ":\n"                                                            \
        "  endbr64\n"                                                    \
        "  leaq .Lslot_" #symbol                                         \
        "(%rip), %r11\n"                                                 \
        "  jmp carat_blas_first_call\n"                                  \
        ".popsection\n"                                                  \
        ".pushsection .rodata\n"                                         \
        ".Lname_" #symbol ": .string \"" #symbol                         \
        "\"\n"                                                           \
        ".Lalternative_" #symbol ": .string \"" #alternative             \
        "\"\n"                                                           \
        ".popsection\n"                                                  \
        ".pushsection carat_blas_forwarded, \"aw\"\n"                    \
        ".balign 32\n"                                                   \
        ".Lslot_" #symbol ": .quad .Lfirst_" #symbol ", .Lname_" #symbol \
        ", .Lalternative_" #symbol                                       \
        ", 0\n"                                                          \
        ".popsection\n");

#define OWN(symbol)
#define FORWARD(symbol, alternative) CARAT_BLAS_TRAMPOLINE(symbol, alternative)
#include "abi/blas/abi/routines.def"
