package import CaptureStore
package import Logging
import Observability
import ServiceLifecycle
import Waiting

/// Deletes what is no longer needed of enrolments and invitations.
///
/// Every gateway runs one, also one that takes no enrolments (any more), so that the rest of earlier ones is deleted.
/// Any number of them may run at once. A failure is logged once, as is its end, and the purge is tried again after the
/// next pause.
package struct EnrolmentPurger: Service, CustomStringConvertible {
    /// Times and bounds.
    package struct Configuration: Sendable {
        /// How long sessions that came to nothing, and invitations that led to no enrolment, stay after their end.
        package var retention: Duration = .seconds(86_400)
        /// The pause between two purges.
        package var interval: Duration = .seconds(60)
        /// Rows of each kind that are changed at once (1 to 100,000).
        package let purgeMax = 1_000

        /// The defaults.
        package init() {}
    }

    private let store: any EnrolmentStore
    private let configuration: Configuration
    private let logger: Logger

    /// Does nothing before ``run()``.
    package init(store: any EnrolmentStore, configuration: Configuration = Configuration(), logger: Logger) {
        self.store = store
        self.configuration = configuration
        self.logger = logger
    }

    /// The kind of service, for logs.
    package var description: String { "EnrolmentPurger" }

    /// Purges at once, and after each pause until graceful shutdown or cancellation.
    package func run() async throws {
        try await untilStopped { try await purge() }
    }

    private func purge() async throws {
        var hindrance = Episode()
        while true {
            do throws(StoreError) {
                // Until nothing is left of it.
                while try await store.purgeEnrolments(
                    expiredFor: configuration.retention, limit: configuration.purgeMax) > 0, !Task.isCancelled
                {}
                if hindrance.end() { logger.notice("enrolments that are over are purged again") }
            } catch {
                if !Task.isCancelled, hindrance.begin() {
                    logger.warning("enrolments that are over are not purged", metadata: ["fault": "\(error)"])
                }
            }
            try await Task.sleep(for: configuration.interval)
        }
    }
}
