// What the vector code of this project asks of the processor.
#pragma once

/// What this processor has, and its operating system keeps across context switches.
typedef struct {
    /// The SHA-256 instructions (with SSSE3 and SSE4.1).
    _Bool sha;
    _Bool avx2;
    /// AVX-512 F and BW.
    _Bool avx512;
    /// AVX-512 F, DQ and IFMA: products of 52 bits, eight at once.
    _Bool avx512_ifma;
} processor_features;

/// Asks the processor, which takes microseconds in a virtual machine: not to be asked for every batch.
processor_features processor_features_read(void);
