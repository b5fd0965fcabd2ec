import CaptureModel

/// Holds the record to what was answered.
///
/// Pure: the same evidence gives the same violations, and doctored evidence shows that it finds them.
package struct Auditor: Sendable {
    private let evidence: Evidence
    private let options: ChaosOptions
    private let rows: [CaptureID: RecordRow]

    /// Takes the evidence, and what the run was to be.
    package init(_ evidence: Evidence, _ options: ChaosOptions) {
        self.evidence = evidence
        self.options = options
        rows = Dictionary(evidence.rows.map { ($0.capture, $0) }) { first, _ in first }
    }

    /// Everything that is not as it should be.
    package func violations() -> [Violation] {
        answers() + results() + order() + counters() + remains()
    }

    // MARK: What was answered

    private func answers() -> [Violation] { evidence.entries.flatMap(answer) }

    private func answer(_ entry: Journal.Entry) -> [Violation] {
        if let refusal = entry.refusal { return [Violation(.refused, nil, "\(entry.text): \(refusal)")] }
        guard let first = entry.accepted.first else { return [Violation(.unanswered, nil, entry.text)] }
        var violations: [Violation] = []
        for other in Set(entry.accepted.map(\.capture)) where other != first.capture {
            violations.append(Violation(.answeredTwice, other, "\(entry.text), first answered as \(first.capture)"))
        }
        if let row = rows[first.capture] {
            if let wrong = verdict(row, entry) { violations.append(wrong) }
        } else if evidence.dead.contains(first.capture) {
            violations.append(Violation(.deadLetter, first.capture, entry.text))
        } else {
            violations.append(Violation(.lost, first.capture, entry.text))
        }
        return violations
    }

    private func verdict(_ row: RecordRow, _ entry: Journal.Entry) -> Violation? {
        let expected = entry.sending.expected
        if row.bundle != entry.sending.bundle {
            return Violation(.wrongVerdict, row.capture, "\(entry.text): the result is about other bytes")
        }
        guard row.verdict != expected else { return counter(row, entry) }
        let counts: [Sending.Verdict] = [.rejected(.counterReplay), .rejected(.counterStale)]
        let kind: Violation.Kind = expected == .verified && counts.contains(row.verdict) ? .falseReplay : .wrongVerdict
        return Violation(kind, row.capture, "\(entry.text): \(row.verdict), expected \(expected)")
    }

    /// A verified capture has to be recorded with the counter that was signed; any other may have none.
    private func counter(_ row: RecordRow, _ entry: Journal.Entry) -> Violation? {
        guard row.verdict == .verified, row.counter != entry.sending.counter else { return nil }
        let recorded = row.counter.map(String.init) ?? "none"
        return Violation(.wrongVerdict, row.capture, "\(entry.text): the result has the counter \(recorded)")
    }

    // MARK: What is in the record

    private func results() -> [Violation] {
        let answered = Set(evidence.entries.flatMap { $0.accepted.map(\.capture) })
        let sent = Dictionary(evidence.entries.map { ($0.sending.bundle, $0) }) { first, _ in first }
        var violations: [Violation] = []
        for (bundle, rows) in Dictionary(grouping: evidence.rows, by: \.bundle) {
            let text = sent[bundle]?.text ?? "a bundle that nobody sent"
            for row in rows.dropFirst() {
                violations.append(Violation(.settledTwice, row.capture, "\(text), also settled as \(rows[0].capture)"))
            }
            // A bundle that was sent in vain may have arrived all the same.
            if sent[bundle]?.accepted.isEmpty == true { continue }
            for row in rows where !answered.contains(row.capture) && rows.count == 1 {
                violations.append(Violation(.unasked, row.capture, text))
            }
        }
        return violations
    }

    // MARK: Order and counters

    /// A phone sends a capture when the one before was answered: so they are settled in that order.
    private func order() -> [Violation] {
        var violations: [Violation] = []
        for entries in Dictionary(grouping: evidence.entries, by: \.sending.device).values {
            var latest: RecordRow?
            for entry in entries.sorted(by: { $0.sending.number < $1.sending.number }) {
                guard let row = entry.accepted.first.flatMap({ rows[$0.capture] }) else { continue }
                if let latest, row.settledAt < latest.settledAt {
                    let story = "\(entry.text): settled before \(latest.capture), which was accepted earlier"
                    violations.append(Violation(.orderViolation, row.capture, story))
                } else {
                    latest = row
                }
            }
        }
        return violations
    }

    private func counters() -> [Violation] {
        var highest: [DeviceID: UInt32] = [:]
        for row in evidence.rows where row.verdict == .verified {
            highest[row.device] = max(highest[row.device] ?? 0, row.counter ?? 0)
        }
        return evidence.regressions.map { Violation(.counterRegression, nil, $0) }
            + highest.filter { evidence.counters[$0.key] != $0.value }.map { device, counter in
                let stored = evidence.counters[device].map(String.init) ?? "none"
                return Violation(.counterRegression, nil, "device \(device): stored \(stored), accepted \(counter)")
            }
    }

    // MARK: What is left

    private func remains() -> [Violation] {
        evidence.leftoverKeys.map { Violation(.leftoverKey, nil, $0) }
            + evidence.openRows.map { Violation(.leftoverRow, nil, $0) }
            + evidence.leftoverFiles.map { Violation(.leftoverFile, nil, $0) } + orphans()
            + evidence.crashes.map { Violation(.crash, nil, $0) }
            + evidence.memory.filter { $0.value > options.memoryBytesMax }.map {
                Violation(.memory, nil, "\($0.key): \($0.value >> 20) MiB")
            }
    }

    /// Bundles that are left to the sweeper: more than what broke can explain, and those of workers that did not break.
    private func orphans() -> [Violation] {
        let most = evidence.orphansMax(options)
        let tooMany =
            evidence.orphans > most
            ? [Violation(.orphan, nil, "\(evidence.orphans) bundles, at the most \(most) by what broke")] : []
        return tooMany
            + evidence.neglected.map { Violation(.orphan, $0, "its worker settled it and went on") }
    }
}

extension Journal.Entry {
    /// Who sent what, in one line.
    var text: String {
        "\(sending.kind.rawValue) #\(sending.number) of device \(sending.device) with counter \(sending.counter)"
    }
}
