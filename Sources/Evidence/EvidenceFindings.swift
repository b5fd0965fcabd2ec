public import AppAttest
public import CaptureModel

/// The findings about a capture of a verifier that trusts only Apple's root.
public struct EvidenceFindings: Sendable {
    /// A step of the verification, in the order of the steps.
    public enum Step: String, Sendable, CaseIterable, Codable {
        /// Apple attested the key, for this app, down to a root that is pinned.
        case attestation
        /// The key is the attested one, and its id is its digest.
        case key
        /// The metadata are those of the record, signed, and read alike by all readers.
        case metadata
        /// The photo is that of the record; with `concat-v1` it is also a JPEG, which tells it from other signed bytes.
        case photo
        /// The depth map is that of the record; with `concat-v1`, which does not sign its start, it is also not empty.
        case depth
        /// The key signed this capture, for this app.
        case assertion
        /// The signed counter is that of the record.
        case counter
    }

    /// The result of one step.
    public struct Finding: Sendable, Equatable {
        /// Which step.
        public let step: Step
        /// How it ended; `unavailable` when it needs something that is missing.
        public let outcome: Check.Outcome
        /// Why, if it did not pass: a stable code.
        public let reason: String?
        /// The reason in words for people.
        public let detail: String?
    }

    /// How the whole verification ended.
    public enum Verdict: String, Sendable, CaseIterable, Codable {
        /// An attested key signed this capture, and the given photo and depth map are the signed ones.
        ///
        /// This covers neither the unsigned members (``CaptureEvidence/unsignedMembers``) nor the decision about the
        /// capture.
        case accepted
        /// Something in the evidence contradicts the rest of it.
        case rejected
        /// Nothing is contradictory, but something is missing.
        case incomplete
    }

    /// The findings, one for each step in order.
    public let findings: [Finding]
    /// The facts that Apple certified about the key; `nil` when that step did not pass.
    public let attestation: VerifiedAttestation?

    /// The verdict of all steps together.
    ///
    /// Without photo, depth map and metadata a capture is accepted by their digests, if these are signed. With
    /// `concat-v1` it is accepted whatever its metadata are, which are then reported as unsigned.
    public var verdict: Verdict {
        if findings.contains(where: { $0.outcome == .fail }) { return .rejected }
        let isMissing = findings.contains { finding in
            finding.outcome != .pass
                && (!Self.dispensable.contains(finding.step) || finding.reason == Finding.Code.bytesNeeded.rawValue)
        }
        return isMissing ? .incomplete : .accepted
    }

    private static let dispensable: Set<Step> = [.metadata, .photo, .depth]
}

extension EvidenceFindings.Finding {
    /// Why a step did not pass, beside the codes of attestations and assertions; the raw values are stable.
    enum Code: String {
        case notAttested = "NOT_ATTESTED"
        case keyMissing = "KEY_MISSING"
        case keyMismatch = "KEY_MISMATCH"
        case digestMismatch = "DIGEST_MISMATCH"
        case notSigned = "NOT_SIGNED"
        case notGiven = "NOT_GIVEN"
        case bytesNeeded = "BYTES_NEEDED"
        // These have the worker's names.
        case photoMalformed = "PHOTO_MALFORMED"
        case photoTooLarge = "PHOTO_TOO_LARGE"
        case depthMalformed = "DEPTH_MALFORMED"
        case counterMismatch = "COUNTER_MISMATCH"
        case notEvaluated = "NOT_EVALUATED"

        var explanation: String {
            switch self {
            case .notAttested: "nobody vouches for the key"
            case .keyMissing: "the evidence names no key"
            case .keyMismatch: "the key is not the attested one, or not the one that its id names"
            case .digestMismatch: "the bytes have another digest than the record"
            case .notSigned: "the signature does not cover them: they are the record's word"
            case .notGiven: "it was not given"
            case .bytesNeeded: "only photo and depth map show that they are what concat-v1 signs: give both"
            case .photoMalformed: "the photo is not a well-formed JPEG: other signed bytes would pass for a capture"
            case .photoTooLarge: "the photo exceeds every limit that a system can be set to"
            case .depthMalformed: "the depth map is empty: concat-v1 signs photo and depth map"
            case .counterMismatch: "the signed counter is not the recorded one"
            case .notEvaluated: "nothing to compare: a step before it did not pass, or the record has none"
            }
        }

        /// Whether something is missing, but nothing is wrong.
        var isMissing: Bool {
            switch self {
            case .notAttested, .keyMissing, .notSigned, .notGiven, .bytesNeeded, .notEvaluated: true
            case .keyMismatch, .digestMismatch, .photoMalformed, .photoTooLarge, .depthMalformed, .counterMismatch:
                false
            }
        }
    }

    init(_ step: EvidenceFindings.Step, _ code: Code?) {
        self.init(
            step: step, outcome: code.map { $0.isMissing ? .unavailable : .fail } ?? .pass, reason: code?.rawValue,
            detail: code?.explanation)
    }
}
