public import CaptureModel

/// A store whose bytes stay when their capture is gone, until somebody looks for them.
public protocol SweepableBundleStore: BundleStore {
    /// The next captures whose bytes have lain untouched for a time, at most so many, round and round.
    ///
    /// The clock that stamps the bytes tells for how long: it may be another than the caller's.
    func untouched(
        for age: Duration, after position: SweepPosition, limit: Int
    ) async throws(QueueError) -> SweepPage
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

    /// Puts the two together.
    public init(capture: CaptureID, age: Duration) {
        self.capture = capture
        self.age = age
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
