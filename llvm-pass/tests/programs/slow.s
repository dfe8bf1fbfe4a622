# The symbols of the runtime, the line always armed; the slow path keeps what `preserve_most` promises and destroys
# all vector registers, as wide as the processor has them.

    .section .tdata.concord_line, "awT", @progbits
    .globl concord_line
    .hidden concord_line
    .type concord_line, @object
    .size concord_line, 128
    .balign 128
concord_line:
    .long 1
    .zero 124

    .section .tdata.concord_guard, "awT", @progbits
    .globl concord_guard
    .hidden concord_guard
    .type concord_guard, @object
    .size concord_guard, 128
    .balign 128
concord_guard:
    .long 1
    .zero 124

    .text
    .globl concord_guard_slow
    .hidden concord_guard_slow
concord_guard_slow:
    ret

    .globl concord_probe_slow
    .hidden concord_probe_slow
concord_probe_slow:
    incq probes_taken(%rip)
    cmpl $1, vector_width(%rip)
    jb 1f
    je 2f
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    vpxord %zmm\n, %zmm\n, %zmm\n
    .endr
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7
    kxorw %k\n, %k\n, %k\n
    .endr
    ret
2:
    vzeroall
    ret
1:
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    pxor %xmm\n, %xmm\n
    .endr
    ret

    .data
    .globl probes_taken
    .balign 8
probes_taken:
    .quad 0
    # 0: SSE, 1: AVX2, 2: AVX-512.
    .globl vector_width
vector_width:
    .long 0

    .section .note.GNU-stack, "", @progbits
