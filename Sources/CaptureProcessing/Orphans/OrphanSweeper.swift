public import CaptureModel
public import CaptureQueue
public import CaptureStore
import GracefulStop
public import Logging
public import Observability
public import ServiceLifecycle

/// Removes bytes that belong to no capture: of uploads that were never enqueued, and of settled captures whose worker
/// ended before it had removed them.
///
/// Every worker runs one and takes a small step at a time. Bytes that have lain for long are an orphan's if queue or
/// record have settled their capture. What nobody knows may have been accepted by a Redis that came up without its
/// data: it stays for longer, unless there is a ledger, which would know. Whoever cannot be asked keeps the step from
/// being taken; what cannot be removed or read is told, left for the next round, and keeps nothing else.
///
/// How long bytes have lain the store tells, by the clock that stamps them: a worker's own clock decides nothing here.
/// Of queue and record only states count, and no moments.
public struct OrphanSweeper<Queue: ReadableQueue, Bundles: SweepableBundleStore>: Service {
    /// Times and bounds.
    public struct Configuration: Sendable {
        /// How long bytes lie before they may be an orphan's: longer than any upload takes from
        /// its bytes to its capture.
        public var age: Duration = .seconds(900)
        /// How long bytes lie whose capture neither queue nor record knows.
        ///
        /// Where every accepted capture is in a ledger, as long as others; else for as long as Redis may be without its
        /// data before somebody sees it.
        public var unknownAge: Duration = .seconds(7 * 86_400)
        /// The pause between two steps.
        public var interval: Duration = .seconds(10)
        /// Captures looked at in one step.
        public var pageMax = 256

        /// The defaults.
        public init() {}
    }

    private let bundles: Bundles
    private let queue: Queue
    private let standings: @Sendable ([CaptureID]) async throws(StoreError) -> [CaptureID: RecordedStanding]
    private let configuration: Configuration
    private let start: SweepPosition
    private let outage: OutageLog?
    private let logger: Logger

    /// Puts a sweeper together; it starts with ``run()``.
    /// - Parameters:
    ///   - bundles: The store that is swept.
    ///   - queue: Knows what waits, is worked, or is a dead letter.
    ///   - standings: What ledger and record tell of captures; those that they do not know are missing.
    ///   - configuration: Times and bounds.
    ///   - start: Where the first step is taken: elsewhere for each worker.
    ///   - outage: Told that the store answers: an idle worker asks it for nothing else.
    ///   - logger: Hears of what was removed.
    public init(
        bundles: Bundles, queue: Queue,
        standings: @escaping @Sendable ([CaptureID]) async throws(StoreError) -> [CaptureID: RecordedStanding],
        configuration: Configuration = Configuration(), start: SweepPosition, outage: OutageLog? = nil, logger: Logger
    ) {
        self.bundles = bundles
        self.queue = queue
        self.standings = standings
        self.configuration = configuration
        self.start = start
        self.outage = outage
        self.logger = logger
    }

    /// The kind of service, for logs.
    public var description: String { "OrphanSweeper" }

    /// Takes a step after each pause until graceful shutdown or cancellation.
    public func run() async throws {
        try await untilStopped { try await sweep() }
    }

    private func sweep() async throws {
        var position = start
        var isHindered = false
        while true {
            try await Task.sleep(for: configuration.interval)
            do {
                position = try await step(from: position)
                isHindered = false
            } catch {
                // What a stop interrupts is no fault.
                if !isHindered, !Task.isCancelled {
                    logger.info("orphans are not looked for", metadata: ["fault": "\(error)"])
                }
                isHindered = true
            }
        }
    }

    /// Takes one step and returns where the next one begins.
    public func step(from position: SweepPosition) async throws -> SweepPosition {
        let page = try await bundles.untouched(for: configuration.age, after: position, limit: configuration.pageMax)
        outage?.answered()
        if let fault = page.passedBy {
            logger.warning("a folder that cannot be read is not swept", metadata: ["fault": "\(fault)"])
        }
        let orphans = try await orphans(among: page.captures)
        guard !orphans.isEmpty else { return page.next }
        do throws(QueueError) {
            try await bundles.removeSettled(orphans)
            logger.notice("removed bytes that belonged to no capture", metadata: ["captures": "\(orphans.count)"])
        } catch {
            // Whoever stays here for them never comes to any others.
            logger.warning("bytes that belong to no capture cannot be removed", metadata: ["fault": "\(error)"])
        }
        return page.next
    }

    private func orphans(among untouched: [UntouchedBytes]) async throws -> [CaptureID] {
        guard !untouched.isEmpty else { return [] }
        let statuses = try await queue.status(of: untouched.map(\.capture))
        let done = zip(untouched, statuses).filter { [.verified, .rejected].contains($1?.state) }.map(\.0.capture)
        let unknown = zip(untouched, statuses).filter { $1 == nil }.map(\.0)
        guard !unknown.isEmpty else { return done }
        return try await done + orphans(amongUnknown: unknown)
    }

    private func orphans(amongUnknown unknown: [UntouchedBytes]) async throws(StoreError) -> [CaptureID] {
        let standings: [CaptureID: RecordedStanding]
        do throws(StoreError) {
            standings = try await self.standings(unknown.map(\.capture))
        } catch {
            // A row that cannot be read today cannot be read tomorrow: only what it may know of stays.
            guard error.concernsContent else { throw error }
            logger.warning(
                "bytes are not swept whose captures ledger or record cannot tell of",
                metadata: ["captures": "\(unknown.count)", "fault": "\(error)"])
            return []
        }
        return unknown.filter { bytes in
            switch standings[bytes.capture] {
            case .settled: true
            case .open: false
            case nil: bytes.age >= configuration.unknownAge
            }
        }.map(\.capture)
    }
}
