#pragma once
#include <stddef.h>
#include <stdint.h>

// The driver of libFuzzer, which the toolchain ships without a header (LLVM: lib/fuzzer/FuzzerInterface.h).
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *bytes, size_t count));
