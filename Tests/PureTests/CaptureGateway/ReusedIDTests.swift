import CaptureModel
import CaptureQueue
import CaptureStore
import DeviceSimulator
import NIOCore
import TestSupport
import Testing

@testable import CaptureGateway

/// Whoever hands captures off makes their ids, and the queue forgets those that are settled.
@Suite(.timeLimit(.minutes(1))) struct `A capture that waits under the id of another device's result` {
    /// A record that counts how often it is asked for results.
    private struct CountingStore: ForwardingStore {
        let memory: MemoryCaptureStore
        let asked = CallCount()

        func results(of captures: [CaptureID]) async throws(StoreError) -> [CaptureID: ProvenanceResult] {
            asked.add()
            return try await memory.results(of: captures)
        }
    }

    private let fixture: GatewayFixture
    private let owner: DeviceID
    private let later: CaptureSubmission
    private var id: CaptureID { later.id }

    init() throws {
        var maker = SubmissionMaker(seed: 1)
        owner = maker.device()
        fixture = try GatewayFixture().withOperators(archive: ListedArchive(assertions: [owner: [1, 2, 3]]))
        var ids = SeededGenerator(seed: 1)
        let id = CaptureID.make(at: fixture.time.now.advanced(by: .seconds(-7200)), using: &ids)
        later = maker.submission(of: maker.device(), id: id, receivedAt: fixture.time.now)
    }

    /// Settles the owner's capture, and hands the other one off.
    private func arrange(_ other: CaptureSubmission? = nil) async throws {
        var maker = SubmissionMaker(seed: 2)
        let (now, later) = (fixture.time.now, other ?? self.later)
        let earlier = maker.submission(of: owner, id: later.id, receivedAt: now)
        _ = try await fixture.store.settle([.ofNobody(earlier, at: now)], policy: .strict)
        #expect(try await fixture.queue.enqueue(later) == .accepted)
    }

    /// The fixture's lookup, with another record.
    private func lookup(in store: any CaptureStore) -> CaptureLookup {
        var dependencies = fixture.dependencies
        dependencies.store = store
        return CaptureLookup(dependencies)
    }

    @Test
    func `a capture under the id of another's result hides it from nobody, and its own device asks no record for it`()
        async throws
    {
        try await arrange()
        let store = CountingStore(memory: fixture.store)
        let lookup = lookup(in: store)
        let waiting = try await lookup.status(of: id, for: .device(later.device))
        #expect(waiting.state == .queued && waiting.device == later.device && store.asked.count == 0)
        for reader in [Reader.device(owner), .readToken, .operatorToken] {
            let status = try await lookup.status(of: id, for: reader)
            #expect(status.state == .rejected && status.device == owner)
        }
        var maker = SubmissionMaker(seed: 3)
        let stranger = maker.device()
        let seen = try await lookup.statuses(of: [id], for: .device(stranger))
        #expect(seen.isEmpty)
    }

    @Test
    func `a capture under the id of another's result is no reason to ask the record for every capture that waits`()
        async throws
    {
        var ids = SeededGenerator(seed: 2)
        var maker = SubmissionMaker(seed: 4)
        let now = fixture.time.now
        let fresh = maker.submission(of: owner, id: CaptureID.make(at: now, using: &ids), receivedAt: now)
        #expect(try await fixture.queue.enqueue(fresh) == .accepted)
        let store = CountingStore(memory: fixture.store)
        let lookup = lookup(in: store)
        #expect(try await lookup.status(of: fresh.id, for: .readToken).state == .queued)
        #expect(store.asked.count == 0)
    }

    @Test func `a capture under the id of another's result is told as the queue knows it while the record is away`()
        async throws
    {
        #expect(try await fixture.queue.enqueue(later) == .accepted)
        struct AwayStore: ForwardingStore {
            let memory: MemoryCaptureStore

            func results(of captures: [CaptureID]) async throws(StoreError) -> [CaptureID: ProvenanceResult] {
                throw StoreError(.unavailable, "away")
            }
        }
        let lookup = lookup(in: AwayStore(memory: fixture.store))
        #expect(try await lookup.status(of: id, for: .readToken).state == .queued)
        let fault = await #expect(throws: APIError.self) { try await lookup.status(of: id, for: .device(owner)) }
        #expect(fault?.code == .unavailable)
    }

    @Test func `a capture under the id of another's result leaves nothing of itself on the result's page`() async throws
    {
        try await arrange()
        let ledger = MemoryIntakeLedger(time: fixture.time.source)
        _ = try await ledger.record([later])
        let media = CaptureMedia(photo: ByteBuffer(string: "another photo"), depth: ByteBuffer(bytes: [0, 0]))
        try await fixture.bundles.put(media, of: later)
        var kept = fixture
        kept.dependencies.intake = ledger
        try await kept.runLoggedIn { login in
            let page = try await login.get("/dashboard/captures/\(id)")
            #expect(page.status == 200 && page.text.contains(#"data-state="rejected""#))
            #expect(page.text.contains("Its 3 B are not an assertion"))
            #expect(page.text.contains("DEVICE_UNKNOWN") && page.text.contains("?device=\(owner)"))
            #expect(!page.text.contains("\(later.device)"))
            #expect(!page.text.contains("/dashboard/captures/\(id)/photo"))
            for picture in ["photo", "depth"] {
                let answer = try await login.get("/dashboard/captures/\(id)/\(picture)")
                #expect(answer.status == 404 && answer.text.contains("not kept any more"), "\(picture)")
            }
        }
    }

    @Test func `a capture under the id of another's result shows nothing of that result on its own page`() async throws
    {
        var (ids, maker) = (SeededGenerator(seed: 3), SubmissionMaker(seed: 5))
        let now = fixture.time.now
        // An id of this moment: the record is not asked for a result of it.
        let fresh = maker.submission(
            of: maker.device(), id: CaptureID.make(at: now, using: &ids), receivedAt: now)
        try await arrange(fresh)
        try await fixture.run { gateway in
            let page = try await DashboardLogin(gateway).get("/dashboard/captures/\(fresh.id)")
            #expect(page.status == 200 && page.text.contains(#"data-state="queued""#))
            #expect(page.text.contains("/dashboard/devices/\(fresh.device)"))
            #expect(!page.text.contains(#"id="assertion""#) && !page.text.contains("/dashboard/devices/\(owner)"))
        }
    }
}
