#include "CProcessor.h"

#include <stdint.h>

#if defined(__x86_64__)
#include <cpuid.h>

/// The register sets that the operating system saves (Intel SDM volume 1, 13.3). The intrinsic would need a target.
static uint64_t saved_registers(void) {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

processor_features processor_features_read(void) {
    processor_features has = {0};
    uint32_t a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return has;
    const uint32_t ssse3_and_sse41 = bit_SSSE3 | bit_SSE4_1;
    const _Bool sse = (c & ssse3_and_sse41) == ssse3_and_sse41;
    // Without OSXSAVE there is no xgetbv, and nobody saves the wide registers.
    const uint64_t saved = c & bit_OSXSAVE ? saved_registers() : 0;
    // XCR0: bits 1 and 2 are SSE and AVX; 5 to 7 the masks and both halves of AVX-512.
    const _Bool ymm = (saved & 0x06) == 0x06;
    const _Bool zmm = (saved & 0xe6) == 0xe6;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return has;
    has.sha = sse && (b & bit_SHA);
    has.avx2 = ymm && (b & bit_AVX2);
    has.avx512 = zmm && (b & bit_AVX512F) && (b & bit_AVX512BW);
    has.avx512_ifma = zmm && (b & bit_AVX512F) && (b & bit_AVX512DQ) && (b & bit_AVX512IFMA);
    return has;
}

#else

// Other processors have none of these.
processor_features processor_features_read(void) {
    return (processor_features){0};
}

#endif
