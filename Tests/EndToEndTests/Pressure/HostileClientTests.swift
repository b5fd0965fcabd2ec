import CaptureModel
import DeviceSimulator
import Foundation
import GatewayClient
import TestSupport
import Testing

@Suite("Hostile clients", .timeLimit(.minutes(5)))
struct HostileClientTests {
    // MARK: Lies

    /// Bodies that are not what their heads say, and how the answer begins.
    static let lies: [(name: String, headers: [String], body: String, answers: [String])] = [
        ("chunked and a length", ["Transfer-Encoding: chunked", "Content-Length: 5"], "0\r\n\r\n", ["400"]),
        ("two lengths", ["Content-Length: 5", "Content-Length: 6"], "hello", ["400"]),
        ("a negative length", ["Content-Length: -5"], "hello", ["400"]),
        ("a length that is none", ["Content-Length: five"], "hello", ["400"]),
        ("a chunk without size", ["Transfer-Encoding: chunked"], "zz\r\nhello\r\n0\r\n\r\n", ["400"]),
        ("a chunk longer than it says", ["Transfer-Encoding: chunked"], "2\r\nhello\r\n0\r\n\r\n", ["400"]),
        ("a chunk of endless size", ["Transfer-Encoding: chunked"], "fffffffffffffffff\r\nhello", ["400"]),
        ("an encoding without a name", ["Transfer-Encoding:"], "", ["400"]),
        ("an encoding before the chunks", ["Transfer-Encoding: gzip, chunked"], "0\r\n\r\n", ["400"]),
        ("an encoding that is unknown", ["Transfer-Encoding: rot13"], "uryyb", ["400", "501"]),
        ("a head with a bare line feed", ["X-A: b\nX-C: d", "Content-Length: 0"], "", ["400"]),
        ("a field that is folded", ["X-A: b\r\n c", "Content-Length: 0"], "", ["400"]),
    ]

    @Test(arguments: lies.indices)
    func `bodies that lie about themselves are refused, and the connection ends`(index: Int) async throws {
        let lie = Self.lies[index]
        let scene = try await HostileScene.shared.value()
        let connection = try RawConnection(port: scene.endpoint.port)
        var head = GatewayEndpoint.uploadHead(of: scene.phone.id)
        head.removeLast()  // a line end is one Character
        // What follows would be the next request's, if the gateway and whoever is before it disagreed on the length.
        let smuggled = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
        try await connection.send(head + lie.headers.map { $0 + "\r\n" }.joined() + "\r\n" + lie.body + smuggled)
        let text = try await connection.read()
        #expect(lie.answers.contains { text.hasPrefix("HTTP/1.1 \($0)") }, "\(lie.name): \(text.prefix(300))")
        #expect(!text.contains("\"ok\""), "\(lie.name): what follows was taken for a request")
        try await scene.expectServed(3)
    }

    @Test func `a body that ends too early may be sent again`() async throws {
        let scene = try await HostileScene.shared.value()
        let body = GatewayEndpoint.form(try scene.phone.shoot(seed: 4))
        let connection = try RawConnection(port: scene.endpoint.port)
        try await connection.send(GatewayEndpoint.uploadHead(of: scene.phone.id, "Content-Length: \(body.count + 100)"))
        try await connection.send(body)
        connection.finishSending()
        #expect(try await connection.read().hasPrefix("HTTP/1.1 408"))
    }

    // MARK: Too much of it

