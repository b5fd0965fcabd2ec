public import CaptureModel

/// A store whose bytes stay when their capture is gone, until somebody looks for them.
public protocol SweepableBundleStore: BundleStore {
    /// The next captures whose bytes have lain untouched for a time, at most so many, round and round.
    ///
    /// The clock that stamps the bytes tells for how long: it may be another than the caller's.
    func untouched(
        for age: Duration, after position: SweepPosition, limit: Int
    ) async throws(QueueError) -> SweepPage

    /// Notes with the bytes of captures that nobody knows these: their age counts from now.
    func markUnknown(_ captures: [CaptureID]) async throws(QueueError)

    /// Takes that note back: somebody knows them again.
    func unmarkUnknown(_ captures: [CaptureID]) async throws(QueueError)
}

/// Where a sweep stands.
public struct SweepPosition: Sendable, Equatable {
    /// Which part of the store.
    public var part: Int
    /// The last name that was looked at in it; empty at its beginning.
    public var name: String

    /// Puts a position together.
    public init(part: Int, name: String = "") {
        self.part = part
        self.name = name
    }
}

/// Bytes that have lain untouched.
public struct UntouchedBytes: Sendable, Equatable {
    /// Whose they are.
    public let capture: CaptureID
    /// How long ago they were touched last, by the clock that stamps them.
    public let age: Duration
    /// Whether it is noted with them that nobody knows their capture, and `age` counts from that note.
    public let isMarkedUnknown: Bool

    /// Bytes of a capture, without a note unless one is told of.
    public init(capture: CaptureID, age: Duration, isMarkedUnknown: Bool = false) {
        self.capture = capture
        self.age = age
        self.isMarkedUnknown = isMarkedUnknown
    }
}

/// What one step of a sweep has found.
public struct SweepPage: Sendable, Equatable {
    /// Captures whose bytes may be nobody's.
    public let captures: [UntouchedBytes]
    /// Where to go on.
    public let next: SweepPosition
    /// Why a part of the store was not looked at; `nil` where it was.
    public let passedBy: QueueError?

    /// Puts a page together.
    public init(captures: [UntouchedBytes], next: SweepPosition, passedBy: QueueError? = nil) {
        self.captures = captures
        self.next = next
        self.passedBy = passedBy
    }
}
