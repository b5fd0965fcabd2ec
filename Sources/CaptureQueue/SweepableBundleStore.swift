package import CaptureModel

/// A store that keeps the bytes of a capture that is gone, until a sweep removes them.
package protocol SweepableBundleStore: BundleStore {
    /// The next captures, up to `limit`, whose bytes have lain untouched for `age`; after the last it begins anew.
    ///
    /// The age is by the clock that stamps the bytes, which may not be the caller's.
    func untouched(
        for age: Duration, after position: SweepPosition, limit: Int
    ) async throws(QueueError) -> SweepPage

    /// Removes bytes that belong to no capture, unless they were touched since the sweep saw them.
    ///
    /// Touched bytes were put again, so a capture needs them.
    func removeOrphans(_ orphans: [UntouchedBytes]) async throws(QueueError)

    /// Marks the bytes of captures as unknown: their age counts from now.
    func markUnknown(_ captures: [CaptureID]) async throws(QueueError)

    /// Removes the mark: the captures are known again.
    func unmarkUnknown(_ captures: [CaptureID]) async throws(QueueError)
}

/// Where a sweep stands.
package struct SweepPosition: Sendable, Equatable {
    /// Which part of the store.
    package let part: Int
    /// The last name that was looked at in it; empty at its beginning.
    package let name: String

    /// Memberwise.
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
    /// Whether the bytes are marked as of an unknown capture; `age` counts from the mark then.
    package let isMarkedUnknown: Bool

    /// Memberwise; not marked by default.
    package init(capture: CaptureID, touchedAt: Duration, age: Duration, isMarkedUnknown: Bool = false) {
        self.capture = capture
        self.touchedAt = touchedAt
        self.age = age
        self.isMarkedUnknown = isMarkedUnknown
    }
}

/// What one step of a sweep has found.
package struct SweepPage: Sendable, Equatable {
    /// Captures whose bytes may be orphans.
    package let captures: [UntouchedBytes]
    /// Where to go on.
    package let next: SweepPosition
    /// Why a part of the store was skipped; `nil` if none was.
    package let passedBy: QueueError?

    /// Memberwise.
    package init(captures: [UntouchedBytes], next: SweepPosition, passedBy: QueueError? = nil) {
        self.captures = captures
        self.next = next
        self.passedBy = passedBy
    }
}
