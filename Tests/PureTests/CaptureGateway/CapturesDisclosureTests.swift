import CaptureModel
import CaptureQueue
import CaptureStore
import DeviceSimulator
import FoundationEssentials
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Who is told what of a capture` {
    /// Whoever hands captures off makes their ids.
    @Test func `a device whose capture has the id of another one's result is not told that result`() async throws {
        try await CapturesGateway.run { gateway in
            let (backend, id) = (gateway.backend, try await gateway.accepted())
            let lease = try #require(
                try await backend.queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).first)
            let owner = DeviceID(UUID())
            var maker = SubmissionMaker(seed: 1)
            let earlier = maker.submission(of: owner, id: id, receivedAt: backend.time.now)
            _ = try await backend.store.settle([.ofNobody(earlier, at: backend.time.now)], policy: .strict)
            let item = LaneSettlement.Item(id: id, disposition: .dead(.internal, fault: "the id is another one's"))
            _ = try await backend.queue.settle(
                [LaneSettlement(token: lease.token, device: lease.device, items: [item], continuation: .ready)])
            let lookup = CaptureLookup(backend.dependencies)
            #expect(try await lookup.status(of: id, for: .device(backend.device)).state == .failed)
            #expect(try await lookup.status(of: id, for: .device(owner)).state == .rejected)
        }
    }

    @Test func `the words of servers on a fault are for tokens, and not for the device`() async throws {
        try await CapturesGateway.run { gateway in
            let (backend, id) = (gateway.backend, try await gateway.accepted())
            let words = "55P03: lock timeout at 10.0.0.7"
            let lease = try #require(
                try await backend.queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).first)
            let item = LaneSettlement.Item(id: id, disposition: .dead(.attemptsExhausted, fault: words))
            _ = try await backend.queue.settle(
                [LaneSettlement(token: lease.token, device: lease.device, items: [item], continuation: .ready)])
            #expect(try await gateway.status(id).data["fault"] == .string(words))
            let own = try await gateway.status(id, "", gateway.credentials(backend.phone, backend.device))
            #expect(own.data["status"] == .string("failed") && own.data["fault"] == .null)
            #expect(own.data["reason"] == .string("ATTEMPTS_EXHAUSTED"), "what it means for the device is told")
        }
    }

    /// A capture that was received under a device's id: verified with a counter, or else not signed by its key.
    private func settled(of device: DeviceID, counter: UInt32?, _ gateway: CapturesGateway) async throws -> CaptureID {
        let (store, now) = (gateway.backend.store, gateway.backend.time.now)
        var maker = SubmissionMaker(seed: UInt64(counter ?? 0))
        let submission = maker.submission(of: device, receivedAt: now)
        let capture = ExaminedCapture(
            job: CaptureJob(submission: submission, receivedAt: now, claimedAt: now, attempts: 1, isRedriven: false),
            clientDataHash: .hash([1]), checks: [Check(.assertion, .pass)],
            outcome: .of(try await store.devices([device])[device], counter: counter, confidence: .medium),
            capturedAt: nil, verifiedAt: now)
        _ = try await store.settle([capture], policy: .strict)
        return submission.id
    }

    @Test func `a device reads what its key has signed under the id whose place it has taken`() async throws {
        try await CapturesGateway.run { gateway in
            let (phone, first) = try await gateway.otherDevice(level: .unverified)
            let verified = try await settled(of: first, counter: 5, gateway)
            let unsigned = try await settled(of: first, counter: nil, gateway)
            let second = DeviceID(UUID())
            try await gateway.register(phone, as: second)
            for suffix in ["", "/provenance"] {
                func status(_ capture: CaptureID, _ phone: SimulatedDevice, _ id: DeviceID) async throws -> Int {
                    let headers = try gateway.credentials(phone, id)
                    return try await gateway.send(.GET, "/api/v1/captures/\(capture)\(suffix)", headers: headers).status
                }
                #expect(try await status(verified, phone, second) == 200)
                #expect(try await status(unsigned, phone, second) == 404, "anybody may have sent it")
                #expect(try await status(verified, gateway.backend.phone, gateway.backend.device) == 404)
            }
        }
    }

    @Test func `only the owner and tokens learn that a capture exists`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            try await gateway.settle()
            let owner = (phone: gateway.backend.phone, id: gateway.backend.device)
            let other = try await gateway.otherDevice()
            for suffix in ["", "/provenance"] {
                let path = "/api/v1/captures/\(id)\(suffix)"
                #expect(try await gateway.send(.GET, path).status == 401)
                #expect(try await gateway.send(.GET, path, headers: CapturesGateway.dashboard).status == 200)
                let own = try gateway.credentials(owner.phone, owner.id)
                #expect(try await gateway.send(.GET, path, headers: own).status == 200)
                // Whoever means a token, if only by mistake, is not let in as a device.
                let both = try gateway.credentials(owner.phone, owner.id) + [("Authorization", "Basic YTpi")]
                #expect(try await gateway.send(.GET, path, headers: both).status == 401)
                let others = try await gateway.send(
                    .GET, path, headers: gateway.credentials(other.phone, other.id))
                #expect(others.status == 404)
                let unknown = try await gateway.send(
                    .GET, "/api/v1/captures/00000000-0000-7000-8000-000000000000\(suffix)",
                    headers: gateway.credentials(other.phone, other.id))
                #expect(others.code == unknown.code)
                #expect(others.json["error"] == unknown.json["error"])
                #expect(
                    try await gateway.send(
                        .GET, "/api/v1/captures/nonsense\(suffix)", headers: CapturesGateway.dashboard
                    ).code == "CAPTURE_NOT_FOUND")
            }
        }
    }
}
