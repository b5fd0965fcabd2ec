import CaptureModel
import CaptureStore
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing
import Waiting

@testable import IntakeJournal

/// A ledger that commits when it is told to, except a group that has the held bundle.
actor SlowLedger {
    private let held: SHA256Digest?
    private let fault: StoreError
    private let isShort: Bool
    private var groups: [Int] = []
    /// The places, from 0, of the groups that were recorded by their digests alone.
    private(set) var byDigestAlone: [Int] = []
    /// How long each group may wait for a held row.
    private(set) var lockWaits: [Duration?] = []
    private var commits: [CheckedContinuation<Void, Never>] = []
    private var begun: [(Int, CheckedContinuation<Void, Never>)] = []

    /// - Parameters:
    ///   - fault: What a group meets that has the upload `held`.
    ///   - isShort: Whether it answers for all uploads of a group but the last.
    init(
        held: SHA256Digest? = nil, fault: StoreError = StoreError(.conflict, "somebody else is changing the row"),
        isShort: Bool = false
    ) {
        self.held = held
        self.fault = fault
        self.isShort = isShort
    }

    func record(
        _ submissions: [CaptureSubmission], byDigestAlone isByDigestAlone: Bool = false, lockWait: Duration?
    ) async throws(StoreError) -> [IntakeOutcome] {
        if isByDigestAlone { byDigestAlone.append(groups.count) }
        groups.append(submissions.count)
        lockWaits.append(lockWait)
        for (count, waiter) in begun where groups.count >= count { waiter.resume() }
        begun.removeAll { groups.count >= $0.0 }
        await withCheckedContinuation { commits.append($0) }
        guard !submissions.contains(where: { $0.bundleDigest == held }) else { throw fault }
        return submissions.dropLast(isShort ? 1 : 0).map { _ in .recorded }
    }

    func commit() {
        for commit in commits { commit.resume() }
        commits = []
    }

    /// Returns the groups' sizes once so many were begun.
    func untilBegun(_ count: Int) async -> [Int] {
        if groups.count < count { await withCheckedContinuation { begun.append((count, $0)) } }
        return groups
    }
}

/// The seam over it; nothing else of a ledger is asked for here.
struct RecordingLedger: IntakeLedger {
    let slow: SlowLedger

    func record(
        _ submissions: [CaptureSubmission], lockWait: Duration?
    ) async throws(StoreError) -> [IntakeOutcome] {
        try await slow.record(submissions, lockWait: lockWait)
    }
    func record(
        byDigestAlone submissions: [CaptureSubmission], lockWait: Duration?
    ) async throws(StoreError) -> [IntakeOutcome] {
        try await slow.record(submissions, byDigestAlone: true, lockWait: lockWait)
    }
    func withdraw(_ capture: CaptureID) async throws(StoreError) -> Bool { false }
    func passRow(of: CaptureID, to: CaptureID, receivedAt: Timestamp) async throws(StoreError) -> Bool { false }
    func discard(_ capture: CaptureID) async throws(StoreError) -> IntakeEntry? { nil }
    func reinstate(_ row: IntakeEntry) async throws(StoreError) {}
    func openIntake(after: Int64, olderThan: Duration, limit: Int) async throws(StoreError) -> [OpenIntake] { [] }
    func newestPlace() async throws(StoreError) -> Int64 { 0 }
    func claim(_ captures: [CaptureID]) async throws(StoreError) -> IntakeClaim { IntakeClaim() }
    func entries(of captures: [CaptureID]) async throws(StoreError) -> [IntakeEntry] { [] }
    func accepted(_ captures: [CaptureID]) async throws(StoreError) -> [CaptureID: AcceptedIntake] { [:] }
    func noteDead(_ captures: [CaptureID]) async throws(StoreError) {}
    func purge(closedFor age: Duration, limit: Int) async throws(StoreError) -> Int { 0 }
    func exclusively<Value: Sendable>(_ body: @Sendable () async -> Value) async throws(StoreError) -> Value? {
        await body()
    }
}

/// A service that begins its work when it is told to stop.
private struct Late<Work: Service>: Service {
    let work: Work
    let started = Latch()

