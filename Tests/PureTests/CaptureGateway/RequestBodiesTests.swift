import CaptureModel
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Bodies of requests that are no uploads` {
    private static let bytes = 20_000
    private static let statuses = "/api/v1/captures/status"

    /// The head of a registration, which anybody may send, with a body that waits to be asked for.
    private static func head(_ headers: String..., to path: String = "/api/v1/devices/register") -> String {
        """
        POST \(path) HTTP/1.1\r
        Host: 127.0.0.1\r
        Expect: 100-continue\r
        \(headers.map { $0 + "\r\n" }.joined())\r\n
        """
    }

    /// Sends it from an address of this machine, and reads what comes first.
    private static func knock(
        _ gateway: CapturesGateway, from source: UInt32
    ) async throws -> (connection: RawConnection, answer: String) {
        let connection = try RawConnection(port: gateway.port, from: source)
        try await connection.send(head("Content-Length: \(bytes)"))
        return (connection, try await connection.read { $0.hasSuffix("\r\n\r\n") || $0.hasSuffix("}") })
    }

    @Test func `bodies of requests share the memory that they may have, and are refused beyond it before they come`()
        async throws
    {
        try await CapturesGateway.run {
            $0.requests.headerBytesMax = 4096
            $0.requests.jsonBytesMax = Self.bytes
            $0.requests.jsonBytesInFlightMax = 10 * Self.bytes
            // Longer than the test may take: what is held stays held.
            $0.requests.jsonTimeout = .seconds(60)
        } _: { gateway in
            var held: [RawConnection] = []
            var answers: [[String]] = []
            for (source, count) in [(UInt32(0x7F00_0002), 8), (0x7F00_0003, 3), (0x7F00_0004, 1)] {
                var own: [String] = []
                for _ in 0..<count {
                    let (connection, answer) = try await Self.knock(gateway, from: source)
                    own.append(String(answer.prefix(12)))
                    held.append(connection)
                    let mayComeAgain = answer.lowercased().contains("\r\nretry-after: 1\r\n")
                    #expect(answer.hasPrefix("HTTP/1.1 100") || mayComeAgain)
                }
                answers.append(own)
            }
            // As they announce them, with their heads: three quarters are one address's while it is alone.
            let (taken, refused) = ("HTTP/1.1 100", "HTTP/1.1 503")
            #expect(answers[0] == [String](repeating: taken, count: 7) + [refused])
            #expect(answers[1] == [taken, taken, refused])
            #expect(answers[2] == [refused])
            // Free again once their senders are gone.
            for connection in held { connection.close() }
            while try await !Self.knock(gateway, from: 0x7F00_0004).answer.hasPrefix(taken) {
                try await letTimePass(.milliseconds(20))
            }
        }
    }

    /// More than a number holds is no reason to ask for it, and to have the sender come again.
    @Test(arguments: ["65537", "9223372036854775807", "9223372036854775808", "18446744073709551615"])
    func `bodies of requests are refused before they come when they are announced too long`(length: String) async throws
    {
        try await CapturesGateway.run { gateway in
            let answer = try await gateway.raw(Array(Self.head("Content-Length: \(length)").utf8))
            #expect(answer.hasPrefix("HTTP/1.1 413") && answer.contains("PAYLOAD_TOO_LARGE"), "\(answer)")
        }
    }

    @Test func `bodies of requests are asked for of whoever may be answered, and of nobody else`() async throws {
        try await CapturesGateway.run { gateway in
            let unknown = "6f1c9a52-0d3b-4c58-9a3e-7f3f5a1b2c3d"
            let now = gateway.backend.time.now.millisecondsSince1970
            for headers in [
                [], ["Authorization: Bearer guess"], ["X-Device-Id: \(unknown)", "X-Device-Timestamp: \(now)"],
                ["X-Device-Id: \(gateway.backend.device)", "X-Device-Timestamp: \(now)", "X-Device-Signature: ?"],
            ] as [[String]] {
                let lines = headers.joined(separator: "\r\n")
                let head = Self.head("Content-Length: 60000\(lines.isEmpty ? "" : "\r\n")\(lines)", to: Self.statuses)
                #expect(try await gateway.raw(Array(head.utf8)).hasPrefix("HTTP/1.1 401"), "\(headers)")
            }
            let token = "Authorization: Bearer \(GatewayFixture.readToken)"
            let connection = try RawConnection(port: gateway.port)
            try await connection.send(Self.head("Content-Length: 2", token, to: Self.statuses))
            let answer = try await connection.read { $0.hasSuffix("\r\n\r\n") || $0.hasSuffix("}") }
            #expect(answer.hasPrefix("HTTP/1.1 100"))
        }
    }

    /// Each with what fills the memory without it: a body of unknown length may have the most, and heads are held, too.
    @Test(arguments: [
        ["Transfer-Encoding: chunked"], ["Content-Length: 4000", "X-Filler: \(String(repeating: "x", count: 3000))"],
    ])
    func `bodies of requests are counted with their heads, and with the most where they do not say how long they are`(
        headers: [String]
    ) async throws {
        try await CapturesGateway.run {
            $0.requests.headerBytesMax = 4096
            $0.requests.jsonBytesMax = Self.bytes
            $0.requests.jsonBytesInFlightMax = $0.requests.jsonRequestBytesMax
            $0.requests.jsonTimeout = .seconds(60)
        } _: { gateway in
            let first = try RawConnection(port: gateway.port, from: 0x7F00_0002)
            try await first.send(Self.head(headers.joined(separator: "\r\n")))
            let taken = try await first.read { $0.hasSuffix("\r\n\r\n") || $0.hasSuffix("}") }
            #expect(taken.hasPrefix("HTTP/1.1 100"))
            let (second, refused) = try await Self.knock(gateway, from: 0x7F00_0003)
            #expect(refused.hasPrefix("HTTP/1.1 503"))
            first.close()
            second.close()
        }
    }

    @Test func `bodies of requests are handed back when they are answered`() async throws {
        try await CapturesGateway.run {
            $0.requests.jsonBytesInFlightMax = $0.requests.jsonRequestBytesMax
        } _: { gateway in
            let body = [UInt8](repeating: 0x5B, count: 40_000)
            for _ in 0..<4 {
                let answer = try await gateway.send(.POST, "/api/v1/devices/register", body: body)
                #expect(answer.status == 400)
            }
        }
    }
}
