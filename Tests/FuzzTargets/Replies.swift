import NIOCore
import RedisClient

/// However the server's bytes arrive, they are the same replies, and no reply is larger than its bound.
func fuzzReplies(_ input: [UInt8]) throws(BrokenProperty) {
    var pieces = Pieces(of: input)
    let whole = try ReplyReading([input])
    let cut = try ReplyReading(pieces.cut(input))
    let single = try ReplyReading(input.map { [$0] })
    // A bound on what is unfinished is met sooner in small pieces; what came before it is the same.
    try property(whole.replies.starts(with: cut.replies), "pieces give the replies of the whole")
    try property(cut.replies.starts(with: single.replies), "single bytes give the replies of pieces")
    if single.fault == nil {
        try property(whole.fault == nil, "what is read byte by byte is read as a whole")
        try property(single.replies == whole.replies, "single bytes give the replies of the whole")
    } else if single.fault != .tooLarge {
        try property(whole.fault != nil, "what is malformed byte by byte is malformed as a whole")
    }
    let written = try ReplyReading([whole.replies.flatMap(Wire.bytes)])
    try property(written.fault == nil && written.replies == whole.replies, "replies written again are the same")
}

/// What a reader made of the server's bytes.
private struct ReplyReading {
    static let limits = ReplyLimits(bytesMax: 4096, lineBytesMax: 256)

    private(set) var replies: [RedisValue] = []
    private(set) var fault: ReplyFault?

    init(_ chunks: [[UInt8]]) throws(BrokenProperty) {
        do throws(ReplyFault) {
            var reader = try ReplyReader(limits: Self.limits)
            for chunk in chunks {
                reader.feed(ByteBuffer(bytes: chunk))
                try take(from: &reader)
            }
        } catch {
            fault = error
        }
        for reply in replies {
            try property(Wire.cost(reply) <= Self.limits.bytesMax, "a reply is no larger than its bound")
            try property(Wire.depth(reply) <= 9, "arrays are nested no deeper than hiredis allows")
        }
    }

    private mutating func take(from reader: inout ReplyReader) throws(ReplyFault) {
        do throws(ReplyFault) {
            while let reply = try reader.next() { replies.append(reply) }
        } catch {
            // The stream is worthless from here on, and stays so.
            reader.feed(ByteBuffer(string: "+OK\r\n"))
            guard (try? reader.next()) == nil else { throw .malformed("a faulty stream gave another reply") }
            throw error
        }
    }
}

/// RESP2 as a server writes it.
private enum Wire {
    static func bytes(_ value: RedisValue) -> [UInt8] {
        switch value {
        case .null: Array("$-1\r\n".utf8)
        case .integer(let number): Array(":\(number)\r\n".utf8)
        case .simple(let text): Array("+\(text)\r\n".utf8)
        case .error(let error): Array("-\(error.message)\r\n".utf8)
        case .bulk(let buffer): Array("$\(buffer.readableBytes)\r\n".utf8) + buffer.readableBytesView + [13, 10]
        case .array(let elements): Array("*\(elements.count)\r\n".utf8) + elements.flatMap(bytes)
        }
    }

    /// Bytes of payload, and 32 for each value.
    static func cost(_ value: RedisValue) -> Int {
        switch value {
        case .null, .simple, .error: 32
        case .integer: 40
        case .bulk(let buffer): 32 + buffer.readableBytes
        case .array(let elements): 32 + elements.reduce(0) { $0 + cost($1) }
        }
    }

    static func depth(_ value: RedisValue) -> Int {
        if case .array(let elements) = value { 1 + (elements.map(depth).max() ?? 0) } else { 0 }
    }
}
