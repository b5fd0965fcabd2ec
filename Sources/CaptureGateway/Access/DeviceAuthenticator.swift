import AppAttest
import CaptureModel
import CaptureQueue
import CaptureStore
import enum Crypto.Curve25519
import FoundationEssentials
import HTTPTypes
import Hummingbird
import Observability

/// Tells which device has signed a request ([R-AU-1] to [R-AU-3]).
///
/// The message is `timestamp|` and the hexadecimal SHA-256 of the body. An App Attest key signs it with an assertion,
/// whose counter is advanced in the record; a plain Ed25519 key signs it as it is, and is remembered for the window.
struct DeviceAuthenticator: Sendable {
    let configuration: GatewayConfiguration
    let dependencies: GatewayDependencies
    private let keys: TrustedKeys
    private let verifier = AssertionVerifier()

    init(configuration: GatewayConfiguration, dependencies: GatewayDependencies) {
        self.configuration = configuration
        self.dependencies = dependencies
        keys = configuration.keys
    }

    /// The device that signed a request with this body.
    func device(signing headers: HTTPFields, body: [UInt8]) async throws(APIError) -> Device {
        let timestamp = try timestamp(headers[.deviceTimestamp])
        let device = try await registered(headers[.deviceID])
        let text = headers[.deviceSignature] ?? ""
        guard text.utf8.count <= 8192, let data = Data(base64Encoded: text), !data.isEmpty else {
            throw refused(.assertionMalformed)
        }
        let message = Array("\(timestamp)|\(SHA256Digest.hash(body).hex)".utf8)
        switch device.algorithm {
        case .p256: try await checkAssertion(Array(data), over: message, of: device)
        case .ed25519: try await checkSignature(Array(data), over: message, of: device)
        }
        return device
    }

    /// Milliseconds since 1970, as they were written: the signature covers the text.
    private func timestamp(_ text: String?) throws(APIError) -> String {
        guard let text, (1...16).contains(text.utf8.count),
            text.utf8.allSatisfy(\.isDecimalDigit),
            let milliseconds = Int64(text)
        else { throw APIError(.timestampInvalid, "X-Device-Timestamp is not a number of milliseconds") }
        let moment = Timestamp(millisecondsSince1970: milliseconds)
        let now = dependencies.now()
        let distance = max(now.since(moment), moment.since(now))
        guard distance <= configuration.requestWindow else {
            throw APIError(.timestampExpired, "X-Device-Timestamp is too far from the server's time")
        }
        return text
    }

    /// The device that a request names, unless it is revoked or its key is not taken any more.
    func registered(_ text: String?) async throws(APIError) -> Device {
        let unknown = APIError(.deviceNotFound, "no such device is registered")
        guard let id = text.flatMap({ DeviceID($0) }) else { throw unknown }
        let device = try await stored { () async throws(StoreError) -> Device? in
            try await dependencies.store.devices([id])[id]
        }
        guard let device else { throw unknown }
        guard !device.isRevoked(at: dependencies.now()) else {
            throw APIError(.deviceRevoked, "the device was revoked")
        }
        try keys.admit(device)
        return device
    }

    private func checkAssertion(_ bytes: [UInt8], over message: [UInt8], of device: Device) async throws(APIError) {
        guard let publicKey = device.publicKey, let key = try? AssertionKey(x963: publicKey) else {
            throw refused(.signatureInvalid)
        }
        let hash = SHA256Digest.hash(message).bytes
        var failure = AssertionError.Code.rpIDMismatch
        for appID in appIDs(of: device) {
            let assertion: VerifiedAssertion
            do {
                assertion = try verifier.verify(bytes, clientDataHash: hash, publicKey: key, appID: appID)
            } catch {
                failure = error.code
                if failure == .rpIDMismatch { continue }
                break
            }
            return try await advance(device, to: assertion.counter)
        }
        throw refused(Self.reason(failure))
    }

    /// A degraded registration may not know its app: then any configured one will do.
    private func appIDs(of device: Device) -> [AppID] {
        guard let text = device.appID else { return configuration.appIDs }
        return configuration.appIDs.filter { $0.text == text }
    }

    private func advance(_ device: Device, to counter: UInt32) async throws(APIError) {
        let isNew = try await stored { () async throws(StoreError) in
            try await dependencies.store.advanceRequestCounter(of: device.keyID, to: counter)
        }
        guard isNew else { throw replayed() }
    }

    private func checkSignature(_ bytes: [UInt8], over message: [UInt8], of device: Device) async throws(APIError) {
        guard let raw = device.publicKey, let key = try? Curve25519.Signing.PublicKey(rawRepresentation: raw),
            key.isValidSignature(bytes, for: message)
        else { throw refused(.signatureInvalid) }
        // By device and message: a signature's bytes can be altered without losing their validity.
        let name = "replay:" + SHA256Digest.hash(Array("\(device.id)|".utf8) + message).hex
        let decision: RateDecision
        do {
            decision = try await dependencies.limiter.admit(name, limit: 1, window: replayWindow)
        } catch {
            throw .unavailable(error)
        }
        guard decision == .allowed else { throw replayed() }
        try await stored { () async throws(StoreError) in try await dependencies.store.noteRequest(of: device.keyID) }
    }

    /// How long a request without a counter is remembered: its timestamp may be as far ahead as behind.
    ///
    /// It is counted after the look at the time, by as long as Redis takes to answer: a minute at the most.
    private var replayWindow: Duration { configuration.requestWindow * 2 + .seconds(60) }

    private func refused(_ reason: Reason) -> APIError {
        CaptureMetrics.signatureFailure(reason)
        return APIError(
            .signatureInvalid, "the signature is not the device's over this request", reason: reason.rawValue)
    }

    /// One name for both: the record does not say whether the counter is the highest one again or below it.
    private func replayed() -> APIError {
        CaptureMetrics.signatureFailure(.counterReplay)
        return APIError(.replayDetected, "this request, or a later one of the device, was made before")
    }

    private static func reason(_ code: AssertionError.Code) -> Reason {
        switch code {
        case .signatureInvalid, .publicKeyMalformed: .signatureInvalid
        case .rpIDMismatch: .rpIDMismatch
        default: .assertionMalformed
        }
    }
}
