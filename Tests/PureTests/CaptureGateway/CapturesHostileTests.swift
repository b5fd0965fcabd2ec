import CaptureModel
import CaptureQueue
import CoreMetrics
import DeviceSimulator
import NIOHTTP1
import Observability
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Hostile uploads` {
    @Test(arguments: ["text/plain", "application/json", "multipart/mixed; boundary=x"])
    func `a body of another type is 415`(_ type: String) async throws {
        try await CapturesGateway.run { gateway in
            let answer = try await gateway.upload(gateway.capture().parts, contentType: type)
            #expect(answer.status == 415)
            #expect(answer.code == "UNSUPPORTED_MEDIA_TYPE")
        }
    }

    @Test(arguments: [
        "multipart/form-data", "multipart/form-data; boundary=\"\"",
        "multipart/form-data; boundary=\(String(repeating: "x", count: 71))", "multipart/form-data; boundary=",
        "multipart/form-data; boundary=X; boundary=Y", "multipart/form-data; boundary=X, text/plain",
    ])
    func `a boundary that is missing or malformed is 400`(_ type: String) async throws {
        try await CapturesGateway.run { gateway in
            let answer = try await gateway.upload(gateway.capture().parts, contentType: type)
            #expect(answer.status == 400)
            #expect(answer.field == "Content-Type")
        }
    }

    /// The second is larger than any number that the server can hold: it refuses the head itself.
    @Test(arguments: [("99999999999", "413"), ("99999999999999999999999999", "400")])
    func `too long a body is refused before it comes`(_ length: String, status: String) async throws {
        try await CapturesGateway.run { gateway in
            let answer = try await gateway.raw(Array(gateway.uploadHead("Content-Length: \(length)").utf8))
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        }
    }

    @Test func `a part over its limit is answered while the rest is still to come`() async throws {
        try await CapturesGateway.run {
            $0.uploads.photoBytesMax = 1000
        } _: { gateway in
            let start = FormPart.form(
                [FormPart("photo", "image/jpeg", Array(repeating: 0xFF, count: 5000))], isWhole: false
            )
            let head = gateway.uploadHead("Content-Length: 1000000")
            let answer = try await gateway.raw(Array(head.utf8) + start)
            #expect(answer.hasPrefix("HTTP/1.1 413"))
            #expect(answer.contains("\"field\":\"photo\""))
        }
    }

    @Test func `a part that never ends is cut off without a length, too`() async throws {
        try await CapturesGateway.run {
            $0.uploads.photoBytesMax = 1000
        } _: { gateway in
            let start = FormPart.form(
                [FormPart("photo", "image/jpeg", Array(repeating: 0xFF, count: 5000))], isWhole: false
            )
            let chunk = "\(String(start.count, radix: 16))\r\n"
            let head = gateway.uploadHead("Transfer-Encoding: chunked")
            let answer = try await gateway.raw(Array(head.utf8) + Array(chunk.utf8) + start + [0x0D, 0x0A])
            #expect(answer.hasPrefix("HTTP/1.1 413"))
        }
    }

    /// RFC 9112 section 6.1: a proxy that knows no chunks in HTTP/1.0 would take them for the next request.
    @Test func `chunks in a version that has none are refused`() async throws {
        try await CapturesGateway.run { gateway in
            let head = "POST /x HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
            let connection = try RawConnection(port: gateway.port)
            try await connection.send(head + "GET /y HTTP/1.0\r\n\r\n")
            let answer = try await connection.read()
            #expect(answer.hasPrefix("HTTP/1.1 400") && answer.contains("VALIDATION_ERROR"))
            #expect(answer.ranges(of: "HTTP/1.1 ").count == 1)
        }
    }

    /// No route would ask for it.
    @Test(arguments: ["GET", "HEAD"], ["Content-Length: 100000", "Transfer-Encoding: chunked"])
    func `a body that nobody reads is refused before it comes`(method: String, length: String) async throws {
        try await CapturesGateway.run { gateway in
            let path = "/api/v1/captures/01993c1c-8d6e-7c31-9b0e-2f1d3a4b5c6d?wait=5"
            let head = "\(method) \(path) HTTP/1.1\r\nHost: x\r\n\(length)\r\n\r\n"
            let connection = try RawConnection(port: gateway.port)
            try await connection.send(head)
            let answer = try await connection.read { $0.contains("\r\n\r\n") }
            #expect(answer.hasPrefix("HTTP/1.1 400"))
        }
    }

    /// Whoever sends it in one piece with a request before it.
    @Test(arguments: [("nonsense\r\n\r\n", "an unknown method"), ("GET /y HTTP/1.1\r\n\r\n", "\"Host\"")])
    func `a head that cannot be read is answered after the request before it, in the envelope, which tells why`(
        head: String, why: String
    ) async throws {
        try await CapturesGateway.run { gateway in
            let connection = try RawConnection(port: gateway.port)
            try await connection.send(
                "GET /x HTTP/1.1\r\nHost: a\r\n\r\n" + head + "GET /z HTTP/1.1\r\nHost: a\r\n\r\n")
            let answers = try await connection.read().split(separator: "HTTP/1.1 ")
            #expect(answers.map { $0.prefix(3) } == ["404", "400"])
            #expect(answers.last.map { $0.contains("VALIDATION_ERROR") && $0.contains(why) } == true, "\(answers)")
            for field in ["x-content-type-options: nosniff\r\n", "\r\ndate: "] {
                #expect(answers.allSatisfy { $0.lowercased().contains(field) }, "\(field)")
            }
        }
    }

    @Test func `thousands of parts are refused at the first wrong one`() async throws {
        try await CapturesGateway.run { gateway in
            let parts = (0..<5000).map { FormPart("p\($0)", nil, [1]) }
            let answer = try await gateway.upload(parts)
            #expect(answer.status == 400)
            #expect(answer.field == "p0")
        }
    }

    @Test func `headers of a part without end are refused`() async throws {
        try await CapturesGateway.run { gateway in
            let part = FormPart("photo", String(repeating: "x", count: 100_000), [1])
            let answer = try await gateway.upload([part])
            #expect(answer.status == 400)
            #expect(answer.reason == "HEADERS_TOO_LARGE")
        }
    }

    @Test func `a body without its last boundary is refused`() async throws {
        try await CapturesGateway.run { gateway in
            let body = try FormPart.form(gateway.capture().parts, isWhole: false)
            let answer = try await gateway.raw(
                Array(gateway.uploadHead("Content-Length: \(body.count)").utf8) + body
            )
            #expect(answer.hasPrefix("HTTP/1.1 400"))
            #expect(answer.contains("UNEXPECTED_END"))
            #expect(gateway.backend.bundles.count == 0)
        }
    }

    @Test func `a sender who goes away leaves nothing behind, and is no fault of ours`() async throws {
        let registry = PrometheusRegistry()
        try await withMetricsFactory(registry) {
            try await CapturesGateway.run {
                $0.takeOneUploadAtATime()
            } _: { gateway in
                let body = try FormPart.form(gateway.capture().parts)
                let head = Array(gateway.uploadHead("Content-Length: \(body.count)").utf8)
                for _ in 0..<4 {
                    _ = try await gateway.raw(head + body.prefix(body.count / 2), closingAfterwards: true)
                }
                #expect(gateway.backend.bundles.count == 0)
                #expect(try await gateway.backend.queue.load().captures == 0)
                #expect(try await gateway.upload(gateway.capture()).status == 202, "the budget is free again")
            }
        }
        let told = try StrictExposition(registry.render())
        func count(_ outcome: String) -> Int? {
            told.value("capture_uploads_total", ["outcome": outcome]).flatMap { Int($0) }
        }
        // One that comes before the room of the last is free may be put off.
        #expect(try #require(count("aborted")) > 0 && count("error") == 0)
    }

    /// Whoever passes on the end of what it got still reads the answer: it must not say that the same bytes get the same.
    @Test func `an upload that is cut short may be sent again, one of broken chunks may not`() async throws {
        try await CapturesGateway.run { gateway in
            let body = try FormPart.form(gateway.capture().parts)
            let (size, part) = (String(body.count, radix: 16), body.prefix(body.count - 5000))
            let cases: [(head: String, rest: ArraySlice<UInt8>, answer: (status: String, code: String))] = [
                (gateway.uploadHead("Content-Length: \(body.count)"), part, ("408", "REQUEST_TIMEOUT")),
                (gateway.uploadHead("Transfer-Encoding: chunked") + "\(size)\r\n", part, ("408", "REQUEST_TIMEOUT")),
                (gateway.uploadHead("Transfer-Encoding: chunked") + "zz\r\n", part, ("400", "VALIDATION_ERROR")),
            ]
            for (head, rest, wanted) in cases {
                let connection = try RawConnection(port: gateway.port)
                try await connection.send(Array(head.utf8) + rest)
                connection.finishSending()
                let answer = try await connection.read()
                #expect(answer.hasPrefix("HTTP/1.1 \(wanted.status)") && answer.contains(wanted.code), "\(answer)")
            }
            #expect(try await gateway.upload(gateway.capture()).status == 202)
        }
    }

    @Test func `a sender who stops sending is answered and left`() async throws {
        try await CapturesGateway.run {
            $0.uploads.idleTimeout = .milliseconds(200)
        } _: { gateway in
            let body = try FormPart.form(gateway.capture().parts)
            let head = Array(gateway.uploadHead("Content-Length: \(body.count)").utf8)
            let answer = try await gateway.raw(head + body.prefix(1000))
            #expect(answer.hasPrefix("HTTP/1.1 408"))
            #expect(answer.contains("REQUEST_TIMEOUT"))
        }
    }

    @Test func `uploads beyond the memory they may have are put off`() async throws {
        try await CapturesGateway.run {
            $0.takeOneUploadAtATime()
        } _: { gateway in
            let captures = try (1...2).map { try gateway.capture(seed: $0) }
            gateway.backend.queue.fail(enqueue: .held)
            async let first = gateway.upload(captures[0])
            await gateway.backend.queue.untilHeld()
            let second = try await gateway.upload(captures[1])
            #expect(second.status == 503)
            #expect(second.code == "UNAVAILABLE")
            #expect(second.headers.first(name: "Retry-After") == "1")
            gateway.backend.queue.release()
            #expect(try await first.status == 202)
            gateway.backend.queue.fail(enqueue: nil)
            #expect(try await gateway.upload(captures[1]).status == 202)
        }
    }

    @Test func `a sender who only reads after sending everything gets the answer, too`() async throws {
        try await CapturesGateway.run {
            $0.takeOneUploadAtATime()
            $0.uploads.photoBytesMax = 6 << 20
            $0.uploads.bytesInFlightMax = 7 << 20
        } _: { gateway in
            // More than sockets hold by themselves, and less than is thrown away: every time, not now and then.
            let body = FormPart.form([FormPart("photo", "image/jpeg", Array(repeating: 0xFF, count: 10 << 20))])
            let head = Array(gateway.uploadHead("Content-Length: \(body.count)").utf8)
            for _ in 0..<4 {
                let connection = try RawConnection(port: gateway.port)
                try await connection.send(head + body)
                let answer = try await connection.read()
                #expect(answer.hasPrefix("HTTP/1.1 413"))
                #expect(answer.contains("\"field\":\"body\""))
            }
        }
    }
}

extension GatewayConfiguration {
    /// Small limits, and room for one upload of a test's size in memory.
    mutating func takeOneUploadAtATime() {
        uploads.photoBytesMax = 70_000
        uploads.depthBytesMax = 200_000
        uploads.bytesInFlightMax = 450_000
    }
}
