import CaptureModel
import CaptureSettings
import Logging
import Observability
import ServerProgram
import ServiceLifecycle

/// The gateway's program: settings → connections → queue, bundles and store → the HTTP server.
@main
struct Main {
    static func main() async {
        await Program.run(
            .gateway,
            purpose: "takes challenges, registrations and captures over HTTP, and tells their status",
            services: services
        )
    }

    private static func services(_ settings: Settings, _ logger: Logger) async throws -> [any Service] {
        let metrics = PrometheusRegistry.bootstrap(.gateway)
        CaptureMetrics.started(.gateway, version: ProcessorVersion.current, at: Timestamp.systemTime())
        var assembly = try Assembly(settings, metrics, logger)
        return try await assembly.services()
    }
}
