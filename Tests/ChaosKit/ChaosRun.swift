import AsyncHTTPClient
import CaptureModel
import DeviceSimulator
import Foundation
import GatewayClient
import TestSupport

/// A run: phones send, things break, and at the end an auditor holds the record to what was answered.
package struct ChaosRun: Sendable {
    private let options: ChaosOptions
    private let say: @Sendable (String) -> Void

    /// Prepares a run.
    /// - Parameter say: Is told of every fault as it begins, and how much was accepted until then.
    package init(_ options: ChaosOptions, say: @escaping @Sendable (String) -> Void) {
        self.options = options
        self.say = say
    }

    /// Runs to its end; what is broken is in the report, and only what keeps a run from being one is thrown.
    package func run() async throws -> ChaosReport {
        say("seed \(options.seed), \(options.duration.text), \(options.gateways) gateways, \(options.workers) workers")
        let stage = try await Stage.start(options)
        let http = HTTPClient(configuration: GatewayClient.httpConfiguration)
        let outcome: Result<ChaosReport, any Error>
        do { outcome = .success(try await run(on: stage, http)) } catch { outcome = .failure(error) }
        for slot in stage.slots { try await keepLog(of: slot) }
        try await http.shutdown()
        await stage.close()
        return try outcome.get()
    }

    private func run(on stage: Stage, _ http: HTTPClient) async throws -> ChaosReport {
        let journal = Journal()
        let record = RecordReader(postgres: stage.postgres, database: stage.database)
        return try await withThrowingTaskGroup(of: Void.self) { background in
            for slot in stage.slots { background.addTask { try await slot.supervise() } }
            if let bundles = stage.bundles { background.addTask { try await bundles.watch() } }
            do {
                let load = try await sendAndBreak(stage, journal, http)
                let drained = try await drain(stage, journal, record)
                for slot in stage.slots { try await slot.stop() }
                background.cancelAll()
                let clerk = Clerk(stage: stage, journal: journal, record: record, faults: load, options: options)
                return try await clerk.report(drained: drained)
            } catch {
                // Whoever waits for a program's end would wait for ever.
                for slot in stage.slots { try await slot.destroy() }
                throw error
            }
        }
    }

    private func keepLog(of slot: ProgramSlot) async throws {
        guard let folder = options.logs else { return }
        let log = await slot.log()
        try Data(log.utf8).write(to: URL(fileURLWithPath: folder).appendingPathComponent("\(slot.name).log"))
    }

    // MARK: Load and faults

    private func sendAndBreak(_ stage: Stage, _ journal: Journal, _ http: HTTPClient) async throws -> [FaultRecord] {
        let phones = try await register(stage, http)
        let album = try Album(seed: options.seed)
        let gateways = stage.gateways.map { url in
            // This client's own retries are the load's subject: it tells each answer, and the sender decides.
            GatewayClient(
                GatewayClient.Configuration(url: url, requestTimeout: .seconds(6), attemptsMax: 1), http: http
            )
        }
        let end = ContinuousClock.now + options.duration
        return try await withThrowingTaskGroup(of: [FaultRecord].self) { group in
            for (index, phone) in phones.enumerated() {
                let sender = Sender(
                    phone: phone, gateways: gateways, journal: journal, pace: pace(of: index), end: end,
                    sendsWholeOpening: isHot(index), patience: end + options.drainLimit
                )
                let generator = SeededGenerator(seed: options.seed).derived(100 + UInt64(index))
                let repertoire = Repertoire(phone: phone, album: album, generator: generator)
                group.addTask {
                    try await sender.run(repertoire)
                    return []
                }
            }
            let injector = FaultInjector(stage: stage) { say("\($0) (\(journal.acceptedCount) accepted)") }
            group.addTask { try await injector.carryOut(FaultSchedule(options)) }
            var records: [FaultRecord] = []
            for try await more in group { records += more }
            return records
        }
    }

    private func register(_ stage: Stage, _ http: HTTPClient) async throws -> [Phone] {
        let gateway = GatewayClient(GatewayClient.Configuration(url: stage.gateways[0], attemptsMax: 20), http: http)
        var phones: [Phone] = []
        for _ in 0..<options.devices {
            phones.append(try await Phone.register(with: gateway, authority: stage.authority))
        }
        return phones
    }

    /// One phone in six is hot, and sends most of the captures.
    private func isHot(_ index: Int) -> Bool { index % 6 == 0 }

    /// The mean pause between two captures of a phone.
    private func pace(of index: Int) -> Duration { isHot(index) ? .milliseconds(60) : .milliseconds(1500) }

    // MARK: The end

    /// Waits until everything that was accepted is in the record and nothing is queued; gives how long it took.
    private func drain(_ stage: Stage, _ journal: Journal, _ record: RecordReader) async throws -> Duration {
        let start = ContinuousClock.now
        let accepted = journal.acceptedCount
        let queue = QueueReader(stage)
        say("load is over: waiting for the queue to be empty")
        // Captures that are late show in the audit.
        _ = try await eventually(within: options.drainLimit) {
            guard try await queue.isDrained() else { return false }
            // A dead letter never reaches the record: it is not waited for.
            if try await record.count() >= accepted { return true }
            return try await !queue.dead().isEmpty
        }
        return ContinuousClock.now - start
    }
}
