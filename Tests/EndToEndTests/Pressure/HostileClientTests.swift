import CaptureModel
import DeviceSimulator
import Foundation
import GatewayClient
import TestSupport
import Testing

@Suite("Hostile clients", .timeLimit(.minutes(5)))
struct HostileClientTests {
    /// A gateway, and somebody honest beside the others.
    struct Scene: Sendable {
        let stack: Stack
        let gateway: LeashedProcess
        let door: Door
        let phone: Phone

        static let shared = Once<Scene> { try await Scene() }
        /// One with little patience: a client that is honest and starved loses it, too, and comes back.
        static let impatient = Once<Scene> {
            try await Scene([
                "CAPTURE_GATEWAY_IDLE_TIMEOUT": "1s", "CAPTURE_GATEWAY_JSON_TIMEOUT": "500ms",
                "CAPTURE_GATEWAY_UPLOAD_TIMEOUT": "1500ms", "CAPTURE_GATEWAY_UPLOAD_IDLE_TIMEOUT": "500ms",
            ])
        }

        init(_ settings: [String: String] = [:]) async throws {
            stack = try await Stack.start(settings: settings)
            let gateway = try await stack.gateway()
            self.gateway = gateway.process
            door = try await Door(gateway.process)
            phone = try await Phone.register(with: gateway.client, authority: stack.authority)
        }

        /// An honest upload goes through whatever else goes on.
        ///
        /// Its sender does as senders do: when its connection had to give way, or it is told to, it comes back.
        func expectServed(_ seed: UInt64) async throws {
            let signed = try phone.shoot(seed: seed)
            try await eventually {
                guard let answer = try? await door.upload(signed, as: phone.id) else { return false }
                if [408, 503].contains(answer.status) { return false }
                #expect(answer.status == 202, "\(answer)")
                return true
            }
        }

        /// Sends text and reads the answer.
        func exchange(_ text: String) async throws -> String {
            let connection = try RawConnection(port: door.port)
            try await connection.send(text)
            return try await connection.read { $0.hasSuffix("}") }
        }
    }

    // MARK: Slow

    @Test func `a head that comes byte by byte is cut off`() async throws {
        let scene = try await Scene.impatient.value()
        let connection = try RawConnection(port: scene.door.port)
        let ended = Task { try await connection.read() }
        for byte in "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Filler: \(String(repeating: "x", count: 10_000))".utf8 {
            do { try await connection.send([byte]) } catch { break }
            try await pass(.milliseconds(20))
        }
        let text = try await ended.value
        #expect(!text.hasPrefix("HTTP/1.1 200"))
        try await scene.expectServed(1)
    }

    @Test(arguments: ["/api/v1/devices/register", "/api/v1/captures/status", "/api/v1/captures"])
    func `a body that never gets done is answered with 408, however it trickles`(path: String) async throws {
        let scene = try await Scene.impatient.value()
        let connection = try RawConnection(port: scene.door.port)
        let type = path == "/api/v1/captures" ? "multipart/form-data; boundary=\(Door.boundary)" : "application/json"
        try await connection.send(
            """
            POST \(path) HTTP/1.1\r
            Host: x\r
            X-Device-Id: \(scene.phone.id)\r
            Content-Type: \(type)\r
            Content-Length: 10000\r
            \r

            """)
        let answer = Task { try await connection.read { $0.hasSuffix("}") } }
        let trickle = Task {
            for byte in Array("--\(Door.boundary)\r\n".utf8) + [UInt8](repeating: 0x20, count: 5000) {
                do { try await connection.send([byte]) } catch { break }
                try await pass(.milliseconds(50))
            }
        }
        let text = try await answer.value
        trickle.cancel()
        #expect(text.hasPrefix("HTTP/1.1 408") && text.contains("REQUEST_TIMEOUT"), "\(text)")
        try await scene.expectServed(2)
    }

