import NIOCore

/// Collects the values of one reply in the order in which hiredis finds them.
///
/// hiredis walks a reply depth first and calls once per value. An array stays open until its last element has come; the
/// outermost value, once complete, is the reply. An announced length is not trusted: next to no memory is reserved.
final class ReplyBuilder {
    private struct OpenArray {
        /// Room for a row of a usual reply.
        private static let reservedMax = 32

        var missing: Int
        var elements: [RedisValue] = []

        init(count: Int) {
            missing = count
            elements.reserveCapacity(min(count, Self.reservedMax))
        }
    }

    private let limits: ReplyLimits
    private var open: [OpenArray] = []
    private var reply: RedisValue?
    private(set) var bytes = 0
    private(set) var fault: ReplyFault?
    /// The bytes of the next string, when it bypassed hiredis.
    var large: ByteBuffer?

    init(limits: ReplyLimits) {
        self.limits = limits
    }

    /// Returns the complete reply and starts anew.
    ///
    /// An incomplete reply keeps its byte count, so that one bound covers all its pieces.
    func takeReply() -> RedisValue? {
        guard let reply else { return nil }
        self.reply = nil
        bytes = 0
        return reply
    }

    /// Starts an array.
    ///
    /// - Returns: `false` if the reply breaks a bound.
    func openArray(count: Int) -> Bool {
        guard charge(0) else { return false }
        if count > 0 {
            open.append(OpenArray(count: count))
        } else {
            place(.array([]))
        }
        return true
    }

    /// Adds a value whose payload takes a number of bytes.
    ///
    /// - Returns: `false` if the reply breaks a bound.
    func add(payloadBytes: Int, _ value: () -> RedisValue?) -> Bool {
        guard charge(payloadBytes) else { return false }
        guard let value = value() else {
            fault = .malformed("a value is not ended by CRLF")
            return false
        }
        place(value)
        return true
    }

    private func charge(_ payloadBytes: Int) -> Bool {
        bytes += payloadBytes + ReplyLimits.valueBytes
        guard bytes <= limits.bytesMax else {
            fault = .tooLarge
            return false
        }
        return true
    }

    private func place(_ value: consuming RedisValue) {
        guard let last = open.indices.last else {
            reply = value
            return
        }
        open[last].elements.append(value)
        open[last].missing -= 1
        if open[last].missing == 0 { place(.array(open.removeLast().elements)) }
    }
}

/// Why the bytes of a server cannot be read any further.
package enum ReplyFault: Error, Equatable {
    /// A reply passes one of the bounds.
    case tooLarge
    /// The bytes are not RESP2, in hiredis's words.
    case malformed(String)

    /// The fault as callers see it.
    var error: RedisError {
        switch self {
        case .tooLarge: RedisError(.protocolViolation, "a reply is larger than the configured bound")
        case .malformed(let reason): RedisError(.protocolViolation, "the server's bytes are not RESP2: \(reason)")
        }
    }
}
