import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import Synchronization
import TestSupport
import Testing

@testable import CaptureGateway

/// A queue in memory as operators have it, without numbers of the past.
struct MemoryOperatedQueue: OperatedQueue, ForwardingQueue {
    let memory: MemoryCaptureQueue
    var workers: [WorkerStatus] = []
    /// What happens at the moment at which a dead letter is discarded.
    var beforeDiscard: @Sendable (CaptureID) async throws(QueueError) -> Void = { _ in }
    /// What happens right after one was.
    var afterDiscard: @Sendable (CaptureID) async throws(QueueError) -> Void = { _ in }
    /// When set, the queue is neither paused nor resumed.
    var pauseFault: QueueError?
    /// When set, no dead letters are listed.
    var lettersFault: QueueError?
    private let pause = PauseMoment()

    /// The moment of its pause, which all copies share.
    private final class PauseMoment: Sendable {
        let moment = Mutex<Timestamp?>(nil)
    }

    func overview() async throws(QueueError) -> QueueOverview {
        let empty = Tally(start: Timestamp(microsecondsSince1970: 0), duration: .seconds(60))
        return QueueOverview(
            load: try await memory.load(), workers: workers, lastMinute: empty, lastHour: empty, lastDay: empty)
    }
    func tallies(_ span: Tally.Span, count: Int) async throws(QueueError) -> [Tally] {
        (0..<count).map { Tally(start: Timestamp(millisecondsSince1970: Int64($0) * 60_000), duration: span.duration) }
    }
    func setPaused(since: Timestamp?) async throws(QueueError) {
        if let pauseFault { throw pauseFault }
        memory.setPaused(since != nil)
        pause.moment.withLock { $0 = since }
    }
    func pausedSince() async throws(QueueError) -> Set<Timestamp> {
        let moment = pause.moment.withLock { $0 }
        return moment.map { [$0] } ?? []
    }

    func deadLetters(after: DeadLetter.Position?, limit: Int) async throws(QueueError) -> DeadLetterPage {
        if let lettersFault { throw lettersFault }
        return try await memory.deadLetters(after: after, limit: limit)
    }

    func discard(_ letter: DeadLetter.Position) async throws(QueueError) -> Bool {
        try await beforeDiscard(letter.capture)
        let isDiscarded = try await memory.discard(letter)
        try await afterDiscard(letter.capture)
        return isDiscarded
    }
}

extension MemoryCaptureQueue {
    /// Where dead letters stand, as the forms of the dashboard name them.
    func places(of captures: some Sequence<CaptureID>) async throws -> [String] {
        var places: [String] = []
        for capture in captures { places.append(try #require(try await deadLetter(capture)).position.description) }
        return places
    }
}

/// An archive with what a test puts into it.
struct ListedArchive: CaptureArchive {
    var captures: [ArchivedCapture] = []
    var digests: [SHA256Digest: [CaptureID]] = [:]
    /// What each device has signed, whichever capture is meant.
    var assertions: [DeviceID: [UInt8]] = [:]
    /// What became of each device's captures.
    var counts = DeviceTally.empty
    /// What is found by the beginning of an id, whichever it is.
    var found = FoundIDs()
    /// The audit, latest first.
    var log: [NumberedAuditEntry] = []
    /// How many entries of it one page looks at.
    var auditLooksMax = AuditLogPage.looksMax

    func list(
        _ filter: CaptureFilter, after: CapturePosition?, limit: Int
    ) async throws(StoreError) -> [ArchivedCapture] {
        Array(captures.filter { capture in after.map { $0.precedes(capture.position) } ?? true }.prefix(limit))
    }
    func captures(of digest: SHA256Digest) async throws(StoreError) -> [CaptureID] { digests[digest] ?? [] }
    func assertion(of capture: CaptureID, from device: DeviceID) async throws(StoreError) -> [UInt8]? {
        assertions[device]
    }
    func tally(of device: DeviceID, from: Timestamp) async throws(StoreError) -> DeviceTally {
        counts
    }
    func ids(beginningWith prefix: IDPrefix) async throws(StoreError) -> FoundIDs { found }
    func auditLog(
        _ filter: AuditFilter, before: Int64?, limit: Int
    ) async throws(StoreError) -> AuditLogPage {
        let rest = log.filter { $0.number < before ?? .max }
        let looked = rest.prefix(auditLooksMax)
        let found = looked.filter { Self.passes($0.entry, filter) }.prefix(limit)
        let last = found.count < limit && looked.count == auditLooksMax ? looked.last : nil
        return AuditLogPage(
            entries: Array(found), end: last.map { AuditLogPage.Place(number: $0.number, at: $0.entry.at) })
    }
    private static func passes(_ entry: AuditEntry, _ filter: AuditFilter) -> Bool {
        entry.action.hasPrefix(filter.action) && !filter.omitted.map(\.rawValue).contains(entry.action)
            && (filter.actor.isEmpty || entry.actor.lowercased().contains(filter.actor.lowercased()))
            && (filter.subject.isEmpty || entry.subject == filter.subject)
            && (filter.from.map { $0 <= entry.at } ?? true) && (filter.before.map { entry.at < $0 } ?? true)
    }
}

/// Logins in memory; their time is the test's.
final class MemorySessions: SessionStore {
    private let held = Mutex<[SHA256Digest: LoginSession]>([:])

    /// The keys under which sessions are known.
    var keys: [SHA256Digest] { held.withLock { Array($0.keys) } }

    func begin(_ session: LoginSession, as key: SHA256Digest, lifetime: Duration) async throws(QueueError) {
        held.withLock { $0[key] = session }
    }
    func session(_ key: SHA256Digest) async throws(QueueError) -> LoginSession? { held.withLock { $0[key] } }
    func end(_ key: SHA256Digest) async throws(QueueError) { held.withLock { $0[key] = nil } }
}

extension GatewayFixture {
    /// The same gateway with what operators' pages and lists work with.
    func withOperators(
        sessions: MemorySessions = MemorySessions(), archive: ListedArchive = ListedArchive(),
        workers: [WorkerStatus] = []
    ) -> GatewayFixture {
        var fixture = self
        fixture.dependencies.operators = OperatorDependencies(
            actions: QueueActions(
                queue: MemoryOperatedQueue(memory: queue, workers: workers), store: store, ledger: nil,
                isLedgerKept: false, now: time.source),
            archive: archive, sessions: sessions)
        return fixture
    }
}
