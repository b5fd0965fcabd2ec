/// How far a server's clock is ahead of this machine's; negative where it is behind.
///
/// ```swift
/// let offset = try await ClockOffset.measure(now: now) { try await store.serverTime() }
/// if offset.isFar { logger.warning("the clocks differ") }
/// ```
package struct ClockOffset: Sendable, Equatable {
    /// The largest difference that needs no word.
    static let differenceMax = Duration.seconds(2)

    /// How far it is ahead.
    package let ahead: Duration

    /// Names a difference.
    package init(ahead: Duration) {
        self.ahead = ahead
    }

    /// Compares a server's time with the moments between which it was told.
    ///
    /// The least difference that explains the answer counts, so that a slow answer is not taken for a wrong clock.
    package init(of theirs: Timestamp, between before: Timestamp, and after: Timestamp) {
        ahead = theirs < before ? theirs.since(before) : max(.zero, theirs.since(after))
    }

    /// Asks a server for its time.
    /// - Parameter now: This machine's clock.
    package static func measure<Failure: Error>(
        now: TimeSource, _ ask: () async throws(Failure) -> Timestamp
    ) async throws(Failure) -> ClockOffset {
        let before = now()
        let theirs = try await ask()
        return ClockOffset(of: theirs, between: before, and: now())
    }

    /// Whether the clocks differ by more than ``differenceMax``.
    package var isFar: Bool { ahead > Self.differenceMax || ahead < .zero - Self.differenceMax }
}
