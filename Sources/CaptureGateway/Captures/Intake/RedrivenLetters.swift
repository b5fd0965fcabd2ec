import CaptureModel
import Synchronization

/// The dead letters that this program has put back because they have a result.
final class RedrivenLetters: Sendable {
    /// Beyond this many they are forgotten, and put back once more: they are few, unless somebody makes them.
    private static let capturesMax = 100_000

    private let captures = Mutex(Set<CaptureID>())

    /// Whether a capture was put back.
    func contains(_ capture: CaptureID) -> Bool { captures.withLock { $0.contains(capture) } }

    /// Notes that a capture was put back.
    func note(_ capture: CaptureID) {
        captures.withLock { captures in
            if captures.count >= Self.capturesMax { captures.removeAll() }
            captures.insert(capture)
        }
    }
}
