package import CaptureModel
import Crypto

/// A capture with a device's assertion over it: the contents of an upload.
package struct SignedCapture: Sendable, Equatable {
    /// Photo, depth map and metadata, as uploaded.
    package var capture: SyntheticCapture
    /// The assertion as CBOR.
    package var assertion: [UInt8]
    /// What the assertion covers.
    package var binding: Binding

    /// Takes any parts, fitting or not.
    package init(capture: SyntheticCapture, assertion: [UInt8], binding: Binding) {
        self.capture = capture
        self.assertion = assertion
        self.binding = binding
    }
}

/// Signs captures and requests as the app does.
package struct CaptureSigner: Sendable {
    /// The device that signs.
    package let device: SimulatedDevice
    /// How captures become a clientDataHash.
    package let binding: Binding

    /// Makes a signer.
    package init(device: SimulatedDevice, binding: Binding = .concatV1) {
        self.device = device
        self.binding = binding
    }

    /// Signs a capture.
    /// - Throws: `SIGNATURE`.
    package func sign(
        _ capture: SyntheticCapture, counter: CounterChoice = .next, flaw: AssertionFlaw? = nil
    ) throws(SimulatorError) -> SignedCapture {
        let hash = Self.clientDataHash(of: capture, binding: binding)
        let assertion = try device.assertion(clientDataHash: hash.bytes, counter: counter, flaw: flaw)
        return SignedCapture(capture: capture, assertion: assertion, binding: binding)
    }

    /// Signs a request of the device: the values of its three headers.
    /// - Throws: `SIGNATURE`.
    package func sign(
        body: [UInt8], device id: DeviceID, at moment: Timestamp, counter: CounterChoice = .next,
        flaw: AssertionFlaw? = nil
    ) throws(SimulatorError) -> SignedRequest {
        let timestamp = String(moment.millisecondsSince1970)
        let message = Array("\(timestamp)|\(CaptureModel.SHA256Digest.hash(body).hex)".utf8)
        let assertion = try device.assertion(
            clientDataHash: CaptureModel.SHA256Digest.hash(message).bytes, counter: counter, flaw: flaw
        )
        return SignedRequest(device: id, timestamp: timestamp, assertion: assertion)
    }

    /// The clientDataHash of an assertion over a capture.
    package static func clientDataHash(of capture: SyntheticCapture, binding: Binding) -> CaptureModel.SHA256Digest {
        switch binding {
        case .concatV1:
            var hasher = SHA256()
            hasher.update(data: capture.photo)
            hasher.update(data: capture.depthMap)
            return Binding.concatV1Hash(hasher)
        case .framedV2:
            return Binding.framedV2Hash(
                photo: .hash(capture.photo), depth: .hash(capture.depthMap), metadata: .hash(capture.metadata)
            )
        }
    }

    /// The clientDataHash of an attestation for a server's challenge.
    package static func clientDataHash(challenge: [UInt8]) -> CaptureModel.SHA256Digest { .hash(challenge) }
}

/// The proof that a device sent a request.
package struct SignedRequest: Sendable, Equatable {
    /// `X-Device-Id`.
    package var device: DeviceID
    /// `X-Device-Timestamp`: Unix milliseconds.
    package var timestamp: String
    /// `X-Device-Signature`, before base64.
    package var assertion: [UInt8]
}
