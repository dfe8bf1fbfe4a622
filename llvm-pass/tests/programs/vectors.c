// Loops that keep vectors of many widths in registers, in a build for the baseline processor.

#include <immintrin.h>

void mix_plain(const int *values, long count, int *out) {
    __m128i one = _mm_set1_epi32(1), two = _mm_set1_epi32(2), three = _mm_set1_epi32(3);
    for (long at = 0; at < count; at++) {
        __m128i value = _mm_set1_epi32(values[at]);
        one = _mm_add_epi32(one, value);
        two = _mm_xor_si128(_mm_add_epi32(two, one), value);
        three = _mm_add_epi32(_mm_slli_epi32(three, 1), two);
    }
    _mm_storeu_si128((__m128i *)out, one);
    _mm_storeu_si128((__m128i *)(out + 4), two);
    _mm_storeu_si128((__m128i *)(out + 8), three);
}

__attribute__((target("avx2"))) void mix_avx2(const int *values, long count, int *out) {
    __m256i one = _mm256_set1_epi32(1), two = _mm256_set1_epi32(2), three = _mm256_set1_epi32(3);
    for (long at = 0; at < count; at++) {
        __m256i value = _mm256_set1_epi32(values[at]);
        one = _mm256_add_epi32(one, value);
        two = _mm256_xor_si256(_mm256_add_epi32(two, one), value);
        three = _mm256_add_epi32(_mm256_slli_epi32(three, 1), two);
    }
    _mm256_storeu_si256((__m256i *)out, one);
    _mm256_storeu_si256((__m256i *)(out + 8), two);
    _mm256_storeu_si256((__m256i *)(out + 16), three);
}

__attribute__((target("avx512f"))) void mix_avx512(const int *values, long count, int *out) {
    __m512i one = _mm512_set1_epi32(1), two = _mm512_set1_epi32(2), three = _mm512_set1_epi32(3);
    for (long at = 0; at < count; at++) {
        __m512i value = _mm512_set1_epi32(values[at]);
        __mmask16 odd = _mm512_test_epi32_mask(value, _mm512_set1_epi32(1));
        one = _mm512_add_epi32(one, value);
        two = _mm512_xor_si512(_mm512_add_epi32(two, one), value);
        three = _mm512_add_epi32(_mm512_slli_epi32(three, 1), two);
        three = _mm512_mask_mov_epi32(three, odd & 0, one);
    }
    _mm512_storeu_si512(out, one);
    _mm512_storeu_si512(out + 16, two);
    _mm512_storeu_si512(out + 32, three);
}

long chase(const long *next, long at) {
    long steps = 0;
    while (next[at] != at) {
        at = next[at];
        steps++;
    }
    return steps;
}