    @Test func `an upload that trickles makes room for others`() async throws {
        let scene = try await Scene([
            "CAPTURE_GATEWAY_UPLOAD_BYTES_IN_FLIGHT_MAX": "16MiB", "CAPTURE_GATEWAY_UPLOAD_IDLE_TIMEOUT": "3s",
            "CAPTURE_GATEWAY_UPLOAD_TIMEOUT": "3600s",
        ])
        let connection = try RawConnection(port: scene.door.port)
        try await connection.send(
            Door.uploadHead(of: scene.phone.id, "Content-Length: 15000000", "Expect: 100-continue"))
        // Only then has it what the next one lacks.
        _ = try await connection.read { $0.contains("100 Continue") }
        try await connection.send("--\(Door.boundary)\r\n")
        let trickle = Task {
            while (try? await connection.send([0x20])) != nil { try await pass(.milliseconds(50)) }
        }
        let next = try RawConnection(port: scene.door.port)
        try await next.send(Door.uploadHead(of: scene.phone.id, "Content-Length: 2000000"))
        let refusal = try await next.read { $0.hasSuffix("}") }
        #expect(refusal.hasPrefix("HTTP/1.1 503"), "\(refusal)")
        // It would have gone on for an hour.
        try await trickle.value
        try await scene.expectServed(6)
    }

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
        ("an encoding that is unknown", ["Transfer-Encoding: rot13"], "uryyb", ["400", "501"]),
        ("a head with a bare line feed", ["X-A: b\nX-C: d", "Content-Length: 0"], "", ["400"]),
        ("a field that is folded", ["X-A: b\r\n c", "Content-Length: 0"], "", ["400"]),
    ]

    @Test(arguments: lies.indices)
    func `bodies that lie about themselves are refused, and the connection ends`(index: Int) async throws {
        let lie = Self.lies[index]
        let scene = try await Scene.shared.value()
        let connection = try RawConnection(port: scene.door.port)
        var head = Door.uploadHead(of: scene.phone.id)
        head.removeLast()  // a line end is one Character
        // What follows would be the next request's, if the gateway and whoever is before it disagreed on the length.
        let smuggled = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
        try await connection.send(head + lie.headers.map { $0 + "\r\n" }.joined() + "\r\n" + lie.body + smuggled)
        let text = try await connection.read()
        #expect(lie.answers.contains { text.hasPrefix("HTTP/1.1 \($0)") }, "\(lie.name): \(text.prefix(300))")
        #expect(!text.contains("\"ok\""), "\(lie.name): what follows was taken for a request")
        try await scene.expectServed(3)
    }

    @Test func `a body that ends too early is refused`() async throws {
        let scene = try await Scene.shared.value()
        let body = Door.form(try scene.phone.shoot(seed: 4))
        let connection = try RawConnection(port: scene.door.port)
        try await connection.send(Door.uploadHead(of: scene.phone.id, "Content-Length: \(body.count + 100)"))
        try await connection.send(body)
        connection.finishSending()
        #expect(try await connection.read().hasPrefix("HTTP/1.1 400"))
    }

    // MARK: Too much of it

    @Test func `giant heads, giant part heads and thousands of parts are refused`() async throws {
        let scene = try await Scene.shared.value()
        let filler = String(repeating: "x", count: 200_000)
        let fields = (0..<2000).map { "X-\($0): y\r\n" }.joined()
        for head in ["GET /healthz?\(filler)", "GET /healthz HTTP/1.1\r\nX-Filler: \(filler)"] {
            let text = try await scene.exchange("\(head) HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 4"), "\(text.prefix(200))")
        }
        #expect(try await scene.exchange("GET /healthz HTTP/1.1\r\n\(fields)\r\n").hasPrefix("HTTP/1.1 400"))
        let part = "--\(Door.boundary)\r\nContent-Disposition: form-data; name=\""
        let bodies = [part + filler + "\"\r\n\r\n", (0..<5000).map { part + "p\($0)\"\r\n\r\nx\r\n" }.joined()]
        for body in bodies {
            let head = Door.uploadHead(of: scene.phone.id, "Content-Length: \(body.utf8.count)")
            #expect(try await scene.exchange(head + body).hasPrefix("HTTP/1.1 400"))
        }
        try await scene.expectServed(5)
    }

    @Test func `pipelined requests are answered in order, and none is dropped`() async throws {
        let scene = try await Scene.shared.value()
        let connection = try RawConnection(port: scene.door.port)
        let requests = (0..<500).map { "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: number-\($0)\r\n\r\n" }
        let sending = Task { try await connection.send(requests.joined()) }
        let text = try await connection.read { $0.contains("\"number-499\"") && $0.hasSuffix("}") }
        try await sending.value
        let names = text.split(separator: "\r\n").filter { $0.lowercased().hasPrefix("x-request-id: ") }
        #expect(names.map { $0.split(separator: "-").last.map(String.init) } == (0..<500).map { "\($0)" })
    }

    // MARK: Gone

    @Test func `a client that closes its side after the request is served`() async throws {
        let scene = try await Scene.shared.value()
        let body = Door.form(try scene.phone.shoot(seed: 6))
        let connection = try RawConnection(port: scene.door.port)
        try await connection.send(Door.uploadHead(of: scene.phone.id, "Content-Length: \(body.count)"))
        try await connection.send(body)
        connection.finishSending()
        #expect(try await connection.read().hasPrefix("HTTP/1.1 202"))
    }

    @Test func `resets in the middle of uploads leave nothing behind`() async throws {
        let scene = try await Scene(["CAPTURE_GATEWAY_UPLOAD_BYTES_IN_FLIGHT_MAX": "16MiB"])
        let before = try #require(scene.gateway.peakMemoryBytes)
        for _ in 0..<40 {
            let connection = try RawConnection(port: scene.door.port)
            try await connection.send(Door.uploadHead(of: scene.phone.id, "Content-Length: 15000000"))
            let part = "--\(Door.boundary)\r\nContent-Disposition: form-data; name=\"photo\"\r\n"
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
        let scene = try await Scene([
            "CAPTURE_GATEWAY_CONNECTIONS_MAX": "32", "CAPTURE_GATEWAY_IDLE_TIMEOUT": "600s",
        ])
        var held: [RawConnection] = []
        for number in 0..<300 {
            let connection = try RawConnection(port: scene.door.port)
            if number % 2 == 0 { try await connection.send("GET /healthz HTTP/1.1\r\nX-Slow: ") }
            held.append(connection)
            if number % 60 == 59 { try await scene.expectServed(UInt64(number)) }
        }
        try await scene.expectServed(1000)
        #expect(held.count == 300)
    }

    /// Asks for more than fits between the two, and reads nothing.
    private static func deaf(_ scene: Scene) async throws -> RawConnection {
        let connection = try RawConnection(port: scene.door.port, receiveBytes: 4096)
        try await connection.send(String(repeating: "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n", count: 200))
        return connection
    }

    @Test func `clients that read nothing of their answers keep nobody out`() async throws {
        let scene = try await Scene([
            "CAPTURE_GATEWAY_CONNECTIONS_MAX": "32", "CAPTURE_GATEWAY_IDLE_TIMEOUT": "600s",
        ])
        var held: [RawConnection] = []
        for _ in 0..<64 { held.append(try await Self.deaf(scene)) }
        try await scene.expectServed(2000)
        #expect(held.count == 64)
    }

    @Test func `a connection whose client reads nothing ends after a while`() async throws {
        let scene = try await Scene.impatient.value()
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
            try await pass(.seconds(60))
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

    @Test func `when every connection is busy the next is told so, and soon there is room`() async throws {
        // As a proxy whose clients are many, it may have every connection.
        let scene = try await Scene([
            "CAPTURE_GATEWAY_CONNECTIONS_MAX": "32", "CAPTURE_GATEWAY_TRUSTED_PROXIES": "127.0.0.0/8",
        ])
        var held: [RawConnection] = []
        for _ in 0..<32 {
            let connection = try RawConnection(port: scene.door.port)
            try await connection.send(
                Door.uploadHead(of: scene.phone.id, "Content-Length: 1000", "Expect: 100-continue"))
            #expect(try await connection.read { $0.contains("\r\n\r\n") }.hasPrefix("HTTP/1.1 100"))
            held.append(connection)
        }
        let refused = try await RawConnection(port: scene.door.port).read()
        #expect(refused.hasPrefix("HTTP/1.1 503") && refused.contains("UNAVAILABLE"), "\(refused)")
        #expect(refused.lowercased().contains("retry-after: 1"))
        held.forEach { $0.close() }
        try await scene.expectServed(8)
    }

    // MARK: Bombs

    @Test func `depth maps that unpack to hundreds of megabytes are rejected in little memory`() async throws {
        let scene = try await Scene()
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
