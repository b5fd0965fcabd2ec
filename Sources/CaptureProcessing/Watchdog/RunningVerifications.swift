package import CaptureModel
import Synchronization

/// The captures that are being verified at this moment, and how long each has taken so far.
///
/// Verifying threads write it and the ``Watchdog`` reads it; no call waits for longer than a dictionary takes.
package final class RunningVerifications: Sendable {
    private struct State {
        var next = 0
        var captures: [Int: (id: CaptureID, spent: Duration)] = [:]
    }

    private let state = Mutex(State())

    /// Starts with none.
    package init() {}

    /// Does some work, and counts its captures among those being verified meanwhile.
    func with<Value>(_ captures: some Collection<CaptureID>, _ work: () -> Value) -> Value {
        let places = state.withLock { state in
            let first = state.next + 1
            for capture in captures {
                state.next += 1
                state.captures[state.next] = (capture, .zero)
            }
            return first..<(first + captures.count)
        }
        defer {
            state.withLock { state in
                for place in places { state.captures.removeValue(forKey: place) }
            }
        }
        return work()
    }

    /// Charges every such capture with elapsed time, and returns those that have used up more than the deadline.
    func charge(_ time: Duration, deadline: Duration) -> [CaptureID] {
        state.withLock { state in
            for place in state.captures.keys { state.captures[place]?.spent += time }
            return state.captures.sorted { $0.key < $1.key }.filter { $0.value.spent > deadline }.map(\.value.id)
        }
    }

    /// The captures being verified, longest first.
    package var captures: [CaptureID] {
        state.withLock { $0.captures.sorted { $0.key < $1.key }.map(\.value.id) }
    }
}
