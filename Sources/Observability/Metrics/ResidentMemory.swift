import Glibc

/// The memory that this process holds, according to the system.
package enum ResidentMemory {
    /// What of it.
    package enum Kind: Sendable {
        /// Everything in physical memory.
        case all
        /// All that is in no file.
        case anonymous
    }

    /// Bytes in physical memory; `nil` when `/proc` cannot be read.
    package static func bytes(_ kind: Kind = .all) -> Int? {
        let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var text = [UInt8](repeating: 0, count: 128)
        let count = read(descriptor, &text, text.count)
        guard count > 0 else { return nil }
        return pages(kind, in: text[..<count]).map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
    }

    /// The second number of `statm`, resident pages, less the third for those that are in no file.
    package static func pages(_ kind: Kind = .all, in statm: ArraySlice<UInt8>) -> Int? {
        let numbers = statm.split(separator: UInt8(ascii: " ")).map { Int(String(decoding: $0, as: UTF8.self)) }
        guard numbers.count > 2, let resident = numbers[1], let inFiles = numbers[2] else { return nil }
        return kind == .all ? resident : resident - inFiles
    }
}
