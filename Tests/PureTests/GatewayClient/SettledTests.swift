import AsyncHTTPClient
import CaptureModel
import NIOHTTP1
import Testing

@testable import GatewayClient

@Suite(.timeLimit(.minutes(1))) struct `Waiting for a verdict ends with its time` {
    /// A client as patient as they are, so that only the limit can end the waiting.
    private func settled(
        from url: String, within limit: Duration, wait: Duration = .seconds(10)
    ) async throws -> CaptureStatus {
        let id = try #require(CaptureID("01993c1c-8d6e-7c31-9b0e-2f1d3a4b5c6d"))
        // One request alone would take longer than the suite may.
        let configuration = GatewayClient.Configuration(url: url, requestTimeout: .seconds(600))
        let client = GatewayClient(configuration, http: HTTPClient.shared)
        return try await client.settled(id, within: limit, wait: wait) { _ in .token("of the test") }
    }

    private static func answer(_ state: CaptureState) -> ScriptedGateway.Answer {
        let data = #"{"capture_id": "01993c1c-8d6e-7c31-9b0e-2f1d3a4b5c6d", "status": "\#(state.rawValue)"}"#
        return .init(status: .ok, body: #"{"data": \#(data), "meta": {}}"#)
    }

    private static let silence = ScriptedGateway.Answer(
        status: .ok, body: String(repeating: " ", count: 100), isHeadOnly: true)
    private static let busy = ScriptedGateway.Answer(
        status: .serviceUnavailable, headers: ["Retry-After": "60"], body: #"{"error": {"code": "UNAVAILABLE"}}"#)

    @Test(arguments: [(silence, "no answer in time", 0.2), (busy, "503 UNAVAILABLE", 30.0)])
    func `a wait for a verdict ends with its time, though an answer or the pause before an attempt takes longer`(
        answer: ScriptedGateway.Answer, last: String, seconds: Double
    ) async throws {
        try await ScriptedGateway.serving([answer]) { _, url in
            let error = await #expect(throws: GatewayError.self) {
                try await settled(from: url, within: .seconds(seconds))
            }
            #expect(error == .outOfTime(last: last))
        }
    }

    @Test(arguments: [silence, busy])
    func `a wait for a verdict ends with the last that was known as its answer`(then answer: ScriptedGateway.Answer)
        async throws
    {
        try await ScriptedGateway.serving([Self.answer(.queued), answer]) { _, url in
            let status = try await settled(from: url, within: .seconds(8))
            #expect(status.state == .queued)
        }
    }

    /// Less than a second is not asked for at all.
    @Test(arguments: [(60.0, 0.9, ""), (8, 10, "?wait=6"), (60, 10, "?wait=10")])
    func `a gateway is asked to hold its answer back for less than the time that is left`(
        seconds: Double, wait: Double, query: String
    ) async throws {
        try await ScriptedGateway.serving([Self.answer(.verified)]) { gateway, url in
            let status = try await settled(from: url, within: .seconds(seconds), wait: .seconds(wait))
            #expect(status.state == .verified)
            #expect(gateway.asked.first?.head.uri.hasSuffix("01993c1c-8d6e-7c31-9b0e-2f1d3a4b5c6d\(query)") == true)
        }
    }
}
