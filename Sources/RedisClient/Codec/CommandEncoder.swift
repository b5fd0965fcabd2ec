import NIOCore

/// Writes commands in RESP: an array of bulk strings each.
///
/// hiredis's `redisFormatCommandArgv` wants every argument as a pointer at the same time and answers with one block of
/// its own, so each payload would be copied into place, copied by it, and copied again into a buffer that NIO can
/// write. A request is nothing but lengths and bytes, so it is written here directly: small commands one after the
/// other into one buffer, and a large buffer as it is, between two small ones, for the transport's `writev`.
struct CommandEncoder {
    /// The largest argument that is copied next to its neighbours rather than written by itself.
    static let copiedBytesMax = 16 * 1_024

    private let allocator: ByteBufferAllocator
    private var finished: [ByteBuffer] = []
    private var current: ByteBuffer

    init(allocator: ByteBufferAllocator = ByteBufferAllocator()) {
        self.allocator = allocator
        current = allocator.buffer(capacity: 0)
    }

    /// Adds a command after those before it.
    mutating func append(_ command: RedisCommand) {
        if current.capacity == 0 { current = allocator.buffer(capacity: 512) }
        writeLength(command.arguments.count + 1, mark: "*")
        writeLength(command.name.utf8.count, mark: "$")
        current.writeString(command.name)
        current.writeStaticString("\r\n")
        for argument in command.arguments { append(argument) }
    }

    /// Hands out everything added, in the order of the wire, and starts anew.
    mutating func take() -> [ByteBuffer] {
        finishCurrent()
        defer { finished.removeAll(keepingCapacity: true) }
        return finished
    }

    private mutating func append(_ argument: RedisArgument) {
        switch argument.content {
        case .string(let text):
            writeLength(text.utf8.count, mark: "$")
            current.writeString(text)
        case .integer(let value):
            let digits = String(value)
            writeLength(digits.utf8.count, mark: "$")
            current.writeString(digits)
        case .bytes(let bytes):
            writeLength(bytes.count, mark: "$")
            current.writeBytes(bytes)
        case .buffer(let buffer):
            writeLength(buffer.readableBytes, mark: "$")
            if buffer.readableBytes > Self.copiedBytesMax {
                finishCurrent()
                finished.append(buffer)
            } else {
                current.writeImmutableBuffer(buffer)
            }
        }
        current.writeStaticString("\r\n")
    }

    private mutating func finishCurrent() {
        guard current.readableBytes > 0 else { return }
        finished.append(current)
        current = allocator.buffer(capacity: 0)
    }

    private mutating func writeLength(_ length: Int, mark: StaticString) {
        current.writeStaticString(mark)
        if length < 10 {
            current.writeInteger(UInt8(ascii: "0") + UInt8(length))
        } else {
            current.writeString(String(length))
        }
        current.writeStaticString("\r\n")
    }
}