    @Test func `giant heads, giant part heads and thousands of parts are refused`() async throws {
        let scene = try await HostileScene.shared.value()
        let filler = String(repeating: "x", count: 200_000)
        let fields = (0..<2000).map { "X-\($0): y\r\n" }.joined()
        for head in ["GET /healthz?\(filler)", "GET /healthz HTTP/1.1\r\nX-Filler: \(filler)"] {
            let text = try await scene.exchange("\(head) HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 4"), "\(text.prefix(200))")
        }
        #expect(try await scene.exchange("GET /healthz HTTP/1.1\r\n\(fields)\r\n").hasPrefix("HTTP/1.1 400"))
        let part = "--\(GatewayEndpoint.boundary)\r\nContent-Disposition: form-data; name=\""
        let bodies = [part + filler + "\"\r\n\r\n", (0..<5000).map { part + "p\($0)\"\r\n\r\nx\r\n" }.joined()]
        for body in bodies {
            let head = GatewayEndpoint.uploadHead(of: scene.phone.id, "Content-Length: \(body.utf8.count)")
            #expect(try await scene.exchange(head + body).hasPrefix("HTTP/1.1 400"))
        }
        try await scene.expectServed(5)
    }

    @Test func `pipelined requests are answered in order, and none is dropped`() async throws {
        let scene = try await HostileScene.shared.value()
        let connection = try RawConnection(port: scene.endpoint.port)
        let requests = (0..<500).map { "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: number-\($0)\r\n\r\n" }
        let sending = Task { try await connection.send(requests.joined()) }
        let text = try await connection.read { $0.contains("\"number-499\"") && $0.hasSuffix("}") }
        try await sending.value
        let names = text.split(separator: "\r\n").filter { $0.lowercased().hasPrefix("x-request-id: ") }
        #expect(names.map { $0.split(separator: "-").last.map(String.init) } == (0..<500).map { "\($0)" })
    }

    // MARK: Gone

    @Test func `a client that closes its side after the request is served`() async throws {
        let scene = try await HostileScene.shared.value()
        let body = GatewayEndpoint.form(try scene.phone.shoot(seed: 6))
        try await eventually {
            let connection = try RawConnection(port: scene.endpoint.port)
            try await connection.send(GatewayEndpoint.uploadHead(of: scene.phone.id, "Content-Length: \(body.count)"))
            try await connection.send(body)
            connection.finishSending()
            let answer = try await connection.read()
            if scene.isToComeBack(answer) { return false }
            #expect(answer.hasPrefix("HTTP/1.1 202"), "\(answer)")
            return true
        }
    }

    @Test func `resets in the middle of uploads leave nothing behind`() async throws {
        let scene = try await HostileScene(["CAPTURE_GATEWAY_UPLOAD_BYTES_IN_FLIGHT_MAX": "16MiB"])
        let before = try #require(scene.gateway.peakMemoryBytes)
        for _ in 0..<40 {
            let connection = try RawConnection(port: scene.endpoint.port)
            try await connection.send(GatewayEndpoint.uploadHead(of: scene.phone.id, "Content-Length: 15000000"))
            let part = "--\(GatewayEndpoint.boundary)\r\nContent-Disposition: form-data; name=\"photo\"\r\n"
            try await connection.send(part + "Content-Type: image/jpeg\r\n\r\n")
            try await connection.send([UInt8](repeating: 0xFF, count: 2_000_000))
            connection.reset()
        }
        // Each would have held all that the gateway may hold.
        try await scene.expectServed(7)
        let grown = try #require(scene.gateway.peakMemoryBytes) - before
        #expect(grown < 100 << 20, "grown by \(grown >> 20) MiB")
    }

    // MARK: Many

    @Test func `a flood of connections that say nothing keeps nobody out`() async throws {
        let scene = try await HostileScene([
            "CAPTURE_GATEWAY_CONNECTIONS_MAX": "32", "CAPTURE_GATEWAY_IDLE_TIMEOUT": "600s",
        ])
        var held: [RawConnection] = []
        for number in 0..<300 {
            let connection = try RawConnection(port: scene.endpoint.port)
            if number % 2 == 0 { try await connection.send("GET /healthz HTTP/1.1\r\nX-Slow: ") }
            held.append(connection)
            if number % 60 == 59 { try await scene.expectServed(UInt64(number)) }
        }
        try await scene.expectServed(1000)
        withExtendedLifetime(held) {}
    }

    @Test func `when every connection is busy the next is told so, and soon there is room`() async throws {
        // As a proxy whose clients are many, it may have every connection.
        let scene = try await HostileScene([
            "CAPTURE_GATEWAY_CONNECTIONS_MAX": "32", "CAPTURE_GATEWAY_TRUSTED_PROXIES": "127.0.0.0/8",
            // The first waits until the last has come, however busy the machine is.
            "CAPTURE_GATEWAY_UPLOAD_IDLE_TIMEOUT": "600s", "CAPTURE_GATEWAY_UPLOAD_TIMEOUT": "3600s",
        ])
        var held: [RawConnection] = []
        for _ in 0..<32 {
            let connection = try RawConnection(port: scene.endpoint.port)
            try await connection.send(
                GatewayEndpoint.uploadHead(of: scene.phone.id, "Content-Length: 1000", "Expect: 100-continue"))
            #expect(try await connection.read { $0.contains("\r\n\r\n") }.hasPrefix("HTTP/1.1 100"))
            held.append(connection)
        }
        let refused = try await RawConnection(port: scene.endpoint.port).read()
        #expect(refused.hasPrefix("HTTP/1.1 503") && refused.contains("UNAVAILABLE"), "\(refused)")
        #expect(refused.lowercased().contains("retry-after: 1"))
        held.forEach { $0.close() }
        try await scene.expectServed(8)
    }

    // MARK: Bombs

    @Test func `depth maps that unpack to hundreds of megabytes are rejected in little memory`() async throws {
        let scene = try await HostileScene()
        let worker = try scene.stack.worker()
        let before = try #require(scene.gateway.peakMemoryBytes)
        for (seed, bomb) in DepthBomb.allCases.enumerated() {
            var capture = try SyntheticCapture(
                seed: UInt64(seed), photoBytes: 24_000, capturedAt: Timestamp(Date()),
                deviceModel: scene.phone.device.model, binding: .concatV1)
            capture.depthMap = bomb.bytes(3 << 20)
            let signed = try CaptureSigner(device: scene.phone.device, binding: .concatV1).sign(capture)
            let status = try await scene.phone.settled(try await scene.phone.upload(signed))
            #expect(status.state == .rejected && status.reason?.hasPrefix("DEPTH_") == true, "\(status)")
        }
        let peak = try #require(worker.peakMemoryBytes)
        #expect(peak < 200 << 20, "the worker's peak is \(peak >> 20) MiB")
        let grown = try #require(scene.gateway.peakMemoryBytes) - before
        #expect(grown < 60 << 20, "the gateway has grown by \(grown >> 20) MiB")
    }
}
