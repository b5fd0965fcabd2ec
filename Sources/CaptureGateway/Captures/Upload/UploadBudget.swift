import Synchronization

/// How many bytes all uploads of this gateway may hold in memory at once.
final class UploadBudget: Sendable {
    private let bytesMax: Int
    private let state = Mutex((held: 0, refusedAt: ContinuousClock.Instant?.none))

    init(bytesMax: Int) {
        self.bytesMax = bytesMax
    }

    /// Bytes that are reserved now.
    var bytesReserved: Int { state.withLock { $0.held } }

    /// Opens an account for one upload; `nil` when the bytes that it announces are not free.
    func reserve(_ bytes: Int) -> UploadReservation? {
        take(bytes) ? UploadReservation(budget: self, bytes: bytes) : nil
    }

    /// Whether there was too little for somebody lately: then who is slow makes room.
    func wasShort(within time: Duration) -> Bool {
        state.withLock { $0.refusedAt.map { $0.duration(to: .now) < time } ?? false }
    }

    fileprivate func take(_ bytes: Int) -> Bool {
        state.withLock { state in
            guard bytes <= bytesMax - state.held else {
                state.refusedAt = .now
                return false
            }
            state.held += bytes
            return true
        }
    }

    fileprivate func giveBack(_ bytes: Int) {
        state.withLock { $0.held -= bytes }
    }
}

/// The bytes of one upload in the budget; they are free again when it goes away, however the upload ends.
final class UploadReservation: Sendable {
    private let budget: UploadBudget
    private let bytes: Mutex<Int>

    fileprivate init(budget: UploadBudget, bytes: Int) {
        self.budget = budget
        self.bytes = Mutex(bytes)
    }

    deinit {
        budget.giveBack(bytes.withLock { $0 })
    }

    /// Sees to it that so many bytes are reserved in all; `false` when they are not free.
    func cover(_ total: Int) -> Bool {
        bytes.withLock { bytes in
            guard total > bytes else { return true }
            guard budget.take(total - bytes) else { return false }
            bytes = total
            return true
        }
    }
}
