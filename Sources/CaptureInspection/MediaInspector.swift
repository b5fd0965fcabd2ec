package import CaptureModel

/// Checks a capture's photo, depth map and metadata.
///
/// It does not decide: ``CaptureModel/Reason/isDecisive`` says which failed checks reject a capture and which warn. It
/// has no clock: the time is that of the receipt, so that the same bytes always give the same checks.
///
/// ```swift
/// let findings = MediaInspector().inspect(
///     photo: photo.readableBytesUInt8Span, depth: depth.readableBytesUInt8Span, metadata: job.metadata,
///     binding: job.binding, photoDigest: job.photoDigest, registered: RegisteredDevice(device),
///     receivedAt: job.receivedAt)
/// ```
package struct MediaInspector: Sendable {
    private let limits: InspectionLimits

    /// Makes an inspector with limits.
    package init(limits: InspectionLimits = InspectionLimits()) {
        self.limits = limits
    }

    /// Makes all checks, whichever of them fail.
    ///
    /// - Parameters:
    ///   - photo: The photo as uploaded.
    ///   - depth: The depth map as uploaded.
    ///   - metadata: The metadata as uploaded.
    ///   - binding: What the device signed; unless that covers the metadata, the depth map's shape is not taken from
    ///     them.
    ///   - photoDigest: SHA-256 of `photo`, which the caller has computed for the signature already.
    ///   - registered: What the device was registered with; `nil` when it is not registered.
    ///   - receivedAt: When the gateway had the whole capture.
    package func inspect(
        photo: Span<UInt8>, depth: Span<UInt8>, metadata: [UInt8], binding: Binding = .concatV1,
        photoDigest: SHA256Digest, registered: RegisteredDevice?, receivedAt: Timestamp
    ) -> MediaFindings {
        // The check keeps only its reason, not the details.
        let parsed = try? CaptureMetadata.parse(metadata, limits: limits.metadata)
        let (depthCheck, depthMap) = checkDepth(depth, parsed)
        return MediaFindings(
            checks: [
                checkPhoto(photo), checkHash(parsed, photoDigest), depthCheck,
                checkPlausibility(depthCheck, depthMap, binding),
                checkTime(parsed, receivedAt), checkMetadata(parsed, depthMap, registered),
            ],
            capturedAt: parsed?.capturedAt
        )
    }

    private func checkPhoto(_ photo: Span<UInt8>) -> Check {
        guard photo.count <= limits.photoBytesMax else { return Check(.photoStructure, .fail, .photoTooLarge) }
        do throws(JPEGError) {
            let structure = try JPEGWalker(limits: limits.photo).walk(photo)
            return structure.isPure
                ? Check(.photoStructure, .pass) : Check(.photoStructure, .fail, .photoTrailingData)
        } catch {
            let reason = error.code == .limitExceeded ? Reason.photoTooLarge : .photoMalformed
            return Check(.photoStructure, .fail, reason)
        }
    }

    private func checkHash(_ metadata: CaptureMetadata?, _ digest: SHA256Digest) -> Check {
        guard let declared = metadata?.photoHash else { return Check(.photoHash, .unavailable, .notEvaluated) }
        return declared == digest ? Check(.photoHash, .pass) : Check(.photoHash, .fail, .photoHashMismatch)
    }

    private func checkDepth(_ depth: Span<UInt8>, _ metadata: CaptureMetadata?) -> (Check, DepthMap?) {
        guard let metadata else { return (Check(.depthDecode, .unavailable, .notEvaluated), nil) }
        do throws(DepthError) {
            let map = try DepthDecoder().decode(depth, dimensions: metadata.depthDimensions)
            let measured = Double(map.summary.measured) / Double(metadata.depthDimensions.values)
            let check =
                measured >= limits.measuredShareMin
                ? Check(.depthDecode, .pass) : Check(.depthDecode, .unavailable, .depthSparse)
            return (check, map)
        } catch {
            switch error.code {
            case .sizeMismatch: return (Check(.depthDecode, .fail, .depthSizeMismatch), nil)
            case .malformed, .trailingBytes: return (Check(.depthDecode, .fail, .depthMalformed), nil)
            // A lack of memory here is no evidence against the capture.
            case .outOfMemory: return (Check(.depthDecode, .unavailable, .internal), nil)
            }
        }
    }

    private func checkPlausibility(_ decode: Check, _ map: DepthMap?, _ binding: Binding) -> Check {
        // A map with too few measurements already counts as missing evidence.
        guard decode.outcome == .pass, let map else { return Check(.depthPlausibility, .unavailable, .notEvaluated) }
        let sensor = binding.coversMetadata ? nil : SensorShape(count: map.values.count)
        let recorded = sensor.map { map.read(in: $0.dimensions(of: map.values)) } ?? map
        let scene = DepthPlausibility().scene(recorded)
        switch scene {
        case .planar: return Check(.depthPlausibility, .fail, .depthPlanar)
        case .heldPlane: return Check(.depthPlausibility, .fail, .depthFramedPlane)
        case .deep, .unclear:
            // A sender who could declare an unknown shape would choose what the map shows.
            guard binding.coversMetadata || sensor?.matches(map.dimensions) == true else {
                return Check(.depthPlausibility, .unavailable, .depthShapeUnknown)
            }
            return scene == .deep
                ? Check(.depthPlausibility, .pass) : Check(.depthPlausibility, .unavailable, .depthUnclear)
        }
    }

    private func checkTime(_ metadata: CaptureMetadata?, _ receivedAt: Timestamp) -> Check {
        guard let metadata else { return Check(.timestamp, .unavailable, .notEvaluated) }
        let age = receivedAt.since(metadata.capturedAt)
        return age <= limits.ageMax && age >= .zero - limits.leadMax
            ? Check(.timestamp, .pass) : Check(.timestamp, .fail, .timestampSkew)
    }

    private func checkMetadata(
        _ metadata: CaptureMetadata?, _ map: DepthMap?, _ registered: RegisteredDevice?
    ) -> Check {
        guard let metadata else { return Check(.metadata, .fail, .metadataMalformed) }
        // A device without a sensor may send a map without measurements.
        if registered?.hasLidar == false, let map, map.summary.measured > 0 {
            return Check(.metadata, .fail, .metadataInconsistent)
        }
        guard let model = registered?.model else { return Check(.metadata, .unavailable, .notEvaluated) }
        return metadata.deviceModel == model
            ? Check(.metadata, .pass) : Check(.metadata, .fail, .metadataInconsistent)
    }
}
