@testable import CaptureGateway
import NIOCore
import NIOHTTP1
import Testing

@Suite("When a connection ends")
struct ConnectionGuardTests {
    private let get = HTTPServerRequestPart.head(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/"))
    private let waiting = HTTPServerRequestPart.head(
        HTTPRequestHead(version: .http1_1, method: .POST, uri: "/", headers: ["Expect": "100-continue"])
    )
    private let body = HTTPServerRequestPart.body(ByteBuffer(string: "x"))
    private let end = HTTPServerRequestPart.end(nil)

    @Test func `an answer after its request's end leaves the connection open`() {
        var state = ConnectionGuardState()
        for _ in 0..<3 {
            let readings = [state.read(get), state.read(end)]
            #expect(readings == [.forward, .forward])
            let isLast = state.writeHead(isInformational: false, asksToClose: false)
            let ends = state.writeEnd()
            #expect(!isLast && !ends)
        }
    }

    @Test func `an answer before its request's end is the last, and the rest is thrown away`() {
        var state = ConnectionGuardState()
        _ = state.read(get)
        _ = state.read(body)
        let isLast = state.writeHead(isInformational: false, asksToClose: false)
        let rest = state.read(body)
        let ends = state.writeEnd()
        #expect(isLast && ends && rest == .discard)
    }

    @Test func `a client is asked for its body once`() {
        var state = ConnectionGuardState()
        _ = state.read(waiting)
        let asked = [state.wantsContinue(), state.wantsContinue()]
        #expect(asked == [true, false])
    }

    @Test(arguments: [
        ("100-continue ", true), ("\t100-Continue", true), ("100-continue, foo", true), ("foo,100-continue", true),
        ("foo", false), ("100-continued", false), ("", false),
    ]) func `a client waits to be asked with other words beside, and blanks around`(value: String, waits: Bool) {
        #expect(asks(value) == waits)
        #expect(asks("foo", value) == waits)
    }

    @Test func `a client of HTTP 1_0 is not asked, whatever it expects`() {
        #expect(!asks("100-continue", version: .http1_0))
    }

    /// Whether a client is asked for its body whose head has fields `Expect` with these values.
    private func asks(_ values: String..., version: HTTPVersion = .http1_1) -> Bool {
        var state = ConnectionGuardState()
        let headers = HTTPHeaders(values.map { ("Expect", $0) })
        _ = state.read(.head(HTTPRequestHead(version: version, method: .POST, uri: "/", headers: headers)))
        return state.wantsContinue()
    }

    @Test func `a client that sends its body without being asked is not asked`() {
        var state = ConnectionGuardState()
        _ = state.read(waiting)
        _ = state.read(body)
        let asked = state.wantsContinue()
        #expect(!asked)
    }

    @Test func `an unreadable head is answered once, after the answers that are owed`() {
        var idle = ConnectionGuardState()
        let before = idle.dueRefusal()
        idle.refuseHead(.notHTTP)
        let answered = [before, idle.dueRefusal(), idle.dueRefusal()]
        #expect(answered == [nil, .notHTTP, nil])
        var busy = ConnectionGuardState()
        _ = busy.read(get)
        _ = busy.read(end)
        busy.refuseHead(.notHTTP)
        let dueBefore = busy.dueRefusal()
        // Parts of the request whose head it was.
        let rest = [busy.read(body), busy.read(end)]
        let isLast = busy.writeHead(isInformational: false, asksToClose: false)
        let ends = busy.writeEnd()
        let dueAfter = busy.dueRefusal()
        #expect(dueBefore == nil && dueAfter == .notHTTP && busy.isClosing)
        #expect(rest == [.discard, .discard] && !isLast && !ends)
    }

    @Test func `a request that is refused is read to its end, and nothing of it is forwarded`() {
        var state = ConnectionGuardState()
        state.refuseRequest()
        #expect(state.isClosing && state.isMidRequest && !state.isIdle)
        let readings = [state.read(body), state.read(end)]
        #expect(readings == [.discard, .discard] && !state.isMidRequest)
    }
}
