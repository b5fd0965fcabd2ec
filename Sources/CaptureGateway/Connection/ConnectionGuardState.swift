import NIOHTTP1

/// Where a connection stands between requests and answers, and what that allows: no channel, no clock.
///
/// Requests are counted, because a client may send the next one before the last one is answered.
struct ConnectionGuardState {
    /// What becomes of something that was read.
    enum Reading: Equatable {
        /// It is passed on to the server.
        case forward
        /// The connection is closing: it is thrown away.
        case discard
    }

    private var headsRead = 0
    private var endsRead = 0
    private var answersWritten = 0
    /// The client of the latest request waits for `100 Continue`.
    private var expectsContinue = false
    /// The latest request can be answered in chunks: HTTP/1.0 does not know them, and HEAD gets no body.
    private var takesChunks = true
    /// Why a head that came behind the requests cannot be read: nothing more is taken, and it is answered after them.
    private var owedRefusal: APIError?
    /// Whether the answer to that head has a body: one to HEAD has none (RFC 9110 section 9.3.2).
    private(set) var refusalHasBody = true
    /// The answer that is being written, or the one before, is the last one.
    private(set) var isClosing = false

    /// Whether what is read now may be a request's.
    var takesRequests: Bool { !isClosing && owedRefusal == nil }

    /// The client is still sending a request.
    var isMidRequest: Bool { headsRead > endsRead }

    /// The client owes a request: nothing is being read or answered.
    var isIdle: Bool { !isClosing && headsRead == answersWritten }

    /// Closes a connection before its first request.
    mutating func refuseConnection() {
        isClosing = true
    }

    /// Closes an idle connection with the head of a request that is answered without being looked at.
    mutating func refuseRequest() {
        headsRead += 1
        isClosing = true
    }

    /// Takes notice of a request's part.
    mutating func read(_ part: HTTPServerRequestPart) -> Reading {
        guard takesRequests else {
            if isClosing, case .end = part { endsRead += 1 }
            return .discard
        }
        switch part {
        case .head(let head):
            headsRead += 1
            takesChunks = head.version != .http1_0 && head.method != .HEAD
            expectsContinue = head.expectsContinue
        case .body: expectsContinue = false
        case .end:
            expectsContinue = false
            endsRead += 1
        }
        return .forward
    }

    /// Takes notice of a head that cannot be read, which is never in the middle of a request.
    /// - Parameter method: The method that it has; `nil` where it is not known.
    mutating func refuseHead(_ why: APIError, of method: HTTPMethod? = nil) {
        owedRefusal = why
        refusalHasBody = method != .HEAD
    }

    /// Why that head is refused, if its answer is due now: once, as the connection's last answer, and not before the
    /// answers to earlier requests.
    mutating func dueRefusal() -> APIError? {
        guard let owedRefusal, !isClosing, endsRead == answersWritten else { return nil }
        isClosing = true
        return owedRefusal
    }

    /// The head of an answer as its client can read it.
    func readable(_ head: HTTPResponseHead) -> HTTPResponseHead {
        takesChunks || !head.isOfStream ? head : head.endingWithConnection
    }

    /// Whether the answer that begins is the connection's last one: it comes before its request's end.
    mutating func writeHead(isInformational: Bool, asksToClose: Bool) -> Bool {
        guard !isInformational else { return false }
        if asksToClose || endsRead <= answersWritten { isClosing = true }
        return isClosing
    }

    /// Whether the connection ends with the answer that has just been written.
    mutating func writeEnd() -> Bool {
        answersWritten += 1
        return isClosing
    }

    /// Whether the client waits to be asked for the body of the request that is being answered; once per request.
    mutating func wantsContinue() -> Bool {
        defer { expectsContinue = false }
        return expectsContinue && !isClosing && headsRead == answersWritten + 1
    }
}

extension HTTPRequestHead {
    /// Whether the client waits for `100 Continue`, which those of HTTP/1.0 would take for the answer (RFC 9110 section
    /// 10.1.1).
    fileprivate var expectsContinue: Bool {
        version == .http1_1 && headers[canonicalForm: "Expect"].contains { $0.lowercased() == "100-continue" }
    }
}
