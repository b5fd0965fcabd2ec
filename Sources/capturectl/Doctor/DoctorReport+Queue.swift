import RedisCaptureQueue

extension DoctorReport {
    /// The checks of the queue by itself.
    static let ofQueue = [keys, tokens, jobs, bytes, bundles, dead, levels]

    /// The lines of those checks; of an examination that was told to stop only what it has found wrong until then.
    static func checks(of examination: QueueExamination) -> [DoctorCheck] {
        let figures = [
            keys: "each of the queue's type, and lasting where it should be",
            tokens: "\(TerminalText.count(examination.lanes, "lane")), one token each",
            jobs: "\(TerminalText.count(examination.waiting.count, "capture")) waiting",
            bytes: "every capture that is kept in Redis has its own",
            bundles: "each leads to its capture",
            dead: TerminalText.count(examination.failed.count, "dead letter"),
            levels: "as counted",
        ]
        return ofQueue.compactMap { name -> DoctorCheck? in
            let findings = examination.findings.filter { $0.fault.check == name }
            guard findings.isEmpty else { return problem(name, findings, of: examination) }
            guard examination.isWhole else { return nil }
            if examination.skipped.contains(where: { $0.check == name }) {
                return .note(name, "not everything looked at", damaged)
            }
            if name == tokens, examination.undecided > 0 {
                return .note(
                    name, "\(TerminalText.count(examination.undecided, "lane")) not decided about",
                    "the queue is too busy; look again later")
            }
            if name == levels, !examination.countersCompared {
                return .ok(name, "as counted, as far as captures that came and went let tell")
            }
            return .ok(name, figures[name] ?? "")
        }
    }

    /// What to do where more can be repaired than one look keeps.
    static let rest = "one --fix repairs so many of a kind: call it again for the rest"

    private static func problem(
        _ name: String, _ findings: [QueueFinding], of examination: QueueExamination
    ) -> DoctorCheck {
        let crowded = examination.crowded
        let groups = Dictionary(grouping: findings, by: \.fault).sorted { $0.key < $1.key }
        let counts = groups.map { fault, found in
            "\(crowded.contains(fault) ? "more than " : "")\(found.count) × \(fault.rawValue)"
        }
        let hasRest = groups.contains { $0.key.canBeMended && crowded.contains($0.key) }
        return .problem(
            name, counts.joined(separator: ", ") + (examination.isWhole ? "" : " so far"),
            groups.map(\.key.meaning).joined(separator: "; "),
            repair: (groups.map(\.key.repair) + (hasRest ? [rest] : [])).joined(separator: "; "),
            examples: findings.prefix(DoctorCheck.examplesMax).map {
                groups.count == 1 ? $0.subject : "\($0.fault.rawValue) \($0.subject)"
            }
        )
    }
}
