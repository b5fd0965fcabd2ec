import AppAttest
import CaptureInspection
import CaptureModel
import CaptureQueue
import NIOCore
import Observability

/// Refuses at the gateway what cannot be a capture of the device, so that junk never reaches the queue.
///
/// The only counter that is refused here is 0, which no policy takes. Any other may be the retry of a capture that was
/// accepted long ago, which only the queue can tell, and it answers the retry with the first capture's id. A bundle
/// that is new and stale is rejected by the settling transaction, which alone decides on counters.
struct Precheck: Sendable {
    private let level: PrecheckLevel
    private let appIDs: [AppID]
    private let verifier = AssertionVerifier()

    init(level: PrecheckLevel, appIDs: [AppID]) {
        self.level = level
        self.appIDs = appIDs
    }

    /// Looks at a bundle as far as the configuration asks.
    ///
    /// - Throws: `VALIDATION_ERROR` for a part that is not what it should be, `SIGNATURE_INVALID` for another app's or
    ///   another key's signature.
    func check(_ bundle: UploadedBundle, of device: Device) async throws(APIError) {
        guard level != .none else { return }
        let assertion: ParsedAssertion
        do throws(AssertionError) {
            assertion = try verifier.parse(bundle.assertion)
        } catch {
            throw Self.malformed(error.message)
        }
        // The record counts every key as if 0 had been seen: a 202 would end as a rejection for good.
        guard assertion.counter > 0 else {
            throw Self.malformed("the assertion's counter is 0; the first counter of a key is 1 or more")
        }
        guard let appID = appIDs.app(for: assertion, of: device), appID.rpIDHash == assertion.rpIDHash else {
            throw Self.refusal(.rpIDMismatch)
        }
        guard JPEGWalker.beginsAsJPEG(bundle.media.photo.readableBytesUInt8Span) else {
            throw APIError(
                .validationError, "the photo is not a JPEG", field: BundlePart.photo.rawValue,
                reason: Reason.photoMalformed.rawValue
            )
        }
        guard level == .signature else { return }
        guard let key = device.assertionKey else { throw Self.refusal(.signatureInvalid) }
        do throws(AssertionError) {
            try await verify(assertion, of: bundle, by: key, for: appID)
        } catch {
            throw Self.refusal(Reason(error))
        }
    }

    /// Whether the device's key has signed a bundle that has passed ``check(_:of:)``, whatever that looks at.
    func isSigned(_ bundle: UploadedBundle, by device: Device) async -> Bool {
        // It has passed the check.
        if level == .signature { return true }
        do throws(AssertionError) {
            let assertion = try verifier.parse(bundle.assertion)
            guard let appID = appIDs.app(for: assertion, of: device), let key = device.assertionKey else {
                return false
            }
            try await verify(assertion, of: bundle, by: key, for: appID)
            return true
        } catch {
            return false
        }
    }

    private func verify(
        _ assertion: ParsedAssertion, of bundle: UploadedBundle, by key: AssertionKey, for appID: AppID
    ) async throws(AssertionError) {
        let clientDataHash = await bundle.clientDataHash()
        _ = try verifier.verify(
            SignedAssertion(assertion, clientDataHash: clientDataHash.bytes, publicKey: key), appID: appID)
    }

    /// Refuses a malformed assertion, which counts as a refused signature.
    static func malformed(_ message: String) -> APIError {
        CaptureMetrics.signatureFailure(.assertionMalformed)
        return APIError(
            .validationError, message, field: BundlePart.assertion.rawValue, reason: Reason.assertionMalformed.rawValue)
    }

    private static func refusal(_ reason: Reason) -> APIError {
        CaptureMetrics.signatureFailure(reason)
        return APIError(.signatureInvalid, reason.explanation, field: "assertion", reason: reason.rawValue)
    }
}
