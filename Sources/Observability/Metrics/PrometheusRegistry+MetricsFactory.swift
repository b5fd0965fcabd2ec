package import CoreMetrics

/// Makes the metrics of swift-metrics: counters end in `_total`, timers in `_seconds`.
///
/// Timers and aggregating recorders are histograms, the others are gauges.
extension PrometheusRegistry: MetricsFactory {
    /// Makes the counter of a label and dimensions, or returns the existing one.
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        SeriesHandler(series(PrometheusText.metricName(label, suffix: "_total"), .counter, dimensions))
    }

    /// Makes the counter of a label and dimensions, or returns the existing one.
    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        SeriesHandler(series(PrometheusText.metricName(label, suffix: "_total"), .counter, dimensions))
    }

    /// Makes the gauge of a label and dimensions, or returns the existing one.
    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        SeriesHandler(series(PrometheusText.metricName(label), .gauge, dimensions))
    }

    /// Makes the histogram (if it aggregates) or gauge of a label and dimensions, or returns the existing one.
    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        let name = PrometheusText.metricName(label)
        return aggregate
            ? ObservationHandler(series(name, .histogram, dimensions))
            : SeriesHandler(series(name, .gauge, dimensions))
    }

    /// Makes the histogram of a label and dimensions, in seconds, or returns the existing one.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        ObservationHandler(series(PrometheusText.metricName(label, suffix: "_seconds"), .histogram, dimensions))
    }

    /// Forgets a counter.
    package func destroyCounter(_ handler: any CounterHandler) { destroy(handler) }

    /// Forgets a counter.
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { destroy(handler) }

    /// Forgets a gauge.
    package func destroyMeter(_ handler: any MeterHandler) { destroy(handler) }

    /// Forgets a histogram or gauge.
    package func destroyRecorder(_ handler: any RecorderHandler) { destroy(handler) }

    /// Forgets a histogram.
    package func destroyTimer(_ handler: any TimerHandler) { destroy(handler) }

    private func destroy(_ handler: AnyObject) {
        switch handler {
        case let handler as SeriesHandler: remove(handler.series)
        case let handler as ObservationHandler: remove(handler.series)
        default: break
        }
    }
}

/// Counters and gauges for swift-metrics.
private final class SeriesHandler: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler {
    let series: MetricSeries

    init(_ series: MetricSeries) {
        self.series = series
    }

    func increment(by amount: Int64) { increment(by: Double(amount)) }
    func increment(by amount: Double) {
        if amount.isFinite { series.add(amount) }
    }
    func decrement(by amount: Double) { increment(by: -amount) }
    func reset() { series.reset() }
    func set(_ value: Int64) { series.set(Double(value)) }
    func set(_ value: Double) { series.set(value) }
    func record(_ value: Int64) { series.set(Double(value)) }
    func record(_ value: Double) { series.set(value) }
}

/// Histograms for swift-metrics.
private final class ObservationHandler: RecorderHandler, TimerHandler {
    let series: MetricSeries

    init(_ series: MetricSeries) {
        self.series = series
    }

    func record(_ value: Int64) { series.observe(Double(value)) }
    func record(_ value: Double) { series.observe(value) }
    func recordNanoseconds(_ duration: Int64) { series.observe(Double(duration) / 1_000_000_000) }
}
