package import NIOCore

/// One reply of the server, as RESP2 knows them.
package enum RedisValue: Sendable, Equatable {
    /// A null bulk string or null array: nothing there.
    case null
    /// `:1`
    case integer(Int64)
    /// `+OK`
    case simple(String)
    /// A binary-safe string, handed over in a buffer of its own.
    case bulk(ByteBuffer)
    /// Values in order, nested up to eight deep (hiredis's own bound).
    case array([RedisValue])
    /// An error line. At the top of a reply `send` throws it; inside `pipeline` and arrays it stays a value.
    case error(RedisServerError)

    /// Whether nothing is there.
    package var isNull: Bool { self == .null }

    /// The number of an integer, or of a string that holds one.
    package var int: Int? {
        switch self {
        case .integer(let value): Int(exactly: value)
        case .simple, .bulk: string.flatMap { Int($0) }
        case .null, .array, .error: nil
        }
    }

    /// The buffer of a bulk string, without a copy.
    package var buffer: ByteBuffer? {
        if case .bulk(let buffer) = self { buffer } else { nil }
    }

    /// The elements of an array.
    package var array: [RedisValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The error line of an error reply.
    package var error: RedisServerError? {
        if case .error(let error) = self { error } else { nil }
    }

    /// The value, unless it is an error reply.
    ///
    /// - Throws: ``RedisError`` with code `server`.
    package func get() throws(RedisError) -> RedisValue {
        if case .error(let error) = self { throw RedisError(error) }
        return self
    }
}
