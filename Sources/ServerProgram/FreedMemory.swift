import CMalloc
import Observability

/// Memory that was freed, and that the C library keeps for later.
package enum FreedMemory {
    /// The largest block that glibc takes from a heap instead of mapping it by itself: it takes no higher number.
    private static let blockBytesMax: Int32 = 32 << 20
    /// By how much more than it needs a heap grows, and what is left at its end when it shrinks by itself.
    private static let growthBytes: Int32 = 64 << 20
    /// One for all threads: each heap keeps its own peak, so that with two of them a worker took 390 MiB instead of 240.
    ///
    /// A thread that has asked for memory before keeps the heap it had.
    private static let heapsMax: Int32 = 1

    /// Has the C library keep up to this many freed bytes for later bundles.
    ///
    /// glibc gives the memory of large blocks back to the system, which clears every page anew for the next one: this
    /// is a sixth of a worker's time for a capture of 3 MB.
    package static func keep(_ bytes: Int) {
        // These calls fail only for numbers out of range, and then leave everything as it is.
        _ = mallopt(M_ARENA_MAX, heapsMax)
        _ = mallopt(M_MMAP_THRESHOLD, blockBytesMax)
        _ = mallopt(M_TRIM_THRESHOLD, Int32(clamping: bytes))
        _ = mallopt(M_TOP_PAD, growthBytes)
    }

    /// How much of the process's memory it is; `nil` when `/proc` cannot be read.
    ///
    /// Each heap is locked while its free blocks are counted: where there is one, nobody gets memory meanwhile.
    static func bytes() -> Int? {
        guard let held = ResidentMemory.bytes(.anonymous) else { return nil }
        let blocks = mallinfo2()
        return max(0, held - Int(clamping: blocks.uordblks) - Int(clamping: blocks.hblkhd))
    }

    /// Gives every free page back to the system.
    ///
    /// Each heap is locked meanwhile, for up to half a second on a busy machine. In a worker, which has one for all
    /// threads, nobody gets memory so long: the renewal of its leases waits as well.
    static func giveBack() {
        _ = malloc_trim(0)
    }
}
