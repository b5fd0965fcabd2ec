import CaptureCrowd
import CaptureModel
import CaptureQueue
import DeviceSimulator
import PrivateServers
import RedisCaptureQueue

/// Fills a queue and lets worker processes drain it, once for each number of workers.
struct DrainBench: Sendable {
    let bundleBytes: Int
    let devices: Int
    /// Captures of each device in a run.
    let rounds: Int
    let workers: [Int]
    /// How many results of other devices the record has before the runs, in ascending order.
    let results: [Int]
    let settings: String
    let seed: UInt64

    private let progress = BenchProgress()

    /// How long no capture may be settled before a run has failed.
    private static let patience = Duration.seconds(60)

    func run() async throws -> DrainReport {
        progress.stage("measuring the bare cost of SHA-256 and ECDSA")
        let bare = try BareCost.measure(bundleBytes: bundleBytes)
        let cryptography = try await bare.asWorkersDoIt(bundleBytes: bundleBytes)
        progress.stage("starting Redis and PostgreSQL")
        let runs = try await BenchStage.run(settings: settings) { stage in
            let crowd = try await register(in: stage)
            let capture = try SyntheticCapture.bundle(
                bytes: bundleBytes, seed: seed, capturedAt: Timestamp.systemTime())
            var runs: [DrainReport.Run] = []
            var past = 0
            for count in results {
                try await settle(past..<count, of: capture, in: stage)
                past = count
                for workers in workers {
                    runs.append(try await drain(stage, crowd, capture, past: past, workers: workers))
                }
            }
            return runs
        }
        return DrainReport(
            bundleBytes: bundleBytes, devices: devices, bare: bare, cryptography: cryptography, runs: runs)
    }

    private func register(in stage: BenchStage) async throws -> Crowd {
        var generator = SeededGenerator(seed: seed)
        progress.stage("registering \(TerminalText.count(devices, "device"))")
        return try await Crowd.register(
            devices, appID: BenchStage.appID, in: stage.store, at: Timestamp.systemTime(), using: &generator
        ) { progress.count($0, of: devices) }
    }

    /// Settles captures of other devices until the record has as many results as the range ends with.
    private func settle(_ results: Range<Int>, of capture: SyntheticCapture, in stage: BenchStage) async throws {
        guard !results.isEmpty else { return }
        progress.stage("settling \(TerminalText.count(results.count, "capture")) of other devices")
        var generator = SeededGenerator(seed: seed(upTo: results.upperBound))
        try await PastResults(stage: stage, capture: capture).write(results.count, using: &generator) {
            progress.count($0, of: results.count)
        }
        try await stage.checkpoint()
    }

    /// The seed of the devices with the results up to a number of them.
    ///
    /// No other step has the same one, and neither has the crowd, or the devices would be the same.
    func seed(upTo results: Int) -> UInt64 { seed &+ UInt64(results) }

    private func drain(
        _ stage: BenchStage, _ crowd: Crowd, _ capture: SyntheticCapture, past: Int, workers count: Int
    ) async throws -> DrainReport.Run {
        let total = devices * rounds
        progress.stage("queueing \(TerminalText.count(total, "capture")) of \(TerminalText.bytes(bundleBytes))")
        try await stage.queue.setPaused(since: Timestamp.systemTime())
        let accepted = try await crowd.enqueue(
            rounds: rounds, sharing: capture, through: stage.handOff
        ) { progress.count($0, of: total) }
        try await stage.untilLogIsRewritten()
        try await stage.vacuum()
        let workers = try await BenchWorkers.start(count, on: stage)
        progress.stage("draining with \(TerminalText.count(count, "worker"))")
        let before = try await usage(stage, workers)
        let started = Timestamp.systemTime()
        try await stage.queue.setPaused(since: nil)
        try await untilEmpty(stage, total, workers)
        let after = try await usage(stage, workers)
        try await workers.stop()
        let settled = try await settlements(of: Array(accepted.keys), on: stage)
        let seconds = (settled.map(\.settledAt).max() ?? started).since(started) / .seconds(1)
        return DrainReport.Run(
            results: past, workers: count, captures: total, seconds: seconds, usage: after.since(before),
            latency: Percentiles(settled.map { $0.settledAt.since($0.receivedAt) / .seconds(1) }))
    }

    private func usage(_ stage: BenchStage, _ workers: BenchWorkers) async throws -> SystemUsage {
        guard let redis = stage.redis.figures, let postgres = stage.postgres.figures else {
            throw BenchFailed("a server has ended")
        }
        return SystemUsage(
            worker: try workers.figures(), redis: redis, postgres: postgres, redisWrites: try await writes(stage))
    }

    /// The writing commands on a capture's way; asking how far the drain is writes nothing.
    private func writes(_ stage: BenchStage) async throws -> Int {
        let counted = [
            "set", "hset", "hdel", "hincrby", "publish", "pexpire", "unlink", "ltrim", "xadd", "xack", "xdel", "zadd",
            "zrem",
        ]
        // cmdstat_hset:calls=21,usec=79,…
        return try await stage.redis.cli("INFO", "commandstats").split(whereSeparator: \.isNewline).reduce(0) {
            sum, line in
            let parts = line.split(separator: ":")
            guard parts.count == 2, counted.contains(String(parts[0].dropFirst("cmdstat_".count))),
                let calls = parts[1].split(separator: ",").first.flatMap({ Int($0.dropFirst("calls=".count)) })
            else { return sum }
            return sum + calls
        }
    }

    private func untilEmpty(_ stage: BenchStage, _ total: Int, _ workers: BenchWorkers) async throws {
        var left = total
        var changedAt = ContinuousClock.now
        while left > 0 {
            try await Task.sleep(for: .milliseconds(20))
            let load = try await stage.queue.load()
            if load.captures < left { changedAt = .now }
            left = load.captures
            progress.count(total - left, of: total)
            // Throws if a worker has ended.
            _ = try workers.figures()
            guard changedAt.duration(to: .now) < Self.patience else {
                throw BenchFailed("nothing was settled for \(Self.patience)")
            }
        }
    }

    /// When each capture was accepted and settled, by the servers' clocks; every one must have been verified.
    private func settlements(
        of captures: [CaptureID], on stage: BenchStage
    ) async throws -> [(receivedAt: Timestamp, settledAt: Timestamp)] {
        var times: [(Timestamp, Timestamp)] = []
        for page in captures.pages(of: 500) {
            for status in try await stage.queue.status(of: page) {
                guard let status, status.state == .verified, let settledAt = status.settledAt else {
                    throw BenchFailed("a genuine capture was \(status?.state.rawValue ?? "lost")")
                }
                times.append((status.receivedAt, settledAt))
            }
        }
        return times
    }
}
