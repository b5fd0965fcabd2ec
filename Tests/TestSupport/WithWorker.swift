import AppAttest
package import CaptureModel
package import CaptureProcessing
package import CaptureQueue
package import CaptureStore
package import Logging
import ServiceLifecycle

/// Has a worker work a queue while a body runs, and stops it: gracefully, or at once where the body throws.
///
/// One that is left behind would go on asking a server that is shared with other tests.
package func withWorker(
    of queue: some WorkedQueue & DeadLetterQueue, bundles: some BundleStore, store: some CaptureStore,
    app: String = "ABCDE12345.com.example.app", now: @escaping TimeSource,
    clock: ManualTime? = nil, logger: Logger = .quiet,
    configure: (inout WorkerConfiguration) -> Void = { _ in }, _ body: () async throws -> Void
) async throws {
    var configuration = WorkerConfiguration(appIDs: [app].compactMap { AppID($0) })
    configure(&configuration)
    let worker = CaptureWorker(
        queue: queue, bundles: bundles, store: store, configuration: configuration, time: now,
        now: { clock?.monotonic ?? .now }, logger: logger)
    let group = ServiceGroup(services: [worker], logger: .quiet)
    let running = Task { try await group.run() }
    defer { running.cancel() }
    try await body()
    await group.triggerGracefulShutdown()
    try await running.value
}
