package import CaptureModel

/// Every metric of the system, by name.
///
/// Names and labels are a contract: dashboards and alerts use them, and METRICS.md has a table of them.
/// Label values are the raw values of the enumerations named in ``CaptureMetrics``; none comes from a request.
package enum MetricCatalogue {
    /// All metrics.
    package static let all: [MetricDefinition] = devices + uploading + queue + work + trust + servers

    /// The metrics that a program shows.
    package static func of(_ program: ProgramName) -> [MetricDefinition] {
        all.filter { $0.programs.contains(program) }
    }
}
