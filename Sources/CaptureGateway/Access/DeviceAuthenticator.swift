import AppAttest
import CaptureModel
import CaptureQueue
import CaptureStore
import FoundationEssentials
import HTTPTypes
import Hummingbird
import Logging
import Observability

/// Tells which device has signed a request.
///
/// The message is `timestamp|` and the hexadecimal SHA-256 of the body. An App Attest key signs it with an assertion,
/// whose counter is advanced in the record; a plain Ed25519 key signs it as it is. A request with a plain key is
/// remembered for the window, so a device may make only a limited number of them.
struct DeviceAuthenticator: Sendable {
    /// Bytes of a signature in base64: an assertion has a few hundred.
    private static let signatureTextBytesMax = 8 << 10

    private let appIDs: [AppID]
    private let requestWindow: Duration
    /// How long a request's body may take.
    private let bodyTimeout: Duration
    private let dependencies: GatewayDependencies
    private let devices: RegisteredDevices
    private let rate: RequestRate
    private let verifier = AssertionVerifier()

    init(configuration: GatewayConfiguration, dependencies: GatewayDependencies) {
        appIDs = configuration.trust.appIDs
        requestWindow = configuration.validity.requestWindow
        bodyTimeout = configuration.requests.jsonTimeout
        self.dependencies = dependencies
        devices = RegisteredDevices(trust: configuration.trust, dependencies: dependencies)
        rate = RequestRate(rates: configuration.rates, dependencies: dependencies)
    }

    /// A request head's claim of who signed it, which can be checked only with the body.
    struct Claim: Sendable {
        let device: Device
        /// As it was written.
        let timestamp: String
        let signature: [UInt8]
    }

    /// Reads what a request's head says, and refuses what no body could make good.
    func claim(in headers: HTTPFields) async throws(APIError) -> Claim {
        let timestamp = try timestamp(headers[.deviceTimestamp])
        let device = try await registered(headers[.deviceID])
        let text = headers[.deviceSignature] ?? ""
        guard text.utf8.count <= Self.signatureTextBytesMax, let data = Data(base64Encoded: text), !data.isEmpty else {
            throw refused(.assertionMalformed)
        }
        return Claim(device: device, timestamp: timestamp, signature: Array(data))
    }

    /// Lets a request pass whose device has signed this body, once.
    func check(_ claim: Claim, body: [UInt8]) async throws(APIError) {
        let message = Array("\(claim.timestamp)|\(SHA256Digest.hash(body).hex)".utf8)
        switch claim.device.algorithm {
        case .p256: try await checkAssertion(claim.signature, over: message, of: claim.device)
        case .ed25519: try await checkSignature(claim.signature, over: message, of: claim.device)
        }
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
        guard distance <= requestWindow else {
            throw APIError(.timestampExpired, "X-Device-Timestamp is too far from the server's time")
        }
        return text
    }

    /// The device that a request names, unless it is revoked or its key is not taken any more.
    func registered(_ text: String?) async throws(APIError) -> Device {
        guard let id = text.flatMap({ DeviceID($0) }) else { throw RegisteredDevices.unknown }
        return try await devices.device(id)
    }

    private func checkAssertion(_ bytes: [UInt8], over message: [UInt8], of device: Device) async throws(APIError) {
        guard let key = device.assertionKey else { throw refused(.signatureInvalid) }
        let assertion: VerifiedAssertion?
        do throws(AssertionError) {
            assertion = try verified(bytes, over: message, of: device, by: key)
        } catch {
            throw refused(Reason(error))
        }
        guard let assertion else { throw refused(.rpIDMismatch) }
        try await advance(device, to: assertion.counter)
    }

    /// What an assertion proves; `nil` when the key's app is none of the configured ones.
    private func verified(
        _ bytes: [UInt8], over message: [UInt8], of device: Device, by key: AssertionKey
    ) throws(AssertionError) -> VerifiedAssertion? {
        let parsed = try verifier.parse(bytes)
        guard let appID = appIDs.app(for: parsed, of: device) else { return nil }
        let hash = SHA256Digest.hash(message).bytes
        return try verifier.verify(SignedAssertion(parsed, clientDataHash: hash, publicKey: key), appID: appID)
    }

    private func advance(_ device: Device, to counter: UInt32) async throws(APIError) {
        // The record counts every key as if 0 had been seen; such a request need not have been made before.
        guard counter > 0 else {
            throw replayed("the counter of this request is 0; the first counter of a key is 1 or more")
        }
        let isNew = try await askingStore { () async throws(StoreError) in
            try await dependencies.store.advanceRequestCounter(of: device.keyID, to: counter)
        }
        guard isNew else { throw replayed() }
    }

    private func checkSignature(_ bytes: [UInt8], over message: [UInt8], of device: Device) async throws(APIError) {
        guard let key = device.assertionKey, key.isValid(bytes, for: message) else {
            throw refused(.signatureInvalid)
        }
        // Counted after the signature was checked, so that only the key, or a request of it, can use the limit up; and
        // before the request is remembered, as the limit bounds what is remembered.
        try await rate.admit(.signedRequest, of: "\(device.id)")
        // By device and message: a signature's bytes can be altered without losing their validity.
        let digest = SHA256Digest.hash(Array("\(device.id)|".utf8) + message)
        let isNew = try await askingQueue { () async throws(QueueError) in
            try await dependencies.limiter.remember(digest, for: replayWindow)
        }
        guard isNew else { throw replayed() }
        await noteRequest(of: device)
    }

    /// Notes when the device was last seen.
    ///
    /// A failure is only logged: the request is remembered by now, so a retry would be a replay.
    private func noteRequest(of device: Device) async {
        do throws(StoreError) {
            try await dependencies.store.noteRequest(of: device.keyID)
            dependencies.outages.unnoted.end()
        } catch {
            // A client that went away in the middle says nothing about the record.
            if Task.isCancelled { return }
            dependencies.outages.unnoted.begin(["device_id": "\(device.id)", "fault": "\(error)"])
        }
    }

    /// How long a request without a counter is remembered: its timestamp may be as far ahead as behind, and its body comes
    /// after the timestamp was checked.
    private var replayWindow: Duration {
        requestWindow * 2 + bodyTimeout + Self.redisDelayMax
    }

    /// The most time between a request's last byte and its being remembered: Redis may take that long to answer.
    private static let redisDelayMax: Duration = .seconds(60)

    private func refused(_ reason: Reason) -> APIError {
        CaptureMetrics.signatureFailure(reason)
        return APIError(
            .signatureInvalid, "the signature is not the device's over this request", reason: reason.rawValue)
    }

    /// Counted under one name: the record does not say whether the counter is the highest one again or below it.
    private func replayed(
        _ message: String = "this request, or a later one of the device, was made before"
    ) -> APIError {
        CaptureMetrics.signatureFailure(.counterReplay)
        return APIError(.replayDetected, message)
    }
}
