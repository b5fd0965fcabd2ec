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
    let written = try ReplyReading([whole.replies.flatMap(\.wire)])
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
            try property(reply.cost <= Self.limits.bytesMax, "a reply is no larger than its bound")
            try property(reply.depth <= 9, "arrays are nested no deeper than hiredis allows")
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

extension RedisValue {
    /// Bytes of payload, and 32 for each value.
    fileprivate var cost: Int {
        switch self {
        case .null, .simple, .error: 32
        case .integer: 40
        case .bulk(let buffer): 32 + buffer.readableBytes
        case .array(let elements): 32 + elements.reduce(0) { $0 + $1.cost }
        }
    }

    /// How many arrays are nested in one another.
    fileprivate var depth: Int {
        if case .array(let elements) = self { 1 + (elements.map(\.depth).max() ?? 0) } else { 0 }
    }
}
