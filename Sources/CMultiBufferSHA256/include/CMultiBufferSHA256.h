// The compression function of SHA-256 (FIPS 180-4, 6.2.2) over several messages at once.
#pragma once
#include <CProcessor.h>
#include <stddef.h>
#include <stdint.h>

/// Takes `blocks` blocks of 64 bytes into each lane's state.
///
/// `states` holds word 0 of every lane, then word 1 of every lane, up to word 7. `bytes` has one pointer for each lane,
/// of any alignment, with `blocks` × 64 readable bytes behind it; lanes may share them.
typedef void (*cmb_sha256_kernel)(uint32_t *_Nonnull states, const uint8_t *_Nonnull const *_Nonnull bytes,
                                  size_t blocks);

/// The function that works on so many lanes: 2 (SHA instructions), 8 (AVX2) or 16 (AVX-512).
///
/// `NULL` for any other number, and where the processor cannot run it.
cmb_sha256_kernel _Nullable cmb_sha256_kernel_of(processor_features has, size_t lanes);
