import Logging
import Observability

/// Logs once that the queue refuses a duty of the worker, and once that it goes on again, however often it is tried.
final class RefusalLog: Sendable {
    private let duty: String
    private let logger: Logger
    private let refusal = SharedEpisode()

    /// - Parameter duty: The duty in the words of the log: `claiming lanes`.
    init(_ duty: String, logger: Logger) {
        self.duty = duty
        self.logger = logger
    }

    /// Notes the outcome of a try; an outage says nothing about refusals, and has a log line of its own.
    func note<Value: Sendable>(_ outcome: Patience.Outcome<Value>) {
        switch outcome {
        case .away: return
        case .done:
            if refusal.end() { logger.notice("\(duty) goes on") }
        case .fault(let fault):
            if refusal.begin() { logger.error("\(duty) is refused", metadata: ["fault": "\(fault)"]) }
        }
    }
}
