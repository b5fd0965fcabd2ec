import CaptureModel
import CaptureQueue
import DeviceSimulator
import FaultPoints
import Foundation
import PostgresCaptureStore
import RedisCaptureQueue
import TestSupport
import Testing

/// Batches of which not all captures end in one transaction, with a verdict.
@Suite("What dies over a batch that is settled in part leaves the rest to the next", .timeLimit(.minutes(5)))
struct PartialBatchTests {
    private static let settings = [
        "CAPTURE_QUEUE_LEASE": "1s", "CAPTURE_QUEUE_DELIVERIES_MAX": "100", "CAPTURE_WORKER_PIPELINES": "1",
        "CAPTURE_WORKER_CAPTURES_PER_LANE_MAX": "2", "CAPTURE_WORKER_ATTEMPTS_MAX": "100",
        "CAPTURE_WORKER_RETRY_BASE": "100ms", "CAPTURE_WORKER_RETRY_CAP": "200ms",
    ]

    /// Uploads so many captures of each of some phones, one phone's after the other's.
    private func upload(_ count: Int, of phones: [Phone], with client: Client) async throws -> [[CaptureID]] {
        var captures: [[CaptureID]] = []
        for (index, phone) in phones.enumerated() {
            var own: [CaptureID] = []
            for number in 0..<count {
                let signed = try phone.shoot(seed: UInt64(10 * index + number))
                own.append(try await client.upload(signed, of: phone))
            }
            captures.append(own)
        }
        return captures
    }

    /// The bytes of one phone's second capture are gone, and the record meets damage at the other's: the one is given up
    /// and the other puts its lane off, each beside captures that are settled.
    @Test(arguments: [FaultPoint.beforeCommit, .afterCommit, .insideSettle, .afterSettle])
    func `a capture is given up once, and its neighbours and a lane that is put off are settled once`(
        point: FaultPoint
    ) async throws {
        let stack = try await Stack.start(settings: Self.settings)
        let client = try await Client(of: stack)
        let captures = try await upload(3, of: [try await client.phone(), try await client.phone()], with: client)
        let (lost, hindered) = (captures[0][1], captures[1][1])
        for part in ["photo", "depth"] { #expect(try await stack.redis.cli("DEL", "{cq:0}:\(part):\(lost)") == "1") }
        try await stack.psql(
            """
            CREATE FUNCTION damaged() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION 'an index is damaged' USING ERRCODE = 'XX002'; END $$;
            CREATE TRIGGER damaged BEFORE INSERT ON captures FOR EACH ROW WHEN (NEW.id = '\(hindered)')
            EXECUTE FUNCTION damaged()
            """)
        for _ in 1...2 {
            let victim = try stack.worker([ArmedFaults.Variable.point: point.rawValue])
            #expect(try await victim.exitCode() == 128 + SIGKILL)
        }
        try await stack.psql("DROP FUNCTION damaged() CASCADE")
        let heir = try stack.worker()
        try await expectOnce(captures.joined().filter { $0 != lost }, besides: lost, in: stack)
        try await heir.expectStop()
    }

    /// One capture is a dead letter, whose row waits for it; all others are verified, and nothing else is left of them.
    private func expectOnce(_ others: [CaptureID], besides lost: CaptureID, in stack: Stack) async throws {
        try await stack.withBackstage { queue, _, store in
            try await drain(queue)
            let letters = try await queue.deadLetters(after: nil, limit: 10).letters
            #expect(letters.map(\.id) == [lost])
            #expect(letters.first?.status.reason == .bundleMissing)
            #expect(try await queue.counters()["failed"] == 1)
            let results = try await store.results(of: others + [lost])
            #expect(Set(results.keys) == Set(others))
            #expect(results.values.allSatisfy { $0.verdict == .verified })
        }
        #expect(try await stack.psql("SELECT count(*) FROM captures") == "\(others.count)")
        #expect(try await stack.psql("SELECT capture_id FROM intake WHERE closed_at IS NULL") == "\(lost)")
        #expect(try await stack.redis.cli("XLEN", "{cq:0}:ready") == "0")
    }

    /// A batch of two devices that meets a lock is divided into one part for each: the first is settled, and the second
    /// waits for the lock again when the worker dies.
    @Test func `a batch that was divided, and settled in its first part, goes on with the second`() async throws {
        let stack = try await Stack.start(settings: Self.settings)
        let client = try await Client(of: stack)
        let phones = [try await client.phone(), try await client.phone()]
        let captures = try await upload(2, of: phones, with: client)
        let key = "SELECT key_id FROM devices WHERE id = '\(phones[1].id)'"
        let standstill = try await Standstill.begin(
            in: stack, "SELECT 1 FROM counters WHERE key_id = (\(key)) FOR UPDATE")
        // As long as nobody is away: whatever waits for the lock gives up after this.
        let victim = try stack.worker(["CAPTURE_POSTGRES_LOCK_TIMEOUT": "5s", "CAPTURE_WORKER_OUTAGE_HOLD": "60s"])
        try await eventually { try await stack.psql("SELECT count(*) FROM captures") != "0" }
        try await victim.kill()
        #expect(
            try await stack.psql("SELECT DISTINCT device_id FROM captures") == "\(phones[0].id)", "one part is settled")
        let queued = try await stack.withBackstage { queue, _, _ in try await queue.load().captures }
        #expect(queued == 4, "nothing of it was given back")
        try await standstill.end()
        let heir = try stack.worker()
        let verdicts = Dictionary(uniqueKeysWithValues: captures.joined().map { ($0, Verdict.verified) })
        try await Aftermath(stack: stack, verdicts: verdicts).check()
        try await heir.expectStop()
    }
}
