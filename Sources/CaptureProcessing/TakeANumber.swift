import Synchronization

/// Hands out 0, 1, 2, … to whoever asks, each once.
final class TakeANumber: Sendable {
    private let next = Atomic(0)

    func take() -> Int {
        next.add(1, ordering: .relaxed).oldValue
    }
}
