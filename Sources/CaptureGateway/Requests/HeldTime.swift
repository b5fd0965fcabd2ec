import Synchronization

/// For how long an answer was held back because its caller had asked for that.
///
/// It is no time that the gateway took.
final class HeldTime: Sendable {
    private let time = Mutex(Duration.zero)

    /// All of it so far.
    var total: Duration { time.withLock { $0 } }

    /// Notes that the answer was held back once more.
    func add(_ duration: Duration) {
        time.withLock { $0 += duration }
    }
}
