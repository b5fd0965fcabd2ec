import Glibc

/// A file of an authority's directory: read as a whole, and written so that nobody meets a part of it.
struct AuthorityFile {
    /// Where it is.
    let path: String

    /// Many times the size of an authority; a larger file is not one.
    private static let bytesMax = 64 * 1024

    /// Reads all its bytes; refuses a file that is larger than any authority.
    func content() throws(SimulatorError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw fault("cannot be read") }
        let handle = FileHandleOwner(descriptor: descriptor)
        // One more byte shows that it is too large.
        guard let content = handle.read(bytesMax: Self.bytesMax + 1) else { throw fault("cannot be read") }
        guard content.count <= Self.bytesMax else {
            throw SimulatorError(
                .authority, "\(path): more than \(Self.bytesMax) bytes are no test certificate authority")
        }
        return content
    }

    /// Makes the file, readable by its owner only, unless there is one; returns whether it was made.
    func make(_ text: String) throws(SimulatorError) -> Bool {
        let draft = try draft(text)
        defer { unlink(draft) }
        if link(draft, path) == 0 { return true }
        guard errno == EEXIST else { throw fault("cannot be made") }
        return false
    }

    /// Replaces the file, or makes it; everybody may read it.
    func replace(with text: String) throws(SimulatorError) {
        let draft = try draft(text)
        guard chmod(draft, 0o644) == 0, rename(draft, path) == 0 else {
            let fault = fault("cannot be made")
            unlink(draft)
            throw fault
        }
    }

    /// Writes a text to a new file beside it, readable by its owner only, and returns that file's path.
    private func draft(_ text: String) throws(SimulatorError) -> String {
        // mkstemp puts letters of its own in place of the six at the end: mkstemp(3).
        var name = Array("\(path).XXXXXX".utf8CString)
        let descriptor = mkstemp(&name)
        guard descriptor >= 0 else { throw fault("cannot be made") }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let draft = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        let handle = FileHandleOwner(descriptor: descriptor)
        guard handle.write(Array(text.utf8)) else {
            let fault = fault("cannot be written")
            unlink(draft)
            throw fault
        }
        return draft
    }

    /// The error for what failed; `errno` tells the reason.
    private func fault(_ words: String) -> SimulatorError {
        SimulatorError(.authority, "\(path) \(words): \(Self.words(for: errno))")
    }

    /// The message for an error number of C.
    static func words(for code: CInt) -> String { String(cString: strerror(code)) }
}

/// Owns an open file and closes it.
private struct FileHandleOwner: ~Copyable {
    let descriptor: CInt

    deinit { close(descriptor) }

    /// Reads to the end or up to `bytesMax` bytes; `nil` on failure, with the reason in `errno`.
    func read(bytesMax: Int) -> [UInt8]? {
        var content = [UInt8](repeating: 0, count: bytesMax)
        var count = 0
        while count < bytesMax {
            let got = content.withUnsafeMutableBytes { room in
                take(descriptor, room.baseAddress.map { $0 + count }, room.count - count)
            }
            guard got >= 0 else { return nil }
            guard got > 0 else { break }
            count += got
        }
        return Array(content[..<count])
    }

    /// Writes every byte; `false` on failure, with the reason in `errno`.
    func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { put(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
        }
        return true
    }
}

/// The C library's `read`, which a method of that name would hide.
private func take(_ descriptor: CInt, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}

/// The C library's `write`, which a method of that name would hide.
private func put(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
