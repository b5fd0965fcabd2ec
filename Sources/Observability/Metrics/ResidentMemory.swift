#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The memory that this process holds, according to the system.
package enum ResidentMemory {
    /// Bytes in physical memory; `nil` where there is no `/proc`.
    package static func bytes() -> Int? {
        #if os(Linux)
            let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            var text = [UInt8](repeating: 0, count: 128)
            let count = read(descriptor, &text, text.count)
            guard count > 0 else { return nil }
            return pages(in: text[..<count]).map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
        #else
            return nil
        #endif
    }

    /// The second number of `statm`: resident pages.
    package static func pages(in statm: ArraySlice<UInt8>) -> Int? {
        let numbers = statm.split(separator: UInt8(ascii: " "))
        guard numbers.count > 1 else { return nil }
        return Int(String(decoding: numbers[numbers.startIndex + 1], as: UTF8.self))
    }
}
