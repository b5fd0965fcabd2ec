import CaptureCrowd
import CaptureModel
import CaptureQueue
import DeviceSimulator
import RedisCaptureQueue

/// Sends captures at a steady rate and times each to its published result.
struct LatencyBench: Sendable {
    let rate: Int
    let count: Int
    let bundleBytes: Int
    let devices: Int
    let workers: Int
    let settings: String
    let seed: UInt64

    private let progress = BenchProgress()

    /// How long the last captures may take after the last was sent.
    private static let patience = Duration.seconds(60)
    /// Captures sent before the first that counts: connections are open by then, and the first devices known.
    ///
    /// Two seconds of them, so that a slow rate does not take minutes before it begins.
    private var warmUp: Int { min(200, max(10, 2 * rate)) }

    private typealias Instant = ContinuousClock.Instant

    func run() async throws -> LatencyReport {
        progress.stage("starting Redis, PostgreSQL and \(Wording.count(workers, "worker"))")
        return try await BenchStage.run(settings: settings) { stage in
            var generator = SeededGenerator(seed: seed)
            let crowd = try await Crowd.register(
                devices, appID: BenchStage.appID, in: stage.store, at: Timestamp.systemTime(), using: &generator
            ) { progress.count($0, of: devices) }
            let pool = try await BenchWorkers.start(workers, on: stage)
            let changes = RedisStateChanges(
                client: stage.client, watchersMax: 1, bufferMax: count + warmUp * 3, logger: CommandLogger.quiet)
            // Asked for before it is subscribed, which ends it: later it could miss that, and would never end.
            guard let early = changes.allChanges() else { throw BenchFailed("too many watchers") }
            let report = try await withRunning([changes]) {
                // What is published before the subscription stands would never be heard.
                for await _ in early {}
                return try await measure(stage, crowd, changes)
            }
            try await pool.stop()
            return report
        }
    }

    private func measure(
        _ stage: BenchStage, _ crowd: Crowd, _ changes: RedisStateChanges
    ) async throws -> LatencyReport {
        guard let stream = changes.allChanges() else { throw BenchFailed("too many watchers") }
        let capture = try SyntheticCapture.bundle(bytes: bundleBytes, seed: seed, capturedAt: Timestamp.systemTime())
        progress.stage("sending \(rate) captures a second")
        async let heard = listen(to: stream, for: count + warmUp)
        let sent = try await send(capture, from: crowd, through: stage.handOff)
        let settled = try await heard
        let counted = sent.filter { $0.number >= warmUp }
        let ends = try counted.map { capture in
            guard let end = settled[capture.id] else { throw BenchFailed("a result was not heard of") }
            return end
        }
        return LatencyReport(
            rate: rate, count: counted.count, warmUp: warmUp, bundleBytes: bundleBytes, workers: workers,
            accepted: Percentiles(counted.map { ($0.acceptedAt - $0.due) / .seconds(1) }),
            worked: Percentiles(zip(counted, ends).map { ($1 - $0.acceptedAt) / .seconds(1) }),
            settled: Percentiles(zip(counted, ends).map { ($1 - $0.due) / .seconds(1) }))
    }

    private struct Sent: Sendable {
        let number: Int
        let id: CaptureID
        let due: Instant
        let acceptedAt: Instant
    }

    /// Each device sends one capture after the other, as a phone does: its counters must come in their order.
    ///
    /// None waits for another device's, and each is timed from when it was due, whatever kept it.
    private func send(
        _ capture: SyntheticCapture, from crowd: Crowd, through handOff: HandOff<RedisCaptureQueue, RedisBundleStore>
    ) async throws -> [Sent] {
        let picture = SharedPicture(capture)
        let start = ContinuousClock.now + .milliseconds(10)
        let total = count + warmUp
        return try await withThrowingTaskGroup(of: [Sent].self) { group in
            for (first, member) in crowd.devices.enumerated() {
                group.addTask {
                    var sent: [Sent] = []
                    for number in stride(from: first, to: total, by: crowd.devices.count) {
                        let due = start + .seconds(1) * number / rate
                        if due > .now { try await Task.sleep(until: due) }
                        let id = try await handOff.send(picture, from: member)
                        sent.append(Sent(number: number, id: id, due: due, acceptedAt: .now))
                        progress.count(number, of: total)
                    }
                    return sent
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    /// When each capture's verdict was heard; every one must have been verified.
    private func listen(to stream: AsyncStream<StateChange>, for total: Int) async throws -> [CaptureID: Instant] {
        try await withThrowingTaskGroup(of: [CaptureID: Instant]?.self) { group in
            group.addTask {
                var heard: [CaptureID: Instant] = [:]
                for await change in stream where change.state.isTerminal {
                    guard change.state == .verified else { throw BenchFailed("a genuine capture was \(change.state)") }
                    heard[change.capture] = .now
                    if heard.count == total { return heard }
                }
                return nil
            }
            group.addTask {
                try await Task.sleep(for: .seconds(total) / rate + Self.patience)
                return nil
            }
            defer { group.cancelAll() }
            guard let heard = try await group.next() ?? nil else {
                throw BenchFailed("results were not heard of in time")
            }
            return heard
        }
    }
}

/// What ``LatencyBench`` measured.
struct LatencyReport: Encodable, Sendable {
    let rate: Int
    let count: Int
    /// Captures sent before those, which nothing here counts.
    let warmUp: Int
    let bundleBytes: Int
    let workers: Int
    /// Seconds to the end of the hand-off: bytes stored, ledger row committed, enqueued.
    let accepted: Percentiles
    /// Seconds from there to the published result.
    let worked: Percentiles
    /// Seconds to the published result.
    let settled: Percentiles

    private enum Key: String, CodingKey {
        case version, rate, captures, workers
        case warmUp = "warm_up_captures"
        case bundleBytes = "bundle_bytes"
        case acceptedAfter = "accepted_after_ms"
        case acceptedToSettled = "accepted_to_settled_ms"
        case settledAfter = "settled_after_ms"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(ProcessorVersion.current, forKey: .version)
        try container.encode(rate, forKey: .rate)
        try container.encode(count, forKey: .captures)
        try container.encode(warmUp, forKey: .warmUp)
        try container.encode(workers, forKey: .workers)
        try container.encode(bundleBytes, forKey: .bundleBytes)
        try container.encode(accepted.milliseconds, forKey: .acceptedAfter)
        try container.encode(worked.milliseconds, forKey: .acceptedToSettled)
        try container.encode(settled.milliseconds, forKey: .settledAfter)
    }

    /// A table for people.
    var text: String {
        var table = TextTable([
            ("", .leading), ("p50", .trailing), ("p95", .trailing), ("p99", .trailing),
            ("p99.9", .trailing), ("most", .trailing),
        ])
        let rows = [("due to accepted", accepted), ("accepted to settled", worked), ("due to settled", settled)]
        for (name, times) in rows {
            table.append(
                [name] + Percentiles.reported.map { "\(Figure.text(times($0.share) * 1000, 2)) ms" })
        }
        return "\(rate) captures of \(Wording.bytes(bundleBytes)) a second, \(count) in all, "
            + "\(Wording.count(workers, "worker"))\n\n\(table.text)"
    }
}

extension Percentiles {
    /// The ranks that reports show.
    static let reported: [(name: String, share: Double)] = [
        ("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999), ("max", 1),
    ]

    /// Those, in milliseconds, by name.
    var milliseconds: [String: Double] {
        Dictionary(uniqueKeysWithValues: Self.reported.map { ($0.name, Figure.rounded(self($0.share) * 1000, 3)) })
    }
}
