// Control flow that Rust does not have.

#include <setjmp.h>

int opaque(int);

// A cycle with two entries.
int two_entries(int value, int skips) {
    if (skips)
        goto second;
first:
    value = opaque(value) + 1;
second:
    value = opaque(value) ^ 3;
    if (value > 7)
        goto first;
    return value;
}

// An interpreter that jumps to addresses of labels.
int computed_goto(const unsigned char *code, int value) {
    static const void *const labels[] = {&&add, &&multiply, &&back, &&stop};
    const unsigned char *start = code;
    goto *labels[*code];
add:
    value += 3;
    goto *labels[*++code];
multiply:
    value *= 7;
    goto *labels[*++code];
back:
    code = start;
    goto *labels[*code];
stop:
    return value;
}

// A loop made of calls that leave no frame behind.
int tail_calls(int value, int count) {
    if (count == 0)
        return value;
    __attribute__((musttail)) return tail_calls(value * 3 + count, count - 1);
}

static jmp_buf back;

int calls_setjmp(int value) {
    while (setjmp(back) < value)
        opaque(value);
    return value;
}

int loops_beside_setjmp(int value) {
    for (int at = 0; at < value; at++)
        value ^= opaque(calls_setjmp(at));
    return value;
}
