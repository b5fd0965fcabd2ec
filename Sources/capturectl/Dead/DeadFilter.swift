import ArgumentParser
import CaptureModel
import CaptureQueue

/// Which dead letters are meant.
struct DeadFilter: ParsableArguments {
    @Option(help: ArgumentHelp("Those whose fault contains this text, in either case.", valueName: "text"))
    var fault: String?

    @Option(help: ArgumentHelp("Those of this device.", valueName: "id"))
    var device: String?

    @Option(
        help: ArgumentHelp("Those that were given up for this reason, as in ATTEMPTS_EXHAUSTED.", valueName: "code"))
    var reason: String?

    /// Whether it leaves any out.
    var isEmpty: Bool { fault == nil && device == nil && reason == nil }

    func validate() throws {
        if let device, DeviceID(device) == nil { throw ValidationError("--device takes a UUID, not '\(device)'") }
        if let reason {
            guard let known = Reason(rawValue: reason.uppercased()) else {
                throw ValidationError(
                    "--reason: '\(reason)' is none; `capturectl dead list --group` shows those there are")
            }
            guard Reason.ofDeadLetters.contains(known) else {
                throw ValidationError("--reason: no capture is given up for \(known.rawValue)")
            }
        }
        // Every fault contains an empty text: what a script has not got must not mean all of them.
        if let fault, fault.allSatisfy(\.isWhitespace) { throw ValidationError("--fault takes a text, not '\(fault)'") }
    }

    /// Whether a dead letter is meant.
    func matches(_ letter: DeadLetter) -> Bool {
        if let device, DeviceID(device) != letter.status.device { return false }
        if let reason, reason.uppercased() != letter.status.reason?.rawValue { return false }
        if let fault, !(letter.status.fault ?? "").lowercased().contains(fault.lowercased()) { return false }
        return true
    }

    /// Hands over the dead letters that are meant, page by page and oldest first, until there are no more or the body
    /// says that it has enough.
    func each(
        of queue: any DeadLetterQueue, after: DeadLetter.Position? = nil, _ body: ([DeadLetter]) -> Bool
    ) async throws(QueueError) {
        let progress = Progress()
        defer { progress.finish() }
        var position = after
        var looked = 0
        repeat {
            let page = try await queue.deadLetters(after: position, limit: Self.pageSize)
            looked += page.letters.count
            progress.show("dead letters: \(looked) looked at")
            guard body(page.letters.filter(matches)) else { return }
            position = page.next
        } while position != nil
    }

    private static let pageSize = 500
}
