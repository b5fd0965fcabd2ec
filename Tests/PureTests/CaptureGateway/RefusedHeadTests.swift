import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import CaptureGateway

@Suite("The answer to a head that is not taken")
struct RefusedHeadTests {
    /// What is answered to heads without a host, behind requests that were answered.
    private func answer(_ method: HTTPMethod, behind requests: Int = 0) throws -> (status: Int?, bodies: Int) {
        let channel = EmbeddedChannel(handler: ConnectionGuard(limit: ConnectionLimit(connectionsMax: 1)))
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/nowhere")).wait()
        for _ in 0..<requests {
            let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: ["Host": "a"])
            try channel.writeInbound(HTTPServerRequestPart.head(head))
            try channel.writeInbound(HTTPServerRequestPart.end(nil))
        }
        try channel.writeInbound(HTTPServerRequestPart.head(.init(version: .http1_1, method: method, uri: "/")))
        for _ in 0..<requests {
            try channel.writeOutbound(HTTPServerResponsePart.head(.init(version: .http1_1, status: .ok)))
            try channel.writeOutbound(HTTPServerResponsePart.end(nil))
        }
        var (status, bodies): (Int?, Int) = (nil, 0)
        while let part = try channel.readOutbound(as: HTTPServerResponsePart.self) {
            switch part {
            case .head(let head): status = Int(head.status.code)
            case .body: bodies += 1
            case .end: break
            }
        }
        return (status, bodies)
    }

    @Test(arguments: [0, 2]) func `the answer to a head that is not taken has no body where it is HEAD`(
        requests: Int
    ) throws {
        let head = try answer(.HEAD, behind: requests)
        #expect(head.status == 400 && head.bodies == 0)
        let get = try answer(.GET, behind: requests)
        #expect(get.status == 400 && get.bodies == 1)
    }
}
