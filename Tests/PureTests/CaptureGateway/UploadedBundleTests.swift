import CaptureModel
import Crypto
import Testing

@testable import CaptureGateway

@Suite("What a device must have signed, at the gateway", .timeLimit(.minutes(1)))
struct UploadedBundleTests {
    @Test(arguments: Binding.allCases, [false, true])
    func `a bundle is hashed away from the event loops if all its bytes are hashed at once`(
        binding: Binding, isDepthFirst: Bool
    ) async throws {
        var pairHasher = SHA256()
        pairHasher.update(data: SampleBundle.photo + SampleBundle.depth)
        let bundle = try SampleBundle.read(binding, pairHasher: isDepthFirst ? nil : pairHasher)
        let (hash, arrivals) = await CountingExecutor().run { await bundle.clientDataHash() }
        #expect((arrivals > 0) == (binding == .concatV1 && isDepthFirst))
        let signed =
            binding == .concatV1
            ? CaptureModel.SHA256Digest.hash(SampleBundle.photo + SampleBundle.depth)
            : Binding.framedV2Hash(
                photo: .hash(SampleBundle.photo), depth: .hash(SampleBundle.depth),
                metadata: .hash(SampleBundle.metadata))
        #expect(hash == signed)
    }
}
