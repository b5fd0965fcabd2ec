import CaptureInspection
import CaptureModel
import CaptureQueue
import Crypto
import NIOCore

@testable import CaptureGateway

/// A bundle as a gateway has it once it is read; its media are no pictures.
enum SampleBundle {
    static let (photo, depth) = (Array("photo".utf8), Array("depth".utf8))
    static let metadata = Array(
        #"{"captured_at":"2026-03-14T09:26:53Z","device_model":"a","depth_map_dimensions":{"width":2,"height":2}}"#
            .utf8)

    static func read(_ binding: Binding = .concatV1, pairHasher: SHA256? = nil) throws -> UploadedBundle {
        UploadedBundle(
            media: CaptureMedia(photo: ByteBuffer(bytes: photo), depth: ByteBuffer(bytes: depth)), assertion: [1],
            metadata: metadata, declared: try CaptureMetadata.parse(metadata), binding: binding,
            photoDigest: .hash(photo), depthDigest: .hash(depth), metadataDigest: .hash(metadata),
            pairHasher: pairHasher)
    }
}