    func run() async throws {
        started.open()
        try await gracefulShutdown()
        try await work.run()
    }
}

@Suite(.timeLimit(.minutes(1))) struct `Uploads share commits` {
    private func run(
        groupMax: Int = 256, backlogMax: Int = 1024,
        sleep: @escaping @Sendable (Duration) async -> Void = { do { try await letTimePass($0) } catch { return } },
        _ body: @Sendable (IntakeJournal, SlowLedger) async throws -> Void
    ) async throws {
        let slow = SlowLedger()
        let journal = IntakeJournal(
            ledger: RecordingLedger(slow: slow),
            limits: IntakeJournal.Limits(groupMax: groupMax, backlogMax: backlogMax, waitMax: .seconds(50)),
            sleep: sleep)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await journal.run() }
            try await body(journal, slow)
            await slow.commit()
            group.cancelAll()
        }
    }

    /// Runs a service in a group of its own beside a body, which tells the group to stop.
    private func serving(
        _ service: some Service, _ body: @Sendable (ServiceGroup) async throws -> Void
    ) async throws {
        let services = ServiceGroup(services: [service], logger: .quiet)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            try await body(services)
            try await group.waitForAll()
        }
    }

    private static func journal(over slow: SlowLedger) -> IntakeJournal {
        IntakeJournal(
            ledger: RecordingLedger(slow: slow),
            limits: IntakeJournal.Limits(groupMax: 256, backlogMax: 1024, waitMax: .seconds(50)))
    }

    private static func submission(_ seed: UInt64) -> CaptureSubmission {
        SubmissionMaker.submission(seed: seed)
    }

    @Test func `all uploads that arrive during one commit are the next group, up to its size`() async throws {
        try await run(groupMax: 6) { journal, slow async throws in
            try await withThrowingTaskGroup(of: IntakeOutcome.self) { uploads in
                uploads.addTask { try await journal.record(Self.submission(0)) }
                #expect(await slow.untilBegun(1) == [1])
                for seed in 1...8 as ClosedRange<UInt64> {
                    uploads.addTask { try await journal.record(Self.submission(seed)) }
                }
                try await eventually { journal.waiting == 8 }
                await slow.commit()
                #expect(await slow.untilBegun(2) == [1, 6])
                await slow.commit()
                #expect(await slow.untilBegun(3) == [1, 6, 2])
                await slow.commit()
                for try await outcome in uploads { #expect(outcome == .recorded) }
            }
        }
    }

    @Test func `too many uploads are turned away at once`() async throws {
        try await run(backlogMax: 2) { journal, slow async throws in
            try await withThrowingTaskGroup(of: IntakeOutcome.self) { uploads in
                uploads.addTask { try await journal.record(Self.submission(0)) }
                _ = await slow.untilBegun(1)
                for seed in 1...2 as ClosedRange<UInt64> {
                    uploads.addTask { try await journal.record(Self.submission(seed)) }
                }
                try await eventually { journal.waiting == 2 }
                await #expect(throws: StoreError(.busy, "")) { try await journal.record(Self.submission(3)) }
                await slow.commit()
                _ = await slow.untilBegun(2)
                await slow.commit()
                try await uploads.waitForAll()
            }
        }
    }

    /// They are uploads of people who sign nothing: the bounds are as much for them.
    @Test func `uploads by their digests alone wait with the others, and form groups of their own`() async throws {
        try await run(backlogMax: 5) { journal, slow async throws in
            try await withThrowingTaskGroup(of: IntakeOutcome.self) { uploads in
                uploads.addTask { try await journal.record(Self.submission(0)) }
                _ = await slow.untilBegun(1)
                for seed in 1...5 as ClosedRange<UInt64> {
                    let isUnsigned = seed.isMultiple(of: 2)
                    uploads.addTask { try await journal.record(Self.submission(seed), byDigestAlone: isUnsigned) }
                    try await eventually { journal.waiting == Int(seed) }
                }
                await #expect(throws: StoreError(.busy, "")) {
                    try await journal.record(Self.submission(6), byDigestAlone: true)
                }
                await slow.commit()
                #expect(await slow.untilBegun(2) == [1, 3])
                await slow.commit()
                #expect(await slow.untilBegun(3) == [1, 3, 2])
                await slow.commit()
                for try await outcome in uploads { #expect(outcome == .recorded) }
                #expect(await slow.byDigestAlone == [2])
            }
        }
    }

    @Test func `nobody waits longer than told, and what was not begun never will be`() async throws {
        let gate = Gate()
        let waits = Mutex(0)
        // The first two wait as long as the gate is shut.
        let sleep: @Sendable (Duration) async -> Void = { duration in
            let number = waits.withLock { waits in
                waits += 1
                return waits
            }
            if number <= 2 { return await gate.pass() }
            do { try await letTimePass(duration) } catch { return }
        }
        try await run(sleep: sleep) { journal, slow async throws in
            let begun = Task { try await journal.record(Self.submission(0)) }
            _ = await slow.untilBegun(1)
            let behind = Task { try await journal.record(Self.submission(1)) }
            try await eventually { journal.waiting == 1 }
            gate.open()
            await #expect(throws: StoreError(.unavailable, "")) { try await behind.value }
            await #expect(throws: StoreError(.outcomeUnknown, "")) { try await begun.value }
            await slow.commit()
            async let next = journal.record(Self.submission(2))
            #expect(await slow.untilBegun(2) == [1, 1])
            await slow.commit()
            #expect(try await next == .recorded)
        }
    }

    @Test func `an upload that is cut off no longer waits, begun or not`() async throws {
        try await run { journal, slow async throws in
            let begun = Task { try await journal.record(Self.submission(0)) }
            _ = await slow.untilBegun(1)
            let behind = Task { try await journal.record(Self.submission(1)) }
            try await eventually { journal.waiting == 1 }
            behind.cancel()
            await #expect(throws: StoreError(.unavailable, "")) { try await behind.value }
            begun.cancel()
            await #expect(throws: StoreError(.outcomeUnknown, "")) { try await begun.value }
            #expect(journal.waiting == 0)
        }
    }

    /// The last would never be answered, and nobody knows whose the answers are.
    @Test func `a ledger that does not answer for each upload of a group has answered for none`() async throws {
        let slow = SlowLedger(isShort: true)
        let journal = Self.journal(over: slow)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await journal.run() }
            let alone = Task { try await journal.record(Self.submission(0)) }
            _ = await slow.untilBegun(1)
            let first = Task { try await journal.record(Self.submission(1)) }
            let last = Task { try await journal.record(Self.submission(2)) }
            try await eventually { journal.waiting == 2 }
            await slow.commit()
            #expect(await slow.untilBegun(2) == [1, 2])
            await slow.commit()
            for upload in [alone, first, last] {
                await #expect(throws: StoreError(.malformedRow, "")) { try await upload.value }
            }
            group.cancelAll()
        }
    }

    @Test func `a stop takes nothing from the group that is under way, nor from what waits behind it`() async throws {
        let slow = SlowLedger()
        let journal = Self.journal(over: slow)
        try await serving(journal) { services async throws in
            async let begun = journal.record(Self.submission(0))
            #expect(await slow.untilBegun(1) == [1])
            async let behind = journal.record(Self.submission(1))
            try await eventually { journal.waiting == 1 }
            await services.triggerGracefulShutdown()
            await slow.commit()
            #expect(await slow.untilBegun(2) == [1, 1])
            await slow.commit()
            #expect(try await begun == .recorded)
            #expect(try await behind == .recorded)
        }
    }

    /// Whether the stop or the arrival is heard of first is chance; what has arrived is written either way.
    @Test func `what waits at the moment of the stop is written before the end`() async throws {
        let slow = SlowLedger()
        let journal = Self.journal(over: slow)
        let late = Late(work: journal)
        try await serving(late) { services async throws in
            try await late.started.waitUntilOpen()
            async let waiting = journal.record(Self.submission(0))
            try await eventually { journal.waiting == 1 }
            await services.triggerGracefulShutdown()
            #expect(await slow.untilBegun(1) == [1])
            await slow.commit()
            #expect(try await waiting == .recorded)
        }
    }
}
