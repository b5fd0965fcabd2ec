import Synchronization

/// How many bytes all uploads of this gateway may hold in memory at once.
final class UploadBudget: Sendable {
    private let bytesMax: Int
    private let bytesHeld = Mutex(0)
    private let refusedAt = Mutex<ContinuousClock.Instant?>(nil)

    init(bytesMax: Int) {
        self.bytesMax = bytesMax
    }

    /// Bytes that are reserved now.
    var bytesReserved: Int { bytesHeld.withLock { $0 } }

    /// Opens an account for one upload; `nil` when the bytes that it announces are not free.
    func reserve(_ bytes: Int) -> UploadReservation? {
        take(bytes) ? UploadReservation(budget: self, bytes: bytes) : nil
    }

    /// Whether there was too little for somebody lately: then who is slow makes room.
    func wasShort(within time: Duration) -> Bool {
        refusedAt.withLock { $0.map { $0.duration(to: .now) < time } ?? false }
    }

    fileprivate func take(_ bytes: Int) -> Bool {
        let isTaken = bytesHeld.withLock { held in
            guard bytes <= bytesMax - held else { return false }
            held += bytes
            return true
        }
        if !isTaken { refusedAt.withLock { $0 = .now } }
        return isTaken
    }

    fileprivate func giveBack(_ bytes: Int) {
        bytesHeld.withLock { $0 -= bytes }
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
