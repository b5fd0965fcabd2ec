import CBOR
import CaptureModel
import DeviceSimulator
import FoundationEssentials
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
        fixture.configuration.trust.receiptRoots = fixture.configuration.trust.roots
        let receipts = try TestReceiptIssuer(authority: fixture.authority, at: fixture.time.now.date)
        let form = try fixture.form(fixture.phone, [UInt8](repeating: 1, count: 32), receipts: receipts)
        let registration = try Self.registration(
            form, fixture, at: fixture.time.now.advanced(by: .seconds(seconds)))
        #expect(registration.device.level == .secureEnclave && registration.receiptRejection?.rawValue == rejection)
    }

    /// All of them have Apple's signature, and are of this very key.
    @Test func `a receipt that is not this attestation's is kept with the reason, and the device is taken`() throws {
        var fixture = try GatewayFixture()
        fixture.configuration.trust.receiptRoots = fixture.configuration.trust.roots
        let (phone, now) = (fixture.phone, fixture.time.now)
        let challenge = [UInt8](repeating: 1, count: 32)
        let issuer = try TestReceiptIssuer(authority: fixture.authority, at: now.date)
        let content = try phone.receiptContent(
            clientDataHash: SHA256Digest.hash(challenge).bytes, authority: fixture.authority, at: now.date)
        var (another, development) = (content, content)
        another[4] = SHA256Digest.hash([2]).bytes
        development[7] = Array("sandbox".utf8)
        let own = try issuer.sign(content)
        let cases: [([UInt8], String?)] = [
            (own, nil), (try issuer.sign(another), "RECEIPT_CLIENT_DATA_HASH_MISMATCH"),
            (try issuer.renew(own, riskMetric: 1, at: now.date), "RECEIPT_TYPE_MISMATCH"),
            (try issuer.sign(development), "RECEIPT_ENVIRONMENT_MISMATCH"),
        ]
        for (receipt, rejection) in cases {
            var form: JSONValue? = try fixture.form(phone, challenge)
            form["attestation"]["attestation_object"] = try .base64(Self.object(form, receipt: receipt))
            let registration = try Self.registration(form, fixture, at: now)
            #expect(registration.device.level == .secureEnclave && registration.receipt == receipt)
            #expect(registration.receiptRejection?.rawValue == rejection)
        }
    }

    /// What the gateway makes of a form at a moment.
    private static func registration(
        _ form: JSONValue?, _ fixture: GatewayFixture, at moment: Timestamp
    ) throws -> DeviceRegistration {
        let claim = try RegistrationClaim(body: Array(try JSONEncoder().encode(form)), headers: [:])
        var generator = SystemRandomNumberGenerator()
        let configuration = fixture.configuration
        let appraiser = EvidenceAppraiser(
            trust: configuration.trust, validity: configuration.validity, rollout: RolloutInForce())
        return try appraiser.appraise(claim, as: .make(using: &generator), at: moment).registration
    }

    @Test func `an attestation with an empty receipt is none`() async throws {
        let fixture = try GatewayFixture()
        try await fixture.run { gateway in
            var form: JSONValue? = try fixture.form(fixture.phone, await gateway.challenge())
            form["attestation"]["attestation_object"] = try .base64(Self.object(form, receipt: []))
            let answer = try await gateway.post("/api/v1/devices/register", form)
            #expect(answer.data["attestation_level"] == "unverified" && answer.data["reason"] == "RECEIPT_MISSING")
        }
    }

    /// A form's attestation object with another receipt: the nonce does not cover it.
    private static func object(_ form: JSONValue?, receipt: [UInt8]) throws -> [UInt8] {
        let text = try #require(form["attestation"]["attestation_object"].string)
        let object = try CBORValue.decode(Array(try #require(Data(base64Encoded: text))))
        let statement = try #require(object["attStmt"])
        return CBORValue([
            "fmt": try #require(object["fmt"]), "authData": try #require(object["authData"]),
            "attStmt": CBORValue(["x5c": try #require(statement["x5c"]), "receipt": .bytes(receipt)]),
        ]).encode()
    }
}
