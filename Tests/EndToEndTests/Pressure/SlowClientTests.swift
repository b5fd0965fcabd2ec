import CaptureModel
import TestSupport
import Testing

@Suite("Slow and deaf clients", .timeLimit(.minutes(5)))
struct SlowClientTests {
    // MARK: Slow

    @Test func `a head that comes byte by byte is cut off`() async throws {
        let scene = try await HostileScene.impatient.value()
        let connection = try RawConnection(port: scene.endpoint.port)
        let ended = Task { try await connection.read() }
        for byte in "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Filler: \(String(repeating: "x", count: 10_000))".utf8 {
            do { try await connection.send([byte]) } catch { break }
            try await letTimePass(.milliseconds(20))
        }
        let text = try await ended.value
        #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 4"), "\(text)")
        try await scene.expectServed(1)
    }

    @Test(arguments: ["/api/v1/devices/register", "/api/v1/captures/status", "/api/v1/captures"])
    func `a body that never gets done is answered with 408, however it trickles`(path: String) async throws {
        let scene = try await HostileScene.impatient.value()
        // Without it nobody is asked for a body of ids.
        let asker =
            path == "/api/v1/captures/status"
            ? "Authorization: Bearer \(Stack.token)" : "X-Device-Id: \(scene.phone.id)"
        let type =
            path == "/api/v1/captures"
            ? "multipart/form-data; boundary=\(GatewayEndpoint.boundary)" : "application/json"
        let head = """
            POST \(path) HTTP/1.1\r
            Host: x\r
            \(asker)\r
            Content-Type: \(type)\r
            Content-Length: 10000\r
            \r

            """
        // On a busy machine a client may say nothing for too long, and is told nothing: it comes back.
        var text = ""
        for _ in 1...20 where text.isEmpty { text = try await Self.answer(to: head, of: scene) }
        #expect(text.hasPrefix("HTTP/1.1 408") && text.contains("REQUEST_TIMEOUT"), "\(text)")
        try await scene.expectServed(2)
    }

    /// Sends a body byte by byte behind its head; returns the answer, or nothing if the connection ends without one.
    private static func answer(to head: String, of scene: HostileScene) async throws -> String {
        let connection = try RawConnection(port: scene.endpoint.port)
        do { try await connection.send(head) } catch { return "" }
        let answer = Task { try await connection.read { $0.hasSuffix("}") } }
        let trickle = Task {
            for byte in Array("--\(GatewayEndpoint.boundary)\r\n".utf8) + [UInt8](repeating: 0x20, count: 5000) {
                do { try await connection.send([byte]) } catch { break }
                try await letTimePass(.milliseconds(50))
            }
        }
        let text = try await answer.value
        trickle.cancel()
        return text
    }

    @Test func `an upload that trickles makes room for others`() async throws {
        let scene = try await HostileScene([
            "CAPTURE_GATEWAY_UPLOAD_BYTES_IN_FLIGHT_MAX": "16MiB", "CAPTURE_GATEWAY_UPLOAD_IDLE_TIMEOUT": "3s",
            "CAPTURE_GATEWAY_UPLOAD_TIMEOUT": "3600s",
        ])
        let connection = try RawConnection(port: scene.endpoint.port)
        try await connection.send(
            GatewayEndpoint.uploadHead(of: scene.phone.id, "Content-Length: 15000000", "Expect: 100-continue"))
        // Only then has it what the next one lacks.
        _ = try await connection.read { $0.contains("100 Continue") }
        try await connection.send("--\(GatewayEndpoint.boundary)\r\n")
        let trickle = Task {
            while (try? await connection.send([0x20])) != nil { try await letTimePass(.milliseconds(50)) }
        }
        let next = try RawConnection(port: scene.endpoint.port)
        try await next.send(GatewayEndpoint.uploadHead(of: scene.phone.id, "Content-Length: 2000000"))
        let refusal = try await next.read { $0.hasSuffix("}") }
        #expect(refusal.hasPrefix("HTTP/1.1 503"), "\(refusal)")
        // It would have gone on for an hour.
        try await trickle.value
        try await scene.expectServed(6)
    }

    // MARK: Deaf

    /// Asks for more than fits between the two, and reads nothing.
    private static func deaf(_ scene: HostileScene) async throws -> RawConnection {
        let connection = try RawConnection(port: scene.endpoint.port, receiveBytes: 4096)
        try await connection.send(String(repeating: "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n", count: 200))
        return connection
    }

    @Test func `clients that read nothing of their answers keep nobody out`() async throws {
        let scene = try await HostileScene([
            "CAPTURE_GATEWAY_CONNECTIONS_MAX": "32", "CAPTURE_GATEWAY_IDLE_TIMEOUT": "600s",
        ])
        var held: [RawConnection] = []
        for _ in 0..<64 { held.append(try await Self.deaf(scene)) }
        try await scene.expectServed(2000)
        withExtendedLifetime(held) {}
    }

    @Test func `a connection whose client reads nothing ends after a while`() async throws {
        let scene = try await HostileScene.impatient.value()
        let connection = try await Self.deaf(scene)
        // Its end shows on the sending side, as nothing is read here.
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        let sending = Task {
            while true {
                do { try await connection.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n") } catch { break }
            }
            end.yield(true)
        }
        let bound = Task {
            try await letTimePass(.seconds(60))
            end.yield(false)
        }
        let isEnded = await ends.first { _ in true }
        bound.cancel()
        // Lets go of a send that blocks because nobody ends it.
        connection.finishSending()
        await sending.value
        #expect(isEnded == true, "it is open after a minute")
        try await scene.expectServed(2001)
    }
}
