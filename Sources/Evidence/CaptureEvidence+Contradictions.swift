import CaptureModel

extension CaptureEvidence {
    /// Refuses members that never stand beside each other in the record.
    ///
    /// Only what the record makes sure of is looked at: the constraints of its tables `captures` and `devices`, and what
    /// the transaction writes that decides about counters. The order of most times is no such thing, as clocks are set
    /// back. What a newer release calls a check or its outcome contradicts nothing.
    ///
    /// - Throws: ``EvidenceError`` with the first such member.
    func checkContradictions() throws(EvidenceError) {
        try checkVerdict()
        try checkChecks()
        let isAttested = key?.attestation != nil
        try Self.refuse(
            if: (key?.clientDataHash != nil) != isAttested, "key.client_data_hash",
            contradicts: "key.attestation_object")
        // Nobody vouches for the other keys.
        try Self.refuse(
            if: result.confidence == .high && !isAttested, "result.confidence", contradicts: "key.attestation_object")
        // Results from before that moment are not marked.
        let isMarkedEarly = result.compromisedSince.map { $0 > result.receivedAt } ?? false
        try Self.refuse(if: isMarkedEarly, "result.compromised_since", contradicts: "result.received_at")
    }

    private func checkVerdict() throws(EvidenceError) {
        let isVerified = result.verdict == .verified
        try Self.refuse(
            if: isVerified == (result.recordedReason != nil), "result.reason", contradicts: "result.verdict")
        try Self.refuse(
            if: isVerified == (result.confidence == .none), "result.confidence", contradicts: "result.verdict")
        // Only the counter of a good signature is known, and the first one is 1.
        try Self.refuse(if: isVerified && (result.counter ?? 0) == 0, "result.counter", contradicts: "result.verdict")
        try Self.refuse(if: isVerified && key == nil, "key", contradicts: "result.verdict")
    }

    /// Far more than any release has: each that this one does not know is reported by its place.
    private static let checksMax = 64

    private func checkChecks() throws(EvidenceError) {
        guard result.recordedChecks.count <= Self.checksMax else {
            throw EvidenceError(.membersTooMany, "result.checks has more than \(Self.checksMax) checks")
        }
        // As bytes: comparing texts of combining marks takes quadratic time.
        let names = result.recordedChecks.map { Array($0.name.utf8) }
        guard Set(names).count == names.count else {
            throw EvidenceError(.memberInvalid, "result.checks has a check twice")
        }
        guard names.contains(Array(Check.Name.counter.rawValue.utf8)) else {
            throw EvidenceError(.memberInvalid, "result.checks has no counter")
        }
        let isVerified = result.verdict == .verified
        for check in result.checks {
            let isPassed = check.outcome == .pass
            let isContradiction =
                switch check.name {
                // Of a rejected capture it may have passed as well.
                case .assertion: isVerified && !isPassed
                case .counter: isVerified != isPassed
                case .device, .photoStructure, .photoHash, .depthDecode, .depthPlausibility, .timestamp, .metadata,
                    .risk, .rollout:
                    false
                }
            try Self.refuse(if: isContradiction, "result.checks", contradicts: "result.verdict")
        }
    }

    private static func refuse(
        if isContradiction: Bool, _ member: String, contradicts other: String
    ) throws(EvidenceError) {
        guard isContradiction else { return }
        throw EvidenceError(.memberInvalid, "\(member) contradicts \(other)")
    }
}
