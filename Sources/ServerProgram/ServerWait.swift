import CaptureQueue
import CaptureStore
package import Logging
package import Observability
import Spell

/// Does at the start of a program what needs a server, and waits for one that is away: that it is, and that it is there
/// again, is logged once.
package enum ServerWait {
    private static let pause = Duration.milliseconds(500)

    /// Tries until it is done.
    /// - Parameters:
    ///   - server: Its name, for the log.
    ///   - outage: Told of it in the log's place, where nobody else tells whether the server is there.
    ///   - work: What is to be done; may be begun again after any part of it.
    /// - Throws: What waiting does not mend; `CancellationError`.
    package static func untilDone<Value>(
        with server: String, outage: OutageLog? = nil, logger: Logger, _ work: () async throws -> Value
    ) async throws -> Value {
        var absence = Spell()
        while true {
            do {
                let value = try await work()
                if absence.end() {
                    if let outage { outage.back() } else { logger.notice("\(server) is there") }
                }
                return value
            } catch  where isTransient(error) {
                // A stop ends what is under way with a fault, and that is none of the server's.
                try Task.checkCancellation()
                let isNews = absence.begin()
                if let outage {
                    outage.away("\(error)", isRefusal: (error as? QueueError)?.isRefusal ?? false)
                } else if isNews {
                    logger.warning("waiting for \(server)", metadata: ["fault": "\(error)"])
                }
                try await Task.sleep(for: pause)
            }
        }
    }

    private static func isTransient(_ error: any Error) -> Bool {
        switch error {
        case let error as QueueError: error.isTransient
        case let error as StoreError: error.isTransient
        default: false
        }
    }
}
