import ArgumentParser
import TestSupport
import Testing

@testable import capturectl

@Suite("The doctor's report")
struct DoctorReportTests {
    /// Scripts and alerts go by them: a released one is neither renamed nor removed.
    private static let released = [
        "PostgreSQL", "Redis", "PostgreSQL schema", "parts of the schema", "revocations", "function library",
        "partitions", "installation", "durability", "writes to Redis", "writes to PostgreSQL", "transaction ids",
        "writes to files", "clocks", "workers", "keys", "lanes and tokens", "lanes and jobs", "bytes", "known bundles",
        "dead letters", "counters", "bytes in files", "results", "statuses", "ledger",
    ]

    @Test func `the names of the doctor's checks are codes, which stay and are documented`() throws {
        #expect(DoctorReport.order == Self.released)
        let lines = try Repository.text("Config/deploy/CAPTURECTL.md").split(separator: "\n")
        let head = try #require(lines.firstIndex(of: "| `name` | when it is there |"))
        let cells = lines[(head + 2)...].prefix { $0.hasPrefix("|") }.compactMap { $0.split(separator: "|").first }
        let names = cells.flatMap { cell in cell.matches(of: /`([^`]+)`/).map { String($0.output.1) } }
        #expect(names == Self.released)
        let help = DoctorCommand.configuration.discussion
        for name in Self.released { #expect(help.contains(name), "\(name)") }
    }

    /// At night, on a small terminal, only the end of it is seen.
    @Test func `what could not be looked at for one cause is said once, and does not bury the cause`() throws {
        var report = DoctorReport()
        report.checks = [
            .problem(DoctorReport.redis, "connection refused", "uploads get 503", repair: "start it"),
            .note(DoctorReport.workers, "paused", "nobody works"),
        ]
        let cause = "this needs both servers, or the one that has the problem"
        report.checks += DoctorReport.ofQueue.map { .notLookedAt($0, cause) }
        report.checks.append(.notLookedAt(DoctorReport.parts, "this needs the schema of this release"))
        let text = report.text(terminal: Terminal(columns: nil, isTinted: false))
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.count { $0.contains(cause) } == 1)
        let names = DoctorReport.ofQueue.joined(separator: ", ")
        let said = try #require(lines.firstIndex(of: "not looked at: \(names)"), "\(lines)")
        let rest = [
            "  means   \(cause)", "not looked at: \(DoctorReport.parts)",
            "  means   this needs the schema of this release", "1 problem left",
        ]
        #expect(Array(lines[(said + 1)...]) == rest, "\(lines)")
        #expect(lines.contains("  repair  start it") && lines.contains("  means   nobody works"), "\(lines)")
        for name in DoctorReport.ofQueue { #expect(lines.contains { $0.hasPrefix(name + " ") }, "\(name)") }
    }

    /// What `--fix` does reads as if it were still to be done.
    @Test func `what is repaired is told as past`() {
        var line = DoctorCheck.problem(
            DoctorReport.tokens, "was: 1 × LANE_WITHOUT_TOKEN", "nobody works them", repair: "--fix gives them a token")
        line.state = .repaired
        var report = DoctorReport()
        report.checks = [line]
        let text = report.text(terminal: Terminal(columns: nil, isTinted: false))
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.contains("  meant   nobody works them"), "\(lines)")
        #expect(lines.contains("  done    --fix gives them a token"), "\(lines)")
    }
}
