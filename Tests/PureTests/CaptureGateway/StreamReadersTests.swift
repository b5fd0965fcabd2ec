import AppAttest
import CaptureModel
import CaptureStore
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

@Suite("Who may read the stream of a capture", .timeLimit(.minutes(1)))
struct StreamReadersTests {
    /// What a stream tells belongs to the device, while the capture waits as well as once it is settled.
    @Test func `another device is told what it is told of an id that is nobody's`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            let other = try await gateway.otherDevice()
            for isSettled in [false, true] {
                if isSettled { try await gateway.settle() }
                #expect(try await gateway.send(.GET, "/api/v1/captures/\(id)/events").status == 401)
                let others = try await gateway.send(
                    .GET, "/api/v1/captures/\(id)/events", headers: gateway.credentials(other.phone, other.id))
                let unknown = try await gateway.send(
                    .GET, "/api/v1/captures/00000000-0000-7000-8000-000000000000/events",
                    headers: gateway.credentials(other.phone, other.id))
                #expect(others.status == 404 && others.code == "CAPTURE_NOT_FOUND")
                #expect(unknown.status == 404 && others.json["error"] == unknown.json["error"])
            }
        }
    }

    /// What an open stream asks from time to time; that it ends when it is refused is `EventStreamTests`'.
    @Test func `a device that was let in may go on until it is revoked`() async throws {
        try await CapturesGateway.run { gateway in
            let (backend, app) = (gateway.backend, try #require(AppID(GatewayFixture.appID)))
            let access = AccessControl(
                configuration: GatewayConfiguration(appIDs: [app]), dependencies: backend.dependencies)
            let head = HTTPRequest(
                method: .get, scheme: nil, authority: nil, path: "/", headerFields: [.deviceID: "\(backend.device)"])
            let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
            try await access.require(.device(backend.device), of: request)
            _ = try await backend.store.revoke(backend.device, at: backend.time.now, reason: "lost", actor: "test")
            let refusal = await #expect(throws: APIError.self) {
                try await access.require(.device(backend.device), of: request)
            }
            #expect(refusal?.code == .deviceRevoked)
        }
    }
}
