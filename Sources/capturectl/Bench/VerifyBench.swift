import AppAttest
import CaptureModel
import Crypto
import DeviceSimulator
import Foundation
import MultiBufferP256

/// Measures the cost of verifying on one core.
struct VerifyBench {
    /// How many devices and assertions take turns, so that branch prediction does not learn one of them.
    private static let devices = 16
    /// The bytes to hash: more than fit the caches nearest to the core.
    private static let blockBytes = 4 * 1024 * 1024

    private let stopwatch: Stopwatch
    private let progress = BenchProgress()
    private let seconds: Double

    init(seconds: Double) {
        self.seconds = seconds
        // Eight measurements, each with a round to warm up.
        stopwatch = Stopwatch(round: .seconds(seconds / Double(8 * (Stopwatch.rounds + 1))))
    }

    /// One device's evidence, ready to be verified.
    private struct Evidence {
        var keyID: [UInt8]
        var attestation: [UInt8]
        var key: AssertionKey
        var assertion: [UInt8]
    }

    func run() throws -> VerifyBenchReport {
        progress.stage("making devices and their evidence")
        let now = Timestamp.systemTime().date
        let authority = try TestCertificateAuthority(at: now)
        guard let app = AppID("BENCHTEAM1.org.example.capture") else { throw BenchFailed("no app id") }
        let hash = Array(SHA256.hash(data: Array("bench".utf8)))
        let evidence = try (0..<Self.devices).map { _ in try Self.evidence(app, hash, authority, now) }
        let verifier = AttestationVerifier(
            policy: AttestationPolicy(appIDs: [app], roots: [try TrustRoot(pem: authority.rootPEM)]))

        progress.stage("attestations")
        let attestation = try stopwatch.secondsPerCall { index in
            let item = evidence[index % evidence.count]
            _ = try verifier.verify(attestation: item.attestation, keyID: item.keyID, clientDataHash: hash, at: now)
        }
        progress.stage("assertions")
        let assertions = AssertionVerifier()
        let assertion = try stopwatch.secondsPerCall { index in
            let item = evidence[index % evidence.count]
            _ = try assertions.verify(item.assertion, clientDataHash: hash, publicKey: item.key, appID: app)
        }
        let together = try together(evidence, hash, app)
        let ed25519 = try ed25519()
        let challenge = challenge()
        progress.stage("P-256 alone")
        let p256 = try BareCost.verification(stopwatch)
        let p384 = try p384()
        progress.stage("SHA-256")
        return VerifyBenchReport(
            seconds: seconds, attestationSeconds: attestation, assertionSeconds: assertion,
            assertionTogetherSeconds: together, ed25519Seconds: ed25519, challengeSeconds: challenge,
            p256Seconds: p256, p384Seconds: p384,
            hashBytesPerSecond: Double(Self.blockBytes) / BareCost.hash(Self.blockBytes, stopwatch))
    }

    /// Verifies assertions as a busy worker does, many at once; `nil` if the processor has no lanes for signatures.
    private func together(_ evidence: [Evidence], _ hash: [UInt8], _ app: AppID) throws -> Double? {
        guard let prover = SignatureProver.shared else { return nil }
        progress.stage("assertions, \(SignatureProver.lanes) at a time")
        let verifier = AssertionVerifier()
        let seconds = try stopwatch.secondsPerCall { round in
            var signed = try (0..<SignatureProver.lanes).map { lane in
                let item = evidence[(round * SignatureProver.lanes + lane) % evidence.count]
                return SignedAssertion(
                    try verifier.parse(item.assertion), clientDataHash: hash, publicKey: item.key)
            }
            SignedAssertion.prove(&signed, by: prover)
            for one in signed { _ = try verifier.verify(one, appID: app) }
        }
        return seconds / Double(SignatureProver.lanes)
    }

    /// A request's signature by a software key; with an App Attest key it would be an assertion.
    private func ed25519() throws -> Double {
        progress.stage("requests of Ed25519 keys")
        let signer = Curve25519.Signing.PrivateKey()
        let key = try AssertionKey(ed25519: Array(signer.publicKey.rawRepresentation))
        let message = Array("1700000000000|\(SHA256Digest.hash([]).hex)".utf8)
        let signature = Array(try signer.signature(for: message))
        return try stopwatch.secondsPerCall { _ in
            guard key.isValid(signature, for: message) else { throw BenchFailed("a good signature was refused") }
        }
    }

    /// The random bytes of a challenge, without the Redis that remembers them.
    private func challenge() -> Double {
        progress.stage("challenges")
        var generator = SystemRandomNumberGenerator()
        var sum: UInt8 = 0
        return stopwatch.secondsPerCall { _ in
            for byte in generator.bytes(32) { sum &+= byte }
        }
    }

    /// The P-384 verification that every attestation needs, for Apple's intermediate.
    private func p384() throws -> Double {
        progress.stage("P-384 alone")
        let key = P384.Signing.PrivateKey()
        let message = Array(repeating: UInt8(7), count: 600)
        let signature = try key.signature(for: SHA256.hash(data: message))
        return try stopwatch.secondsPerCall { _ in
            guard key.publicKey.isValidSignature(signature, for: SHA256.hash(data: message)) else {
                throw BenchFailed("a good signature was refused")
            }
        }
    }

    private static func evidence(
        _ app: AppID, _ hash: [UInt8], _ authority: TestCertificateAuthority, _ now: Date
    ) throws -> Evidence {
        let device = SimulatedDevice(appID: app.text)
        return Evidence(
            keyID: device.keyID.bytes,
            attestation: try device.attest(clientDataHash: hash, authority: authority, at: now),
            key: try AssertionKey(x963: device.publicKey),
            assertion: try device.assertion(clientDataHash: hash))
    }
}
