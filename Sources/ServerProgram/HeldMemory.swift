/// The memory that a process holds, and how much of it is freed.
struct HeldMemory: Sendable {
    /// All of it.
    let bytes: Int
    /// What of it was freed and could go back to the system.
    let freedBytes: Int

    /// What went back to the system until a later look.
    ///
    /// Memory that came into use meanwhile counts as well: it may have taken new pages, and would hide as many that
    /// went back.
    func bytesReturned(until later: HeldMemory) -> Int {
        let growth = (later.bytes - later.freedBytes) - (bytes - freedBytes)
        return bytes - later.bytes + max(0, growth)
    }
}
