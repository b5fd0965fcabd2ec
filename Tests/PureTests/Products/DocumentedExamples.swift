import AppAttest
import AppleDeviceCheck
import CaptureModel
import Crypto
import Foundation

// Every example of `AppAttest` and of `AppleDeviceCheck`, so that the compiler sees each. `DocumentedExamplesTests` compares
// them; nothing here is run.

struct Phones {
    private let app: AppID
    private let attestations: AttestationVerifier

    /// Takes such an app as AppID("TEAM123456.com.example.app"), which is nil for what is no app id.
    init(of app: AppID) {
        self.app = app
        attestations = AttestationVerifier(policy: AttestationPolicy(appIDs: [app]))
    }

    /// The key to store, with the counter 0 if it is new; else an AttestationError, whose code is stable.
    func register(_ attestation: [UInt8], keyID: [UInt8], challenge: [UInt8], at moment: Date) throws -> [UInt8] {
        let hash = Array(SHA256.hash(data: challenge))
        return try attestations.verify(
            attestation: attestation, keyID: keyID, clientDataHash: hash, at: moment
        ).publicKey
    }

    /// The counter to compare with the stored one; else an AssertionError.
    func counter(of assertion: [UInt8], over clientData: [UInt8], by publicKey: [UInt8]) throws -> UInt32 {
        let hash = Array(SHA256.hash(data: clientData))
        let key = try AssertionKey(x963: publicKey)
        return try AssertionVerifier().verify(assertion, clientDataHash: hash, publicKey: key, appID: app).counter
    }
}

/// What a phone has sent, and what was kept of it.
private struct Sent {
    let attestation: [UInt8]
    let keyID: [UInt8]
    let challenge: [UInt8]
    let receivedAt: Date
    let assertion: [UInt8]
    let clientData: [UInt8]
}

/// The examples of `AppAttest`, one after the other.
private func examplesOfAppAttest(_ sent: Sent) throws {
    let (bytes, keyID, challenge, receivedAt) = (sent.attestation, sent.keyID, sent.challenge, sent.receivedAt)
    let (signed, clientData) = (sent.assertion, sent.clientData)

    guard let app = AppID("1234567890.com.example.camera") else { return }

    let policy = AttestationPolicy(appIDs: [app], roots: [.appleAppAttestation])

    let hash = Array(SHA256.hash(data: challenge))
    let attestations = AttestationVerifier(policy: AttestationPolicy(appIDs: [app]))
    let verified = try attestations.verify(attestation: bytes, keyID: keyID, clientDataHash: hash, at: receivedAt)

    let publicKey = verified.publicKey

    let digest = Array(SHA256.hash(data: clientData))
    let key = try AssertionKey(x963: publicKey)
    let assertion = try AssertionVerifier().verify(signed, clientDataHash: digest, publicKey: key, appID: app)
    // Then compare and store assertion.counter, in one transaction.

    let attested = AttestedExtensions(bundleVersions: ["1314", "1400"], validationCategories: [4])
    let rules = ExtensionPolicy(notBelowAttested: [.bundleVersion])
    let violations = assertion.extensions.map { rules.violations(of: $0, attested: attested) }

    let isOlder = DottedVersion("17.4")! < DottedVersion("17.4.1")!  // true
    _ = (policy, violations, isOlder)

    try examplesOfReceipts(app, verified, hash, receivedAt)
}

private func examplesOfReceipts(
    _ app: AppID, _ verified: VerifiedAttestation, _ hash: [UInt8], _ receivedAt: Date
) throws {
    let expected = ReceiptExpectation(
        appID: app, publicKey: verified.publicKey, clientDataHash: hash, type: .attestation)
    let receipt = try ReceiptVerifier().verify(verified.receipt, expected, at: receivedAt)

    let inAttestation = ReceiptExpectation(
        appID: app, publicKey: verified.publicKey, clientDataHash: hash, type: .attestation,
        environment: verified.environment)
    let renewed = ReceiptExpectation(
        appID: app, publicKey: verified.publicKey, type: .renewal, token: receipt.token)
    _ = (inAttestation, renewed)
}

/// The examples of `AppleDeviceCheck`, one after the other.
private func examplesOfAppleDeviceCheck(
    _ contentsOfTheP8File: String, _ verified: VerifiedAttestation, _ sent: String
) async throws {
    let server = AppleServer()
    async let _ = server.run()  // Cancelled where the function ends; in a server, one of the ServiceGroup's services.

    let key = try DeveloperKey(pem: contentsOfTheP8File, keyID: "ABC123DEFG", teamID: "TEAM123456")
    let tokens = DeveloperTokens(key: key, now: Timestamp.systemTime)

    let exchange = AppleReceiptExchange(server: server, tokens: tokens)
    let answer = await exchange.exchange(verified.receipt, environment: KeyEnvironment(verified.environment))

    let client = DeviceCheckClient(
        server: server, tokens: tokens, now: Timestamp.systemTime, random: { .random(in: .min ... .max) })
    guard let token = DeviceToken(base64: sent) else { return }
    let bits = try await client.query(token, in: .production)
    try await client.update(token, bit0: true, in: .production)
    _ = (answer, bits)
}
