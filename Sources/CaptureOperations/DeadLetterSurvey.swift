package import CaptureModel
package import CaptureQueue

/// Dead letters that were given up one after the other, grouped by reason and fault.
package struct DeadLetterSurvey: Sendable {
    /// How many letters one survey, or one page of a list, looks at.
    package static let lettersMax = 2_000

    /// Letters of one reason and fault.
    package struct Group: Sendable {
        /// The figures of the group.
        package let figures: DeadLetterGroups.Group
        /// The letters, oldest first.
        package let letters: [DeadLetter]

        /// Why they were given up.
        package var reason: Reason? { figures.reason }
        /// The fault, in words that are safe to show.
        package var fault: String { figures.fault }
    }

    /// The largest first.
    package let groups: [Group]
    /// The place after which the letters were looked at; `nil` if that was from the oldest on.
    package let start: DeadLetter.Position?
    /// Whether there are more letters than were looked at.
    package let isPartial: Bool

    /// Looks at the newest letters.
    package static func takeNewest(of queue: any DeadLetterQueue) async throws(QueueError) -> DeadLetterSurvey {
        try await take(of: queue, after: try await queue.deadLetterPlace(beforeNewest: lettersMax))
    }

    /// Looks at the oldest letters, or the oldest after a place.
    package static func take(
        of queue: any DeadLetterQueue, after start: DeadLetter.Position? = nil
    ) async throws(QueueError) -> DeadLetterSurvey {
        var letters: [DeadLetter] = []
        var position = start
        for _ in 0..<(lettersMax / DeadLetterPage.lettersMax) {
            let page = try await queue.deadLetters(after: position, limit: DeadLetterPage.lettersMax)
            letters += page.letters
            position = page.next
            if position == nil { break }
        }
        return DeadLetterSurvey(letters, start: start, isPartial: start != nil || position != nil)
    }

    private init(_ letters: [DeadLetter], start: DeadLetter.Position?, isPartial: Bool) {
        var groups = DeadLetterGroups()
        groups.add(letters)
        let byCause = Dictionary(grouping: letters) { DeadLetterGroups.Cause(of: $0) }
        self.groups = groups.sorted.map { group in
            Group(figures: group, letters: byCause[DeadLetterGroups.Cause(of: group), default: []])
        }
        self.start = start
        self.isPartial = isPartial
    }

    /// All letters that were looked at, oldest first.
    package var letters: [DeadLetter] { groups.flatMap(\.letters).sorted { $0.position < $1.position } }
}
