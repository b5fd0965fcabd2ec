import CaptureModel
import NIOCore
import NIOHTTP1
import Synchronization
import Testing

@testable import GatewayClient

@Suite(.timeLimit(.minutes(1))) struct `The gateway's client and a gateway that says no` {
    private let clock = ImmediateClock()

    private func client(_ url: String, attemptsMax: Int = 8) -> GatewayClient {
        .paced(by: clock, url, attemptsMax: attemptsMax)
    }

    @Test func `429 and 503 are tried again when the gateway says`() async throws {
        let answers = [
            ScriptedGateway.Answer(
                status: .tooManyRequests, headers: ["Retry-After": "7"], body: refusalBody("RATE_LIMITED")
            ),
            .init(status: .serviceUnavailable, body: refusalBody("UNAVAILABLE")), .challenge,
        ]
        let got = try await ScriptedGateway.serving(answers) { _, url in try await client(url).challenge() }
        #expect(got.bytes == [1, 2, 3] && got.expiresAt?.rfc3339 == "2026-11-21T05:00:00.000Z")
        #expect(clock.slept == [.seconds(7), .milliseconds(500)])
    }

    @Test(arguments: [HTTPResponseStatus.badGateway, .gatewayTimeout])
    func `what a proxy says for a gateway that is away is tried again`(status: HTTPResponseStatus) async throws {
        let answers = [ScriptedGateway.Answer(status: status, body: "<html>"), .challenge]
        let got = try await ScriptedGateway.serving(answers) { _, url in try await client(url).challenge() }
        #expect(got.bytes == [1, 2, 3] && clock.slept == [.milliseconds(250)])
    }

    @Test(arguments: [(400, true), (401, true), (413, true), (408, false), (429, false), (500, false), (501, false)])
    func `only a no to the request itself is final`(status: Int, isFinal: Bool) {
        let no = GatewayError.Refusal(status: status, code: "NO", message: "no", reasonCode: nil, retryAfter: nil)
        #expect(GatewayError.refused(no).isFinal == isFinal)
        #expect(!GatewayError.unreachable("away").isFinal && !GatewayError.malformedAnswer("200").isFinal)
    }

    @Test func `provenance that is not there yet is asked for again`() async throws {
        let early = ScriptedGateway.Answer(
            status: .conflict, headers: ["Retry-After": "3"], body: refusalBody("NOT_SETTLED"))
        let there = ScriptedGateway.Answer(status: .ok, body: #"{"data": {"verdict": "verified"}, "meta": {}}"#)
        let capture = try #require(CaptureID("01993c1c-8d6e-7c31-9b0e-2f1d3a4b5c6d"))
        let got = try await ScriptedGateway.serving([early, there]) { _, url in
            try await client(url).provenance(capture) { _ in .token("x") }
        }
        #expect(got["verdict"]?.string == "verified" && clock.slept == [.seconds(3)])
    }

    @Test func `a refusal that passes is tried again only so often`() async throws {
        let busy = ScriptedGateway.Answer(status: .serviceUnavailable, body: refusalBody("QUEUE_FULL"))
        try await ScriptedGateway.serving([busy]) { gateway, url in
            let error = await #expect(throws: GatewayError.self) {
                try await client(url, attemptsMax: 3).challenge()
            }
            guard case .refused(let refusal) = error else { throw Unexpected() }
            #expect(refusal.code == "QUEUE_FULL" && refusal.isTransient)
            #expect(gateway.asked.count == 3)
        }
    }

    @Test func `a verdict is not tried again, and its reason is read`() async throws {
        let no = ScriptedGateway.Answer(
            status: .unauthorized, body: refusalBody("SIGNATURE_INVALID", details: #"{"reason": "RP_ID_MISMATCH"}"#)
        )
        try await ScriptedGateway.serving([no]) { gateway, url in
            let upload = CaptureUpload(photo: [1], depthMap: [2], metadata: [3], assertion: [4])
            let device = try #require(DeviceID("00000000-0000-4000-8000-000000000001"))
            let error = await #expect(throws: GatewayError.self) {
                try await client(url).upload(upload, device: device)
            }
            guard case .refused(let refusal) = error else { throw Unexpected() }
            #expect(refusal.status == 401 && refusal.code == "SIGNATURE_INVALID" && refusal.reason == .rpIDMismatch)
            let asked = try #require(gateway.asked.first)
            #expect(gateway.asked.count == 1 && asked.head.uri == "/api/v1/captures")
            #expect(asked.head.headers.first(name: "X-Device-Id") == device.description)
            #expect(clock.slept == [])
        }
    }

    @Test func `a no in the middle of an upload is heard`() async throws {
        let no = ScriptedGateway.Answer(
            status: .payloadTooLarge, body: refusalBody("PAYLOAD_TOO_LARGE"), isEarly: true
        )
        try await ScriptedGateway.serving([no]) { gateway, url in
            // More than the sockets between take in.
            let photo = [UInt8](repeating: 0xFF, count: 32 << 20)
            let upload = CaptureUpload(photo: photo, depthMap: [2], metadata: [3], assertion: [4])
            let device = try #require(DeviceID("00000000-0000-4000-8000-000000000001"))
            let error = await #expect(throws: GatewayError.self) {
                try await client(url).upload(upload, device: device)
            }
            guard case .refused(let refusal) = error else { throw Unexpected() }
            #expect(refusal.status == 413 && refusal.code == "PAYLOAD_TOO_LARGE" && clock.slept == [])
            #expect(gateway.asked.count == 1)
        }
    }

    @Test(arguments: [0, 65_000, 65_536, 131_072, 1_000_001])
    func `an upload arrives whole`(photoBytes: Int) async throws {
        let id = try #require(CaptureID("01993c1c-8d6e-7c31-9b0e-2f1d3a4b5c6d"))
        let device = try #require(DeviceID("00000000-0000-4000-8000-000000000001"))
        let yes = ScriptedGateway.Answer(
            status: .accepted, body: #"{"data": {"capture_id": "\#(id)", "status": "queued"}, "meta": {}}"#
        )
        let photo = (0..<photoBytes).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }
        let upload = CaptureUpload(photo: photo, depthMap: [2], metadata: [3], assertion: [4])
        try await ScriptedGateway.serving([yes]) { gateway, url in
            let receipt = try await client(url).upload(upload, device: device)
            #expect(receipt.captureID == id)
            #expect(gateway.asked.map(\.body) == [upload.form().body])
        }
    }

    @Test func `a device's signature is made anew for every attempt`() async throws {
        let id = try #require(CaptureID("01993c1c-8d6e-7c31-9b0e-2f1d3a4b5c6d"))
        let device = try #require(DeviceID("00000000-0000-4000-8000-000000000001"))
        let answers = [
            ScriptedGateway.Answer(status: .serviceUnavailable, body: refusalBody("UNAVAILABLE")),
            .init(status: .ok, body: #"{"data": {"capture_id": "\#(id)", "status": "verified"}, "meta": {}}"#),
        ]
        try await ScriptedGateway.serving(answers) { gateway, url in
            let made = Counter()
            let status = try await client(url).settled(id, within: .seconds(30)) { body in
                .device(device, timestamp: "\(made.next())", signature: body)
            }
            #expect(status.state == .verified)
            #expect(gateway.asked.map { $0.head.headers.first(name: "X-Device-Timestamp") } == ["1", "2"])
            #expect(gateway.asked.allSatisfy { $0.head.uri == "/api/v1/captures/\(id)?wait=10" })
        }
    }

    @Test(arguments: [("REPLAY_DETECTED", 1, true), ("TIMESTAMP_EXPIRED", 2, false), ("SIGNATURE_INVALID", 1, false)])
    func `a signature that came too late is made anew at once, and once`(
        code: String, refusals: Int, isAnswered: Bool
    ) async throws {
        let id = try #require(CaptureID("01993c1c-8d6e-7c31-9b0e-2f1d3a4b5c6d"))
        let device = try #require(DeviceID("00000000-0000-4000-8000-000000000001"))
        let no = ScriptedGateway.Answer(status: .unauthorized, body: refusalBody(code))
        let yes = ScriptedGateway.Answer(
            status: .ok, body: #"{"data": {"capture_id": "\#(id)", "status": "verified"}, "meta": {}}"#)
        try await ScriptedGateway.serving([ScriptedGateway.Answer](repeating: no, count: refusals) + [yes]) {
            gateway, url in
            let made = Counter()
            var state: CaptureState?
            do throws(GatewayError) {
                state = try await client(url).status(id) { body in
                    .device(device, timestamp: "\(made.next())", signature: body)
                }.state
            } catch {
                guard case .refused(let refusal) = error else { throw error }
                #expect(refusal.code == code)
            }
            #expect((state == .verified) == isAnswered && clock.slept == [])
            #expect(gateway.asked.count == (code == "SIGNATURE_INVALID" ? 1 : 2))
        }
    }

    @Test func `a fault of the gateway's own is tried again where the request may be done twice`() async throws {
        let id = try #require(CaptureID("01993c1c-8d6e-7c31-9b0e-2f1d3a4b5c6d"))
        let device = try #require(DeviceID("00000000-0000-4000-8000-000000000001"))
        let fault = ScriptedGateway.Answer(status: .internalServerError, body: refusalBody("INTERNAL_ERROR"))
        let yes = ScriptedGateway.Answer(
            status: .accepted, body: #"{"data": {"capture_id": "\#(id)", "status": "queued"}, "meta": {}}"#)
        try await ScriptedGateway.serving([fault, yes]) { gateway, url in
            let upload = CaptureUpload(photo: [1], depthMap: [2], metadata: [3], assertion: [4])
            let accepted = try await client(url).upload(upload, device: device).captureID
            #expect(accepted == id)
            #expect(gateway.asked.count == 2 && clock.slept == [.milliseconds(250)])
        }
        // Its challenge may be used up by now.
        let form = RegistrationForm(model: "iPhone17,1", keyID: [1], attestation: [2], challenge: [3])
        try await ScriptedGateway.serving([fault]) { gateway, url in
            await #expect(throws: GatewayError.self) { try await client(url).register(form) }
            #expect(gateway.asked.count == 1)
        }
    }

    @Test func `a device that is registered already learns which it is, if the gateway says so`() async throws {
        let device = try #require(DeviceID("00000000-0000-4000-8000-000000000001"))
        let form = RegistrationForm(model: "iPhone17,1", keyID: [1], attestation: [2], challenge: [3])
        let known = ScriptedGateway.Answer(
            status: .conflict, body: refusalBody("CONFLICT", details: #"{"device_id": "\#(device)"}"#))
        let answer = try await ScriptedGateway.serving([known]) { _, url in try await client(url).register(form) }
        #expect(answer.device == device && answer.level == .secureEnclave && answer.reason == nil)
        for details in ["{}", #"{"device_id": "x"}"#] {
            let foreign = ScriptedGateway.Answer(status: .conflict, body: refusalBody("CONFLICT", details: details))
            let error = await #expect(throws: GatewayError.self) {
                try await ScriptedGateway.serving([foreign]) { _, url in try await client(url).register(form) }
            }
            guard case .refused(let refusal) = error else { throw Unexpected() }
            #expect(refusal.code == "CONFLICT" && refusal.device == nil)
        }
    }
}

private final class Counter: Sendable {
    private let value = Mutex(0)

    func next() -> Int {
        value.withLock { value in
            value += 1
            return value
        }
    }
}
