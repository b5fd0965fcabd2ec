import CaptureModel
package import CaptureQueue
package import Logging
package import Observability
import ServiceLifecycle
import Waiting

/// Removes bytes that belong to no capture: of uploads that were never enqueued, and of settled captures whose worker
/// ended before it had removed them.
///
/// Every worker runs one and takes a small step at a time. Bytes of a minimum age are an orphan's if ledger or record
/// have settled their capture; that the queue calls it settled is not enough. A capture that nobody knows may have been
/// accepted by a Redis that came up without its data: its bytes stay for longer, unless there is a ledger, which would
/// know it. If the queue or a store cannot be asked, the step is not taken. Bytes that cannot be removed or read are
/// logged and left for the next round; they hold up nothing else.
///
/// The store tells the age of bytes, by the clock that stamps them: a worker's own clock decides nothing here. Of queue
/// and record only states count, and no times.
package struct OrphanSweeper: Service {
    /// Times and bounds.
    package struct Configuration: Sendable {
        /// How long bytes lie before they may be an orphan's: longer than any upload takes from its bytes to its
        /// capture.
        package var age: Duration
        /// How long bytes stay after queue and record were first found not to know their capture.
        ///
        /// If a ledger has every accepted capture, this is ``age``, counted from when they were stored. Otherwise it is
        /// as long as Redis may be without its data before somebody notices.
        package var unknownAge: Duration
        /// The pause between two steps; default 10 s.
        package var interval: Duration = .seconds(10)
        /// Captures looked at in one step; default 256.
        package var pageMax = 256

        /// Takes both ages; the settings have defaults for them.
        package init(age: Duration, unknownAge: Duration) {
            self.age = age
            self.unknownAge = unknownAge
        }
    }

    private let bundles: any SweepableBundleStore
    let queue: any SweepQueue
    let standings: RecordedStanding.Reader
    private let configuration: Configuration
    private let start: SweepPosition
    private let outage: OutageLog?
    let logger: Logger

    /// Does nothing before ``run()``.
    /// - Parameters:
    ///   - bundles: The store that is swept.
    ///   - queue: Knows the captures that wait, are worked, or are dead letters.
    ///   - standings: The standings of captures by ledger and record; captures that neither knows are missing.
    ///   - configuration: Times and bounds.
    ///   - start: Where the first step begins; another place for each worker.
    ///   - outage: Told that the store answers: an idle worker does not ask the store otherwise.
    ///   - logger: Logs what was removed.
    package init(
        bundles: any SweepableBundleStore, queue: any SweepQueue, standings: @escaping RecordedStanding.Reader,
        configuration: Configuration, start: SweepPosition, outage: OutageLog? = nil, logger: Logger
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
    package var description: String { "OrphanSweeper" }

    /// Takes a step after each pause until graceful shutdown or cancellation.
    package func run() async throws {
        try await untilStopped { try await sweep() }
    }

    private func sweep() async throws {
        var position = start
        var hindrance = Episode()
        while true {
            try await Task.sleep(for: configuration.interval)
            do {
                position = try await step(from: position)
                if hindrance.end() { logger.info("orphans are looked for again") }
            } catch {
                // A step that a stop interrupts is no fault.
                if !Task.isCancelled, hindrance.begin() {
                    logger.info("orphans are not looked for", metadata: ["fault": "\(error)"])
                }
            }
        }
    }

    /// Takes one step and returns where the next one begins.
    /// - Throws: ``QueueError`` of the queue or of the bytes' store, or `StoreError`: nothing has been removed.
    package func step(from position: SweepPosition) async throws -> SweepPosition {
        let page = try await bundles.untouched(for: configuration.age, after: position, limit: configuration.pageMax)
        outage?.answered()
        if let fault = page.passedBy {
            logger.warning("a folder that cannot be read is not swept", metadata: ["fault": "\(fault)"])
        }
        let owners = try await owners(of: page.captures)
        do throws(QueueError) {
            try await note(page.captures, owners)
        } catch {
            logger.warning("bytes that nobody knows cannot be marked", metadata: ["fault": "\(error)"])
        }
        let orphans = page.captures.filter { isOrphan($0, owners) }
        guard !orphans.isEmpty else { return page.next }
        do throws(QueueError) {
            // Bytes that an upload has stored again in between stay.
            try await bundles.removeOrphans(orphans)
            logger.notice("removed bytes that belonged to no capture", metadata: ["captures": "\(orphans.count)"])
        } catch {
            // The walk goes on all the same: a retry here would never reach any others.
            logger.warning("bytes that belong to no capture cannot be removed", metadata: ["fault": "\(error)"])
        }
        return page.next
    }

    /// Without a ledger, marks bytes whose capture nobody knows, which starts their ``Configuration/unknownAge``.
    ///
    /// The mark is removed when queue or record knows the capture again.
    private func note(_ page: [UntouchedBytes], _ owners: [CaptureID: Owner]) async throws(QueueError) {
        let lost = page.filter { !$0.isMarkedUnknown && owners[$0.capture] == .nobody && hasGrace }
        if !lost.isEmpty { try await bundles.markUnknown(lost.map(\.capture)) }
        let found = page.filter { $0.isMarkedUnknown && owners[$0.capture] == .capture }
        if !found.isEmpty { try await bundles.unmarkUnknown(found.map(\.capture)) }
    }

    /// Whether bytes of unknown captures stay for longer than an upload takes.
    private var hasGrace: Bool { configuration.unknownAge > configuration.age }

    private func isOrphan(_ bytes: UntouchedBytes, _ owners: [CaptureID: Owner]) -> Bool {
        switch owners[bytes.capture] {
        case .settled: true
        case .nobody: !hasGrace || bytes.isMarkedUnknown && bytes.age >= configuration.unknownAge
        case .capture, nil: false
        }
    }
}
