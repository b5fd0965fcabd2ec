package import CaptureModel

/// The parts of an upload.
package struct CaptureUpload: Sendable, Equatable {
    /// The JPEG.
    package var photo: [UInt8]
    /// The depth map, compressed or not.
    package var depthMap: [UInt8]
    /// The metadata as JSON text.
    package var metadata: [UInt8]
    /// The assertion as CBOR.
    package var assertion: [UInt8]

    /// Memberwise.
    package init(photo: [UInt8], depthMap: [UInt8], metadata: [UInt8], assertion: [UInt8]) {
        self.photo = photo
        self.depthMap = depthMap
        self.metadata = metadata
        self.assertion = assertion
    }

    /// The bytes of all parts.
    package var byteCount: Int { photo.count + depthMap.count + metadata.count + assertion.count }

    /// The form, as the app sends it: small parts first, so that a gateway can refuse before the media arrive.
    func form() -> MultipartForm {
        // No part contains the digest of its own assertion by chance.
        let boundary = "capture-\(SHA256Digest.hash(assertion + metadata).hex.prefix(40))"
        var form = MultipartForm(boundary: boundary, capacity: byteCount)
        form.append(name: "metadata", contentType: "application/json", metadata)
        form.append(name: "assertion", fileName: "assertion.cbor", contentType: "application/cbor", assertion)
        form.append(name: "photo", fileName: "photo.jpg", contentType: "image/jpeg", photo)
        form.append(
            name: "depth_map", fileName: "depth.bin", contentType: "application/octet-stream", depthMap
        )
        form.finish()
        return form
    }
}

/// A capture that a gateway has taken for good.
package struct UploadReceipt: Sendable, Equatable {
    /// The capture's id; the same for the same bundle.
    package let captureID: CaptureID
    /// Where it stands.
    package let state: CaptureState
    /// Whether the gateway had the same bundle before, be it from an earlier attempt at this upload.
    package let isDuplicate: Bool
}
