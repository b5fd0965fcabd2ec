import CaptureModel
import CaptureStore
import DeviceSimulator
import FoundationEssentials
import PostgresCaptureStore
import PostgresClient
import Synchronization
import Testing

@Suite("Settling from eight connections at once", .timeLimit(.minutes(5)))
struct SettleRaceTests {
    @Test func `a window takes every counter exactly once, whoever races for it`() async throws {
        try await withPostgresStore(connections: 8) { store, _ async throws in
            let device = try await store.registered()
            let counters = Array(UInt32(1)...600)
            let accepted = try await race(8) { racer in
                var random = SeededGenerator(seed: UInt64(racer))
                var taken: [UInt32] = []
                for chunk in counters.shuffled(using: &random).pages(of: 15) {
                    taken += try await self.accepted(of: chunk, device, store, .window(65_536))
                }
                return taken
            }
            #expect(accepted.flatMap { $0 }.sorted() == counters)
        }
    }

    @Test func `strict counters only ever grow, in the order of commits`() async throws {
        try await withPostgresStore(connections: 8) { store, client async throws in
            let device = try await store.registered()
            let accepted = try await race(8) { racer in
                var random = SeededGenerator(seed: UInt64(racer))
                var taken: [UInt32] = []
                for step in 0..<60 {
                    // The counters overlap enough that most batches win some races and lose others.
                    let chunk = (0..<8).map { _ in UInt32(step * 8) + UInt32.random(in: 1...40, using: &random) }
                    let batch = try await self.accepted(of: chunk, device, store, .strict)
                    #expect(batch == batch.sorted())
                    #expect(taken.last ?? 0 < batch.first ?? .max)
                    taken += batch
                }
                return taken
            }
            let all = accepted.flatMap { $0 }
            #expect(Set(all).count == all.count)
            // settled_at is one moment per batch, taken while it holds the key: their order is that of the commits.
            let rows = try await client.execute(Self.inOrder).rows
            var last: Int64 = 0
            for row in rows {
                let counter = try row.int8("counter")
                #expect(counter > last)
                last = counter
            }
            #expect(rows.count == all.count)
            #expect(try await store.captureCounter(of: device) == all.max())
        }
    }

    @Test func `batches over the same devices in any order never deadlock`() async throws {
        try await withPostgresStore(connections: 8) { store, _ async throws in
            var devices: [Device] = []
            for key in 0..<20 as Range<UInt8> { devices.append(try await store.registered(key: key)) }
            let all = devices
            let decisions = try await race(8) { racer in
                var random = SeededGenerator(seed: UInt64(racer))
                var count = 0
                for step in 0..<40 {
                    let batch = all.shuffled(using: &random).map {
                        ExaminedCapture.sample($0, counter: UInt32(step * 8 + racer + 1))
                    }
                    count += try await store.settle(batch, policy: .window(64)).count
                }
                return count
            }
            #expect(decisions.reduce(0, +) == 8 * 40 * 20)
        }
    }

    /// No key's lock keeps two batches of an unknown device's captures apart.
    @Test func `results are written in the order of their ids, however the batch comes`() async throws {
        try await withPostgresStore { store, client async throws in
            let ids = try ["01a1fc67-55f8-7b2b-980e-000000000001", "01a1fc67-55f8-7b2b-980e-000000000002"].map {
                try #require(CaptureID($0))
            }
            let batch = ids.reversed().map {
                ExaminedCapture.sample(nil, counter: nil, id: $0, rejection: .deviceUnknown)
            }
            let earlier = ExaminedCapture.sample(nil, counter: nil, rejection: .deviceUnknown)
            _ = try await store.settle([earlier], policy: .strict)
            let settling = try await client.withConnection { connection throws(PostgresError) in
                try await connection.executeScript("BEGIN; " + Self.copy(to: ids[0]))
                let settling = Task { try await store.settle(batch, policy: .strict) }
                await client.eventuallyWait(1)
                try await connection.executeScript(Self.copy(to: ids[1]) + "; ROLLBACK")
                return settling
            }
            #expect(try await settling.value.map(\.reason) == [.deviceUnknown, .deviceUnknown])
        }
    }

    /// Another result under this id, as that of the earlier capture.
    private static func copy(to id: CaptureID) -> String {
        """
        INSERT INTO captures
        SELECT (jsonb_populate_record(captures, jsonb_build_object('id', '\(id)'))).* FROM captures LIMIT 1
        """
    }

    @Test func `zombies that settle the same captures get the same answers`() async throws {
        try await withPostgresStore(connections: 8) { store, _ async throws in
            let device = try await store.registered()
            for round in 0..<20 as Range<UInt32> {
                let batch: [ExaminedCapture] =
                    [5, 3, 5, 7].map { .sample(device, counter: round * 10 + $0) }
                    + [
                        .sample(nil, counter: nil, rejection: .deviceUnknown),
                        .sample(device, counter: nil, rejection: .signatureInvalid),
                    ]
                let answers = try await race(8) { racer in
                    var random = SeededGenerator(seed: UInt64(racer))
                    // Without a key nothing makes them wait for each other but the results themselves.
                    let mine = racer % 2 == 0 ? batch : batch.suffix(2).shuffled(using: &random) + batch.prefix(4)
                    return try await store.settle(mine, policy: .strict)
                }
                for capture in batch {
                    let decisions = answers.flatMap { $0 }.filter { $0.id == capture.job.id }
                    #expect(Set(decisions.map(\.reason)).count == 1)
                    #expect(decisions.filter { !$0.wasSettledBefore }.count == 1)
                }
                #expect(try await store.captureCounter(of: device) == round * 10 + 7)
            }
        }
    }

    @Test func `requests race for their counter and one of each wins`() async throws {
        try await withPostgresStore(connections: 8) { store, _ async throws in
            let device = try await store.registered()
            let won = try await race(8) { _ in
                var won: [UInt32] = []
                for counter in 1...100 as ClosedRange<UInt32> {
                    if try await store.advanceRequestCounter(of: device.keyID, to: counter) { won.append(counter) }
                }
                return won
            }
            // Whoever tries a counter has tried the one before: none is skipped.
            #expect(won.flatMap { $0 }.sorted() == Array(UInt32(1)...100))
        }
    }

    private static let inOrder = PostgresStatement(
        "test_in_order", "SELECT counter FROM captures WHERE verdict = 'verified' ORDER BY settled_at, counter")

    private func accepted(
        of counters: [UInt32], _ device: Device, _ store: PostgresCaptureStore, _ policy: CounterPolicy
    ) async throws -> [UInt32] {
        let decisions = try await store.settle(counters.map { .sample(device, counter: $0) }, policy: policy)
        return zip(counters, decisions).filter { $1.verdict == .verified }.map(\.0)
    }
}

/// Runs a body so many times at once.
func race<Value: Sendable>(
    _ racers: Int, _ body: @escaping @Sendable (Int) async throws -> Value
) async throws -> [Value] {
    try await withThrowingTaskGroup(of: Value.self) { group in
        for racer in 0..<racers { group.addTask { try await body(racer) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}
