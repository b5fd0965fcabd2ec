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
        var bench = try GatewayBench()
        bench.configuration.receiptRoots = bench.configuration.roots
        let receipts = try TestReceiptIssuer(authority: bench.authority, at: bench.time.now.date)
        let form = try bench.form(bench.phone, [UInt8](repeating: 1, count: 32), receipts: receipts)
        let claim = try RegistrationClaim(body: Array(try JSONEncoder().encode(form)), headers: [:])
        var generator = SystemRandomNumberGenerator()
        let registration = try Registrar(configuration: bench.configuration, rollout: RolloutInForce()).decide(
            claim, as: .make(using: &generator), at: bench.time.now.advanced(by: .seconds(seconds))
        ).registration
        #expect(registration.device.level == .secureEnclave && registration.receiptRejection == rejection)
    }

    @Test func `an attestation with an empty receipt is none`() async throws {
        let bench = try GatewayBench()
        try await bench.run { gateway in
            var form = try bench.form(bench.phone, await gateway.challenge())
            form["attestation"]["attestation_object"] = try .base64(Self.withoutReceipt(form))
            let answer = try await gateway.post("/api/v1/devices/register", form)
            #expect(answer.data["attestation_level"] == "unverified" && answer.data["reason"] == "RECEIPT_MISSING")
        }
    }

    /// A form's attestation object, whose receipt has no bytes.
    private static func withoutReceipt(_ form: JSON) throws -> [UInt8] {
        let text = try #require(form["attestation"]["attestation_object"].text)
        let object = try CBORValue.decode(Array(try #require(Data(base64Encoded: text))))
        let statement = try #require(object["attStmt"])
        return CBORValue([
            "fmt": try #require(object["fmt"]), "authData": try #require(object["authData"]),
            "attStmt": CBORValue(["x5c": try #require(statement["x5c"]), "receipt": .bytes([])]),
        ]).encode()
    }
}
