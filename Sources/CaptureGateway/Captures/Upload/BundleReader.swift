import CaptureInspection
import CaptureModel
import CaptureQueue
import Crypto
import Multipart
import NIOCore

/// Reads an upload chunk by chunk, its parts in any order, and stops at the first fault.
///
/// Keeps the bytes of the parts and no more; digests grow with the bytes. The bytes count against the gateway's budget.
struct BundleReader: BodyReader {
    private let limits: GatewayConfiguration.Uploads
    private let reservation: BodyReservation
    private var parser: MultipartParser
    private var parts: [BundlePart: PartCollector] = [:]
    private var current: BundlePart?
    /// Begun with the photo if the depth map follows it and the signature is checked at the gateway.
    private var pairHasher: SHA256?
    private var bytesTaken = 0

    init(boundary: MultipartBoundary, limits: GatewayConfiguration.Uploads, reservation: BodyReservation) {
        self.limits = limits
        self.reservation = reservation
        self.parser = MultipartParser(boundary: boundary)
    }

    /// Takes the next chunk of the body.
    ///
    /// - Throws: What is wrong with the part that the chunk belongs to; 413 as soon as its limit is passed.
    mutating func take(_ chunk: ByteBuffer) throws(APIError) {
        bytesTaken += chunk.readableBytes
        guard reservation.cover(bytesTaken) else { throw .uploadsFull }
        var position = 0
        while let event = try nextEvent(chunk, &position) {
            switch event {
            case .partBegin(let part): try begin(part)
            case .bytes(let range):
                guard let slice = chunk.getSlice(at: chunk.readerIndex + range.lowerBound, length: range.count) else {
                    continue
                }
                try append(slice)
            case .carried(let bytes): try append(ByteBuffer(bytes: bytes))
            case .partEnd: current = nil
            case .end: break
            }
        }
    }

    /// Says that the body is over, and reads the small parts.
    consuming func finish() throws(APIError) -> UploadedBundle {
        do throws(MultipartError) { try parser.finish() } catch { throw APIError(multipart: error, field: "body") }
        let photo = try part(.photo)
        let depth = try part(.depthMap)
        let assertionText = try part(.assertion)
        let metadata = try part(.metadata)
        guard let assertion = AssertionText.decode(Array(assertionText.bytes.readableBytesView)) else {
            throw Precheck.malformed("the assertion is neither CBOR nor base64")
        }
        let metadataBytes = Array(metadata.bytes.readableBytesView)
        let declared = try Self.parse(metadataBytes, limits: limits.inspection.metadata)
        let binding = declared.binding ?? .unnamed
        guard limits.bindings.contains(binding) else {
            throw APIError(
                .validationError, "the binding is not allowed here", field: "metadata.binding",
                reason: Reason.bindingNotAllowed.rawValue
            )
        }
        return UploadedBundle(
            media: CaptureMedia(photo: photo.bytes, depth: depth.bytes), assertion: assertion,
            metadata: metadataBytes, declared: declared, binding: binding,
            photoDigest: .init(photo.hasher.finalize()), depthDigest: .init(depth.hasher.finalize()),
            metadataDigest: .init(metadata.hasher.finalize()), pairHasher: pairHasher
        )
    }

    private mutating func nextEvent(
        _ chunk: ByteBuffer, _ position: inout Int
    ) throws(APIError) -> MultipartEvent? {
        do throws(MultipartError) {
            return try parser.next(in: chunk.readableBytesUInt8Span, at: &position)
        } catch {
            throw APIError(multipart: error, field: "body")
        }
    }

    private mutating func begin(_ header: MultipartPart) throws(APIError) {
        guard let part = BundlePart(word: header.name) else {
            throw .invalid(String(header.name.prefix(64)), "there is no part of this name")
        }
        guard parts[part] == nil else { throw .invalid(part.rawValue, "the part is there twice") }
        if part == .photo, !MediaType.jpeg.isNamed(by: header.contentType) {
            throw APIError(.unsupportedMediaType, "the photo must be image/jpeg", field: part.rawValue)
        }
        if part == .depthMap, limits.precheck == .signature, let photo = parts[.photo] {
            pairHasher = photo.hasher
        }
        parts[part] = PartCollector()
        current = part
    }

    private mutating func append(_ slice: ByteBuffer) throws(APIError) {
        guard let current else { return }
        let bytesMax = current.bytesMax(limits)
        guard (parts[current]?.bytes.readableBytes ?? 0) + slice.readableBytes <= bytesMax else {
            throw .tooLarge(current.rawValue, bytesMax)
        }
        parts[current]?.append(slice)
        if current == .depthMap {
            slice.withUnsafeReadableBytes { bytes in pairHasher?.update(bufferPointer: bytes) }
        }
    }

    private func part(_ part: BundlePart) throws(APIError) -> PartCollector {
        guard let collected = parts[part] else { throw .invalid(part.rawValue, "the part is missing") }
        guard collected.bytes.readableBytes > 0 else { throw .invalid(part.rawValue, "the part is empty") }
        return collected
    }

    private static func parse(_ bytes: [UInt8], limits: MetadataLimits) throws(APIError) -> CaptureMetadata {
        do throws(MetadataError) {
            return try CaptureMetadata.parse(bytes, limits: limits)
        } catch {
            let part = BundlePart.metadata.rawValue
            throw APIError(
                .validationError, error.message, field: error.field == part ? part : "\(part).\(error.field)",
                reason: Reason.metadataMalformed.rawValue
            )
        }
    }
}
