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
                let ledger = PostgresIntakeLedger(client: client)
                try await body(ledger) { captures in
                    let uploads = try await ledger.entries(of: captures).map(\.submission)
                    _ = try await store.settle(
                        captures.map { id in
                            let upload = uploads.first { $0.id == id }
                            return .sample(nil, counter: nil, id: id, upload: upload, rejection: .deviceUnknown)
                        }, policy: .strict)
                }
            }
        }
    }
}
