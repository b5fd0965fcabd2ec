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
            #expect(state.read(get) == .forward)
            #expect(state.read(end) == .forward)
            #expect(!state.writeHead(isInformational: false, asksToClose: false))
            #expect(!state.writeEnd())
        }
    }

    @Test func `an answer before its request's end is the last, and the rest is thrown away`() {
        var state = ConnectionGuardState()
        #expect(state.read(get) == .forward)
        #expect(state.read(body) == .forward)
        #expect(state.writeHead(isInformational: false, asksToClose: false))
        #expect(state.read(body) == .discard)
        #expect(state.writeEnd())
        #expect(state.read(end) == .discard)
    }

    @Test func `a client is asked for its body once`() {
        var state = ConnectionGuardState()
        _ = state.read(waiting)
        #expect(state.wantsContinue())
        #expect(!state.wantsContinue())
    }

    @Test func `a client that sends its body without being asked is not asked`() {
        var state = ConnectionGuardState()
        _ = state.read(waiting)
        _ = state.read(body)
        #expect(!state.wantsContinue())
    }

    @Test func `an unreadable head is answered only when no answer is owed`() {
        var idle = ConnectionGuardState()
        #expect(idle.refuseHead())
        #expect(!idle.refuseHead())
        var busy = ConnectionGuardState()
        _ = busy.read(get)
        _ = busy.read(end)
        #expect(!busy.refuseHead())
    }
}
