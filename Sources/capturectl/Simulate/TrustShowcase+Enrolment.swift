import CaptureModel
import DeviceSimulator
import Enrolment
import Foundation
import GatewayClient

extension TrustShowcase {
    /// Takes a new phone through the four steps of an enrolment with an invitation.
    func enrolment(invited invitation: String) async -> Record {
        var record = Record(
            service: "enrolment", device: nil, expectation: "enrolled, credential opened", outcome: "", expected: false)
        var generator = SystemRandomNumberGenerator()
        let device = DeviceID.make(using: &generator)
        let phone = EnrollingDevice(SimulatedDevice(appID: appID))
        do {
            let ticket = try await gateway.startEnrolment(invitation: invitation, device: device)
            record.device = device
            let key = try await gateway.attestEnrolment(
                ticket, keyID: phone.phone.keyID.bytes,
                attestation: phone.phone.attest(
                    clientDataHash: CaptureSigner.clientDataHash(challenge: ticket.challenge).bytes,
                    authority: authority, at: Timestamp.systemTime().date, receipts: receipts),
                model: phone.phone.model)
            let nonce = generator.bytes(TransactionChannel.nonceBytes)
            let sealed = try phone.seal(
                passwordHash: EnrollingDevice.passwordHash, session: ticket.session, keyID: key.id,
                transactionKey: key.publicKey, nonce: nonce)
            try await gateway.setEnrolmentPassword(ticket, sealed: sealed, key: key, nonce: nonce)
            let package = try await gateway.finalizeEnrolment(ticket)
            record.outcome = "enrolled, \(package.keys.count) transaction keys left"
            guard let chosen = ticket.keys.first(where: { $0.id == package.credentialKey }) else { return record }
            let credential = try phone.open(
                credential: package.ciphertext, session: ticket.session, keyID: chosen.id,
                transactionKey: chosen.publicKey, nonce: package.nonce)
            // Repeats the call, as a phone does after a lost answer.
            let isSame = try await gateway.finalizeEnrolment(ticket) == package
            record.outcome = "enrolled, credential of \(credential.count) bytes opened"
            record.expected = isSame && package.device == device && credential.count == 32
        } catch {
            record.outcome = String(describing: error)
        }
        return record
    }
}
