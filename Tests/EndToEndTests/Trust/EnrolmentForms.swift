import CaptureModel
import DeviceSimulator
import Foundation
import GatewayClient
import TestSupport
import Testing

extension EnrollingPhone {
    /// The JSON that attests the phone's key.
    func attestationForm(_ ticket: EnrolmentTicket, _ scene: EnrolmentScene) throws -> JSONValue {
        try attestationForm(ticket, authority: scene.stack.authority)
    }

    func attestationForm(_ ticket: EnrolmentTicket, authority: TestCertificateAuthority) throws -> JSONValue {
        [
            "enrollment_session_id": .string(ticket.session), "model": .string(device.phone.model),
            "key_id": .string(Data(device.phone.keyID.bytes).base64EncodedString()),
            "attestation_object": .string(Data(try attestation(ticket, authority)).base64EncodedString()),
        ]
    }

    /// The JSON that sets a password hash.
    func passwordForm(
        _ ticket: EnrolmentTicket, hash: String = EnrollingDevice.passwordHash, nonce: [UInt8]? = nil
    ) throws -> JSONValue {
        [
            "enrollment_session_id": .string(ticket.session), "key_id": .string(ticket.keys[0].id),
            "encrypted_password_hash": .string(
                Data(try sealed(hash, ticket)).base64EncodedString()),
            "nonce": .string(Data(nonce ?? self.nonce).base64EncodedString()),
        ]
    }
}

extension EnrolmentTicket {
    /// Reads what a gateway answers to the first step.
    init(_ data: JSONValue) throws {
        func bytes(_ text: String?) throws -> [UInt8] {
            Array(try #require(text.flatMap { Data(base64Encoded: $0) }))
        }
        self.init(
            session: try #require(data["enrollment_session_id"]?.string),
            user: try #require(data["user_guid"]?.string), challenge: try bytes(data["attestation_challenge"]?.string),
            keys: try (data["transaction_keys"]?.array ?? []).map {
                Key(id: try #require($0["key_id"]?.string), publicKey: try bytes($0["public_key"]?.string))
            })
    }
}

extension EnrolmentScene {
    /// Sends a good form with one field changed or left out each time, and expects 400 with the field's name.
    func faults(_ step: String, _ form: JSONValue, _ changes: [(field: String, value: JSONValue?)]) async throws {
        for (field, value) in changes {
            let answer = try await post(step, form.with(field, value))
            #expect(answer.status == 400 && answer.code == "VALIDATION_ERROR", "\(step) \(field)")
            #expect(answer.details?["field"]?.string == field, "\(step) \(field)")
        }
    }
}

extension JSONValue {
    /// The names of an object's members.
    var names: [String] { if case .object(let members) = self { members.keys.sorted() } else { [] } }

    /// The same object with another value of a member, or without it.
    func with(_ name: String, _ value: JSONValue?) -> JSONValue {
        guard case .object(var members) = self else { return self }
        members[name] = value
        return .object(members)
    }
}
