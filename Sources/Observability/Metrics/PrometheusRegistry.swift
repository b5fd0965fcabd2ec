package import CaptureModel
import CoreMetrics
import Synchronization

/// Keeps the numbers of all metrics and writes them in Prometheus's text format 0.0.4.
///
/// It is the backend of swift-metrics, so that libraries' metrics arrive here too. Names and labels are made valid for
/// the format, and the number of series is bounded. A series beyond its metric's limit is counted with every label
/// `other`, a metric beyond the limit is not counted, and both add to `capture_metrics_dropped_series_total`.
///
/// ```swift
/// let registry = PrometheusRegistry.bootstrap(.worker)
/// … registry.render()
/// ```
package final class PrometheusRegistry: Sendable {
    /// The capacity of a registry.
    package struct Limits: Sendable, Equatable {
        /// Metrics; default 256.
        package var metricsMax: Int
        /// Series of one metric; default 512.
        package var seriesMax: Int
        /// Bytes of one label's value, after which it is cut; default 128.
        package var labelBytesMax: Int

        /// Takes limits; each must be positive.
        package init(metricsMax: Int = 256, seriesMax: Int = 512, labelBytesMax: Int = 128) {
            precondition(metricsMax > 0 && seriesMax > 0 && labelBytesMax > 0)
            self.metricsMax = metricsMax
            self.seriesMax = seriesMax
            self.labelBytesMax = labelBytesMax
        }
    }

    /// The `Content-Type` of the text.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private struct State {
        var families: [String: MetricFamily] = [:]
        var droppedSeries = 0
    }

    private let limits: Limits
    private let catalogue: [String: MetricDefinition]
    private let state = Mutex(State())

    /// Makes a registry that knows these metrics; unknown ones are added when they are first used.
    package init(catalogue: [MetricDefinition] = MetricCatalogue.all, limits: Limits = Limits()) {
        self.limits = limits
        self.catalogue = Dictionary(catalogue.map { ($0.name, $0) }) { first, _ in first }
        // Counters are shown from the start, so that their first increase can be seen.
        for metric in catalogue where metric.startsAtZero {
            for values in metric.series {
                _ = series(metric.name, metric.kind, Array(zip(metric.labels.map(\.name), values)))
            }
        }
    }

    /// Makes a registry the process's metrics system, once, and returns it for the route that shows it.
    package static func bootstrap(
        _ program: ProgramName, limits: Limits = Limits()
    ) -> PrometheusRegistry {
        let registry = PrometheusRegistry(catalogue: MetricCatalogue.of(program), limits: limits)
        MetricsSystem.bootstrap(registry)
        return registry
    }

    /// Writes everything, ordered by name and labels, ending with a line feed.
    package func render() -> String {
        var (families, dropped) = state.withLock { ($0.families, $0.droppedSeries) }
        let own = MetricCatalogue.droppedSeries
        families[own.name] = MetricFamily(own, value: Double(dropped))
        var text = ""
        for family in families.values.sorted(by: { $0.definition.name < $1.definition.name }) {
            family.render(into: &text)
        }
        return text
    }

    /// The series of a metric and its labels, made when it is new.
    ///
    /// Never fails: without room it is the metric's `other`, or a series that is not shown.
    func series(_ name: String, _ kind: MetricDefinition.Kind, _ dimensions: [(String, String)]) -> MetricSeries {
        let labels = LabelSet(dimensions, valueBytesMax: limits.labelBytesMax)
        return state.withLock { state in
            if state.families[name] == nil, state.families.count < limits.metricsMax {
                state.families[name] = MetricFamily(definition(name, kind))
            }
            guard state.families[name]?.definition.kind == kind,
                let found = state.families[name]?.series(labels, seriesMax: limits.seriesMax)
            else {
                state.droppedSeries += 1
                return MetricSeries(kind, buckets: [])
            }
            if found.isOverflow { state.droppedSeries += 1 }
            return found.series
        }
    }

    /// Forgets one series.
    func remove(_ series: MetricSeries) {
        state.withLock { state in
            for name in state.families.keys { state.families[name]?.remove(series) }
        }
    }

    private func definition(_ name: String, _ kind: MetricDefinition.Kind) -> MetricDefinition {
        catalogue[name]
            ?? MetricDefinition(name, kind, "", buckets: kind == .histogram ? MetricBuckets.seconds : [])
    }
}
