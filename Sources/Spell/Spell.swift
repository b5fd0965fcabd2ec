/// Something that is so for a while, and is noted over and over: its beginning is news once, and so is its end.
///
/// ```swift
/// var lack = Spell(calm: .seconds(10))
/// if lack.begin(at: now) { logger.warning("connections are refused") }
/// if lack.end(at: now) { logger.notice("connections are taken again") }
/// ```
public struct Spell: Sendable {
    private let calm: Duration
    /// When it was noted last; `nil` while it is not so.
    private var last: ContinuousClock.Instant?

    /// Begins without.
    /// - Parameter calm: How long it may not have been noted before it is over: where it is so and not so in turn, that
    ///   is one change and not many.
    public init(calm: Duration = .zero) {
        self.calm = calm
    }

    /// Whether it is so, or was a moment ago.
    public var isOn: Bool { last != nil }

    /// Notes that it is so; whether that is news.
    public mutating func begin(at now: ContinuousClock.Instant = .now) -> Bool {
        defer { last = now }
        return last == nil
    }

    /// Notes that it is not so; whether that is news, which it is not before it has been calm for long enough.
    /// - Parameter now: Asked only while there is something to end.
    @discardableResult
    public mutating func end(at now: @autoclosure () -> ContinuousClock.Instant = .now) -> Bool {
        guard let last, now() - last >= calm else { return false }
        self.last = nil
        return true
    }
}
