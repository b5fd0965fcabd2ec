import CaptureProcessing

/// What a run is to be.
package struct ChaosOptions: Sendable {
    /// Decides the faults and what is sent.
    package var seed: UInt64
    /// How long captures are sent and faults begin.
    package var duration: Duration
    /// How many phones send.
    package var devices = 24
    /// How many gateways take what they send.
    package var gateways = 2
    /// How many workers settle it.
    package var workers = 3
    /// How many partitions the queue has: a power of two up to 1024.
    package var partitions = 1
    /// How long a worker may be silent: short, so that many leases run out.
    package var lease: Duration = .seconds(2)
    /// The time between the beginnings of two faults.
    package var gap: ClosedRange<Duration> = .milliseconds(600) ... .milliseconds(3000)
    /// How long the queue may take to be empty after the last fault.
    package var drainLimit: Duration = .seconds(90)
    /// The most memory that a program may use.
    package var memoryBytesMax = 700 << 20
    /// What a 202 rests on.
    package var durability = Durability.ledger
    /// Where the bytes of captures are kept.
    package var bundles = Bundles.redis
    /// A folder that takes what the programs printed.
    package var logs: String?
    /// More settings of the programs, as environment variables.
    package var settings: [String: String] = [:]

    /// Levels of durability that a run on one Redis can have.
    package enum Durability: String, Sendable, CaseIterable {
        /// Redis's disk.
        case fsync
        /// PostgreSQL's disk.
        case ledger
    }

    /// Places for bytes.
    package enum Bundles: String, Sendable, CaseIterable {
        /// Redis.
        case redis
        /// A folder that all programs share.
        case filesystem
    }

    /// Whether accepted captures survive the loss of all of Redis: then it is flushed as well.
    package var survivesFlush: Bool { durability == .ledger && bundles == .filesystem }

    /// Takes a seed and a duration, and the defaults for all else.
    package init(seed: UInt64, duration: Duration) {
        self.seed = seed
        self.duration = duration
    }

    /// As many captures as one worker settles at once.
    var settlingMax: Int {
        let standard = WorkerConfiguration(appIDs: [])
        func setting(_ name: String) -> Int? { settings["CAPTURE_WORKER_\(name)"].flatMap { Int($0) } }
        return (setting("PIPELINES") ?? standard.pipelines)
            * (setting("BATCH_CAPTURES_MAX") ?? standard.batchCapturesMax)
    }

    /// Every program of the run.
    var programs: [ChaosProgram] {
        (1...gateways).map { ChaosProgram(role: .gateway, number: $0) }
            + (1...workers).map { ChaosProgram(role: .worker, number: $0) }
    }
}
