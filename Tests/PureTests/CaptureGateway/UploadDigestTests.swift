import CaptureModel
import CaptureQueue
import DeviceSimulator
import TestSupport
import Testing

@testable import CaptureGateway

@Suite("The digest that an upload is known by", .timeLimit(.minutes(1)))
struct UploadDigestTests {
    @Test(arguments: Binding.allCases, [false, true])
    func `an upload's digest is the published one, with either binding, and over CBOR that came as text`(
        binding: Binding, isText: Bool
    ) async throws {
        try await CapturesGateway.run { gateway in
            let signed = try gateway.capture(binding: binding)
            var parts = signed.parts
            if isText { parts[1].bytes = Array(signed.assertion.base64.utf8) }
            #expect(try await gateway.upload(parts).status == 202)
            let lease = try #require(
                try await gateway.backend.queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .zero).first)
            guard case .valid(let job)? = lease.jobs.first else { throw UnexpectedGround() }
            let capture = signed.capture
            let digests = [signed.assertion, capture.photo, capture.depthMap, capture.metadata]
                .map { SHA256Digest.hash($0).hex }
            let text = (["capture-bundle-v1", "\(gateway.backend.device)"] + digests).joined(separator: "\n")
            #expect(job.submission.binding == binding)
            #expect(job.submission.bundleDigest == .hash(Array(text.utf8)))
        }
    }
}
