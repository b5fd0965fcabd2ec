import CaptureModel
import CaptureQueue
import CaptureStore
import DeviceSimulator
import FoundationEssentials
import GatewayClient
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Who is told what of a capture` {
    /// Whoever hands captures off makes their ids.
    @Test func `a device whose capture has the id of another one's result is not told that result`() async throws {
        try await CapturesGateway.run { gateway in
            let (rooms, id) = (gateway.rooms, try await gateway.accepted())
            let lease = try #require(
                try await rooms.queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).first)
            let owner = DeviceID(UUID())
            var maker = SubmissionMaker(seed: 1)
            let earlier = maker.submission(of: owner, id: id, receivedAt: rooms.time.now)
            _ = try await rooms.store.settle([.ofNobody(earlier, at: rooms.time.now)], policy: .strict)
            let item = LaneSettlement.Item(id: id, disposition: .dead(.internal, fault: "the id is another one's"))
            _ = try await rooms.queue.settle(
                [LaneSettlement(token: lease.token, device: lease.device, items: [item], continuation: .ready)])
            let lookup = CaptureLookup(queue: rooms.queue, store: rooms.store, intake: nil)
            #expect(try await lookup.status(of: id, for: .device(rooms.device)).state == .failed)
            #expect(try await lookup.status(of: id, for: .device(owner)).state == .rejected)
        }
    }

    @Test func `the words of servers on a fault are for tokens, and not for the device`() async throws {
        try await CapturesGateway.run { gateway in
            let (rooms, id) = (gateway.rooms, try await gateway.accepted())
            let words = "55P03: lock timeout at 10.0.0.7"
            let lease = try #require(
                try await rooms.queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).first)
            let item = LaneSettlement.Item(id: id, disposition: .dead(.attemptsExhausted, fault: words))
            _ = try await rooms.queue.settle(
                [LaneSettlement(token: lease.token, device: lease.device, items: [item], continuation: .ready)])
            #expect(try await gateway.status(id).data["fault"] == .string(words))
            let own = try await gateway.status(id, "", gateway.credentials(rooms.phone, rooms.device))
            #expect(own.data["status"] == .string("failed") && own.data["fault"] == .null)
            #expect(own.data["reason"] == .string("ATTEMPTS_EXHAUSTED"), "what it means for the device is told")
        }
    }

    @Test func `only the owner and tokens learn that a capture exists`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            try await gateway.settle()
            let owner = (phone: gateway.rooms.phone, id: gateway.rooms.device)
            let other = try await gateway.otherDevice()
            for suffix in ["", "/provenance"] {
                let path = "/api/v1/captures/\(id)\(suffix)"
                #expect(try await gateway.send(.GET, path).status == 401)
                #expect(try await gateway.send(.GET, path, headers: CapturesGateway.dashboard).status == 200)
                let own = try gateway.credentials(owner.phone, owner.id)
                #expect(try await gateway.send(.GET, path, headers: own).status == 200)
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
