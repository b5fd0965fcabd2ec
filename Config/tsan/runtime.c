// Tells ThreadSanitizer what two parts of Swift's runtime order, which the toolchain ships without instrumentation.
//
// These functions take the runtime's place at link time, let it do the work, and say what it did. So neither needs a
// suppression, and a real race behind a Mutex or a continuation is still found.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define ASYNC __attribute__((swiftasynccall))
#define SELF __attribute__((swift_context))

// The runtime's own function of that name, the next one behind this file's.
static void *original(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (function == NULL) abort();
    return function;
}

// MARK: Synchronization.Mutex
//
// The uncontended paths are inlined into our code, where ThreadSanitizer sees their atomics. A thread that has to wait,
// and one that others wait for, leave it to libswiftSynchronization (a futex with priority inheritance): everything
// behind such a lock looked like a race. What is passed is the address of the lock's word, as in the inlined paths.

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef SWIFT void (*Lock)(uint32_t thread, SELF void *mutex);
typedef SWIFT bool (*TryLock)(SELF void *mutex);
typedef SWIFT void (*Unlock)(SELF void *mutex);

// _MutexHandle._lockSlow(_: UInt32)
SWIFT void lock_slow(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT void lock_slow(uint32_t thread, SELF void *mutex) {
    ((Lock)original(LOCK))(thread, mutex);
    __tsan_acquire(mutex);
}

// _MutexHandle._tryLockSlow() -> Bool
SWIFT bool try_lock_slow(SELF void *mutex) __asm__(TRY_LOCK);
SWIFT bool try_lock_slow(SELF void *mutex) {
    bool locked = ((TryLock)original(TRY_LOCK))(mutex);
    if (locked) __tsan_acquire(mutex);
    return locked;
}

// _MutexHandle._unlockSlow()
SWIFT void unlock_slow(SELF void *mutex) __asm__(UNLOCK);
SWIFT void unlock_slow(SELF void *mutex) {
    __tsan_release(mutex);
    ((Unlock)original(UNLOCK))(mutex);
}

// MARK: Continuations
//
// Resuming one releases its task. Awaiting one that was resumed already goes on at once, and in Swift 6.3 acquires
// nothing. The checked ones are in continuations.swift; the unsafe ones, which SwiftNIO's futures use, are inlined and
// end here. (One that is resumed between these two lines is missed; that has not been seen.)

SWIFT void *swift_task_getCurrent(void);

// Acquires what the one who resumed the running task released.
void capture_acquire_task(void) {
    void *task = swift_task_getCurrent();
    if (task != NULL) __tsan_acquire(task);
}

typedef ASYNC void (*Await)(void *context);

ASYNC void swift_continuation_await(void *context) {
    Await library = (Await)original("swift_continuation_await");
    capture_acquire_task();
    __attribute__((musttail)) return library(context);
}

// MARK: Values without bytes
//
// Swift reports that an `inout` argument may be modified by its address. That of a value which has no bytes
// (SystemRandomNumberGenerator) is whatever the register held, and ThreadSanitizer crashed where that was no address.
// The linker leads such reports here (--wrap).

void __real___tsan_external_write(void *address, void *caller, void *tag);

void __wrap___tsan_external_write(void *address, void *caller, void *tag) {
    bool isUserMemory = (uintptr_t)address >> 47 == 0 && (uintptr_t)address >= 4096;
    if (isUserMemory) __real___tsan_external_write(address, caller, tag);
}
