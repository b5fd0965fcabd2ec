import CaptureModel
import CaptureProcessing
import CaptureSettings
import Crypto
import FoundationEssentials
import MultiBufferP256
import MultiBufferSHA256
import NIOCore
import WorkerSettings

extension BareCost {
    /// The cost as workers have it: many captures at once, if the benchmark's settings and this processor allow that.
    ///
    /// Measured on the calling thread, for some seconds.
    func asWorkersDoIt(bundleBytes: Int) async throws -> BareCost {
        var environment = ProcessInfo.processInfo.environment
        environment["CAPTURE_APP_IDS"] = BenchStage.appID
        let worker = try await Settings(arguments: [], environment: environment, program: .capturectl)
            .workerConfiguration()
        let stopwatch = Stopwatch(round: .milliseconds(60))
        let prover = worker.provesSignaturesTogether ? SignatureProver.shared : nil
        return BareCost(
            verificationSeconds: try prover.map { try Self.verification(by: $0, stopwatch) } ?? verificationSeconds,
            hashSeconds: Self.hash(bundleBytes, MessageHasher(width: worker.hashing), stopwatch))
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
