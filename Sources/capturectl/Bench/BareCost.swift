import Crypto

/// The cost of one capture's cryptography alone, one capture after the other: the yardstick for everything else.
struct BareCost: Sendable, Encodable {
    /// Processor time of one P-256 verification.
    let verificationSeconds: Double
    /// Processor time of hashing one bundle.
    let hashSeconds: Double

    /// Both.
    var seconds: Double { verificationSeconds + hashSeconds }

    private enum CodingKeys: String, CodingKey {
        case verificationSeconds = "p256_verification_seconds"
        case hashSeconds = "sha256_seconds"
    }

    /// Measures it on the calling thread, for about a second.
    /// - Parameter bundleBytes: The bytes to hash for one capture.
    static func measure(bundleBytes: Int) throws -> BareCost {
        let stopwatch = Stopwatch(round: .milliseconds(60))
        return BareCost(
            verificationSeconds: try verification(stopwatch), hashSeconds: hash(bundleBytes, stopwatch)
        )
    }

    /// The P-256 verification that every assertion needs.
    static func verification(_ stopwatch: Stopwatch) throws -> Double {
        let key = P256.Signing.PrivateKey()
        let message = Array(repeating: UInt8(7), count: 32)
        let signature = try key.signature(for: message)
        return try stopwatch.secondsPerCall { _ in
            guard key.publicKey.isValidSignature(signature, for: message) else {
                throw BenchFailed("a good signature was refused")
            }
        }
    }

    /// SHA-256 over a number of bytes.
    static func hash(_ bytes: Int, _ stopwatch: Stopwatch) -> Double {
        let block = (0..<bytes).map { UInt8(truncatingIfNeeded: $0) }
        var sum: UInt8 = 0
        return stopwatch.secondsPerCall { _ in
            for byte in SHA256.hash(data: block) { sum &+= byte }
        }
    }
}
