import CaptureModel
import Testing

@testable import CaptureGateway

/// The codes as they stand in the body: what apps compare with.
@Suite("What a signed request is answered with", .timeLimit(.minutes(1)))
struct SignedRequestAnswersTests {
    private static let moments: [(Int, Int, String?)] = [
        (-301, 401, "TIMESTAMP_EXPIRED"), (-300, 200, nil), (300, 200, nil), (301, 401, "TIMESTAMP_EXPIRED"),
    ]

    @Test(arguments: moments)
    func `five minutes and a second from the gateway's time its timestamp has expired`(
        seconds: Int, status: Int, code: String?
    ) async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            let (phone, device) = (gateway.backend.phone, gateway.backend.device)
            let answer = try await gateway.status(
                id, "", gateway.credentials(phone, device, at: .seconds(seconds)))
            #expect(answer.status == status && answer.code == code)
        }
    }

    @Test func `a signed request whose timestamp is no number gets 401`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            let signed = try gateway.credentials(gateway.backend.phone, gateway.backend.device)
            let damaged = signed.map { $0.0 == "X-Device-Timestamp" ? ($0.0, "x") : $0 }
            let answer = try await gateway.status(id, "", damaged)
            #expect(answer.status == 401 && answer.code == "TIMESTAMP_INVALID")
        }
    }

    @Test func `a signed request that was sent before is a replay`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            let signed = try gateway.credentials(gateway.backend.phone, gateway.backend.device)
            #expect(try await gateway.status(id, "", signed).status == 200)
            let again = try await gateway.status(id, "", signed)
            #expect(again.status == 401 && again.code == "REPLAY_DETECTED")
        }
    }

    /// The policy of captures may be a window; nobody has made the earlier request.
    @Test func `a signed request that comes after a later one is told that, and not to have been made`() async throws {
        try await CapturesGateway.run { gateway in
            let id = try await gateway.accepted()
            let earlier = try gateway.credentials(gateway.backend.phone, gateway.backend.device)
            let later = try gateway.credentials(gateway.backend.phone, gateway.backend.device)
            #expect(try await gateway.status(id, "", later).status == 200)
            let late = try await gateway.status(id, "", earlier)
            #expect(late.status == 401 && late.code == "REPLAY_DETECTED")
            #expect(late.message == "this request, or a later one of the device, was made before")
        }
    }
}
