import NIOHTTP1
import Testing

@testable import CaptureGateway

@Suite("Heads that the parser takes and the gateway does not")
struct UnreadableHeadTests {
    private func isUnreadable(
        _ method: HTTPMethod = .POST, _ target: String = "/x", version: HTTPVersion = .http1_1, host: String? = "x",
        headers: [(String, String)] = []
    ) -> Bool {
        let all = (host.map { [("Host", $0)] } ?? []) + headers
        return HTTPRequestHead(version: version, method: method, uri: target, headers: HTTPHeaders(all)).isUnreadable
    }

    @Test(arguments: ["", "gzip", "gzip, chunked", "chunked, chunked", ", chunked", "chunked;x", "identity"])
    func `heads that the gateway does not take name another coding than chunked`(coding: String) {
        #expect(isUnreadable(headers: [("Transfer-Encoding", coding)]))
        #expect(isUnreadable(headers: [("Transfer-Encoding", coding), ("Transfer-Encoding", "chunked")]))
    }

    @Test(arguments: ["chunked", "Chunked", " chunked\t "])
    func `chunked in any case is taken, alone and in HTTP 1_1`(coding: String) {
        let field = ("Transfer-Encoding", coding)
        #expect(!isUnreadable(headers: [field]))
        #expect(isUnreadable(headers: [field, ("Content-Length", "5")]))
        #expect(isUnreadable(version: .http1_0, headers: [field]))
    }

    @Test(arguments: [
        "http://y/healthz", "http:///metrics", "ftp://y/healthz", "https://u:p@x/healthz", "http://x:80/", "http://y?x",
        "x", "x/y/z",
    ])
    func `heads that the gateway does not take name another host in the target`(target: String) {
        #expect(isUnreadable(.GET, target))
    }

    @Test(arguments: ["http://x/healthz", "HTTP://X/healthz", "http://x", "http://x?a=//y", "/x", "//y", "/http://y/"])
    func `the same host in the target, or none, is taken`(target: String) {
        #expect(!isUnreadable(.GET, target) && !isUnreadable(.GET, target, host: "X "))
        #expect(!isUnreadable(.GET, target, version: .http1_0, host: nil))
    }

    @Test func `a target without a host is taken where it is the whole server or a tunnel's end`() {
        #expect(!isUnreadable(.OPTIONS, "*") && !isUnreadable(.CONNECT, "y:443"))
        #expect(isUnreadable(.GET, host: nil))
    }
}
