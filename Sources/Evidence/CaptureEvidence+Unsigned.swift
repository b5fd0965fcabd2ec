import AppAttest
import CaptureModel

extension CaptureEvidence {
    /// The paths of the document's members that no signature covers: only the record vouches for them.
    ///
    /// An `accepted` capture says nothing about them. That does not mean that they may be replaced by anything: values
    /// still need the form of their member, and must not contradict the others. ``EvidenceVerifier`` checks the
    /// attestation at `key.registered_at`, and compares metadata, photo and depth map with the digests that the document
    /// has of them.
    ///
    /// The list ends with the unsigned keys of the assertion and the attestation object, the receipt among them, and
    /// after these what this release does not know: the places of checks, of their reasons and members, and members
    /// elsewhere.
    ///
    /// ```swift
    /// evidence.unsignedMembers    // ["result.capture_id", …, "key.registered_at", "metadata"]
    /// ```
    public var unsignedMembers: [String] {
        let members = Self.unsigned.map { "result.\($0.rawValue)" } + Self.unsignedOfKey.map { "key.\($0.rawValue)" }
        return members + unsignedOfBinding + unsignedKeys + unknownChecks + unknownMembers
    }

    private var unsignedOfBinding: [String] {
        switch result.binding {
        case .framedV2: []
        case .concatV1:
            Self.unsignedOfConcatV1.map { "result.\($0.rawValue)" } + [EvidenceDocument.CodingKeys.metadata.rawValue]
        }
    }

    private var unsignedKeys: [String] {
        let attestation = key?.attestation.map { UnsignedKeys.ofAttestation($0) } ?? []
        return UnsignedKeys.ofAssertion(assertion).map { "assertion.\($0)" }
            + attestation.map { "key.attestation_object.\($0)" }
    }

    /// By their places: the names of a newer release's checks may be any texts.
    private var unknownChecks: [String] {
        result.recordedChecks.enumerated().flatMap { index, check in
            let place = "result.\(EvidenceDocument.Result.CodingKeys.checks.rawValue)[\(index)]"
            if check.check == nil { return [place] }
            let members = (check.hasUnknownReason ? ["reason"] : []) + check.unknownMembers
            return members.map { "\(place).\($0)" }
        }
    }

    private static let unsigned: [EvidenceDocument.Result.CodingKeys] = [
        .captureID, .deviceID, .verdict, .reason, .confidence, .receivedAt, .settledAt, .compromisedSince, .checks,
        .counterPolicy, .processorVersion,
    ]

    /// Photo and depth map are signed as one run of bytes: if it is cut elsewhere, the two have other digests.
    private static let unsignedOfConcatV1: [EvidenceDocument.Result.CodingKeys] = [.photo, .depth, .metadata]

    private static let unsignedOfKey: [EvidenceDocument.Key.CodingKeys] = [.registeredAt]
}
