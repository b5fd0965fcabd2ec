import NIOCore

/// How fast requests that were sent ahead of their answers follow each other.
///
/// SwiftNIO looks at its sockets only when no task is left, and each answer makes tasks of the request behind it.
/// Unpaced, some hundred clients with some hundred such requests each would keep every new connection from being
/// accepted until all are answered.
struct PipelinePace {
    /// The time between two of them, several times what an answer without a server takes.
    static let interval = TimeAmount.milliseconds(2)
    /// How many follow at once after a rest.
    static let burst = 64

    /// How many may follow at once.
    private var free = Self.burst
    /// Since when none became free again.
    private var since: NIODeadline

    /// Begins with a rest.
    init(at now: NIODeadline) { since = now }

    /// When the next one may follow.
    mutating func next(at now: NIODeadline) -> NIODeadline {
        let freed = (now - since).nanoseconds / Self.interval.nanoseconds
        free = min(Self.burst, free + Int(freed))
        since = free == Self.burst ? now : since + Self.interval * freed
        return free > 0 ? now : since + Self.interval
    }

    /// Lets one follow, if it may; returns whether it may.
    mutating func take(at now: NIODeadline) -> Bool {
        guard next(at: now) <= now else { return false }
        free -= 1
        return true
    }
}
