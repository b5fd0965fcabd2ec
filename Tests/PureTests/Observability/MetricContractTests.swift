import CaptureModel
import Foundation
import TestSupport
import Testing

@testable import Observability

@Suite("The metrics are a contract", .timeLimit(.minutes(5)))
struct MetricContractTests {
    private static let deploy = "Config/deploy/"
    private static let ruleTests = ["alerts.test.yaml", "alerts.long.test.yaml"]
    private static let table = (try? Repository.text(deploy + "METRICS.md")) ?? ""

    /// A metric's row in METRICS.md: name, kind, programs, labels with their values, meaning.
    private static func row(_ metric: MetricDefinition) -> String {
        let programs = ProgramName.servers.filter { metric.programs.contains($0) }
            .map { $0.rawValue.replacing("capture-", with: "") }
        let labels = metric.labels.map { label in
            let values = label.values.map { "`\($0)`" }.joined(separator: " ")
            return "`\(label.name)`: \(label.values.isEmpty ? label.meaning : values)"
        }
        return "| `\(metric.name)` | \(metric.kind.rawValue) | \(programs.joined(separator: ", ")) "
            + "| \(labels.joined(separator: "; ")) | \(metric.help) |"
    }

    @Test
    func `the table in METRICS.md is the catalogue`() {
        let rows = Self.table.split(separator: "\n").map(String.init).filter { $0.hasPrefix("| `capture_") }
        #expect(rows == MetricCatalogue.all.map(Self.row))
    }

    @Test func `the table tells the gauges that there are with a rollout's file only`() {
        let gauges = MetricCatalogue.all.filter { $0.name.hasPrefix("capture_rollout_") && $0.kind == .gauge }
        #expect(gauges.count == 2)
        for gauge in gauges {
            #expect(!gauge.startsAtZero && gauge.help.hasPrefix("Only with `rollout.file`: "), "\(gauge.name)")
        }
    }

