import CaptureModel
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `A capture that has no result yet` {
    private static let operatorToken = [("Authorization", "Bearer operator-token")]

    private func run(_ body: @Sendable @escaping (CapturesGateway) async throws -> Void) async throws {
        try await CapturesGateway.run(configure: {
            $0.access.operatorTokenDigests = [.hash(Array("operator-token".utf8))]
        }) { gateway in try await body(gateway) }
    }

    @Test(arguments: ["provenance", "evidence"])
    func `a capture that has no result yet is not said to be unknown to whoever may see its status`(_ route: String)
        async throws
    {
        try await run { gateway in
            let id = try await gateway.accepted()
            let path = "/api/v1/captures/\(id)/\(route)"
            for isOwner in [true, false] {
                let headers =
                    isOwner
                    ? try gateway.credentials(gateway.backend.phone, gateway.backend.device) : Self.operatorToken
                let answer = try await gateway.send(.GET, path, headers: headers)
                #expect(answer.status == 409 && answer.code == "NOT_SETTLED")
                #expect(answer.headers.first(name: "Retry-After") == "1")
            }
            let other = try await gateway.otherDevice()
            let others = try await gateway.send(
                .GET, path, headers: gateway.credentials(other.phone, other.id))
            #expect(others.status == 404 && others.code == "CAPTURE_NOT_FOUND")
            try await gateway.settle()
            #expect(try await gateway.send(.GET, path, headers: Self.operatorToken).status == 200)
        }
    }

    @Test(arguments: ["provenance", "evidence"])
    func `a capture that has no result yet is asked for again after a minute if it is a dead letter`(_ route: String)
        async throws
    {
        try await run { gateway in
            let id = try await gateway.accepted()
            try await gateway.bury(.internal)
            let answer = try await gateway.send(
                .GET, "/api/v1/captures/\(id)/\(route)", headers: Self.operatorToken)
            #expect(answer.code == "NOT_SETTLED" && answer.headers.first(name: "Retry-After") == "60")
        }
    }
}
