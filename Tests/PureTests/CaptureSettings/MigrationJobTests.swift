import CaptureModel
import Foundation
import PrivateServers
import TestSupport
import Testing

@Suite("Kubernetes's migration", .timeLimit(.minutes(1)))
struct MigrationJobTests {
    private static let image = "capture-processor:\(ProcessorVersion.current)"

    /// Stands in for a cluster: says what the job is, and what it has come to.
    private static let kubectl = #"""
        #!/bin/sh
        case "$*" in
        *status.ready*) printf %s "$JOB" ;;
        *conditions*) echo asked >>"$CALLS"; printf %s "$CONDITIONS" ;;
        *) echo "$1 $2" >>"$CALLS" ;;
        esac
        """#

    /// Runs the script as it stands; no second passes in it.
    private func migrate(
        job: String = "", conditions: String = "SuccessCriteriaMet Complete"
    ) async throws -> (exitCode: Int32, output: String, calls: [String]) {
        let directory = try TemporaryDirectory.make("migrate")
        defer { try? FileManager.default.removeItem(at: directory) }
        for (name, script) in [("kubectl", Self.kubectl), ("sleep", "#!/bin/sh\n")] {
            let file = directory.appendingPathComponent(name)
            try Data(script.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
        }
        let script = Repository.directory.appendingPathComponent("Config/deploy/kubernetes/migrate.sh").path
        let calls = directory.appendingPathComponent("calls")
        let run = try await LeashedProcess.run(
            "/bin/sh", ["-c", #"PATH="$0:$PATH" exec "$1""#, directory.path, script],
            environment: ["JOB": job, "CONDITIONS": conditions, "CALLS": calls.path])
        let lines = FileManager.default.contents(atPath: calls.path).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return (run.exitCode, run.output, lines.split(separator: "\n").map(String.init))
    }

    /// A job whose image cannot be pulled has no container that runs, and is active for ever.
    @Test(arguments: ["", " \(image)", "0 \(image)", "0 registry.example/capture-processor:0.0.9"])
    func `a job of which nothing runs is replaced`(job: String) async throws {
        let run = try await migrate(job: job)
        #expect(run.exitCode == 0, "\(run.output)")
        #expect(run.calls == ["delete job", "apply -f", "asked"])
    }

    @Test func `a migration that runs is waited for`() async throws {
        let run = try await migrate(job: "1 \(Self.image)")
        #expect(run.exitCode == 0 && run.calls == ["asked"], "\(run.output)")
    }

    @Test func `a running migration of another release is neither deleted nor taken for this one's`() async throws {
        let run = try await migrate(job: "1 capture-processor:0.0.9")
        #expect(run.exitCode == 75 && run.calls.isEmpty, "\(run.output)")
        #expect(run.output.contains("capture-processor:0.0.9"))
    }

    @Test func `the failure of a migration ends the wait, and its log is shown`() async throws {
        let run = try await migrate(conditions: "FailureTarget Failed")
        #expect(run.exitCode == 1 && run.calls.suffix(2) == ["asked", "logs job/capture-migrate"], "\(run.calls)")
    }

    @Test func `a migration that goes on is not waited for without end`() async throws {
        let run = try await migrate(conditions: "")
        #expect(run.exitCode == 75 && run.calls.last == "get pods", "\(run.calls)")
        #expect(run.calls.count { $0 == "asked" } == 121)
    }

    /// As `capturectl` ends; what waiting mends (69) is tried again.
    @Test func `what no other try mends fails the job at once`() throws {
        let job = try DeployedFiles.text("kubernetes/migrate.yaml")
        let policy = /- action: FailJob\n +onExitCodes: \{ containerName: migrate, operator: In, values: \[64, 70\] \}/
        #expect(job.contains(policy) && job.contains("- name: migrate\n"))
        let end = try Repository.text("Sources/capturectl/Operate/CommandEnd.swift")
        #expect(end.contains("refused = ExitCode(70)") && end.contains("unavailable = ExitCode(69)"))
    }
}
