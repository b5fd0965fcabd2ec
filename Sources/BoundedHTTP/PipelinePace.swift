import NIOCore
import Synchronization

/// How fast requests that were sent ahead of their answers follow each other, over all connections of an event loop.
///
/// SwiftNIO looks at its sockets only when no task is left, and each answer makes tasks of the request behind it.
/// Unpaced, some hundred clients with some hundred such requests each would keep every new connection from being
/// accepted until all are answered.
struct PipelinePace {
    /// The time between two of them, several times what an answer without a server takes.
    static let interval = TimeAmount.milliseconds(2)
    /// How many follow at once after a rest.
    static let burst = 64

    /// How many may follow at once; those that wait for their places count against it.
    private var free = Self.burst
    /// Since when none became free again.
    private var since: NIODeadline

    /// Begins with a rest.
    init(at now: NIODeadline) { since = now }

    /// Takes the next place and returns when it is.
    mutating func place(at now: NIODeadline) -> NIODeadline {
        let freed = (now - since).nanoseconds / Self.interval.nanoseconds
        free = min(Self.burst, free + Int(freed))
        since = free == Self.burst ? now : since + Self.interval * freed
        free -= 1
        return free >= 0 ? now : since + Self.interval * -free
    }
}

/// The paces of a server's event loops.
final class PipelinePaces: Sendable {
    private let byLoop = Mutex<[ObjectIdentifier: NIOLoopBoundBox<PipelinePace>]>([:])

    /// The pace of an event loop.
    func pace(on loop: any EventLoop) -> NIOLoopBoundBox<PipelinePace> {
        byLoop.withLock { paces in
            let key = ObjectIdentifier(loop)
            if let pace = paces[key] { return pace }
            let pace = NIOLoopBoundBox(PipelinePace(at: loop.now), eventLoop: loop)
            paces[key] = pace
            return pace
        }
    }
}
