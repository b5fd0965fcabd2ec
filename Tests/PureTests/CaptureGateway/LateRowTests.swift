import CaptureModel
import IntakeJournal
import Logging
import TestSupport
import Testing

@testable import CaptureGateway

/// A gateway that stood still between an upload's bytes and its row: a paused machine, for example.
@Suite("An upload whose row comes late", .timeLimit(.minutes(1)))
struct LateRowTests {
    /// In files nobody looks for the bytes when the capture is enqueued.
    @Test func `bytes that were swept before the row was there are stored again before the answer`() async throws {
        let backend = CapturesGateway.Backend(limits: .init(), hasLedger: true)
        let ledger = try #require(backend.gatedLedger)
        let gate = Gate()
        ledger.hold(recordsAt: gate)
        let journal = IntakeJournal(
            ledger: ledger, limits: IntakeJournal.Limits(groupMax: 1, backlogMax: 1, waitMax: .seconds(50)))
        // Any row is late.
        var limits = GatewayConfiguration.Intake()
        limits.wait = .zero
        let acceptance = Acceptance(limits: limits, dependencies: backend.dependencies, journal: journal)
        let (bundle, device) = (try SampleBundle.read(), backend.device)
        let writing = Task { try await journal.run() }
        defer { writing.cancel() }
        let upload = Task {
            try await acceptance.accept(bundle, of: device, traceParent: nil, logger: .quiet) { true }
        }
        await gate.untilReached()
        let stored = backend.bundles.captures
        #expect(stored.count == 1)
        try await backend.bundles.removeSettled(stored)
        #expect(backend.bundles.count == 0)
        gate.open()
        let accepted = try await upload.value
        #expect(stored == [accepted.id] && accepted.state == .queued && !accepted.isDuplicate)
        #expect(backend.bundles.contains(accepted.id))
    }
}
