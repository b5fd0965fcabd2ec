/// A condition that is noted again and again while it holds: only its beginning and its end are news.
///
/// ```swift
/// var lack = Episode(calm: .seconds(10))
/// if lack.begin(at: now) { logger.warning("connections are refused") }
/// if lack.end(at: now) { logger.notice("connections are taken again") }
/// ```
package struct Episode: Sendable {
    private let calm: Duration
    /// When the condition was noted last; `nil` while it does not hold.
    private var last: ContinuousClock.Instant?

    /// Begins as a condition that does not hold.
    /// - Parameter calm: How long it must not have been noted before it has ended, so that a condition that comes and
    ///   goes counts as one change.
    package init(calm: Duration = .zero) {
        self.calm = calm
    }

    /// Whether the condition holds: from the ``begin(at:)`` that was news to the ``end(at:)`` that was news.
    ///
    /// Time alone does not end it.
    package var isOn: Bool { last != nil }

    /// Notes that the condition holds; returns whether that is news.
    package mutating func begin(at now: ContinuousClock.Instant = .now) -> Bool {
        defer { last = now }
        return last == nil
    }

    /// Notes that the condition does not hold; returns whether that is news, once it was calm for long enough.
    /// - Parameter now: Evaluated only while there is something to end.
    @discardableResult
    package mutating func end(at now: @autoclosure () -> ContinuousClock.Instant = .now) -> Bool {
        guard let last, now() - last >= calm else { return false }
        self.last = nil
        return true
    }
}
