import CBOR
import CaptureModel
import DeviceSimulator
import FoundationEssentials
import GatewayClient
import HTTPTypes
import Rollout
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `The receipt of a registration` {
    @Test(arguments: [(0, nil), (480, nil), (2100, nil), (2101, "RECEIPT_STALE")] as [(Int, String?)])
    func `a receipt may be as old as any challenge that is good, and a little more`(
        seconds: Int, rejection: String?
    ) async throws {
        var fixture = try GatewayFixture()
        fixture.configuration.receiptRoots = fixture.configuration.roots
        let receipts = try TestReceiptIssuer(authority: fixture.authority, at: fixture.time.now.date)
        let form = try fixture.form(fixture.phone, [UInt8](repeating: 1, count: 32), receipts: receipts)
        let claim = try RegistrationClaim(body: Array(try JSONEncoder().encode(form)), headers: [:])
        var generator = SystemRandomNumberGenerator()
        let registration = try EvidenceAppraiser(configuration: fixture.configuration, rollout: RolloutInForce())
            .appraise(
                claim, as: .make(using: &generator), at: fixture.time.now.advanced(by: .seconds(seconds))
            ).registration
        #expect(registration.device.level == .secureEnclave && registration.receiptRejection == rejection)
    }

    @Test func `an attestation with an empty receipt is none`() async throws {
        let fixture = try GatewayFixture()
        try await fixture.run { gateway in
            var form: JSONValue? = try fixture.form(fixture.phone, await gateway.challenge())
            form["attestation"]["attestation_object"] = try .base64(Self.withoutReceipt(form))
            let answer = try await gateway.post("/api/v1/devices/register", form)
            #expect(answer.data["attestation_level"] == "unverified" && answer.data["reason"] == "RECEIPT_MISSING")
        }
    }

    /// A form's attestation object, whose receipt has no bytes.
    private static func withoutReceipt(_ form: JSONValue?) throws -> [UInt8] {
        let text = try #require(form["attestation"]["attestation_object"].string)
        let object = try CBORValue.decode(Array(try #require(Data(base64Encoded: text))))
        let statement = try #require(object["attStmt"])
        return CBORValue([
            "fmt": try #require(object["fmt"]), "authData": try #require(object["authData"]),
            "attStmt": CBORValue(["x5c": try #require(statement["x5c"]), "receipt": .bytes([])]),
        ]).encode()
    }
}
