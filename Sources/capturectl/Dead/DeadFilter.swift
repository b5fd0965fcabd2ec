import ArgumentParser
import CaptureModel
import CaptureQueue

/// Selects dead letters: each option given must match, with any of its values if it is repeated.
struct DeadFilter: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Those whose fault contains this text, in either case; may be repeated.", valueName: "text"))
    var fault: [String] = []

    @Option(
        help: ArgumentHelp("Those of this device; may be repeated.", valueName: "device"),
        transform: CommandValue.deviceID)
    var device: [DeviceID] = []

    @Option(
        help: ArgumentHelp(
            "Those that were given up for this reason, as in ATTEMPTS_EXHAUSTED; may be repeated.", valueName: "code"))
    var reason: [String] = []

    /// Whether it selects all.
    var isEmpty: Bool { fault.isEmpty && device.isEmpty && reason.isEmpty }

    func validate() throws {
        for reason in reason {
            guard let known = Reason(rawValue: reason.uppercased()) else {
                throw ValidationError(
                    "--reason: '\(reason)' is not a reason; `capturectl dead list --group` shows those there are")
            }
            guard Reason.ofDeadLetters.contains(known) else {
                throw ValidationError("--reason: no capture is given up for \(known.rawValue)")
            }
        }
        // Every fault contains the empty text: a script's unset variable must not select all of them.
        for fault in fault where fault.allSatisfy(\.isWhitespace) {
            throw ValidationError("--fault takes a text, not '\(fault)'")
        }
    }

    /// Whether a dead letter is selected.
    func matches(_ letter: DeadLetter) -> Bool {
        let status = letter.status
        // By bytes, as a fault may be anybody's text: to search combining marks as text takes the square of their length.
        let words = (status.fault ?? "").lowercased().utf8
        return (device.isEmpty || device.contains(status.device))
            && (reason.isEmpty || reason.contains { $0.uppercased() == status.reason?.rawValue })
            && (fault.isEmpty || fault.contains { words.contains($0.lowercased().utf8) })
    }

    /// Passes the selected dead letters to a body, page by page and oldest first.
    ///
    /// It ends when there are no more, or when the body says that it has enough.
    func each(
        of queue: any DeadLetterQueue, after: DeadLetter.Position? = nil, _ body: ([DeadLetter]) -> Bool
    ) async throws(QueueError) {
        let progress = Progress()
        defer { progress.finish() }
        var position = after
        var looked = 0
        repeat {
            let page = try await queue.deadLetters(after: position, limit: DeadLetterPage.lettersMax)
            looked += page.letters.count
            progress.show("dead letters: \(looked) looked at")
            guard body(page.letters.filter(matches)) else { return }
            position = page.next
        } while position != nil
    }
}
