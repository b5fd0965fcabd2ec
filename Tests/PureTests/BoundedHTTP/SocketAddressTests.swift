import NIOCore
import Testing

@testable import BoundedHTTP

@Suite("The URL of a server that listens")
struct SocketAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "http://127.0.0.1:8080"), ("0.0.0.0", "http://0.0.0.0:8080"), ("::1", "http://[::1]:8080"),
        ("::", "http://[::]:8080"),
    ])
    func `a server that listens has an IPv6 address in brackets in its URL`(host: String, url: String) throws {
        #expect(try SocketAddress(ipAddress: host, port: 8080).httpURL == url)
    }
}
