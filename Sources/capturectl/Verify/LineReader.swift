import Glibc
import SystemPackage

/// Reads lines from a descriptor, none longer than a bound.
struct LineReader {
    /// One line, or the fact that a line was too long to keep.
    enum Line {
        case complete([UInt8])
        case tooLong
    }

    private let descriptor: CInt
    private let bytesMax: Int
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    private var partial: [UInt8] = []
    private var isSkipping = false

    init(descriptor: CInt, bytesMax: Int) {
        self.descriptor = descriptor
        self.bytesMax = bytesMax
    }

    /// The lines that the next piece of input completes, perhaps none; `nil` at the end.
    ///
    /// Lines are returned as soon as they are complete, so that a program can wait for each answer before it asks
    /// again.
    mutating func next() throws(InputFault) -> [Line]? {
        let count = read(descriptor, &buffer, buffer.count)
        guard count >= 0 else {
            try waitOut(errno)
            return []
        }
        guard count > 0 else { return finish() }
        var lines: [Line] = []
        for piece in buffer[..<count].split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            if piece.offset > 0 { lines.append(takeLine()) }
            append(piece.element)
        }
        return lines
    }

    /// Waits until reading may succeed again, if the error is only temporary.
    private func waitOut(_ code: CInt) throws(InputFault) {
        switch code {
        case EINTR: return
        // Another process that shares the descriptor has made it non-blocking.
        case EAGAIN:
            var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&input, 1, -1)
        default: throw InputFault(code: code)
        }
    }

    /// A last line without its line feed counts too.
    private mutating func finish() -> [Line]? {
        guard isSkipping || !partial.isEmpty else { return nil }
        return [takeLine()]
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) {
        guard !isSkipping else { return }
        guard partial.count + bytes.count <= bytesMax else {
            isSkipping = true
            partial = []
            return
        }
        partial += bytes
    }

    private mutating func takeLine() -> Line {
        defer {
            partial.removeAll(keepingCapacity: true)
            isSkipping = false
        }
        return isSkipping ? .tooLong : .complete(partial)
    }
}

/// Standard input cannot be read: an error, not its end.
struct InputFault: Error, CustomStringConvertible {
    /// The `errno` of the fault.
    let code: CInt

    var description: String { "standard input cannot be read: \(Errno(rawValue: code))" }
}
