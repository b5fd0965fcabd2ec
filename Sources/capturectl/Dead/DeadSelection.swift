import ArgumentParser
import CaptureModel
import CaptureOperations
import CaptureQueue

/// Selects the dead letters of an action, and says whether to ask before it.
struct DeadSelection: ParsableArguments {
    @Argument(help: "Ids of captures.", transform: CommandValue.captureID)
    var captures: [CaptureID] = []

    @Flag(help: "All dead letters, or all that the filters leave.")
    var all = false

    @OptionGroup var filter: DeadFilter

    @Flag(help: "Say what would be done, and do nothing.")
    var dryRun = false

    @Flag(help: "Do not ask.")
    var yes = false

    func validate() throws {
        if captures.isEmpty != all {
            throw ValidationError("name captures, or --all with or without filters; not both")
        }
        if !all, !filter.isEmpty { throw ValidationError("filters go with --all") }
    }

    /// The selected dead letters, and the given ids that are none.
    func letters(
        of queue: any DeadLetterQueue
    ) async throws(QueueError) -> (found: [DeadLetter], missing: [CaptureID]) {
        var found: [DeadLetter] = []
        guard !all else {
            try await filter.each(of: queue) {
                found += $0
                return true
            }
            return (found, [])
        }
        var missing: [CaptureID] = []
        var seen: Set<CaptureID> = []
        for id in captures where seen.insert(id).inserted {
            if let letter = try await queue.deadLetter(id) { found.append(letter) } else { missing.append(id) }
        }
        return (found, missing)
    }

    /// The size of their photos and depth maps that still exist, as far as it is known.
    static func bytes(of letters: [DeadLetter]) -> Int {
        letters.filter { !$0.bytes.areMissing }.reduce(0) { $0 + ($1.size ?? 0) }
    }

    /// What is about to be done, in a few lines.
    /// - Parameters:
    ///   - fateOfGone: What happens to letters whose bytes are gone.
    ///   - fateOfLost: What happens, or may help, where Redis has lost the job.
    static func preview(_ letters: [DeadLetter], fateOfGone: String, fateOfLost: String) -> String {
        let devices = Set(letters.map(\.status.device)).count
        let size = letters.allSatisfy { $0.size == nil } ? "size unknown" : TerminalText.bytes(bytes(of: letters))
        var lines = [
            "\(TerminalText.count(letters.count, "dead letter")) of \(TerminalText.count(devices, "device")), \(size)"
        ]
        var groups = DeadLetterGroups()
        groups.add(letters)
        for group in groups.sorted.prefix(5) {
            let reason = group.reason.map { "\($0.rawValue) " } ?? ""
            lines.append(ShownText.line("  \(group.captures) × \(reason)\(group.fault)"))
        }
        if groups.sorted.count > 5 { lines.append("  and \(groups.sorted.count - 5) other faults") }
        let losses = DeadLosses(of: letters)
        if losses.bytesGone > 0 { lines.append("  the bytes of \(losses.bytesGone) are gone: \(fateOfGone)") }
        if losses.bytesNotFound > 0 {
            lines.append(
                "  the bytes of \(losses.bytesNotFound) were not found by a worker, and were not looked for again")
        }
        if losses.jobsLost > 0 { lines.append("  the jobs of \(losses.jobsLost) are lost or malformed: \(fateOfLost)") }
        return lines.joined(separator: "\n")
    }
}
