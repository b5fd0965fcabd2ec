import NIOCore

/// Writes commands in RESP: an array of bulk strings each.
///
/// hiredis's `redisFormatCommandArgv` needs pointers to all arguments at the same time and returns a block of its own,
/// so each payload would be copied three times: into place, by hiredis, and into a buffer that NIO can write. A request
/// is nothing but lengths and bytes, so it is written here directly: small commands in sequence into one buffer, and a
/// large buffer uncopied between two small ones, for the transport's `writev`.
struct CommandEncoder {
    /// The largest argument that is copied next to its neighbours rather than written by itself.
    static let copiedBytesMax = 16 * 1_024

    /// How much room is kept between commands.
    private static let keptBytesMax = 64 * 1_024

    private let allocator: ByteBufferAllocator
    private var finished: [ByteBuffer] = []
    /// An array while it grows: a ByteBuffer would check at each of the many small writes whether it is shared.
    private var current: [UInt8] = []

    init(allocator: ByteBufferAllocator = ByteBufferAllocator()) {
        self.allocator = allocator
    }

    /// Adds a command after those before it.
    mutating func append(_ command: RedisCommand) {
        writeLength(command.arguments.count + 1, mark: "*")
        writeLength(command.name.utf8.count, mark: "$")
        current.append(contentsOf: command.name.utf8)
        endLine()
        for argument in command.arguments { append(argument) }
    }

    /// Returns everything added, in the order of the wire, and starts anew.
    mutating func take() -> [ByteBuffer] {
        finishCurrent()
        defer { finished.removeAll(keepingCapacity: true) }
        return finished
    }

    private mutating func append(_ argument: RedisArgument) {
        switch argument.content {
        case .string(let text):
            writeLength(text.utf8.count, mark: "$")
            current.append(contentsOf: text.utf8)
        case .integer(let value):
            let digits = String(value)
            writeLength(digits.utf8.count, mark: "$")
            current.append(contentsOf: digits.utf8)
        case .bytes(let bytes):
            writeLength(bytes.count, mark: "$")
            current.append(contentsOf: bytes)
        case .buffer(let buffer):
            writeLength(buffer.readableBytes, mark: "$")
            if buffer.readableBytes > Self.copiedBytesMax {
                finishCurrent()
                finished.append(buffer)
            } else {
                current.append(contentsOf: buffer.readableBytesView)
            }
        }
        endLine()
    }

    private mutating func finishCurrent() {
        guard !current.isEmpty else { return }
        finished.append(allocator.buffer(bytes: current))
        // Memory of the usual size is reused; after a flood it is given back.
        current.removeAll(keepingCapacity: current.count <= Self.keptBytesMax)
    }

    private mutating func writeLength(_ length: Int, mark: Unicode.Scalar) {
        current.append(UInt8(ascii: mark))
        if length < 10 {
            current.append(UInt8(ascii: "0") + UInt8(length))
        } else {
            current.append(contentsOf: String(length).utf8)
        }
        endLine()
    }

    private mutating func endLine() {
        current.append(UInt8(ascii: "\r"))
        current.append(UInt8(ascii: "\n"))
    }
}
