import CaptureModel
import TestSupport
import Testing

@Suite("Whether two submissions are of the same bytes")
struct SameBytesTests {
    /// What a submission says that its bytes are.
    private struct Parts {
        var device: DeviceID
        var binding = Binding.concatV1
        var assertion: [UInt8] = [1]
        var metadata: [UInt8] = [2]
        var photoDigest = SHA256Digest.hash([3])
        var depthDigest = SHA256Digest.hash([4])
        var photoBytes = 5
        var depthBytes = 6
    }

    /// A submission with an id, a digest, a time and a store that no other one has.
    private static func submission(
        _ parts: Parts, _ number: UInt8, _ maker: inout SubmissionMaker
    ) -> CaptureSubmission {
        CaptureSubmission(
            id: maker.submission(of: parts.device).id, device: parts.device, bundleDigest: .hash([number]),
            binding: parts.binding, assertion: parts.assertion, metadata: parts.metadata,
            photoDigest: parts.photoDigest, depthDigest: parts.depthDigest, photoBytes: parts.photoBytes,
            depthBytes: parts.depthBytes, receivedAt: Timestamp(millisecondsSince1970: Int64(number)),
            traceParent: "\(number)", bundleStore: number == 0 ? .redis : .filesystem)
    }

    @Test func `each part of what was signed and stored makes another capture, and nothing else does`() {
        var maker = SubmissionMaker(seed: 90)
        let parts = Parts(device: maker.device())
        let first = Self.submission(parts, 0, &maker)
        let again = Self.submission(parts, 1, &maker)
        #expect(first.hasSameBytes(as: again))
        let other = maker.device()
        let changes: [(inout Parts) -> Void] = [
            { $0.device = other }, { $0.binding = .framedV2 }, { $0.assertion = [9] }, { $0.metadata = [9] },
            { $0.photoDigest = .hash([9]) }, { $0.depthDigest = .hash([9]) }, { $0.photoBytes = 9 },
            { $0.depthBytes = 9 },
        ]
        for (number, change) in changes.enumerated() {
            var changed = parts
            change(&changed)
            let second = Self.submission(changed, 1, &maker)
            #expect(!first.hasSameBytes(as: second), "change \(number)")
        }
    }
}
