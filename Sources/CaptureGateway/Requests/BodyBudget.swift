import Synchronization

/// Bounds the bytes of all bodies of one kind in this gateway's memory, and each client's share of them.
///
/// There is a budget for uploads, and one for everything else.
///
/// A client may hold three times what it leaves free, and one whole body in any case. So one alone has three
/// quarters, two have three sevenths each, and something is left for whoever comes next (Choudhury and Hahne, "Dynamic
/// queue length thresholds for shared-memory packet switches", 1998). Clients are told apart by their addresses: a
/// device's id is no secret, and whoever knew one could use its owner's share up.
final class BodyBudget: Sendable {
    private struct Holding {
        var bytes = 0
        /// When the client wanted more than its share.
        var refusedAt: ContinuousClock.Instant?
    }

    private struct State {
        var held = 0
        /// By client: of those who hold something.
        var holdings: [String: Holding] = [:]
        /// When there was too little for a client within its share.
        var refusedAt: ContinuousClock.Instant?
    }

    /// How many times the free bytes a client may hold; of connections, too, see ``ConnectionLimit``.
    static let shareOfFree = 3

    private let bytesMax: Int
    private let bodyBytesMax: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - bytesMax: Bytes of all bodies.
    ///   - bodyBytesMax: Bytes of the largest one.
    init(bytesMax: Int, bodyBytesMax: Int) {
        self.bytesMax = bytesMax
        self.bodyBytesMax = bodyBytesMax
    }

    /// For tests: bytes that are reserved now.
    var bytesReserved: Int { state.withLock { $0.held } }

    /// Opens an account for one body; `nil` when the bytes that it announces are not free for its client.
    func reserve(_ bytes: Int, for client: String) -> BodyReservation? {
        take(bytes, for: client) ? BodyReservation(budget: self, client: client, bytes: bytes) : nil
    }

    /// Whether there was too little lately, for anybody or for this very client: then slow senders make room.
    func wasShort(for client: String, within time: Duration) -> Bool {
        let refusals = state.withLock { [$0.refusedAt, $0.holdings[client]?.refusedAt] }
        return refusals.contains { $0.map { $0.duration(to: .now) < time } ?? false }
    }

    fileprivate func take(_ bytes: Int, for client: String) -> Bool {
        // Nothing is held that would have to be given back.
        if bytes == 0 { return true }
        return state.withLock { state in
            let free = bytesMax - state.held - bytes
            let holding = (state.holdings[client]?.bytes ?? 0) + bytes
            // It wants more than its share: only its own slow bodies have to make room.
            guard holding <= max(bodyBytesMax, free * Self.shareOfFree) else {
                state.holdings[client]?.refusedAt = .now
                return false
            }
            guard free >= 0 else {
                state.refusedAt = .now
                return false
            }
            state.held += bytes
            state.holdings[client, default: Holding()].bytes = holding
            return true
        }
    }

    fileprivate func release(_ bytes: Int, of client: String) {
        if bytes == 0 { return }
        state.withLock { state in
            state.held -= bytes
            state.holdings[client]?.bytes -= bytes
            if state.holdings[client]?.bytes == 0 { state.holdings[client] = nil }
        }
    }
}

/// The bytes of one body in the budget; they are free again when it goes away, however the request ends.
final class BodyReservation: Sendable {
    private let budget: BodyBudget
    private let client: String
    private let bytes: Mutex<Int>

    fileprivate init(budget: BodyBudget, client: String, bytes: Int) {
        self.budget = budget
        self.client = client
        self.bytes = Mutex(bytes)
    }

    deinit {
        budget.release(bytes.withLock { $0 }, of: client)
    }

    /// Sees to it that so many bytes are reserved in all; `false` when they are not free.
    func cover(_ total: Int) -> Bool {
        bytes.withLock { bytes in
            guard total > bytes else { return true }
            guard budget.take(total - bytes, for: client) else { return false }
            bytes = total
            return true
        }
    }
}
