import CaptureModel
import Foundation

/// A seeded generator (SplitMix64), so that a failing run can be had again.
struct QueueRandomness: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Submissions with ids and digests of a seeded generator's.
struct SubmissionMaker {
    var generator: QueueRandomness

    init(seed: UInt64) {
        generator = QueueRandomness(seed: seed)
    }

    mutating func device() -> DeviceID { DeviceID.make(using: &generator) }

    /// A submission; what is not given is new.
    mutating func submission(
        of device: DeviceID, id: CaptureID? = nil, digest: SHA256Digest? = nil, photoBytes: Int = 3,
        depthBytes: Int = 2,
        receivedAt: Timestamp? = nil, traceParent: String? = nil
    ) -> CaptureSubmission {
        let new = CaptureID.make(at: Timestamp(millisecondsSince1970: 1_800_000_000_000), using: &generator)
        return CaptureSubmission(
            id: id ?? new, device: device, bundleDigest: digest ?? .hash(Array("bundle \(new)".utf8)),
            binding: .concatV1, assertion: [0xA2, 0x00, 0xFF], metadata: Array("{}".utf8), photoDigest: .hash([1]),
            depthDigest: .hash([2]), photoBytes: photoBytes, depthBytes: depthBytes, receivedAt: receivedAt,
            traceParent: traceParent
        )
    }
}

/// The seed of a random test: `CAPTURE_TEST_SEED`, or another one each time, printed.
func queueTestSeed(_ test: String) -> UInt64 {
    if let text = ProcessInfo.processInfo.environment["CAPTURE_TEST_SEED"], let seed = UInt64(text) { return seed }
    var generator = SystemRandomNumberGenerator()
    let seed = generator.next() % 1_000_000
    print("\(test): CAPTURE_TEST_SEED=\(seed)")
    return seed
}
