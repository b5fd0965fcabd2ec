import CaptureModel
import DeviceSimulator
import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `Reading evidence` {
    private static let operatorToken = [("Authorization", "Bearer operator-token")]

    private func run(_ body: @Sendable @escaping (CapturesGateway) async throws -> Void) async throws {
        try await CapturesGateway.run(configure: {
            $0.access.operatorTokenDigests = [.hash(Array("operator-token".utf8))]
        }) { gateway in try await body(gateway) }
    }

    private func evidence(
        _ gateway: CapturesGateway, _ id: CaptureID, _ headers: [(String, String)]
    ) async throws -> GatewayCaller.Answer {
        try await gateway.send(.GET, "/api/v1/captures/\(id)/evidence", headers: headers)
    }

    @Test func `operators and the device get what was uploaded and what vouches for it`() async throws {
        try await run { gateway in
            let signed = try gateway.capture()
            let id = try #require(try await gateway.upload(signed).captureID)
            try await gateway.settle()
            let device = try gateway.credentials(gateway.backend.phone, gateway.backend.device)
            for headers in [Self.operatorToken, device] {
                let answer = try await evidence(gateway, id, headers)
                #expect(answer.status == 200 && answer.headers.first(name: "Cache-Control") == "private, no-store")
                #expect(answer.data["assertion"] == .string(Data(signed.assertion).base64EncodedString()))
                #expect(answer.data["metadata"] == .string(Data(signed.capture.metadata).base64EncodedString()))
                #expect(answer.data["result"]["capture_id"] == .string("\(id)"))
                #expect(answer.data["result"]["compromised_since"] == .null, "nobody has noted anything")
                #expect(answer.data["key"]["attestation_object"] == .null, "this phone was never attested")
            }
        }
    }

    @Test func `a read-only token may not, since the metadata may tell a place`() async throws {
        try await run { gateway in
            let id = try await gateway.accepted()
            try await gateway.settle()
            #expect(try await evidence(gateway, id, CapturesGateway.dashboard).status == 403)
            #expect(try await evidence(gateway, id, []).status == 401)
        }
    }

    @Test func `of another device's capture there is none, settled or not`() async throws {
        try await run { gateway in
            let id = try await gateway.accepted()
            let other = try await gateway.otherDevice()
            for _ in 0..<2 {
                let answer = try await evidence(gateway, id, gateway.credentials(other.phone, other.id))
                #expect(answer.status == 404 && answer.code == "CAPTURE_NOT_FOUND")
                try await gateway.settle()
            }
        }
    }
}
