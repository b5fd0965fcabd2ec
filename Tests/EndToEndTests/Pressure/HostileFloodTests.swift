import Foundation
import TestSupport
import Testing

@Suite("Floods behind a request", .timeLimit(.minutes(5)))
struct HostileFloodTests {
    private static let bytes = [UInt8](repeating: 0x78, count: 64 << 20)
    private static let upgrade = "Host: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n"
    private static let connect = "CONNECT a:80 HTTP/1.1\r\nHost: x\r\n\r\n"

    /// Sends a request and a flood behind it, and reads until the gateway has no more to say.
    private func flood(behind head: String, port: Int) async throws -> String {
        let connection = try RawConnection(port: port)
        try await connection.send(head)
        let sending = Task { try? await connection.send(Self.bytes) }
        let text = try await connection.read()
        connection.finishSending()
        _ = await sending.value
        return text
    }

    @Test func `behind CONNECT or a request to upgrade nothing is kept, and the connection ends`() async throws {
        let scene = try await HostileScene()
        try await scene.expectServed(1)
        let before = try #require(scene.gateway.peakMemoryBytes)
        _ = try await flood(behind: Self.connect, port: scene.endpoint.port)
        let text = try await flood(behind: "GET /healthz HTTP/1.1\r\n" + Self.upgrade, port: scene.endpoint.port)
        #expect(text.hasPrefix("HTTP/1.1 200") && text.lowercased().contains("\r\nconnection: close\r\n"), "\(text)")
        let grown = try #require(scene.gateway.peakMemoryBytes) - before
        #expect(grown < 16 << 20, "grown by \(grown >> 20) MiB")
    }

    @Test func `behind a stream of events nothing is kept, and the stream goes on`() async throws {
        let scene = try await HostileScene()
        try await scene.expectServed(1)
        let connection = try RawConnection(port: scene.endpoint.port)
        try await connection.send(
            "GET /api/v1/events HTTP/1.1\r\nAuthorization: Bearer \(Stack.token)\r\n" + Self.upgrade)
        #expect(try await connection.read { $0.contains("retry:") }.hasPrefix("HTTP/1.1 200"))
        let before = try #require(scene.gateway.peakMemoryBytes)
        let sending = Task { try? await connection.send(Self.bytes) }
        try await scene.expectServed(2)
        #expect(try await connection.read { $0.contains("data:") }.contains("data:"))
        let grown = try #require(scene.gateway.peakMemoryBytes) - before
        #expect(grown < 16 << 20, "grown by \(grown >> 20) MiB")
        connection.finishSending()
        _ = await sending.value
    }

    @Test func `a worker's port of metrics keeps nothing of it either`() async throws {
        let stack = try await Stack.start()
        let worker = try stack.worker()
        let line = try await worker.line(containing: "metrics at http://")
        let address = try #require(line.components(separatedBy: "metrics at http://").last)
        let port = try #require(Int(address.split(separator: ":")[1].prefix { $0.isNumber }))
        try await eventually {
            let probe = try RawConnection(port: port)
            try await probe.send("GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            return try await probe.read().hasPrefix("HTTP/1.1 200")
        }
        let before = try #require(worker.peakMemoryBytes)
        _ = try await flood(behind: Self.connect, port: port)
        let text = try await flood(behind: "GET /healthz HTTP/1.1\r\n" + Self.upgrade, port: port)
        #expect(text.hasPrefix("HTTP/1.1 200") && text.lowercased().contains("\r\nconnection: close\r\n"), "\(text)")
        let grown = try #require(worker.peakMemoryBytes) - before
        #expect(grown < 32 << 20, "grown by \(grown >> 20) MiB")
    }
}
