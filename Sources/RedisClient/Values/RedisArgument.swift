package import NIOCore

/// One argument of a command; always sent as a binary-safe bulk string.
package struct RedisArgument: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    enum Content: Sendable {
        case string(String)
        case bytes([UInt8])
        case buffer(ByteBuffer)
        case integer(Int64)
    }

    let content: Content

    /// Text, sent as UTF-8.
    package static func string(_ text: String) -> RedisArgument { RedisArgument(content: .string(text)) }

    /// Bytes.
    package static func bytes(_ bytes: [UInt8]) -> RedisArgument { RedisArgument(content: .bytes(bytes)) }

    /// The readable bytes of a buffer.
    ///
    /// Large ones go to the socket without being copied.
    package static func buffer(_ buffer: ByteBuffer) -> RedisArgument { RedisArgument(content: .buffer(buffer)) }

    /// A number, sent in decimal.
    package static func integer(_ value: Int64) -> RedisArgument { RedisArgument(content: .integer(value)) }

    /// A number, sent in decimal.
    package static func integer(_ value: Int) -> RedisArgument { RedisArgument(content: .integer(Int64(value))) }

    /// Text, as a literal.
    package init(stringLiteral value: String) { self.init(content: .string(value)) }

    /// A number, as a literal.
    package init(integerLiteral value: Int64) { self.init(content: .integer(value)) }

    init(content: Content) { self.content = content }

    /// The argument's bytes on the wire, for the byte bound; a number counts as its longest form.
    var byteCount: Int {
        switch content {
        case .string(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        case .buffer(let buffer): buffer.readableBytes
        case .integer: 20
        }
    }
}
