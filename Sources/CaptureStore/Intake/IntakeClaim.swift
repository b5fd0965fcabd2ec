package import CaptureModel

/// What has become of the open rows that somebody wanted to claim.
package struct IntakeClaim: Sendable, Equatable {
    /// The claimed rows, in the order of acceptance.
    package let entries: [IntakeEntry]
    /// The captures whose open rows somebody else keeps locked: their rows are as they were.
    package let locked: Set<CaptureID>

    /// Notes both; without arguments, nothing was to be claimed.
    package init(entries: [IntakeEntry] = [], locked: Set<CaptureID> = []) {
        self.entries = entries
        self.locked = locked
    }

    /// Adds what a second claim, of the rows that were locked, has come to.
    package func followed(by second: IntakeClaim) -> IntakeClaim {
        IntakeClaim(
            entries: (entries + second.entries).sorted { $0.place < $1.place }, locked: second.locked)
    }
}

extension IntakeLedger {
    /// Claims the open row of a capture; returns `nil` if there is none.
    /// - Throws: ``StoreError`` with code `conflict` if somebody else keeps the row locked.
    package func claim(_ capture: CaptureID) async throws(StoreError) -> IntakeEntry? {
        let outcome = try await claim([capture])
        guard outcome.locked.isEmpty else { throw StoreError(.conflict, "somebody else keeps the ledger's row locked") }
        return outcome.entries.first
    }
}
