import AsyncHTTPClient
import CaptureModel
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `What one device may ask for` {
    /// A stream of events, or what came in its place.
    private struct Stream {
        let status: Int
        /// What has been read.
        var text: String
        var rest: HTTPClientResponse.Body.AsyncIterator
    }

    /// Opens the stream of a capture, and reads its beginning.
    private func open(
        _ capture: CaptureID, at gateway: CapturesGateway, _ headers: [(String, String)]
    ) async throws -> Stream {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(gateway.port)/api/v1/captures/\(capture)/events")
        request.headers = HTTPHeaders(headers)
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(50))
        var rest = response.body.makeAsyncIterator()
        let text = try await rest.next(isolation: #isolation).map { String(buffer: $0) } ?? ""
        try DescribedAnswers.check(
            .GET, "/api/v1/captures/\(capture)/events", status: Int(response.status.code), headers: response.headers,
            body: Array(text.utf8))
        return Stream(status: Int(response.status.code), text: text, rest: rest)
    }

    private func credentials(_ gateway: CapturesGateway, body: [UInt8] = []) throws -> [(String, String)] {
        try gateway.credentials(gateway.backend.phone, gateway.backend.device, body: body)
    }

    @Test func `the stream of a settled capture ends as soon as that is told, and its place is free`() async throws {
        try await CapturesGateway.run {
            $0.reading.eventStreamsMax = 1
        } _: { gateway in
            let capture = try await gateway.accepted()
            try await gateway.settle()
            // No stream is woken for five seconds: waiting for that each time would take too long.
            for _ in 0..<20 {
                var stream = try await open(capture, at: gateway, credentials(gateway))
                while let chunk = try await stream.rest.next(isolation: #isolation) {
                    stream.text += String(buffer: chunk)
                }
                #expect(stream.status == 200 && stream.text.contains(#""status":"verified""#))
            }
        }
    }

    /// A browser opens a stream that has ended again, until it is told that there is nothing to come.
    @Test func `the stream of a settled capture is not opened for whoever has its last state`() async throws {
        try await CapturesGateway.run { gateway in
            let capture = try await gateway.accepted()
            try await gateway.settle()
            var stream = try await open(capture, at: gateway, credentials(gateway))
            while let chunk = try await stream.rest.next(isolation: #isolation) {
                stream.text += String(buffer: chunk)
            }
            let id = String(try #require(stream.text.firstMatch(of: /id: ([0-9a-f]{32})\n/)).1)
            let path = "/api/v1/captures/\(capture)/events"
            for who in [try credentials(gateway), CapturesGateway.dashboard] {
                let over = try await gateway.send(.GET, path, headers: who + [("Last-Event-ID", id)])
                #expect(over.status == 204 && over.headers.first(name: "Content-Type") == nil)
            }
            // So asks what stands in for a browser's `EventSource` to send a token.
            let query = "\(path)?lastEventId=\(id)"
            #expect(try await gateway.send(.GET, query, headers: CapturesGateway.dashboard).status == 204)
            let stale = try await open(capture, at: gateway, credentials(gateway) + [("Last-Event-ID", "0")])
            #expect(stale.status == 200)
        }
    }

    @Test func `devices leave places for the streams of tokens`() async throws {
        try await CapturesGateway.run {
            $0.reading.eventStreamsMax = 4
        } _: { gateway in
            let capture = try await gateway.accepted()
            var held: [Stream] = []
            for _ in 0..<4 { held.append(try await open(capture, at: gateway, credentials(gateway))) }
            #expect(held.map(\.status) == [200, 200, 200, 503])
            held.append(try await open(capture, at: gateway, CapturesGateway.dashboard))
            #expect(held.map(\.status).last == 200)
        }
    }

    @Test(arguments: [(100, true, 200), (101, true, 400), (101, false, 200), (500, false, 200), (501, false, 400)])
    func `devices ask for fewer states at once than tokens`(count: Int, isDevice: Bool, status: Int) async throws {
        try await CapturesGateway.run { gateway in
            let ids = (0..<count).map { "\"00000000-0000-7000-8000-\(String(1_000_000_000_000 + $0).dropFirst())\"" }
            let body = Array(#"{"capture_ids": [\#(ids.joined(separator: ","))]}"#.utf8)
            let who = try isDevice ? credentials(gateway, body: body) : CapturesGateway.dashboard
            let answer = try await gateway.send(
                .POST, "/api/v1/captures/status", headers: who + [("Content-Type", "application/json")], body: body)
            #expect(answer.status == status && answer.field == (status == 400 ? "capture_ids" : nil))
        }
    }
}
