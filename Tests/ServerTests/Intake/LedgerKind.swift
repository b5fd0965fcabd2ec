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
            try await withGrantedStore { store, client async throws in
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

extension LedgerKind {
    /// Captures of one device, one a second.
    static func uploads(_ count: Int, seed: UInt64 = 1) -> [CaptureSubmission] {
        var maker = SubmissionMaker(seed: seed)
        let device = maker.device()
        return (0..<count).map { maker.submission(of: device, receivedAt: moment($0)) }
    }

    /// The same bundle under another id, as it is sent again.
    static func again(_ first: CaptureSubmission, seed: UInt64 = 99) -> CaptureSubmission {
        var maker = SubmissionMaker(seed: seed)
        return maker.submission(of: first.device, digest: first.bundleDigest, receivedAt: moment(50))
    }
}
