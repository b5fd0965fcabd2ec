import CaptureModel
import CaptureProcessing
import CaptureSettings
import Logging
import Observability
import ServerProgram
import ServiceLifecycle
import WorkerSettings

/// The worker's program: settings → connections → queue, bundles and store → the worker.
@main
struct Main {
    static func main() async {
        await Program.run(
            .worker, purpose: "verifies queued captures and settles them in PostgreSQL", services: services
        )
    }

    private static func services(_ settings: Settings, _ logger: Logger) async throws -> [any Service] {
        let configuration = try settings.workerConfiguration()
        noteDescriptors(logger)
        FreedMemory.keep(configuration.bytesInHandMax)
        let metrics = PrometheusRegistry.bootstrap(.worker)
        CaptureMetrics.started(.worker, version: ProcessorVersion.current, at: Timestamp.systemTime())
        return try await Assembly(settings, configuration, metrics, logger).services()
    }

    /// Descriptors for connections to servers, files that are read or swept, and probes, all at once.
    private static let descriptorsWanted = 512

    private static func noteDescriptors(_ logger: Logger) {
        let allowed = DescriptorLimit.raise(to: descriptorsWanted)
        guard allowed < descriptorsWanted else { return }
        logger.warning(
            "the system allows fewer file descriptors than a busy worker may have open",
            metadata: ["descriptors": "\(allowed)"])
    }
}
