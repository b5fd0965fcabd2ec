import CaptureProcessing
import CaptureSettings
import Crypto
import FoundationEssentials
import MultiBufferP256
import MultiBufferSHA256
import NIOCore

/// What SHA-256 and ECDSA of one capture take by themselves as a worker does them: many at once, where its settings and
/// its processor have it so.
struct WorkerCryptography: Sendable, Encodable {
    /// Processor time of one signature, among as many as there are lanes.
    let verificationSeconds: Double
    /// Processor time of hashing one bundle, among as many as there are lanes.
    let hashSeconds: Double

    /// Both.
    var seconds: Double { verificationSeconds + hashSeconds }

    private enum CodingKeys: String, CodingKey {
        case verificationSeconds = "p256_verification_seconds"
        case hashSeconds = "sha256_seconds"
    }

    /// Measures it on the calling thread, for some seconds, with the settings that workers get which it starts.
    static func measure(bundleBytes: Int, bare: BareCost) async throws -> WorkerCryptography {
        var environment = ProcessInfo.processInfo.environment
        environment["CAPTURE_APP_IDS"] = BenchStage.appID
        let worker = try await Settings(arguments: [], environment: environment).workerConfiguration()
        let stopwatch = Stopwatch(round: .milliseconds(60))
        let prover = worker.provesSignaturesTogether ? SignatureProver.shared : nil
        return WorkerCryptography(
            verificationSeconds: try prover.map { try verification(by: $0, stopwatch) } ?? bare.verificationSeconds,
            hashSeconds: hash(bundleBytes, MessageHasher(width: worker.hashing), stopwatch))
    }

    private static func verification(by prover: SignatureProver, _ stopwatch: Stopwatch) throws -> Double {
        let claims = try (0..<SignatureProver.lanes).map { lane in
            let key = P256.Signing.PrivateKey()
            let digest = SHA256.hash(data: [UInt8(lane)])
            return SignatureClaim(try key.signature(for: digest), by: LaneKey(key.publicKey), of: digest)
        }
        let seconds = try stopwatch.secondsPerCall { _ in
            guard prover.proven(claims).allSatisfy({ $0 }) else { throw BenchFailed("a good signature was not proven") }
        }
        return seconds / Double(claims.count)
    }

    private static func hash(_ bytes: Int, _ hasher: MessageHasher, _ stopwatch: Stopwatch) -> Double {
        let messages = (0..<hasher.width.lanes).map { lane in
            HashedMessage(ByteBuffer(repeating: UInt8(lane), count: bytes))
        }
        return stopwatch.secondsPerCall { _ in _ = hasher.digests(of: messages) } / Double(messages.count)
    }
}
