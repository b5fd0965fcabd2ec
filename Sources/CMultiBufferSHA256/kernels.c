#include "CMultiBufferSHA256.h"

#include "kernels.h"

#if defined(__x86_64__)

cmb_sha256_kernel cmb_sha256_kernel_of(processor_features has, size_t lanes) {
    if (lanes == 2 && has.sha) return cmb_sha256_x2;
    if (lanes == 8 && has.avx2) return cmb_sha256_x8;
    if (lanes == 16 && has.avx512) return cmb_sha256_x16;
    return NULL;
}

#else

// On other processors one message at a time is hashed by libcrypto, with their own SHA instructions.
cmb_sha256_kernel cmb_sha256_kernel_of(processor_features has, size_t lanes) {
    (void)has;
    (void)lanes;
    return NULL;
}

#endif
