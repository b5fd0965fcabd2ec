import NIOCore
import NIOHTTP1

/// Where a connection stands between what its client sends and what it is answered: no channel, no bytes.
struct RequestFlow {
    /// What becomes of bytes that come.
    enum Input: Equatable {
        /// The parser gets them.
        case parsed
        /// They wait: a request that is complete has no answer yet.
        case held
        /// The parser has failed: they are thrown away, and read so that the client gets to read its answer.
        case discarded
        /// No HTTP comes any more: they are not read.
        case unread
    }

    /// The most that the parser gets at once where a request may end: whatever it finds there is kept.
    private static let pieceBytesMax = 2 << 10

    private var headsRead = 0
    private var endsRead = 0
    private var answersWritten = 0
    /// The number of the request that is its connection's last one, the first being 1.
    private var last: Int?
    /// What the announced length still owes of the latest request's body.
    private var bodyBytesOwed = 0
    /// What the parser got since something came out of it.
    private(set) var unparsedBytes = 0
    /// Once requests are over.
    private var afterwards: Input?

    /// What becomes of bytes that come now.
    var input: Input { afterwards ?? (endsRead > answersWritten ? .held : .parsed) }

    /// How much the parser may get at once: a body of announced length holds no other request.
    var pieceBytes: Int { max(Self.pieceBytesMax, bodyBytesOwed) }

    /// The parser gets some bytes.
    mutating func parse(_ count: Int) {
        unparsedBytes += count
    }

    /// The connection's last request is there as a whole: the parser may have got more with it, which nobody reads.
    private var isOver: Bool { last == endsRead }

    /// A part came out of the parser.
    /// - Returns: Whether it belongs to a request that is answered.
    mutating func read(_ part: HTTPServerRequestPart) -> Bool {
        unparsedBytes = 0
        guard !isOver else { return false }
        switch part {
        case .head(let head):
            headsRead += 1
            if head.isLast { last = headsRead }
            bodyBytesOwed = head.announcedBytes
        case .body(let bytes): bodyBytesOwed -= bytes.readableBytes
        case .end:
            endsRead += 1
            bodyBytesOwed = 0
            if isOver { afterwards = .unread }
        }
        return true
    }

    /// The parser has failed.
    /// - Returns: Whether it has failed at what somebody reads.
    mutating func fail() -> Bool {
        guard !isOver else { return false }
        afterwards = .discarded
        return true
    }

    /// Nothing more is read.
    mutating func stop() {
        afterwards = .unread
    }

    /// Whether an answer that begins is the connection's last one.
    func isLastAnswer(_ head: HTTPResponseHead) -> Bool {
        last == answersWritten + 1 && !(100..<200).contains(head.status.code)
    }

    /// An answer is complete.
    mutating func writeEnd() {
        answersWritten += 1
    }
}

extension HTTPRequestHead {
    /// Whether no other request follows on the connection: its client says so, or nothing behind it would be HTTP.
    ///
    /// NIO's parser takes what follows `CONNECT` or an upgrade for another protocol, and keeps it unread. (It wants
    /// `Connection: upgrade` as well; whoever sends the one without the other loses a connection, and no more.) Clients of
    /// HTTP/1.0 read to the end of the connection, unless they ask to keep it (RFC 9112 section 9.3).
    var isLast: Bool { method == .CONNECT || headers.contains(name: "Upgrade") || !isKeepAlive }

    /// The same with what its connection is to those who answer: `close` where it is the last request, which upgrades to
    /// nothing (RFC 9110 section 7.8), and otherwise nothing.
    ///
    /// Clients write that word in many ways, and others beside it. Hummingbird compares the field with one of them, which
    /// takes the square of its length for text that is dear to compare.
    var withPlainConnection: HTTPRequestHead {
        var head = self
        head.headers.remove(name: "Upgrade")
        head.headers.remove(name: "Connection")
        if isLast { head.headers.add(name: "Connection", value: "close") }
        return head
    }

    /// The announced length of the body; 0 when chunks tell it.
    fileprivate var announcedBytes: Int {
        guard !headers.contains(name: "Transfer-Encoding") else { return 0 }
        return headers.first(name: "Content-Length").flatMap { Int($0) } ?? 0
    }
}
