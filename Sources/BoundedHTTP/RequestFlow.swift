import NIOCore
import NIOHTTP1

/// The state of a connection between its requests and its answers, without channel or bytes.
struct RequestFlow {
    /// What is done with received bytes.
    enum Input: Equatable {
        /// The parser gets them.
        case parsed
        /// They are held: a complete request has no answer yet.
        case held
        /// The parser has failed: they are read and dropped, so that the client can read its answer.
        case discarded
        /// No more HTTP is expected: they are not read.
        case unread
    }

    /// The most that the parser gets at once where a request may end: the parser keeps all bytes behind that end.
    private static let pieceBytesMax = 2 << 10
    /// How much of a body is read before anybody asks for it.
    ///
    /// A small body has come when its request is answered, and the connection need not end with that answer.
    private static let unaskedBytesMax = 8 << 10

    private var headsRead = 0
    private var endsRead = 0
    private var answersWritten = 0
    /// The number of the connection's last request, counted from 1; `nil` while it is not known.
    private var last: Int?
    /// How many bytes of the latest request's body are still to come, by its announced length.
    private var bodyBytesOwed = 0
    /// How many bytes of the latest request's body have come.
    private var bodyBytesRead = 0
    /// Up to which request bodies are read to their ends, counted from 1.
    private var bodiesWanted = 0
    /// How many bytes the parser got since it last delivered a part.
    private(set) var unparsedBytes = 0
    /// What is done with bytes after the last request or a failure; `nil` before.
    private var afterwards: Input?
    /// How much of the latest head the parser got.
    private var headEnd = HeadEnd()

    /// What is done with bytes that are received now.
    var input: Input { afterwards ?? (endsRead > answersWritten ? .held : .parsed) }

    /// How many of these bytes the parser may get at once.
    ///
    /// A head or a body of announced length to its end, so that small requests that came together are parsed one by one.
    /// Only the parser finds the end of a body in chunks, and may get others with it.
    mutating func pieceBytes(of held: ByteBufferView) -> Int {
        if bodyBytesOwed > 0 { return min(held.count, bodyBytesOwed) }
        let most = min(held.count, Self.pieceBytesMax)
        guard headsRead == endsRead else { return most }
        return headEnd.find(in: held.prefix(most)) ?? most
    }

    /// Whether the rest of the body that is coming stays in the kernel, as nobody has asked for it.
    var isBodyUnasked: Bool {
        headsRead > endsRead && headsRead > bodiesWanted && bodyBytesRead >= Self.unaskedBytesMax
    }

    /// Notes that the body is wanted of the request that is to be answered next.
    mutating func askForBody() {
        bodiesWanted = max(bodiesWanted, answersWritten + 1)
    }

    /// Notes that the parser gets some bytes.
    mutating func parse(_ count: Int) {
        unparsedBytes += count
    }

    /// Whether the latest request is the connection's last one.
    var isAtLast: Bool { last == headsRead }

    /// Whether the last request is complete: bytes that the parser got after it are ignored.
    private var isOver: Bool { last == endsRead }

    /// Notes a part that the parser delivers.
    /// - Returns: Whether the part belongs to a request that is answered.
    mutating func read(_ part: HTTPServerRequestPart) -> Bool {
        unparsedBytes = 0
        guard !isOver else { return false }
        switch part {
        case .head(let head):
            headsRead += 1
            // Those that the parser got with the end of a body in chunks would all be answered without a pause.
            if head.isLast || endsRead > answersWritten { last = headsRead }
            bodyBytesOwed = head.announcedBytes
            bodyBytesRead = 0
        case .body(let bytes):
            bodyBytesOwed -= bytes.readableBytes
            bodyBytesRead += bytes.readableBytes
        case .end:
            endsRead += 1
            bodyBytesOwed = 0
            if isOver { afterwards = .unread }
        }
        return true
    }

    /// Notes that the parser has failed.
    ///
    /// If that was in the middle of a request, this is the connection's last one.
    /// - Returns: Whether it failed at a request that is answered.
    mutating func fail() -> Bool {
        guard !isOver else { return false }
        if headsRead > endsRead { last = headsRead }
        afterwards = .discarded
        return true
    }

    /// Notes that nothing more is read.
    mutating func stop() {
        afterwards = .unread
    }

    /// Whether what is written now answers a request, or a head that cannot be parsed.
    ///
    /// A server that has answered reads the rest of the body, and answers once more if that cannot be parsed.
    var isAnswerDue: Bool { last.map { answersWritten < $0 } ?? true }

    /// Whether an answer that begins is the connection's last one.
    func isLastAnswer(_ head: HTTPResponseHead) -> Bool {
        last == answersWritten + 1 && !(100..<200).contains(head.status.code)
    }

    /// Notes that an answer begins: what is left of its request's body is read, and is in nobody's way.
    mutating func writeHead(_ head: HTTPResponseHead) {
        guard !(100..<200).contains(head.status.code) else { return }
        // A client that writes on gets its last answer only if all that comes is read.
        let isLast = head.headers[canonicalForm: "Connection"] == ["close"]
        bodiesWanted = isLast ? .max : max(bodiesWanted, answersWritten + 1)
    }

    /// Notes that an answer is complete.
    mutating func writeEnd() {
        answersWritten += 1
    }
}

/// Looks for the end of a head: the first empty line behind another line.
///
/// The parser skips empty lines before a head: many of them are not to become as many pieces.
private struct HeadEnd {
    private var hasBegun = false
    private var afterBreak = false

    /// Where the head ends in the bytes that come next, counted from their beginning; `nil` if it goes on behind them.
    mutating func find(in bytes: ByteBufferView) -> Int? {
        for (offset, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "\n") where afterBreak:
                self = HeadEnd()
                return offset + 1
            case UInt8(ascii: "\n"): afterBreak = hasBegun
            case UInt8(ascii: "\r"): continue
            default: (hasBegun, afterBreak) = (true, false)
            }
        }
        return nil
    }
}

extension HTTPRequestHead {
    /// Whether no other request follows on the connection: its client says so, or what follows would not be HTTP.
    ///
    /// NIO's parser takes the bytes after `CONNECT` or an upgrade for another protocol, and keeps them unread. (It also
    /// wants `Connection: upgrade`; a client that sends only `Upgrade` just loses its connection.) Clients of HTTP/1.0
    /// read to the end of the connection, unless they ask to keep it (RFC 9112 section 9.3).
    var isLast: Bool { method == .CONNECT || headers.contains(name: "Upgrade") || !isKeepAlive }

    /// A copy whose `Connection` field is `close` for the connection's last request, and absent for others.
    ///
    /// The last request then upgrades to nothing (RFC 9110 section 7.8). Clients write `close` in many ways, and other
    /// words beside it. Hummingbird compares the field with one spelling, which takes quadratic time for hostile
    /// Unicode text.
    func withPlainConnection(isLast: Bool) -> HTTPRequestHead {
        var head = self
        head.headers.remove(name: "Upgrade")
        head.headers.remove(name: "Connection")
        if isLast { head.headers.add(name: "Connection", value: "close") }
        return head
    }

    /// Whether the body comes in chunks, and nobody knows how long it is.
    var isChunked: Bool { headers.contains(name: "Transfer-Encoding") }

    /// The announced length of the body; 0 for a chunked one.
    fileprivate var announcedBytes: Int {
        guard !isChunked else { return 0 }
        // Without the blanks around it, which the parser leaves at its end.
        return headers[canonicalForm: "Content-Length"].first.flatMap { Int($0) } ?? 0
    }
}
