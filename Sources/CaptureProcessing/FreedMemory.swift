#if canImport(Glibc)
    import CMalloc
#endif

/// Memory that bundles have been freed from.
package enum FreedMemory {
    /// The largest block that glibc takes from its heaps and does not map by itself: half of what a heap may have.
    private static let blockBytesMax: Int32 = 32 << 20
    /// As much as a heap may have.
    private static let heapBytes: Int32 = 64 << 20
    /// Heaps for the many threads that read files: each keeps what it has had at the most, whatever the others have.
    private static let heapsMax: Int32 = 2

    /// Keeps up to so many bytes of it, in each of the C library's heaps, for the bundles to come.
    ///
    /// glibc gives the memory of large blocks back to the system, which clears every page anew for the next one: a
    /// sixth of what a worker does for a capture of 3 MB. Other C libraries go on as they do; it
    /// costs time and nothing else.
    /// - Parameter areInFiles: Whether bundles are read by many threads, each of which would have a heap of its own.
    package static func keep(_ bytes: Int, areInFiles: Bool = false) {
        #if canImport(Glibc)
            if areInFiles { _ = mallopt(M_ARENA_MAX, heapsMax) }
            // They refuse only numbers out of their ranges, and leave everything as it is then.
            _ = mallopt(M_MMAP_THRESHOLD, blockBytesMax)
            _ = mallopt(M_TRIM_THRESHOLD, Int32(clamping: bytes))
            // A heap whose blocks are all free goes back as a whole, unless its neighbour lacks this much.
            _ = mallopt(M_TOP_PAD, heapBytes)
        #endif
    }
}
