public import AppAttest
public import CaptureModel

/// What somebody who believes nothing but Apple's root finds out about a capture.
public struct EvidenceFindings: Sendable {
    /// What a step of the verification is about, in the order in which they are taken.
    public enum Step: String, Sendable, CaseIterable, Codable {
        /// Apple attested the key, for this app, down to a root that is pinned.
        case attestation
        /// The key is the attested one, and named by its own digest.
        case key
        /// The metadata are those of the record, signed, and say the same to all readers.
        case metadata
        /// The photo is that of the record, and a JPEG where nothing else tells a capture from other signed bytes.
        case photo
        /// The depth map is that of the record, and not empty where the signature does not say where it begins.
        case depth
        /// The key signed this capture, for this app.
        case assertion
        /// The counter that was signed is that of the record.
        case counter
    }

    /// What came of one step.
    public struct Finding: Sendable, Equatable {
        /// Which step.
        public let step: Step
        /// How it ended; `unavailable` where something is missing that it takes.
        public let outcome: Check.Outcome
        /// Why, if it did not pass: a stable code.
        public let reason: String?
        /// The same in words for people.
        public let detail: String?
    }

    /// How it ended.
    public enum Verdict: String, Sendable, CaseIterable, Codable {
        /// An attested key signed this capture; with photo and depth map, these very ones.
        ///
        /// Never the members that nobody signed, and never what became of the capture: see
        /// ``CaptureEvidence/unsignedMembers``.
        case accepted
        /// Something in the evidence contradicts the rest of it.
        case rejected
        /// Nothing contradicts, and something is missing.
        case incomplete
    }

    /// One for each step, in their order.
    public let findings: [Finding]
    /// What Apple certified of the key; `nil` when that step did not pass.
    public let attestation: VerifiedAttestation?

    /// All steps together.
    ///
    /// Without photo, depth map and metadata a capture is accepted for their digests where these are signed. With
    /// `concat-v1` it is accepted whatever its metadata are, which are told as unsigned then.
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
    /// Names why a step did not pass, beside the codes of attestations and assertions; the raw values are stable.
    enum Code: String {
        case notAttested = "NOT_ATTESTED"
        case keyMissing = "KEY_MISSING"
        case keyMismatch = "KEY_MISMATCH"
        case digestMismatch = "DIGEST_MISMATCH"
        case notSigned = "NOT_SIGNED"
        case notGiven = "NOT_GIVEN"
        case bytesNeeded = "BYTES_NEEDED"
        // As the worker calls them.
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

        /// Whether something is missing, and nothing wrong.
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
