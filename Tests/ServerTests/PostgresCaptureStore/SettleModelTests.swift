import CaptureModel
import CaptureStore
import DeviceSimulator
import PostgresCaptureStore
import TestSupport
import Testing

@Suite("Settling at random", .timeLimit(.minutes(3)))
struct SettleModelTests {
    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func `random batches come out as the model says`(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let model = MemoryCaptureStore(time: Timestamp.systemTime)
        try await withPostgresStore { store, _ async throws in
            var registrations = (0..<4).map {
                DeviceRegistration.sample(key: UInt8($0), level: $0 == 3 ? .unverified : .secureEnclave)
            }
            for registration in registrations {
                _ = try await store.register(registration)
                _ = try await model.register(registration)
            }
            var earlier: [ExaminedCapture] = []
            for round in 0..<25 {
                if round == 12 {
                    // Captures that the key's unverified registration had sent until then are still settled.
                    registrations.append(.sample(key: 3, at: moment(20)))
                    _ = try await store.register(registrations[4])
                    _ = try await model.register(registrations[4])
                }
                let policy: CounterPolicy =
                    Bool.random(using: &random) ? .strict : .window(Int.random(in: 1...6, using: &random))
                let devices = registrations.map(\.device)
                let isLaneByLane = Bool.random(using: &random)
                let count = Int.random(in: 1...12, using: &random)
                let batch =
                    isLaneByLane
                    ? randomLanes(devices, &earlier, in: round, &random)
                    : (0..<count).map { _ in randomCapture(devices, &earlier, in: round, &random) }
                let expected = try await model.settle(batch, policy: policy)
                #expect(try await store.settle(batch, policy: policy) == expected, "seed \(seed)")
                let ids = batch.map(\.job.id)
                // Each has a clock of its own.
                let settled = try await store.results(of: ids)
                let results = try await model.results(of: ids).mapValues { result in
                    var result = result
                    result.settledAt = settled[result.id]?.settledAt ?? result.settledAt
                    return result
                }
                #expect(settled == results, "seed \(seed)")
            }
            for registration in registrations {
                let record = try #require(try await store.record(of: registration.device.id))
                let expected = try #require(try await model.record(of: registration.device.id))
                #expect(record.withoutRevocation == expected.withoutRevocation, "seed \(seed)")
            }
        }
    }

    /// Device by device with rising counters, as lanes come: mostly a batch that nothing speaks against, and now and then
    /// one with a capture of before in it.
    private func randomLanes(
        _ devices: [Device], _ earlier: inout [ExaminedCapture], in round: Int, _ random: inout SeededGenerator
    ) -> [ExaminedCapture] {
        var batch: [ExaminedCapture] = []
        for device in devices.shuffled(using: &random).prefix(Int.random(in: 1...4, using: &random)) {
            var counter = level(in: round) + UInt32.random(in: 0...20, using: &random)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                counter += UInt32.random(in: 1...3, using: &random)
                batch.append(.sample(device, counter: counter))
            }
        }
        if Int.random(in: 0..<3, using: &random) == 0, let again = earlier.randomElement(using: &random) {
            batch.insert(again, at: Int.random(in: 0...batch.count, using: &random))
        }
        earlier += batch
        return batch
    }

    /// The device's counter at that point; if the key has two registrations, either one's.
    private func level(in round: Int) -> UInt32 { UInt32(round) * 12 }

    private func randomCapture(
        _ devices: [Device], _ earlier: inout [ExaminedCapture], in round: Int, _ random: inout SeededGenerator
    ) -> ExaminedCapture {
        if Int.random(in: 0..<8, using: &random) == 0, let again = earlier.randomElement(using: &random) {
            return again
        }
        let device = devices.randomElement(using: &random) ?? devices[0]
        let rejection: Reason? = Int.random(in: 0..<10, using: &random) == 0 ? .photoHashMismatch : nil
        let capture = ExaminedCapture.sample(
            device, counter: UInt32.random(in: 0...level(in: round) + 40, using: &random), rejection: rejection,
            confidence: [.low, .medium, .high].randomElement(using: &random) ?? .low,
            receivedAt: moment(Int.random(in: 1...19, using: &random)))
        earlier.append(capture)
        return capture
    }
}

extension DeviceRecord {
    /// The same without the moment of its succession: each store has a clock of its own.
    fileprivate var withoutRevocation: DeviceRecord {
        DeviceRecord(
            registration: registration.with(registration.device.with(revokedAt: nil)), captureCounter: captureCounter,
            requestCounter: requestCounter, lastSeen: lastSeen, revokedReason: revokedReason, revokedBy: revokedBy,
            supersededBy: supersededBy, compromise: compromise)
    }
}
