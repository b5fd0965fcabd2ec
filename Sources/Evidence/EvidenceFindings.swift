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
        /// Why, if it did not pass: a stable code, of ``Code``, `AttestationError.Code` or `AssertionError.Code`.
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
            finding.outcome != .pass && (!Self.dispensable.contains(finding.step) || finding.code == .bytesNeeded)
        }
        return isMissing ? .incomplete : .accepted
    }

    private static let dispensable: Set<Step> = [.metadata, .photo, .depth]
}

extension EvidenceFindings.Finding {
    /// Names why a step did not pass, beside the codes of attestations and assertions; the raw values are stable.
    public enum Code: String, Sendable, CaseIterable {
        /// The key was never attested, so nobody vouches for it.
        case notAttested = "NOT_ATTESTED"
        /// The evidence has no key.
        case keyMissing = "KEY_MISSING"
        /// The key is not the attested one, or its id is not its digest.
        case keyMismatch = "KEY_MISMATCH"
        /// The bytes have another digest than the record.
        case digestMismatch = "DIGEST_MISMATCH"
        /// The signature does not cover the metadata.
        case notSigned = "NOT_SIGNED"
        /// The bytes were not given; their signed digest takes their place.
        case notGiven = "NOT_GIVEN"
        /// The bytes were not given, and `concat-v1` signs no digest that could take their place.
        case bytesNeeded = "BYTES_NEEDED"
        // The next four have the worker's names.
        /// The metadata are not strict JSON, so that readers may differ on what they say.
        case metadataMalformed = "METADATA_MALFORMED"
        /// The photo is not a well-formed JPEG.
        case photoMalformed = "PHOTO_MALFORMED"
        /// The photo exceeds every limit that a system can be set to.
        case photoTooLarge = "PHOTO_TOO_LARGE"
        /// The depth map has no bytes.
        case depthMalformed = "DEPTH_MALFORMED"
        /// The signed counter is not the recorded one.
        case counterMismatch = "COUNTER_MISMATCH"
        /// There is nothing to compare: a step before did not pass, or the record has no counter.
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
            case .metadataMalformed: "other readers may find something else in the metadata"
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
            case .keyMismatch, .digestMismatch, .metadataMalformed, .photoMalformed, .photoTooLarge, .depthMalformed,
                .counterMismatch:
                false
            }
        }
    }

    /// The reason, where it is one of evidence itself; `nil` for one of the attestation or the assertion, and for none.
    public var code: Code? { reason.flatMap { Code(rawValue: $0) } }

    init(_ step: EvidenceFindings.Step, _ code: Code?) {
        self.init(
            step: step, outcome: code.map { $0.isMissing ? .unavailable : .fail } ?? .pass, reason: code?.rawValue,
            detail: code?.explanation)
    }
}
