import CaptureModel
import Synchronization

/// The dead letters that this program has put back because they have a result.
final class RedrivenLetters: Sendable {
    private let captures = Mutex(Set<CaptureID>())

    /// Whether a capture was put back.
    func contains(_ capture: CaptureID) -> Bool { captures.withLock { $0.contains(capture) } }

    /// Notes that a capture was put back.
    func note(_ capture: CaptureID) { captures.withLock { _ = $0.insert(capture) } }
}
