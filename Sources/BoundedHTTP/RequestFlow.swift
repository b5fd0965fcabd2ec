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
    /// Behind the latest request the parser expects another protocol.
    private var leavesHTTP = false
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

    /// A part came out of the parser.
    mutating func read(_ part: HTTPServerRequestPart) {
        unparsedBytes = 0
        switch part {
        case .head(let head):
            headsRead += 1
            leavesHTTP = head.leavesHTTP
            bodyBytesOwed = head.announcedBytes
        case .body(let bytes): bodyBytesOwed -= bytes.readableBytes
        case .end:
            endsRead += 1
            bodyBytesOwed = 0
            if leavesHTTP { afterwards = .unread }
        }
    }

    /// The parser has failed.
    mutating func fail() {
        afterwards = .discarded
    }

    /// Nothing more is read.
    mutating func stop() {
        afterwards = .unread
    }

    /// Whether an answer that begins is the connection's last one, because the parser reads no other request.
    func isLastAnswer(_ head: HTTPResponseHead) -> Bool {
        leavesHTTP && headsRead == answersWritten + 1 && !(100..<200).contains(head.status.code)
    }

    /// An answer is complete.
    mutating func writeEnd() {
        answersWritten += 1
    }
}

extension HTTPRequestHead {
    /// Whether NIO's parser takes what follows for another protocol, and keeps it unread.
    ///
    /// It wants `Connection: upgrade` as well; whoever sends the one without the other loses a connection, and no more.
    var leavesHTTP: Bool { method == .CONNECT || headers.contains(name: "Upgrade") }

    /// The same as its connection's last request, which upgrades to nothing (RFC 9110 section 7.8).
    var asLast: HTTPRequestHead {
        var head = self
        head.headers.remove(name: "Upgrade")
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        return head
    }

    /// The announced length of the body; 0 when chunks tell it.
    fileprivate var announcedBytes: Int {
        guard !headers.contains(name: "Transfer-Encoding") else { return 0 }
        return headers.first(name: "Content-Length").flatMap { Int($0) } ?? 0
    }
}
