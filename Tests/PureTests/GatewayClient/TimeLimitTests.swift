import ArgumentParser
import AsyncHTTPClient
import CaptureModel
import NIOHTTP1
import Synchronization
import Testing
import Waiting

@testable import GatewayClient
@testable import capturectl

@Suite(.timeLimit(.minutes(1))) struct `An upload that has a time of its own` {
    private let clock = ImmediateClock()
    private static let full = ScriptedGateway.Answer(
        status: .serviceUnavailable, body: #"{"error": {"code": "QUEUE_FULL"}}"#)

    /// Sends to a gateway that answers ever the same; gives the error and what was told of the pauses.
    private func sent(
        _ gateway: ScriptedGateway.Answer, _ configuration: (String) -> GatewayClient.Configuration,
        within limit: Duration
    ) async throws -> (error: GatewayError?, asked: Int, told: [Duration]) {
        let device = try #require(DeviceID("00000000-0000-4000-8000-000000000001"))
        let told = Mutex<[Duration]>([])
        return try await ScriptedGateway.serving([gateway]) { gateway, url in
            let client = GatewayClient(configuration(url), http: HTTPClient.shared, clock: clock) { _, pause in
                told.withLock { $0.append(pause) }
            }
            let error = await #expect(throws: GatewayError.self) {
                try await client.upload(
                    CaptureUpload(photo: [1], depthMap: [2], metadata: [3], assertion: [4]), device: device,
                    within: limit)
            }
            return (error: error, asked: gateway.asked.count, told: told.withLock { $0 })
        }
    }

    private static func steady(_ url: String) -> GatewayClient.Configuration {
        .init(
            url: url, attemptsMax: .max, backoff: Backoff(base: .milliseconds(250), cap: .seconds(15)), chance: { 1 })
    }

    @Test func `an upload that has a time of its own is tried until the time is over, the last time a second before`()
        async throws
    {
        let end = try await sent(Self.full, Self.steady, within: .seconds(120))
        #expect(end.error == .outOfTime(last: "503 QUEUE_FULL") && end.asked == 14)
        #expect(clock.slept.reduce(.zero, +) > .seconds(118) && clock.slept.last == end.told.last)
        #expect(clock.slept.reduce(.zero, +) < .seconds(120))
    }

    @Test func `an upload that has a time of its own tells no pause that it does not make`() async throws {
        let end = try await sent(Self.full, Self.steady, within: .seconds(3))
        #expect(end.told == [.milliseconds(250), .milliseconds(500), .seconds(1)] && clock.slept == end.told)
    }

    @Test
    func `an upload that has a time of its own is not tried again where the gateway says that it would be in vain`()
        async throws
    {
        let later = ScriptedGateway.Answer(
            status: .tooManyRequests, headers: ["Retry-After": "60"], body: #"{"error": {"code": "RATE_LIMITED"}}"#)
        let end = try await sent(later, Self.steady, within: .seconds(10))
        #expect(end.error == .outOfTime(last: "429 RATE_LIMITED") && end.asked == 1 && end.told.isEmpty)
    }

    @Test
    func `an upload that has a time of its own is tried once more at the end where the gateway asks for no pause`()
        async throws
    {
        let now = ScriptedGateway.Answer(
            status: .serviceUnavailable, headers: ["Retry-After": "0"], body: #"{"error": {"code": "QUEUE_FULL"}}"#)
        let end = try await sent(now, Self.steady, within: .seconds(120))
        #expect(end.asked == 14 && clock.slept.reduce(.zero, +) > .seconds(118))
    }

    @Test func `an upload that has a time of its own is what submit sends`() async throws {
        let end = try await sent(Self.full, SubmitCommand.patience, within: .seconds(120))
        let error = try #require(end.error)
        #expect(end.asked > 8 && end.told.allSatisfy { $0 <= .seconds(15) })
        #expect(SubmitCommand.words(for: error, timeout: 120) == "not sent within 120 s; last: 503 QUEUE_FULL")
        #expect(SubmitCommand.end(error).rawValue == 69)
    }

    @Test func `an upload that has a time of its own is cut off where no answer comes`() async throws {
        let silence = ScriptedGateway.Answer(status: .ok, body: "{}", isHeadOnly: true)
        // A request that was not cut off would take longer than the suite may.
        let end = try await sent(
            silence, { .init(url: $0, requestTimeout: .seconds(600), attemptsMax: 1) }, within: .milliseconds(200))
        // The immediate clock has not moved, so that it ends with its only attempt.
        #expect(end.error == .unreachable("no answer in time"))
    }
}

@Suite(.timeLimit(.minutes(1))) struct `A gateway that is elsewhere` {
    @Test(arguments: [
        ("https://other.example/api/v1/captures", "https://other.example/api/v1/captures"),
        ("/a b\u{9B}", "/a?b??"), (String(repeating: "x", count: 1000), String(repeating: "x", count: 256)),
    ])
    func `a gateway that is elsewhere is named, and neither followed nor taken for a refusal`(
        location: String, shown: String
    ) async throws {
        let moved = ScriptedGateway.Answer(
            status: .movedPermanently, headers: ["Location": location], body: "<html>")
        let device = try #require(DeviceID("00000000-0000-4000-8000-000000000001"))
        let error = try await ScriptedGateway.serving([moved]) { gateway, url in
            let error = try await HTTPClient.withHTTPClient(configuration: GatewayClient.httpConfiguration) { http in
                await #expect(throws: GatewayError.self) {
                    try await GatewayClient(.init(url: url), http: http).upload(
                        CaptureUpload(photo: [1], depthMap: [2], metadata: [3], assertion: [4]), device: device)
                }
            }
            #expect(gateway.asked.count == 1)
            return try #require(error)
        }
        #expect(error == .elsewhere(status: 301, location: shown))
        #expect(SubmitCommand.words(for: error, timeout: 1) == "301: the gateway is elsewhere, at \(shown)")
        #expect(SubmitCommand.end(error).rawValue == 64 && !error.isFinal)
        #expect(SubmitCommand.end(.untrusted("TLS: CERTIFICATE_VERIFY_FAILED")).rawValue == 64)
    }
}
