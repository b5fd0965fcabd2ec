import CoreMetrics
import TestSupport
import Testing

@testable import Observability

@Suite struct PrometheusRegistryTests {
    private func read(_ registry: PrometheusRegistry) throws -> StrictExposition {
        try StrictExposition(registry.render())
    }

    @Test func `an empty registry shows what is counted, and of the gauges what nobody has refused yet`() throws {
        let exposition = try read(PrometheusRegistry())
        #expect(exposition.value("capture_challenges_issued_total") == "0")
        #expect(exposition.value("capture_metrics_dropped_series_total") == "0")
        let gauges = Set(exposition.types.filter { $0.value == "gauge" }.map(\.key))
        #expect(gauges == ["capture_developer_key_refused", "capture_partitions_refused"])
        #expect(exposition.value("capture_partitions_refused") == "0")
        for environment in ["production", "development"] {
            #expect(exposition.value("capture_developer_key_refused", ["environment": environment]) == "0")
        }
    }

    @Test func `each kind is written as its own`() throws {
        let registry = PrometheusRegistry(catalogue: [])
        Counter(label: "things", dimensions: [("kind", "a")], factory: registry).increment(by: 3)
        FloatingPointCounter(label: "parts_total", dimensions: [], factory: registry).increment(by: 0.5)
        Gauge(label: "level", dimensions: [], factory: registry).record(-1.5)
        let meter = Meter(label: "meter", dimensions: [], factory: registry)
        meter.set(5)
        meter.decrement(by: 2)
        Timer(label: "work", dimensions: [], factory: registry).recordNanoseconds(2_000_000)
        let exposition = try read(registry)
        #expect(exposition.value("things_total", ["kind": "a"]) == "3")
        #expect(exposition.value("parts_total") == "0.5")
        #expect(exposition.value("level") == "-1.5")
        #expect(exposition.value("meter") == "3")
        #expect(exposition.value("work_seconds_sum") == "0.002")
        #expect(exposition.value("work_seconds_bucket", ["le": "0.001"]) == "0")
        #expect(exposition.value("work_seconds_bucket", ["le": "0.0025"]) == "1")
        #expect(exposition.types["work_seconds"] == "histogram")
    }

    @Test func `buckets add up to the count`() throws {
        let definition = MetricDefinition(
            "size", .histogram, "Sizes.", labels: [MetricLabel("kind", ["x"])], buckets: [1, 10])
        let registry = PrometheusRegistry(catalogue: [definition])
        let recorder = Recorder(label: "size", dimensions: [("kind", "x")], factory: registry)
        for value in [0.5, 1, 5, 100, .nan, .infinity] { recorder.record(value) }
        let exposition = try read(registry)
        #expect(exposition.value("size_bucket", ["kind": "x", "le": "1"]) == "2")
        #expect(exposition.value("size_bucket", ["kind": "x", "le": "10"]) == "3")
        #expect(exposition.value("size_bucket", ["kind": "x", "le": "+Inf"]) == "4")
        #expect(exposition.value("size_count", ["kind": "x"]) == "4")
        #expect(exposition.value("size_sum", ["kind": "x"]) == "106.5")
    }

    @Test(arguments: ["a\"b", "a\\", "a\nb", "\\n", "ü,}{", "", "{le=\"1\"} 5\n# HELP x y"])
    func `a label's value comes back as it was`(value: String) throws {
        let registry = PrometheusRegistry(catalogue: [])
        Counter(label: "things", dimensions: [("kind", value)], factory: registry).increment()
        #expect(try read(registry).value("things_total", ["kind": value]) == "1")
    }

    @Test func `names are made fit for the format`() throws {
        let registry = PrometheusRegistry(catalogue: [])
        Counter(label: "hb.requests-é", dimensions: [("hb.uri", "/"), ("1st", "x"), ("__own", "y")], factory: registry)
            .increment()
        Recorder(label: "", dimensions: [("le", "z")], factory: registry).record(1)
        let exposition = try read(registry)
        #expect(exposition.value("hb_requests___total", ["hb_uri": "/", "_1st": "x", "_own": "y"]) == "1")
        #expect(exposition.value("__count", ["le_": "z"]) == "1")
    }

    @Test func `series beyond the limit are counted as other`() throws {
        let registry = PrometheusRegistry(catalogue: [], limits: .init(seriesMax: 3))
        for number in 0..<10 {
            Counter(label: "things", dimensions: [("id", "\(number)")], factory: registry).increment()
        }
        let exposition = try read(registry)
        #expect(exposition.samples.count { $0.name == "things_total" } == 4)
        #expect(exposition.value("things_total", ["id": "other"]) == "7")
        #expect(exposition.value("capture_metrics_dropped_series_total") == "7")
    }

    @Test func `metrics beyond the limit and of another kind are dropped`() throws {
        let registry = PrometheusRegistry(catalogue: [], limits: .init(metricsMax: 2))
        for number in 0..<5 { Counter(label: "metric\(number)", dimensions: [], factory: registry).increment() }
        Gauge(label: "metric0_total", dimensions: [], factory: registry).record(9)
        let exposition = try read(registry)
        #expect(exposition.types.count == 3)
        #expect(exposition.value("metric0_total") == "1")
        #expect(exposition.value("capture_metrics_dropped_series_total") == "4")
    }

    @Test func `long values are cut between characters`() throws {
        let registry = PrometheusRegistry(catalogue: [], limits: .init(labelBytesMax: 5))
        Counter(label: "things", dimensions: [("kind", "üüüü")], factory: registry).increment()
        #expect(try read(registry).value("things_total", ["kind": "üü"]) == "1")
    }

    @Test func `a destroyed series is gone`() throws {
        let registry = PrometheusRegistry(catalogue: [])
        let counter = Counter(label: "things", dimensions: [], factory: registry)
        counter.increment()
        counter.destroy()
        #expect(try read(registry).value("things_total") == nil)
    }

    @Test(.timeLimit(.minutes(1))) func `nothing is lost when many tasks count at once`() async throws {
        let registry = PrometheusRegistry(catalogue: [])
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for _ in 0..<1000 {
                        Counter(label: "things", dimensions: [("t", "\(task % 2)")], factory: registry).increment()
                        Recorder(label: "sizes", dimensions: [], factory: registry).record(1)
                        if task == 0 { _ = registry.render().count }
                    }
                }
            }
        }
        let exposition = try read(registry)
        #expect(exposition.value("things_total", ["t": "0"]) == "4000")
        #expect(exposition.value("things_total", ["t": "1"]) == "4000")
        #expect(exposition.value("sizes_count") == "8000")
        #expect(exposition.value("sizes_sum") == "8000")
    }
}
