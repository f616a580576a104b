// The machine code of a forwarded symbol on x86-64, see forward.cpp.
#pragma once

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
