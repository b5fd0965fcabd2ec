import CaptureCrowd
import CaptureModel
import CaptureQueue
import DeviceSimulator
import PostgresCaptureStore
import RedisCaptureQueue
import Waiting

/// Sends captures at a steady rate, and measures each one's time to its published result.
struct LatencyBench: Sendable {
    let rate: Int
    let count: Int
    let bundleBytes: Int
    let devices: Int
    let workers: Int
    let settings: String
    let seed: UInt64

    private let progress = BenchProgress()

    /// How long to wait for the subscription to results, and for results after the last capture was sent.
    static let patience = Duration.seconds(60)
    /// Captures sent before the first that counts, to open connections and to make the first devices known.
    ///
    /// About two seconds' worth, so that a slow rate does not take minutes to begin.
    private var warmUp: Int { min(200, max(10, 2 * rate)) }

    private typealias Instant = ContinuousClock.Instant

    func run() async throws -> LatencyReport {
        progress.stage("starting Redis, PostgreSQL and \(TerminalText.count(workers, "worker"))")
        return try await BenchStage.run(settings: settings) { stage in
            var generator = SeededGenerator(seed: seed)
            let crowd = try await Crowd.register(
                devices, appID: BenchStage.appID, in: stage.store, at: Timestamp.systemTime(), using: &generator
            ) { progress.count($0, of: devices) }
            let pool = try await BenchWorkers.start(workers, on: stage)
            let changes = RedisStateChanges(
                client: stage.client, watchersMax: 1, bufferMax: count + warmUp * 3,
                installation: { try await PostgresInstallation(client: stage.database).require() },
                logger: CommandLogger.quiet)
            // Requested before the subscription starts, which ends this stream: a later request could miss that, and
            // wait forever.
            guard let early = changes.allChanges() else { throw BenchFailed("too many watchers") }
            let report = try await withRunning([changes]) {
                try await Self.untilHeard(early)
                return try await measure(stage, crowd, changes)
            }
            try await pool.stop()
            return report
        }
    }

    /// Waits for the end of a stream that was requested before the subscription: results published before would be
    /// missed.
    /// - Throws: ``BenchFailed`` if the subscription is not made in time.
    static func untilHeard(
        _ early: AsyncStream<StateChange>, within limit: Duration = LatencyBench.patience
    ) async throws {
        let ended: Void? = try await Deadline.result(until: .now + limit) { for await _ in early {} }
        guard ended != nil else { throw BenchFailed("results cannot be heard of: no subscription in time") }
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

    /// Sends each device's captures one after the other, as a phone does: its counters must arrive in order.
    ///
    /// Devices do not wait for each other, and each capture is timed from when it was due, whatever delayed it.
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

    /// When each capture's verdict arrived; every capture must have been verified.
    private func listen(to stream: AsyncStream<StateChange>, for total: Int) async throws -> [CaptureID: Instant] {
        let limit = Duration.seconds(total) / rate + Self.patience
        let answer = try await Deadline.result(until: .now + limit) { () async throws -> [CaptureID: Instant]? in
            var heard: [CaptureID: Instant] = [:]
            for await change in stream where change.state?.isWaiting != true {
                guard change.state == .verified else { throw BenchFailed("a genuine capture was \(change.news.word)") }
                heard[change.capture] = .now
                if heard.count == total { return heard }
            }
            return nil
        }
        guard let heard = answer ?? nil else { throw BenchFailed("results were not heard of in time") }
        return heard
    }
}
