package import CaptureModel

/// A store whose bytes stay when their capture is gone, until somebody looks for them.
package protocol SweepableBundleStore: BundleStore {
    /// The next captures whose bytes have lain untouched for a time, at most so many, round and round.
    ///
    /// The clock that stamps the bytes tells for how long: it may be another than the caller's.
    func untouched(
        for age: Duration, after position: SweepPosition, limit: Int
    ) async throws(QueueError) -> SweepPage

    /// Removes bytes that were found to belong to no capture, unless they have been touched since they were looked at:
    /// then they have been put again, and are somebody's.
    func removeOrphans(_ orphans: [UntouchedBytes]) async throws(QueueError)

    /// Notes with the bytes of captures that nobody knows these: their age counts from now.
    func markUnknown(_ captures: [CaptureID]) async throws(QueueError)

    /// Takes that note back: somebody knows them again.
    func unmarkUnknown(_ captures: [CaptureID]) async throws(QueueError)
}

/// Where a sweep stands.
package struct SweepPosition: Sendable, Equatable {
    /// Which part of the store.
    package var part: Int
    /// The last name that was looked at in it; empty at its beginning.
    package var name: String

    /// Puts a position together.
    package init(part: Int, name: String = "") {
        self.part = part
        self.name = name
    }
}

/// Bytes that have lain untouched.
package struct UntouchedBytes: Sendable, Equatable {
    /// Whose they are.
    package let capture: CaptureID
    /// When they were touched last, since 1970 by the clock that stamps them.
    package let touchedAt: Duration
    /// How long ago that was, by the same clock.
    package let age: Duration
    /// Whether it is noted with them that nobody knows their capture, and `age` counts from that note.
    package let isMarkedUnknown: Bool

    /// Bytes of a capture, without a note unless one is told of.
    package init(capture: CaptureID, touchedAt: Duration, age: Duration, isMarkedUnknown: Bool = false) {
        self.capture = capture
        self.touchedAt = touchedAt
        self.age = age
        self.isMarkedUnknown = isMarkedUnknown
    }
}

/// What one step of a sweep has found.
package struct SweepPage: Sendable, Equatable {
    /// Captures whose bytes may be nobody's.
    package let captures: [UntouchedBytes]
    /// Where to go on.
    package let next: SweepPosition
    /// Why a part of the store was not looked at; `nil` where it was.
    package let passedBy: QueueError?

    /// Puts a page together.
    package init(captures: [UntouchedBytes], next: SweepPosition, passedBy: QueueError? = nil) {
        self.captures = captures
        self.next = next
        self.passedBy = passedBy
    }
}
