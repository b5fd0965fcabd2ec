package import CaptureModel
package import CaptureQueue
package import DeviceSimulator
import Foundation
import NIOCore

/// Makes submissions with ids and digests of a seeded generator's.
package struct SubmissionMaker {
    /// Where ids come from.
    package var generator: SeededGenerator

    /// Starts the sequence of a seed.
    package init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// Another device.
    package mutating func device() -> DeviceID { DeviceID.make(using: &generator) }

    /// A submission; what is not given is new.
    package mutating func submission(
        of device: DeviceID, id: CaptureID? = nil, digest: SHA256Digest? = nil, photoBytes: Int = 3,
        depthBytes: Int = 2, receivedAt: Timestamp? = nil, traceParent: String? = nil,
        bundleStore: BundleStoreName = .redis, media: CaptureMedia? = nil
    ) -> CaptureSubmission {
        let new = CaptureID.make(at: Timestamp(millisecondsSince1970: 1_800_000_000_000), using: &generator)
        return CaptureSubmission(
            id: id ?? new, device: device, bundleDigest: digest ?? .hash(Array("bundle \(new)".utf8)),
            binding: .concatV1, assertion: [0xA2, 0x00, 0xFF], metadata: Array("{}".utf8),
            photoDigest: .hash(media.map { Array($0.photo.readableBytesView) } ?? [1]),
            depthDigest: .hash(media.map { Array($0.depth.readableBytesView) } ?? [2]),
            photoBytes: media?.photo.readableBytes ?? photoBytes, depthBytes: media?.depth.readableBytes ?? depthBytes,
            receivedAt: receivedAt, traceParent: traceParent, bundleStore: bundleStore
        )
    }

    /// The only submission of a seed, of a device of its own.
    package static func submission(
        seed: UInt64, photoBytes: Int = 3, depthBytes: Int = 2, receivedAt: Timestamp? = nil,
        bundleStore: BundleStoreName = .redis, media: CaptureMedia? = nil
    ) -> CaptureSubmission {
        var maker = SubmissionMaker(seed: seed)
        return maker.submission(
            of: maker.device(), photoBytes: photoBytes, depthBytes: depthBytes, receivedAt: receivedAt,
            bundleStore: bundleStore, media: media)
    }

    /// The first submissions of a seed, each of a device of its own.
    package static func submissions(_ count: Int, seed: UInt64) -> [CaptureSubmission] {
        var maker = SubmissionMaker(seed: seed)
        return (0..<count).map { _ in maker.submission(of: maker.device()) }
    }
}

extension CaptureSubmission {
    /// The same upload, received at another time.
    package func received(at moment: Timestamp?) -> CaptureSubmission {
        CaptureSubmission(
            id: id, device: device, bundleDigest: bundleDigest, binding: binding, assertion: assertion,
            metadata: metadata, photoDigest: photoDigest, depthDigest: depthDigest, photoBytes: photoBytes,
            depthBytes: depthBytes, receivedAt: moment, traceParent: traceParent, bundleStore: bundleStore)
    }
}

/// The seed of a random test: `CAPTURE_TEST_SEED`, or another one each time, printed.
package func testSeed(_ test: String) -> UInt64 {
    if let text = ProcessInfo.processInfo.environment["CAPTURE_TEST_SEED"], let seed = UInt64(text) { return seed }
    var generator = SystemRandomNumberGenerator()
    let seed = generator.next() % 1_000_000
    print("\(test): CAPTURE_TEST_SEED=\(seed)")
    return seed
}
