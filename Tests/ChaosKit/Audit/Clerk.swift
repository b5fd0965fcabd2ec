import CaptureModel
import Foundation

/// Gathers the evidence when a run is over, and puts the report together.
struct Clerk: Sendable {
    let stage: Stage
    let journal: Journal
    let record: RecordReader
    let faults: [FaultRecord]
    let options: ChaosOptions

    /// Histories of more captures than these help nobody.
    private static let historiesMax = 12

    /// Audits, and tells what is known about whatever is wrong.
    func report(drained: Duration) async throws -> ChaosReport {
        let evidence = try await evidence()
        let violations = Auditor(evidence, options).violations()
        var histories: [String] = []
        for violation in violations.prefix(Self.historiesMax) {
            histories.append(try await history(of: violation, evidence))
        }
        let kinds = Dictionary(grouping: evidence.entries, by: \.sending.kind.rawValue).mapValues(\.count)
        return ChaosReport(
            seed: options.seed, seconds: options.duration / .seconds(1), accepted: journal.acceptedCount, sent: kinds,
            answers: journal.answers, results: evidence.rows.count, drainSeconds: drained / .seconds(1),
            settledWithin: Recovery.latencies(entries: evidence.entries, rows: evidence.rows),
            memory: evidence.memory.mapValues { $0 >> 20 },
            recoveries: Recovery.times(of: faults, entries: evidence.entries, rows: evidence.rows),
            orphans: evidence.orphans, hidFiles: stage.bundles.map { !$0.wasUsed } ?? false, violations: violations,
            histories: histories
        )
    }

    private func evidence() async throws -> Evidence {
        let queue = QueueReader(stage)
        var evidence = Evidence(
            entries: journal.entries, rows: try await record.rows(), counters: try await record.counters()
        )
        evidence.regressions = try await stage.watch.regressions()
        evidence.dead = try await queue.dead()
        evidence.leftoverKeys = try await queue.leftovers(besides: evidence.dead)
        evidence.openRows = try await record.openRows()
        evidence.faults = faults.map(\.fault)
        // Dead letters keep theirs.
        let orphans = Set(try bundlesLeft().compactMap(Self.capture)).subtracting(evidence.dead)
        evidence.orphans = orphans.count
        evidence.neglected = await neglected(among: Array(orphans), evidence)
        try await stage.sweepBundles()
        evidence.leftoverFiles = try bundlesLeft().filter { path in
            Self.capture(path).map { !evidence.dead.contains($0) } ?? true
        }
        for slot in stage.slots {
            evidence.crashes += await slot.crashes
            evidence.memory[slot.name.description] = await slot.peakBytes
        }
        return evidence
    }

    /// What lies in the programs' bundle folder.
    private func bundlesLeft() throws -> [String] { try stage.bundles?.remains() ?? [] }

    /// The capture of a folder of bundles, `<2 hex>/<capture>`, and of all that lies in it.
    private static func capture(_ path: String) -> CaptureID? {
        path.split(separator: "/").dropFirst().first.flatMap { CaptureID($0) }
    }

    /// Those whose files a worker had the time to remove: longer than one may be frozen and the files may take.
    private func neglected(among orphans: [CaptureID], _ evidence: Evidence) async -> [CaptureID] {
        var settled: Set<CaptureID> = []
        for slot in stage.slots { settled.formUnion(await slot.settled(andWentOnFor: .seconds(20))) }
        let sentOnce = evidence.sentOnce
        return orphans.filter { settled.contains($0) && sentOnce.contains($0) }
    }

    /// Everything that anybody knows about a capture.
    private func history(of violation: Violation, _ evidence: Evidence) async throws -> String {
        var lines = ["seed \(options.seed): \(violation.kind.rawValue): \(violation.story)"]
        guard let capture = violation.capture else { return lines[0] }
        lines.append("  capture \(capture)")
        if let entry = evidence.entries.first(where: { $0.accepted.contains { $0.capture == capture } }) {
            lines.append("  first sent \(entry.sentAt.rfc3339)")
            lines += entry.setbacks.map { "  \($0.at.rfc3339) \($0.text)" }
            lines += entry.accepted.map { "  \($0.at.rfc3339) 202 \($0.capture)" }
            lines += around(entry, evidence)
        }
        let rows = evidence.rows.filter { $0.capture == capture }
        lines += rows.map { "  \($0.settledAt.rfc3339) settled: \($0.verdict)" }
        lines.append("  in Redis: \(try await QueueReader(stage).job(capture))")
        for slot in stage.slots {
            lines += await slot.lines(containing: capture.description).map { "  \($0)" }
        }
        return lines.joined(separator: "\n")
    }

    /// The faults while a capture was sent and settled.
    private func around(_ entry: Journal.Entry, _ evidence: Evidence) -> [String] {
        let end = evidence.rows.first { $0.capture == entry.accepted[0].capture }?.settledAt
        return faults.filter { $0.ended >= entry.sentAt && $0.began <= end ?? $0.began }
            .map { "  \($0.began.rfc3339) to \($0.ended.rfc3339) \($0.fault)" }
    }
}
