import NIOCore
package import RedisClient

extension RedisValue {
    /// The value in RESP2, as a server writes it.
    package var wire: [UInt8] {
        switch self {
        case .null: Array("$-1\r\n".utf8)
        case .integer(let number): Array(":\(number)\r\n".utf8)
        case .simple(let text): Array("+\(text)\r\n".utf8)
        case .error(let error): Array("-\(error.message)\r\n".utf8)
        case .bulk(let buffer): Array("$\(buffer.readableBytes)\r\n".utf8) + buffer.readableBytesView + [13, 10]
        case .array(let elements): Array("*\(elements.count)\r\n".utf8) + elements.flatMap(\.wire)
        }
    }
}