    @Test
    func `each alert has its runbook`() throws {
        let (alerts, runbooks) = (try Self.alerts(), try Repository.text(Self.deploy + "RUNBOOKS.md"))
        for alert in alerts { #expect(runbooks.contains("\n## \(alert)\n"), "\(alert)") }
    }

    @Test func `each alert links to the runbook of its own name`() throws {
        let text = try Repository.text(Self.deploy + "prometheus/alerts.yaml")
        for alert in try Self.alerts() {
            #expect(text.contains("runbook: RUNBOOKS.md#\(alert.lowercased())\n"), "\(alert)")
        }
    }

    @Test(arguments: ["prometheus/alerts.yaml", "grafana/captures.json"] + ruleTests.map { "prometheus/\($0)" })
    func `rules and dashboard ask only for metrics that there are`(file: String) throws {
        let text = try Repository.text(Self.deploy + file)
        let known = Set(
            MetricCatalogue.all.flatMap { metric in
                metric.kind == .histogram ? ["_bucket", "_sum", "_count"].map { metric.name + $0 } : [metric.name]
            })
        let names = Self.metrics(in: text)
        #expect(names.count > 2)
        #expect(names.subtracting(known) == [])
    }

    /// Whoever is called by an alert looks there since when it has been so.
    @Test func `each metric that an alert asks for is on the dashboard`() throws {
        let asked = Self.metrics(in: try Repository.text(Self.deploy + "prometheus/alerts.yaml"))
        let shown = Self.metrics(in: try Repository.text(Self.deploy + "grafana/captures.json"))
        #expect(asked.subtracting(shown) == [])
    }

    /// Counters by outcome whose faults another metric tells.
    private static let toldOtherwise = [
        // A step that fails is answered with 500 or 503, which CaptureRequestsFail and CaptureRequestsPutOff tell.
        MetricCatalogue.enrolments.name,
        // The ruling of an app's policy is a decision, and no fault.
        MetricCatalogue.rolloutRulings.name,
        // A file that is refused is no longer in force, which CaptureRolloutFileRefused tells.
        MetricCatalogue.rolloutReloads.name,
    ]

    @Test func `whatever can go wrong and is counted is told by an alert`() throws {
        let asked = Self.metrics(in: try Repository.text(Self.deploy + "prometheus/alerts.yaml"))
        let counted = MetricCatalogue.all.filter { metric in
            metric.kind == .counter && metric.labels.contains { $0.name == "outcome" || $0.name == "status" }
        }
        #expect(counted.count > Self.toldOtherwise.count)
        #expect(Set(counted.map(\.name)).subtracting(asked) == Set(Self.toldOtherwise))
    }

    @Test(arguments: ["prometheus/alerts.yaml", "kubernetes/autoscaling.yaml", "grafana/captures.json"])
    func `nobody listens to what a program that is cut off from Redis remembers of the queue`(file: String) throws {
        let text = try Repository.text(Self.deploy + file).replacing("\\", with: "").replacing(/\s+/, with: " ")
        let gate = " and on (job, instance) capture_dependency_up{dependency=\"redis\"} == 1)"
        let terms = text.matches(of: /\bcapture_queue_[a-z_]+/)
        #expect(terms.count > 3)
        for term in terms { #expect(text[term.range.upperBound...].hasPrefix(gate), "\(term.output)") }
    }

    @Test func `whatever can be recorded is recorded somewhere`() throws {
        let sources = try Self.swiftFiles("Sources") + Self.swiftFiles("Workers")
        let (own, others) = (
            sources.filter { $0.contains("/Observability/Metrics/CaptureMetrics") },
            sources.filter { !$0.contains("/Observability/Metrics/") }
        )
        let functions = try own.flatMap { file in
            try Repository.text(file).matches(of: /package static func ([a-zA-Z]+)\(/).map { String($0.output.1) }
        }
        #expect(functions.count > 15)
        let calls = try others.map { try Repository.text($0) }.joined(separator: "\n")
        for function in functions { #expect(calls.contains("CaptureMetrics.\(function)("), "\(function)") }
    }

    @Test(
        .enabled(if: Repository.program("promtool") != nil, "promtool is there: Config/local/install.sh gets it"),
        arguments: [
            ["check", "rules", "alerts.yaml"], ["check", "config", "prometheus.yaml"],
        ] + ruleTests.map { ["test", "rules", $0] })
    func `promtool takes the rules`(arguments: [String]) async throws {
        let folder = Repository.directory.appendingPathComponent(Self.deploy + "prometheus")
        // Go would spend a quarter of its time on collecting garbage, of which there is little.
        let run = try await LeashedProcess.run(
            try #require(Repository.program("promtool")), arguments, environment: ["GOGC": "800"], directory: folder)
        #expect(run.exitCode == 0, "\(run.output)")
    }

    /// They are comments, `#` without a space in front of each line; whoever takes them leaves the others out.
    @Test func `the jobs for Compose and Kubernetes find each process, by the rules' names`() async throws {
        let text = try Repository.text(Self.deploy + "prometheus/prometheus.yaml")
        let head = try #require(text.range(of: "scrape_configs:\n")).upperBound
        let ways = text[head...].components(separatedBy: "\n\n").dropFirst()
        try #require(ways.count == 2)
        let folder = try TemporaryDirectory.make("prometheus")
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(Repository.text(Self.deploy + "prometheus/alerts.yaml").utf8)
            .write(to: folder.appendingPathComponent("alerts.yaml"))
        for way in ways {
            let lines = way.split(separator: "\n").map(String.init).filter { line in
                ["  #- ", "  #  "].contains { line.hasPrefix($0) }
            }
            let jobs = lines.map { "  \($0.dropFirst(3))" }.joined(separator: "\n")
            #expect(lines.count > 5 && !jobs.contains("static_configs"))
            // Debian's is built without the discovery of Kubernetes.
            let known = jobs.replacing(
                /kubernetes_sd_configs:\n      - role: pod\n        namespaces: \{ names: \[[a-z]+\] \}/,
                with: "static_configs: []")
            // Without them the pods of another installation would be taken for this one's.
            #expect(jobs.contains("kubernetes_sd_configs") == jobs.contains("namespaces: { names: ["))
            let file = folder.appendingPathComponent("prometheus.yaml")
            try Data("\(text[..<head])\(known)\n".utf8).write(to: file)
            guard let promtool = Repository.program("promtool") else { continue }
            let run = try await LeashedProcess.run(promtool, ["check", "config", file.path])
            #expect(run.exitCode == 0, "\(run.output)")
        }
        let ports = try DeployedFiles.numbers("prometheus/prometheus.yaml", /type: A, port: (\d+)/)
        let gateway = try DeployedFiles.numbers("kubernetes/gateway.yaml", /containerPort: (\d+)/)
        let worker = try DeployedFiles.numbers("kubernetes/worker.yaml", /containerPort: (\d+)/)
        #expect(ports == gateway + worker)
        let services = try DeployedFiles.services()
        let names = try DeployedFiles.text("prometheus/prometheus.yaml").matches(of: /names: \[([a-z]+)\], type/)
        #expect(names.map { String($0.output.1) } == ["gateway", "worker"])
        #expect(names.allSatisfy { services[String($0.output.1)] != nil })
    }

    @Test func `each alert is seen firing in its tests`() throws {
        let text = try Self.ruleTests.map { try Repository.text("\(Self.deploy)prometheus/\($0)") }.joined()
        for alert in try Self.alerts() {
            let tests = text.components(separatedBy: "alertname: \(alert)\n").dropFirst()
            #expect(tests.contains { $0.hasPrefix("        exp_alerts:\n") }, "\(alert) never fires in its tests")
        }
    }

    private static func metrics(in text: String) -> Set<String> {
        Set(text.matches(of: /\bcapture_[a-z_]+/).map { String($0.output) })
    }

    private static func alerts() throws -> [String] {
        let text = try Repository.text(deploy + "prometheus/alerts.yaml")
        let alerts = text.matches(of: /- alert: ([A-Za-z]+)\n/).map { String($0.output.1) }
        // None may be passed by.
        try #require(alerts.count > 10 && alerts.count == text.components(separatedBy: "alert:").count - 1)
        return alerts
    }

    private static func swiftFiles(_ folder: String) throws -> [String] {
        let root = Repository.directory.appendingPathComponent(folder)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".swift") }
        return paths.map { "\(folder)/\($0)" }
    }
}
