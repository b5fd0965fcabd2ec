import CaptureModel
import CaptureStore
import Foundation
import TestSupport

/// A device's upload whose assertion names a counter, and its verification.
enum SignedUpload {
    /// As Apple's encoder writes it, with a signature that nobody looks at here.
    static func assertion(_ counter: UInt32, signature: UInt8 = 1, length: [UInt8] = [0x58, 37]) -> [UInt8] {
        let key = Array("authenticatorData".utf8)
        let data = [UInt8](repeating: 7, count: 32) + [0x40] + (0..<4).map { UInt8(counter >> (24 - 8 * $0) & 255) }
        return [0xA2, 0x69] + Array("signature".utf8) + [0x41, signature] + [0x71] + key + length + data
    }

    /// An upload of it.
    static func make(
        _ device: Device, _ counter: UInt32, binding: Binding = .concatV1, signature: UInt8 = 1, photo: UInt8 = 2,
        depth: UInt8 = 3, metadata: String = "{}", receivedAt: Timestamp = moment(10), length: [UInt8] = [0x58, 37],
        photoBytes: Int = 3, depthBytes: Int = 2
    ) -> CaptureSubmission {
        let assertion = assertion(counter, signature: signature, length: length)
        return CaptureSubmission(
            id: CaptureID(UUID()), device: device.id,
            bundleDigest: .hash(assertion + [photo] + Array(metadata.utf8) + [depth]), binding: binding,
            assertion: assertion, metadata: Array(metadata.utf8), photoDigest: .hash([photo]),
            depthDigest: .hash([depth]), photoBytes: photoBytes, depthBytes: depthBytes,
            receivedAt: receivedAt, traceParent: nil)
    }

    /// What a worker has found out about it; without a counter, that its signature is not valid.
    static func verified(
        _ upload: CaptureSubmission, of device: Device, counter: UInt32?, receivedAt: Timestamp = moment(10)
    ) -> ExaminedCapture {
        ExaminedCapture(
            job: CaptureJob(
                submission: upload, receivedAt: receivedAt, claimedAt: moment(10), attempts: 1, isRedriven: false),
            clientDataHash: .hash([1]), checks: [], outcome: .of(device, counter: counter), capturedAt: nil,
            verifiedAt: moment(11))
    }
}
