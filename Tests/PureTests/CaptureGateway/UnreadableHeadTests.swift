import NIOHTTP1
import Testing

@testable import CaptureGateway

@Suite("Heads that the parser takes and the gateway does not")
struct UnreadableHeadTests {
    /// The field for which a head is not taken; `nil` where it is taken.
    private func fault(
        _ method: HTTPMethod = .POST, _ target: String = "/x", version: HTTPVersion = .http1_1, host: String? = "x",
        headers: [(String, String)] = []
    ) -> String? {
        let all = (host.map { [("Host", $0)] } ?? []) + headers
        let head = HTTPRequestHead(version: version, method: method, uri: target, headers: HTTPHeaders(all))
        return head.whyUnreadable?.field
    }

    @Test(arguments: ["", "gzip", "gzip, chunked", "chunked, chunked", ", chunked", "chunked;x", "identity"])
    func `heads that the gateway does not take name another coding than chunked`(coding: String) {
        let (field, chunked) = (("Transfer-Encoding", coding), ("Transfer-Encoding", "chunked"))
        #expect(fault(headers: [field]) == "Transfer-Encoding")
        #expect(fault(headers: [field, chunked]) == "Transfer-Encoding")
    }

    @Test(arguments: ["chunked", "Chunked", " chunked\t "])
    func `chunked in any case is taken, alone and in HTTP 1_1`(coding: String) {
        let field = ("Transfer-Encoding", coding)
        #expect(fault(headers: [field]) == nil)
        #expect(fault(headers: [field, ("Content-Length", "5")]) == "Transfer-Encoding")
        #expect(fault(version: .http1_0, headers: [field]) == "Transfer-Encoding")
    }

    @Test(arguments: [
        "http://y/healthz", "http:///metrics", "ftp://y/healthz", "https://u:p@x/healthz", "http://x:80/", "http://y?x",
        "x", "x/y/z",
    ])
    func `heads that the gateway does not take name another host in the target`(target: String) {
        #expect(fault(.GET, target) == "Host")
    }

    @Test(arguments: ["http://x/healthz", "HTTP://X/healthz", "http://x", "http://x?a=//y", "/x", "//y", "/http://y/"])
    func `the same host in the target, or none, is taken`(target: String) {
        #expect(fault(.GET, target) == nil && fault(.GET, target, host: "X ") == nil)
        #expect(fault(.GET, target, version: .http1_0, host: nil) == nil)
    }

    @Test(arguments: [
        "a b", "a b/c", "a@b", "a@b:80", "a/b", "a?b", "a#b", "a\\b", "a\"b", "a<b>", "a:b", "a:80:80", "a:-1", "[::1",
        "::1", "[::1]x", "[a/b]", "[::1]:x", "x]", "a\u{1}",
    ])
    func `heads that the gateway does not take name what is no host`(host: String) {
        #expect(fault(.GET, host: host) == "Host")
        #expect(fault(.GET, version: .http1_0, host: host) == "Host")
    }

    @Test(arguments: [
        "", "x", "x:", "x:80", "127.0.0.1:18110", "[::1]", "[::1]:80", "[fe80::1%25eth0]", "captures_1.example.com.",
        "a%20b", "a~b!$&'()*+,;=-c", " x:80\t",
    ])
    func `a host with or without a port is taken`(host: String) {
        #expect(fault(.GET, host: host) == nil)
    }

    @Test func `a target without a host is taken where it is the whole server or a tunnel's end`() {
        #expect(fault(.OPTIONS, "*") == nil && fault(.CONNECT, "y:443") == nil)
        #expect(fault(.GET, host: nil) == "Host" && fault(.GET, headers: [("Host", "x")]) == "Host")
    }

    @Test func `a field that is read as words names itself where it is not ASCII`() {
        #expect(fault(headers: [("authorization", "Bearer “x”")]) == "authorization")
        #expect(fault(host: "é") == "Host")
        #expect(fault(headers: [("X-Note", "é")]) == nil)
    }
}
