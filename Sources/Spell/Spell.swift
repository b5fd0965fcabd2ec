/// A condition that holds for a while and is noted again and again: only its beginning and its end are news.
///
/// ```swift
/// var lack = Spell(calm: .seconds(10))
/// if lack.begin(at: now) { logger.warning("connections are refused") }
/// if lack.end(at: now) { logger.notice("connections are taken again") }
/// ```
package struct Spell: Sendable {
    private let calm: Duration
    /// When the condition was noted last; `nil` while it does not hold.
    private var last: ContinuousClock.Instant?

    /// Begins as one that does not hold.
    /// - Parameter calm: How long it must not have been noted before it is over. So a condition that comes and goes is one
    ///   change, and not many.
    package init(calm: Duration = .zero) {
        self.calm = calm
    }

    /// Whether the condition holds, or did a moment ago.
    package var isOn: Bool { last != nil }

    /// Notes that the condition holds; says whether that is news.
    package mutating func begin(at now: ContinuousClock.Instant = .now) -> Bool {
        defer { last = now }
        return last == nil
    }

    /// Notes that the condition does not hold; says whether that is news, which takes that it was calm for long enough.
    /// - Parameter now: Asked only while there is something to end.
    @discardableResult
    package mutating func end(at now: @autoclosure () -> ContinuousClock.Instant = .now) -> Bool {
        guard let last, now() - last >= calm else { return false }
        self.last = nil
        return true
    }
}
