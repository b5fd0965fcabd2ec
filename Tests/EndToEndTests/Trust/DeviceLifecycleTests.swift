import CaptureModel
import DeviceSimulator
import Foundation
import GatewayClient
import NIOHTTP1
import TestSupport
import Testing

/// Devices by the operators' API, with a gateway and a worker as processes of their own.
@Suite(.timeLimit(.minutes(5))) struct `Devices over HTTP` {
    private static let operatorToken = "operator-token-of-the-tests"

    /// Speaks to a gateway's routes for operators.
    private struct Caller: Sendable {
        let gateway: GatewayClient

        func ask(
            _ method: HTTPMethod, _ path: String, token: String? = Stack.token, _ body: String? = nil
        ) async throws -> DescribedAnswer {
            try await gateway.ask(method, "/api/v1/devices\(path)", token: token, body)
        }
    }

    private func withStack(_ body: (Stack, GatewayClient, Caller) async throws -> Void) async throws {
        let digest = SHA256Digest.hash(Array(Self.operatorToken.utf8)).hex
        let stack = try await Stack.start(settings: ["CAPTURE_GATEWAY_OPERATOR_TOKENS": digest])
        let (gateway, client) = try await stack.gateway()
        let worker = try stack.worker()
        try await body(stack, client, Caller(gateway: client))
        for process in [gateway, worker] {
            try await process.expectStop()
        }
    }

    @Test func `a device is listed, attested again, and found compromised with what it has signed`() async throws {
        try await withStack { stack, gateway, caller async throws in
            let phone = try await Phone.register(with: gateway, authority: stack.authority)
            let capture = try await phone.upload(phone.shoot(seed: 1))
            #expect(try await phone.settled(capture).state == .verified)

            let again = try await phone.attestationForm(authority: stack.authority, model: "iPhone18,2")
            let attested = try await caller.ask(.POST, "/\(phone.id)/attestation", token: nil, again)
            #expect(attested.status == 200)
            let drift = attested.data?["drift"]?.array ?? []
            #expect(drift.count == 1 && drift.first?["fact"]?.string == "model")
            #expect(
                try await caller.ask(.POST, "/\(phone.id)/attestation", token: nil, again).code == "CHALLENGE_INVALID")
            let forged = try await phone.attestationForm(
                authority: TestCertificateAuthority(name: "Other", at: Date()))
            #expect(
                try await caller.ask(.POST, "/\(phone.id)/attestation", token: nil, forged).code == "ATTESTATION_FAILED"
            )

            let list = try await caller.ask(.GET, "?limit=10")
            #expect(list.data?["devices"]?.array?.first?["device_id"]?.string == "\(phone.id)")
            let shown = try await caller.ask(.GET, "/\(phone.id)").data
            #expect(shown?["capture_counter"]?.integer == 1 && shown?["attestations"]?.array?.count == 2)
            #expect(shown?["receipt"]?["outcome"]?.string == "ended", "the simulated receipt is none")
            #expect(shown?["device"]?["revoked_at"] == .null)

            let misspelt = #"{"reason": "phone stolen", "compromised_sinc": "2026-01-01T00:00:00Z"}"#
            let refused = try await caller.ask(.POST, "/\(phone.id)/revoke", token: Self.operatorToken, misspelt)
            #expect(refused.status == 400 && refused.code == "VALIDATION_ERROR")

            let revocation = #"{"reason": "phone stolen", "compromised_since": "2026-01-01T00:00:00Z"}"#
            let revoked = try await caller.ask(.POST, "/\(phone.id)/revoke", token: Self.operatorToken, revocation)
            #expect(revoked.status == 200 && revoked.data?["affected_results"]?.integer == 1)
            let affected = try await caller.ask(.GET, "/\(phone.id)/affected").data?["results"]?.array
            #expect(affected?.first?["capture_id"]?.string == "\(capture)")
            let record = try await gateway.provenance(capture) { _ in .token(Stack.token) }
            #expect(record["verdict"]?.string == "verified")
            #expect(record["compromised_since"]?.string == "2026-01-01T00:00:00.000Z")
            let status = try await gateway.status(capture) { _ in .token(Stack.token) }
            #expect(status.state == .verified && status.compromisedSince == "2026-01-01T00:00:00.000Z")
            let marked = try await caller.ask(.GET, "?limit=10").data?["devices"]?.array?.first
            #expect(marked?["compromised_since"]?.string == "2026-01-01T00:00:00.000Z")
            let after = try await caller.ask(.GET, "/\(phone.id)").data
            #expect(after?["compromised_reason"]?.string == "phone stolen")
            #expect(after?["compromised_by"]?.string == after?["revoked_by"]?.string)
            #expect(after?["revoked_by"]?.string?.hasPrefix("operator ") == true)
            let late = try await phone.attestationForm(authority: stack.authority)
            #expect(try await caller.ask(.POST, "/\(phone.id)/attestation", token: nil, late).code == "DEVICE_REVOKED")
        }
    }

    @Test func `nobody but operators revokes, and a request at fault is told why`() async throws {
        try await withStack { stack, gateway, caller async throws in
            let phone = try await Phone.register(with: gateway, authority: stack.authority)
            let form = #"{"reason": "lost"}"#
            for path in ["", "/\(phone.id)", "/\(phone.id)/affected"] {
                #expect(try await caller.ask(.GET, path, token: nil).status == 401)
                #expect(try await caller.ask(.GET, path, token: "guess").status == 401)
                #expect(try await caller.ask(.GET, path).status == 200)
            }
            #expect(try await caller.ask(.POST, "/\(phone.id)/revoke", token: nil, form).status == 401)
            #expect(try await caller.ask(.POST, "/\(phone.id)/revoke", form).code == "FORBIDDEN")

            let faults: [(HTTPMethod, String, String?, field: String)] = [
                (.GET, "?limit=0", nil, "limit"), (.GET, "?limit=501", nil, "limit"), (.GET, "?after=x", nil, "after"),
                (.GET, "/x", nil, "id"), (.GET, "/\(phone.id)/affected?after=-1", nil, "after"),
                (.POST, "/x/revoke", form, "id"), (.POST, "/\(phone.id)/revoke", "{}", "reason"),
                (.POST, "/\(phone.id)/revoke", #"{"reason": ""}"#, "reason"),
                (
                    .POST, "/\(phone.id)/revoke", #"{"reason": "\#(String(repeating: "x", count: 501))"}"#, "reason"
                ),
                (
                    .POST, "/\(phone.id)/revoke", #"{"reason": "x", "compromised_since": "yesterday"}"#,
                    "compromised_since"
                ),
                (
                    .POST, "/\(phone.id)/revoke", #"{"reason": "x", "compromised_since": "2999-01-01T00:00:00Z"}"#,
                    "compromised_since"
                ),
                (.POST, "/x/attestation", "{}", "id"), (.POST, "/\(phone.id)/attestation", "{}", "platform"),
            ]
            for (method, path, body, field) in faults {
                let answer = try await caller.ask(method, path, token: Self.operatorToken, body)
                #expect(answer.status == 400 && answer.details?["field"]?.string == field, "\(path) \(body ?? "")")
            }
            let nobody = "/00000000-0000-4000-8000-000000000000"
            #expect(try await caller.ask(.GET, nobody).code == "DEVICE_UNKNOWN")
            #expect(try await caller.ask(.GET, "\(nobody)/affected").code == "DEVICE_UNKNOWN")
            #expect(
                try await caller.ask(.POST, "\(nobody)/revoke", token: Self.operatorToken, form).code
                    == "DEVICE_UNKNOWN")

            #expect(try await caller.ask(.POST, "/\(phone.id)/revoke", token: Self.operatorToken, form).status == 200)
            let refusal = try await phone.refusal(of: phone.shoot(seed: 2))
            #expect(refusal.status == 403 && refusal.code == "DEVICE_REVOKED")
        }
    }
}
