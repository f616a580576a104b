// The machine code of a forwarded symbol on 64-bit Arm, see forward.cpp.
#pragma once

// The procedure call standard passes arguments in x0 to x7, v0 to v7, x8 (where a large result is
// to be) and on the stack, of which no BLAS routine needs more than 10 words; x9 to x17 are free.
// The BLAS has no SVE vectors. Results are in x0, x1 and v0 to v3. The frame has what an unwinder
// needs, as a program's xerbla_ may throw.
__asm__(R"(
    .pushsection .text
    .type carat_blas_first_call, %function
carat_blas_first_call:
    .cfi_startproc
    stp x29, x30, [sp, #-240]!
    .cfi_def_cfa_offset 240
    .cfi_offset x29, -240
    .cfi_offset x30, -232
    mov x29, sp
    .cfi_def_cfa_register x29
    stp x0, x1, [x29, #16]
    stp x2, x3, [x29, #32]
    stp x4, x5, [x29, #48]
    stp x6, x7, [x29, #64]
    stp x8, x16, [x29, #80]
    stp q0, q1, [x29, #96]
    stp q2, q3, [x29, #128]
    stp q4, q5, [x29, #160]
    stp q6, q7, [x29, #192]
    mov x0, x16
    mov x1, x30
    bl carat_blas_resolve
    str x1, [x29, #224]
    mov x17, x0
    mov x9, x1
    ldp x0, x1, [x29, #16]
    ldp x2, x3, [x29, #32]
    ldp x4, x5, [x29, #48]
    ldp x6, x7, [x29, #64]
    ldr x8, [x29, #80]
    ldp q0, q1, [x29, #96]
    ldp q2, q3, [x29, #128]
    ldp q4, q5, [x29, #160]
    ldp q6, q7, [x29, #192]
    cbnz x9, 1f
    .cfi_remember_state
    .cfi_def_cfa_register sp
    ldp x29, x30, [sp], #240
    .cfi_def_cfa_offset 0
    .cfi_restore x29
    .cfi_restore x30
    br x17
1:  .cfi_restore_state
    sub sp, sp, #128
    .set .Lword, 0
    .rept 8
    ldp x9, x10, [x29, #240+16*.Lword]
    stp x9, x10, [sp, #16*.Lword]
    .set .Lword, .Lword+1
    .endr
    blr x17
    stp x0, x1, [x29, #16]
    stp q0, q1, [x29, #96]
    stp q2, q3, [x29, #128]
    ldr x0, [x29, #88]
    ldr x1, [x29, #224]
    bl carat_blas_record
    ldp x0, x1, [x29, #16]
    ldp q0, q1, [x29, #96]
    ldp q2, q3, [x29, #128]
    mov sp, x29
    .cfi_def_cfa_register sp
    ldp x29, x30, [sp], #240
    .cfi_def_cfa_offset 0
    .cfi_restore x29
    .cfi_restore x30
    ret
    .cfi_endproc
    .size carat_blas_first_call, . - carat_blas_first_call
    .popsection
)");

// hint 34 is `bti c`: where a jump through a register may arrive.
#define CARAT_BLAS_TRAMPOLINE(symbol)                 \
    __asm__(                                          \
        ".pushsection .text\n"                        \
        ".balign 16\n"                                \
        ".globl " #symbol                             \
        "\n"                                          \
        ".type " #symbol ", %function\n" #symbol      \
        ":\n"                                         \
        "  hint #34\n"                                \
        "  adrp x16, .Lslot_" #symbol                 \
        "\n"                                          \
        "  ldr x17, [x16, #:lo12:.Lslot_" #symbol     \
        "]\n"                                         \
        "  br x17\n"                                  \
        ".size " #symbol ", . - " #symbol             \
        "\n"                                          \
        ".Lfirst_" #symbol                            \
        ":\n"                                         \
        "  hint #34\n"                                \
        "  adrp x16, .Lslot_" #symbol                 \
        "\n"                                          \
        "  add x16, x16, #:lo12:.Lslot_" #symbol      \
        "\n"                                          \
        "  b carat_blas_first_call\n"                 \
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
