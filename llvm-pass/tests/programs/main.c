// Compares the vector loops with plain arithmetic, while the slow path destroys every vector register.

#include <stdio.h>

enum { COUNT = 100000, LONGEST = 16 };

extern unsigned long probes_taken;
extern int vector_width;
void mix_plain(const int *, long, int *);
void mix_avx2(const int *, long, int *);
void mix_avx512(const int *, long, int *);
long chase(const long *, long);

static int values[COUNT];
static long next[COUNT];

static void check(const char *name, void (*mix)(const int *, long, int *), int lanes) {
    unsigned one = 1, two = 2, three = 3;
    for (int at = 0; at < COUNT; at++) {
        one += (unsigned)values[at];
        two = (two + one) ^ (unsigned)values[at];
        three = three * 2 + two;
    }
    int out[3 * LONGEST];
    unsigned long before = probes_taken;
    mix(values, COUNT, out);
    int right = 1;
    for (int lane = 0; lane < lanes; lane++)
        right &= out[lane] == (int)one && out[lanes + lane] == (int)two && out[2 * lanes + lane] == (int)three;
    printf("%s %s %d\n", name, right ? "right" : "wrong", probes_taken > before);
}

int main(void) {
    for (int at = 0; at < COUNT; at++) {
        values[at] = at * 2654435761u >> 7;
        next[at] = at + 1 < COUNT ? at + 1 : at;
    }
    check("plain", mix_plain, 4);
    if (__builtin_cpu_supports("avx2")) {
        vector_width = 1;
        check("avx2", mix_avx2, 8);
    }
    if (__builtin_cpu_supports("avx512f")) {
        vector_width = 2;
        check("avx512", mix_avx512, 16);
    }
    vector_width = 0;
    printf("chase %ld\n", chase(next, 0));
    return 0;
}
