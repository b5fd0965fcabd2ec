import Synchronization

/// The number of dedicated connections that may still be opened.
final class DedicatedSlots: Sendable {
    private let free: Atomic<Int>

    init(_ count: Int) {
        free = Atomic(count)
    }

    /// Takes one of the places.
    ///
    /// - Throws: ``RedisError`` with code `backlogFull` if all are taken.
    func take() throws(RedisError) -> DedicatedSlot {
        guard free.subtract(1, ordering: .relaxed).newValue >= 0 else {
            free.add(1, ordering: .relaxed)
            throw RedisError(.backlogFull, "too many dedicated connections are open")
        }
        return DedicatedSlot(slots: self)
    }

    fileprivate func release() {
        free.add(1, ordering: .relaxed)
    }
}

/// The right to one dedicated connection; given back when it is deinitialised.
final class DedicatedSlot: Sendable {
    private let slots: DedicatedSlots

    fileprivate init(slots: DedicatedSlots) {
        self.slots = slots
    }

    deinit { slots.release() }
}
