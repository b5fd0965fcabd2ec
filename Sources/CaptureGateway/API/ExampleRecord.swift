import AppAttest
import CaptureModel
import CaptureOperations
import CaptureStore
import Evidence
import FoundationEssentials

/// A verified capture and one that is put off, as the record and the queue would know them.
///
/// The examples of the API's description show them.
///
/// Nothing in it is of a real device; where bytes would be long, words stand in their place.
enum ExampleRecord {
    /// When the answers are given.
    static let now = Timestamp(millisecondsSince1970: 1_780_000_060_000)

    private static let receivedAt = Timestamp(millisecondsSince1970: 1_780_000_000_000)
    private static let registeredAt = Timestamp(millisecondsSince1970: 1_779_000_000_000)
    private static let app = "TEAM123456.com.example.capture"
    private static let publicKey: [UInt8] = [4] + Array(repeating: 7, count: 64)
    private static let photo = SHA256Digest.hash(Array("a photo".utf8))
    private static let depth = SHA256Digest.hash(Array("a depth map".utf8))
    private static let metadata = Array(
        """
        {"captured_at":"2026-05-28T20:26:38Z","device_model":"iPhone17,1",\
        "depth_map_dimensions":{"width":256,"height":192},"binding":"framed-v2"}
        """.utf8)
    private static let device = DeviceID(
        UUID(uuid: (0x6B, 0x1D, 0x0F, 0x52, 0x9C, 0x3E, 0x4A, 0x57, 0x8E, 0x21, 0x5D, 0x90, 0x7A, 0xC4, 0x13, 0x68)))

    /// An id that ends in a number, made at the moment when the captures were received.
    private static func capture(_ number: UInt8) -> CaptureID {
        CaptureID(
            UUID(
                uuid: (
                    0x01, 0x9E, 0x70, 0x44, 0x88, 0x00, 0x7A, 0x41, 0x8C, 0x55, 0x0D, 0x6C, 0x3C, 0x1F, 0x9E, number
                )))
    }

    /// The answer to the upload of the verified capture.
    static let accepted = Acceptance.Accepted(id: capture(1), state: .queued, isDuplicate: false)

    /// A capture that passed every check.
    static let verified: ProvenanceResult = {
        let names: [Check.Name] = [
            .device, .assertion, .counter, .photoStructure, .photoHash, .depthDecode, .depthPlausibility, .timestamp,
            .metadata,
        ]
        return ProvenanceResult(
            id: capture(1), device: device, keyID: KeyID(publicKey: publicKey), attestationLevel: .secureEnclave,
            environment: .production, appID: app, trustRoot: TrustRoot.appleAppAttestation.recordedName, counter: 42,
            counterPolicy: .strict, binding: .framedV2, photoDigest: photo, depthDigest: depth,
            metadataDigest: .hash(metadata),
            clientDataHash: Binding.framedV2Hash(photo: photo, depth: depth, metadata: .hash(metadata)),
            checks: names.map { Check($0, .pass) }, verdict: .verified, reason: nil, confidence: .high, attempts: 1,
            isRedriven: false, capturedAt: receivedAt.advanced(by: .seconds(-2)), receivedAt: receivedAt,
            claimedAt: receivedAt.advanced(by: .milliseconds(4)),
            verifiedAt: receivedAt.advanced(by: .milliseconds(19)),
            settledAt: receivedAt.advanced(by: .milliseconds(27)), processorVersion: ProcessorVersion.current)
    }()

    /// A capture that waits for the record to come back.
    static let putOff = JobStatus(
        id: capture(2), device: device, state: .retrying, attempts: 2, reason: nil,
        fault: "PostgreSQL: the connection was refused", receivedAt: receivedAt.advanced(by: .seconds(58)),
        claimedAt: receivedAt.advanced(by: .seconds(59)), settledAt: nil,
        nextAttemptAt: receivedAt.advanced(by: .seconds(64)))

    /// Both, newest first, on a page that others follow.
    static let page: CaptureListing.Page = {
        let result = ArchivedCapture.Result(
            verdict: verified.verdict, reason: verified.reason, confidence: verified.confidence,
            counter: verified.counter, counterHighest: nil, attempts: verified.attempts,
            isRedriven: verified.isRedriven, verifiedAt: verified.verifiedAt)
        let settled = ListedCapture(
            id: verified.id, device: verified.device, receivedAt: verified.receivedAt, state: .verified, reason: nil,
            fault: nil, attempts: verified.attempts, isRedriven: verified.isRedriven, result: result)
        return CaptureListing.Page(
            captures: [ListedCapture(putOff), settled],
            next: CapturePosition(receivedAt: verified.receivedAt, capture: verified.id).description)
    }()

    /// The evidence of the verified capture, for others to verify.
    static let evidence: CaptureEvidence = {
        let owner = Device(
            id: device, keyID: KeyID(publicKey: publicKey),
            key: .attested(
                publicKey: publicKey, environment: .production, appID: app,
                trustRoot: TrustRoot.appleAppAttestation.recordedName),
            platform: Device.platformTaken, model: "iPhone17,1", hasLidar: true, revokedAt: nil,
            registeredAt: registeredAt)
        let registration = DeviceRegistration(
            device: owner, attestationObject: Array("Apple's attestation object".utf8),
            clientDataHash: SHA256Digest.hash(Array("a challenge".utf8)).bytes, certificateChain: [], receipt: nil,
            osVersion: nil, validationCategory: nil, bundleVersion: nil)
        return CaptureEvidence(
            result: CaptureEvidence.Result(verified), assertion: Array("the assertion, as CBOR".utf8),
            metadata: metadata, key: CaptureEvidence.Key(registration))
    }()
}
