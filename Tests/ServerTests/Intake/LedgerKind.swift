import CaptureModel
import CaptureStore
import PostgresCaptureStore
import Synchronization
import TestSupport

/// The ledgers that keep the same promises.
enum LedgerKind: CaseIterable, Sendable {
    case memory, postgres

    /// Runs a body on an empty ledger, with what closes rows.
    func withLedger(
        _ body: (any IntakeLedger, @Sendable ([CaptureID]) async throws -> Void) async throws -> Void
    ) async throws {
        switch self {
        case .memory:
            let seconds = Mutex(0)
            let ledger = MemoryIntakeLedger {
                seconds.withLock { seconds in
                    seconds += 1
                    return moment(seconds)
                }
            }
            try await body(ledger) { await ledger.close($0) }
        case .postgres:
            try await withPostgresStore { store, client async throws in
                try await body(PostgresIntakeLedger(client: client)) { captures in
                    _ = try await store.settle(
                        captures.map { .sample(nil, counter: nil, id: $0, rejection: .deviceUnknown) }, policy: .strict)
                }
            }
        }
    }
}
