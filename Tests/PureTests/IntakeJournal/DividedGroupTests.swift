import CaptureModel
import CaptureStore
import TestSupport
import Testing

@testable import IntakeJournal

/// One of the uploads meets a conflict, or another fault, whenever it is written.
@Suite(.timeLimit(.minutes(1))) struct `Groups that meet a conflict` {
    private static let conflict = StoreError(.conflict, "somebody else is changing the row")

    private func run(
        held: CaptureSubmission, fault: StoreError = conflict, time: ManualTime = ManualTime(),
        _ body: @Sendable (IntakeJournal, SlowLedger) async throws -> Void
    ) async throws {
        let slow = SlowLedger(held: held.bundleDigest, fault: fault)
        let journal = IntakeJournal(
            ledger: RecordingLedger(slow: slow),
            limits: IntakeJournal.Limits(groupMax: 256, backlogMax: 1024, waitMax: .seconds(50)),
            now: { time.monotonic })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await journal.run() }
            try await body(journal, slow)
            group.cancelAll()
        }
    }

    private static func submission(_ seed: UInt64) -> CaptureSubmission {
        SubmissionMaker.submission(seed: seed)
    }

    /// Returns the id of an upload that meets the fault, and `nil` for one that is recorded.
    private static func refused(
        _ seed: UInt64, for fault: StoreError = conflict, by journal: IntakeJournal
    ) async throws -> CaptureID? {
        let upload = submission(seed)
        do throws(StoreError) {
            _ = try await journal.record(upload)
            return nil
        } catch  where error.code == fault.code {
            return upload.id
        }
    }

    @Test(arguments: [
        conflict, StoreError(.refused, "a rule of the table"), StoreError(.refused, "invalid page", scope: .damage),
    ])
    func `a group is halved until the culprit is alone`(fault: StoreError) async throws {
        let held = Self.submission(3)
        try await run(held: held, fault: fault) { journal, slow async throws in
            try await withThrowingTaskGroup(of: CaptureID?.self) { uploads in
                uploads.addTask { try await Self.refused(0, for: fault, by: journal) }
                _ = await slow.untilBegun(1)
                for seed in 1...8 as ClosedRange<UInt64> {
                    uploads.addTask { try await Self.refused(seed, for: fault, by: journal) }
                }
                try await eventually { journal.waiting == 8 }
                for count in 2...8 {
                    await slow.commit()
                    _ = await slow.untilBegun(count)
                }
                await slow.commit()
                var refused: [CaptureID] = []
                for try await id in uploads {
                    if let id { refused.append(id) }
                }
                #expect(refused == [held.id])
                #expect(await slow.untilBegun(8) == [1, 8, 4, 4, 2, 2, 1, 1])
                // A conflict has shown that the row is held for longer than a moment; another fault says nothing of rows.
                let short = fault.code == .conflict ? WaitingUploads.shortLockWait : nil
                #expect(await slow.lockWaits == [nil, nil, short, short, short, short, short, short])
            }
        }
    }

    /// An answer that cannot be read may be that of a group which is recorded: no part of it may be told otherwise.
    @Test(arguments: [StoreError(.unavailable, "the database is away"), StoreError(.malformedRow, "no first_id")])
    func `a group whose fault is everybody's, or whose answer cannot be read, is not divided`(
        fault: StoreError
    ) async throws {
        try await run(held: Self.submission(1), fault: fault) { journal, slow async throws in
            async let before = journal.record(Self.submission(0))
            _ = await slow.untilBegun(1)
            async let first = Self.refused(1, for: fault, by: journal)
            async let second = Self.refused(2, for: fault, by: journal)
            try await eventually { journal.waiting == 2 }
            await slow.commit()
            #expect(await slow.untilBegun(2) == [1, 2])
            await slow.commit()
            #expect(try await before == .recorded)
            #expect(try await [first, second] == [Self.submission(1).id, Self.submission(2).id])
        }
    }

    @Test func `a new upload waits for one part of a divided group, not for all of them`() async throws {
        try await run(held: Self.submission(3)) { journal, slow async throws in
            try await withThrowingTaskGroup(of: CaptureID?.self) { uploads in
                uploads.addTask { try await Self.refused(0, by: journal) }
                _ = await slow.untilBegun(1)
                for seed in 1...4 as ClosedRange<UInt64> {
                    uploads.addTask { try await Self.refused(seed, by: journal) }
                }
                try await eventually { journal.waiting == 4 }
                await slow.commit()
                _ = await slow.untilBegun(2)
                for seed in 5...7 as ClosedRange<UInt64> {
                    uploads.addTask { try await Self.refused(seed, by: journal) }
                }
                try await eventually { journal.waiting == 3 }
                for count in 3...7 {
                    await slow.commit()
                    _ = await slow.untilBegun(count)
                }
                await slow.commit()
                try await uploads.waitForAll()
                #expect(await slow.untilBegun(7) == [1, 4, 2, 3, 2, 1, 1])
            }
        }
    }

    @Test func `an upload of a divided group that no longer waits was not written`() async throws {
        let held = Self.submission(1)
        try await run(held: held) { journal, slow async throws in
            async let before = journal.record(Self.submission(0))
            _ = await slow.untilBegun(1)
            let first = Task { try await journal.record(held) }
            try await eventually { journal.waiting == 1 }
            let second = Task { try await journal.record(Self.submission(2)) }
            try await eventually { journal.waiting == 2 }
            for count in 2...3 {
                await slow.commit()
                _ = await slow.untilBegun(count)
            }
            second.cancel()
            await #expect(throws: StoreError(.unavailable, "")) { try await second.value }
            await slow.commit()
            await #expect(throws: StoreError(.conflict, "")) { try await first.value }
            #expect(try await before == .recorded)
            #expect(await slow.untilBegun(3) == [1, 2, 1])
        }
    }

    @Test func `who repeats a held bundle is refused at once for a second, and goes alone after that`() async throws {
        let held = Self.submission(1)
        let time = ManualTime()
        try await run(held: held, time: time) { journal, slow async throws in
            async let first = Self.refused(1, by: journal)
            _ = await slow.untilBegun(1)
            // Of the same bundle, and waiting at that moment.
            async let same = Self.refused(1, by: journal)
            try await eventually { journal.waiting == 1 }
            await slow.commit()
            #expect(try await [first, same] == [held.id, held.id])
            #expect(try await Self.refused(1, by: journal) == held.id)
            #expect(await slow.untilBegun(1) == [1], "nobody asks again")

            time.advance(by: HeldBundles.refusedFor)
            async let other = Self.refused(2, by: journal)
            _ = await slow.untilBegun(2)
            async let again = Self.refused(1, by: journal)
            try await eventually { journal.waiting == 1 }
            async let beside = Self.refused(3, by: journal)
            try await eventually { journal.waiting == 2 }
            for count in 3...4 {
                await slow.commit()
                _ = await slow.untilBegun(count)
            }
            await slow.commit()
            #expect(try await [other, again, beside] == [nil, held.id, nil])
            #expect(await slow.untilBegun(4) == [1, 1, 1, 1])
            let short = WaitingUploads.shortLockWait
            #expect(await slow.lockWaits == [nil, short, short, short])

            time.advance(by: HeldBundles.apartFor)
            async let late = Self.refused(1, by: journal)
            _ = await slow.untilBegun(5)
            #expect(await slow.lockWaits.last == .some(nil), "it is long ago")
            await slow.commit()
            #expect(try await late == held.id)
        }
    }
}
