import CaptureQueue
import CaptureStore
package import Logging
package import Observability

/// Does the work of a program's start that needs a server, and waits while that server is away.
///
/// That it is away is logged once for each fault, as the first may only say that the time was over; that it is back, once.
package enum ServerWait {
    private static let pause = Duration.milliseconds(500)
    /// Faults that are logged of one absence.
    private static let faultsMax = 5

    /// Tries until it is done.
    /// - Parameters:
    ///   - server: Its name, for the log.
    ///   - outage: Told in place of the log, where nothing else reports whether the server is there.
    ///   - work: What is to be done; it may be started again after any part of it.
    /// - Throws: A fault that waiting does not mend; `CancellationError`.
    package static func untilDone<Value>(
        with server: String, outage: OutageLog? = nil, logger: Logger, _ work: () async throws -> Value
    ) async throws -> Value {
        var faults: Set<String> = []
        while true {
            do {
                let value = try await work()
                if !faults.isEmpty {
                    if let outage { outage.back() } else { logger.notice("\(server) is there") }
                }
                return value
            } catch  where isTransient(error) {
                // A stop makes the work under way fail, which is not the server's fault.
                try Task.checkCancellation()
                let isNews = faults.count < faultsMax && faults.insert("\(error)").inserted
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
