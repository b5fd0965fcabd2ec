import ArgumentParser
import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import PostgresCaptureStore
import RedisCaptureQueue

/// `capturectl captures show`.
struct CapturesShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows where a capture stands, what every check says, and who did what to it.",
        discussion: """
            What is settled is shown while Redis is away as well, and when somebody has written over its keys in Redis.

            Examples:
              capturectl captures show 0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21
              capturectl captures show 0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21 --json

            \(CommandEnd.help)
            """
    )

    @OptionGroup var argument: CaptureArgument
    @OptionGroup var options: OperatorOptions

    func run() async throws {
        let (id, json) = (argument.id, options.json)
        try await OperatorSession.run(options) { session in
            // The queue first: a capture that it has forgotten has its result by then.
            let queue = session.onlyLooking.queue
            var (status, deliveries, fault) = (JobStatus?.none, QueueDoctor.Deliveries?.none, QueueError?.none)
            do throws(QueueError) {
                status = try await queue.status(of: id)
                if status != nil { deliveries = try await QueueDoctor(queue: queue).deliveries(of: id) }
            } catch {
                fault = error
            }
            var result = try await session.store.result(of: id)
            if let fault {
                // Without a result only the queue knows its state.
                guard fault.isTransient || fault.isOfDamagedKey, result != nil else { throw fault }
                let words = ShownText.line(fault.message)
                standardError("capturectl: without what the queue knows of it: Redis: \(words)\n")
            }
            if status == nil, result == nil {
                status = try await session.ledger.accepted([id])[id].map { row in
                    JobStatus(lost: id, of: row.device, receivedAt: row.receivedAt)
                }
                // The ledger's row is deleted with the result, which may have come just now.
                if status == nil { result = try await session.store.result(of: id) }
            }
            // The record has it before the queue is told: it has gone back in time, or somebody has written to Redis.
            guard result != nil || status?.state.isSettled != true else {
                let words = "Redis calls it settled, and PostgreSQL has no result of it: capturectl doctor"
                standardError("capturectl: capture \(id): \(words)\n")
                return false
            }
            let trail = try await AuditTrail(of: "\(id)", in: session.store)
            if status == nil, result == nil, trail.entries.isEmpty || trail.otherOwner != nil {
                let owner = trail.otherOwner.map { "; the id is that of \($0)" } ?? ""
                standardError("capturectl: no capture \(id)\(owner)\n")
                return false
            }
            // A result is told by the record alone.
            let document = CaptureDocument(
                id: id, result: result, status: result == nil ? status : nil,
                deliveries: result == nil ? deliveries : nil, trail: trail)
            try printAnswer(json ? JSONText.write(document) : document.text(on: .current))
            return true
        }
    }
}
