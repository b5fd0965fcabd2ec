import CaptureInspection
import CaptureModel
import CaptureQueue
import Crypto
import NIOCore
import Testing

@testable import CaptureGateway

@Suite("What a device must have signed, at the gateway", .timeLimit(.minutes(1)))
struct UploadedBundleTests {
    private static let (photo, depth) = (Array("photo".utf8), Array("depth".utf8))
    private static let metadata = Array(
        #"{"captured_at":"2026-03-14T09:26:53Z","device_model":"a","depth_map_dimensions":{"width":2,"height":2}}"#
            .utf8)

    private static func bundle(_ binding: Binding, isDepthFirst: Bool) throws -> UploadedBundle {
        var pairHasher = SHA256()
        pairHasher.update(data: photo + depth)
        return UploadedBundle(
            media: CaptureMedia(photo: ByteBuffer(bytes: photo), depth: ByteBuffer(bytes: depth)), assertion: [],
            metadata: metadata, declared: try CaptureMetadata.parse(metadata), binding: binding,
            photoDigest: .hash(photo), depthDigest: .hash(depth), metadataDigest: .hash(metadata),
            pairHasher: isDepthFirst ? nil : pairHasher)
    }

    @Test(arguments: Binding.allCases, [false, true])
    func `a bundle is hashed away from the event loops if all its bytes are hashed at once`(
        binding: Binding, isDepthFirst: Bool
    ) async throws {
        let bundle = try Self.bundle(binding, isDepthFirst: isDepthFirst)
        let (hash, arrivals) = await CountingExecutor().run { await bundle.clientDataHash() }
        #expect((arrivals > 0) == (binding == .concatV1 && isDepthFirst))
        let signed =
            binding == .concatV1
            ? CaptureModel.SHA256Digest.hash(Self.photo + Self.depth)
            : Binding.framedV2Hash(
                photo: .hash(Self.photo), depth: .hash(Self.depth), metadata: .hash(Self.metadata))
        #expect(hash == signed)
    }
}
