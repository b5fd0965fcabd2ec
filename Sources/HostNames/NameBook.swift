/// The known addresses of names, and who waits for which name: it only decides, ``HostNames`` acts.
struct NameBook<Waiter> {
    /// The outcome of asking for a name.
    struct Asked: Sendable {
        let id: UInt64
        /// The addresses that were found last.
        let known: [String]
        /// Until when to wait for newer addresses, counted from the lookup's start: a late one delays nobody else.
        let patientUntil: ContinuousClock.Instant
        /// Whether the caller must begin a lookup.
        let isFirst: Bool
    }

    private struct Entry {
        var known: [String] = []
        /// When the lookup under way began; `nil` if there is none.
        var began: ContinuousClock.Instant?
        var waiters: [(id: UInt64, waiter: Waiter)] = []
        /// The id of the last question about the name.
        var lastID: UInt64 = 0
    }

    private let namesMax: Int
    private let patience: Duration
    private var entries: [String: Entry] = [:]
    private var lastID: UInt64 = 0

    init(namesMax: Int, patience: Duration) {
        precondition(namesMax > 0, "a book without room for a name")
        self.namesMax = namesMax
        self.patience = patience
    }

    /// Puts a waiter in line; `nil` where there is no room for another name.
    mutating func ask(_ name: String, _ waiter: Waiter, at now: ContinuousClock.Instant) -> Asked? {
        guard entries[name] != nil || makeRoom() else { return nil }
        lastID += 1
        var entry = entries[name] ?? Entry()
        let isFirst = entry.began == nil
        let began = entry.began ?? now
        entry.began = began
        entry.waiters.append((lastID, waiter))
        entry.lastID = lastID
        entries[name] = entry
        return Asked(id: lastID, known: entry.known, patientUntil: began + patience, isFirst: isFirst)
    }

    /// Takes a waiter out of the line, if it is there.
    mutating func withdraw(_ id: UInt64, _ name: String) {
        entries[name]?.waiters.removeAll { $0.id == id }
    }

    /// Ends a lookup, and returns the waiters and the answer for them.
    mutating func end(
        _ name: String, _ found: Result<[String], NameFault>
    ) -> (waiters: [Waiter], answer: Result<[String], NameFault>) {
        guard var entry = entries[name] else { return ([], found) }
        let waiters = entry.waiters.map(\.waiter)
        if case .success(let addresses) = found { entry.known = addresses }
        entry.waiters = []
        entry.began = nil
        entries[name] = entry
        return (waiters, entry.known.isEmpty ? found : .success(entry.known))
    }

    /// Forgets the name that was not asked for longest and has no lookup under way; `false` if there is none.
    private mutating func makeRoom() -> Bool {
        guard entries.count >= namesMax else { return true }
        let idle = entries.filter { $0.value.began == nil }
        guard let oldest = idle.min(by: { $0.value.lastID < $1.value.lastID })?.key else { return false }
        entries[oldest] = nil
        return true
    }
}
