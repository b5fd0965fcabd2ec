import CaptureModel
import DeviceSimulator
import Foundation
import GatewayClient
import NIOHTTP1
import TestSupport
import Testing

/// A stack whose gateway takes enrolments, and a phone that goes through them.
struct EnrolmentScene: Sendable {
    let stack: Stack
    let gateway: GatewayClient

    /// Runs a body with a gateway that has the key for enrolments.
    static func with(
        _ settings: [String: String] = [:], _ body: @Sendable (EnrolmentScene) async throws -> Void
    ) async throws {
        let folder = try TemporaryDirectory.make("enrolment")
        defer { try? FileManager.default.removeItem(at: folder) }
        let keyFile = folder.appendingPathComponent("enrolment.key")
        let key = (0..<32).map { _ in UInt8.random(in: 0...255) }
        try Data(key).base64EncodedString().write(to: keyFile, atomically: true, encoding: .utf8)
        let stack = try await Stack.start(
            settings: settings.merging(["CAPTURE_ENROLMENT_KEY_FILE": keyFile.path]) { _, new in new })
        let (process, client) = try await stack.gateway()
        try await body(EnrolmentScene(stack: stack, gateway: client))
        try await process.expectStop()
    }

    /// Runs `capturectl invitations …` and gives its JSON.
    func invitations(_ arguments: [String], exitCode: Int32 = 0) async throws -> JSONValue {
        let run = try await stack.capturectl(["invitations"] + arguments + ["--json"])
        #expect(run.exitCode == exitCode, "\(run.output)")
        return (try? JSONValue(json: run.output.utf8)) ?? .null
    }

    /// A new invitation's code.
    func invite() async throws -> String {
        try #require(try await invitations(["create", "--note", "test"])["invitation_code"]?.string)
    }

    /// Sends a step as it is.
    func post(_ step: String, _ body: JSONValue, type: String = "application/json") async throws -> DescribedAnswer {
        try await post(step, text: String(decoding: JSONEncoder().encode(body), as: UTF8.self), type: type)
    }

    /// Sends whatever bytes there are.
    func post(_ step: String, text: String, type: String = "application/json") async throws -> DescribedAnswer {
        try await gateway.ask(.POST, "/vault/enroll/\(step)", text, type: type)
    }
}

/// A phone that enrols with a scene's gateway.
struct EnrollingPhone: Sendable {
    let id = DeviceID(UUID())
    var device = EnrollingDevice(SimulatedDevice(appID: Stack.appID))
    let nonce = (0..<12).map { _ in UInt8.random(in: 0...255) }

    /// The attestation of the phone's key to a session's challenge.
    func attestation(_ ticket: EnrolmentTicket, _ authority: TestCertificateAuthority) throws -> [UInt8] {
        try device.phone.attest(
            clientDataHash: CaptureSigner.clientDataHash(challenge: ticket.challenge).bytes, authority: authority,
            at: Date())
    }

    /// A password hash as it is sent.
    func sealed(_ hash: String, _ ticket: EnrolmentTicket) throws -> [UInt8] {
        let key = ticket.keys[0]
        return try device.seal(
            passwordHash: hash, session: ticket.session, keyID: key.id, transactionKey: key.publicKey, nonce: nonce)
    }

    /// The credential of a package.
    func credential(_ package: CredentialPackage, _ ticket: EnrolmentTicket) throws -> [UInt8] {
        let key = try #require(ticket.keys.first { $0.id == package.credentialKey })
        return try device.open(
            credential: package.ciphertext, session: ticket.session, keyID: key.id, transactionKey: key.publicKey,
            nonce: package.nonce)
    }

    /// Takes all steps but the last.
    func setPassword(_ scene: EnrolmentScene) async throws -> EnrolmentTicket {
        let ticket = try await scene.gateway.startEnrolment(invitation: scene.invite(), device: id)
        let key = try await scene.gateway.attestEnrolment(
            ticket, keyID: device.phone.keyID.bytes, attestation: attestation(ticket, scene.stack.authority),
            model: device.phone.model)
        try await scene.gateway.setEnrolmentPassword(
            ticket, sealed: sealed(EnrollingDevice.passwordHash, ticket), key: key, nonce: nonce)
        return ticket
    }
}
