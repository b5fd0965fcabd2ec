import TestSupport
import Testing

@Suite("The runbook's restore", .timeLimit(.minutes(1)))
struct RestoreRunbookTests {
    private static let restored = "the restore is complete"

    /// What stands in for the programs; like the real one `redis-cli` ends with 0 when Redis refuses it.
    private static let programs = [
        "redis-cli": #"""
        echo "redis-cli $*" >>calls
        case "$*" in
        *ping) echo "$PING" ;;
        *--scan*) echo '{cq:0}:settled:0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21' ;;
        esac
        """#,
        "pg_restore": #"echo "pg_restore $*" >>calls; cat >restored; exit "$RESTORE_CODE""#,
        "capturectl": #"echo "$1" >>calls"#,
    ]

    /// Runs the runbook's block as it stands over a backup with a bundle, and a directory that lacks it.
    private func restore(
        ping: String = "PONG", restoreCode: Int = 0, before: String = ":"
    ) async throws -> RunbookBlock.Run {
        let block = try RunbookBlock(after: "**Restoring PostgreSQL**")
        return try await run(block, ping: ping, restoreCode: restoreCode, before: before)
    }

    private func run(
        _ block: RunbookBlock, ping: String = "PONG", restoreCode: Int = 0, before: String = ":"
    ) async throws -> RunbookBlock.Run {
        try await block.run(
            programs: Self.programs,
            before: """
                BUNDLES="$0/bundles"
                mkdir -p backup/bundles bundles; echo photo >backup/bundles/photo; echo a dump >backup/record.dump
                \(before)
                """,
            environment: ["PING": ping, "RESTORE_CODE": "\(restoreCode)"])
    }

    @Test func `the runbook's restore brings record and files back, and forgets what was settled since`() async throws {
        let run = try await restore()
        #expect(run.output.contains(Self.restored), "\(run.output)")
        #expect(run.files["restored"] == "a dump\n" && run.files["bundles/photo"] == "photo\n")
        #expect(run.files["settled.txt"] == "0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21\n")
        #expect(run.calls.contains("unlink {cq:0}:settled:0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21\n"), "\(run.calls)")
        #expect(run.calls.hasSuffix("migrate\ndoctor\n"), "\(run.calls)")
        // Otherwise a restore that breaks off leaves all rows, without the indexes and triggers that order them.
        #expect(run.calls.contains(/pg_restore .*--single-transaction/), "\(run.calls)")
    }

    @Test(arguments: ["NOAUTH Authentication required.", "LOADING Redis is loading the dataset in memory", ""])
    func `the runbook's restore does nothing before Redis can be asked what was settled`(ping: String) async throws {
        let run = try await restore(ping: ping)
        #expect(!run.output.contains(Self.restored) && run.files["settled.txt"] == nil, "\(run.output)")
        #expect(!run.calls.contains("pg_restore") && !run.calls.contains("unlink"), "\(run.calls)")
    }

    @Test func `the runbook's restore does nothing without a backup`() async throws {
        let run = try await restore(before: ": >backup/record.dump")
        #expect(!run.output.contains(Self.restored), "\(run.output)")
        #expect(run.calls == "doctor\n", "\(run.calls)")
    }

    /// The record is back already, and there is no dump.
    @Test func `the runbook's restore does the rest of a base backup's without the lines of the dump`() async throws {
        let commands = try RunbookBlock(after: "**Restoring PostgreSQL**").commands
        let lines = commands.split(separator: "\n", omittingEmptySubsequences: false)
        let rest = lines.filter { !$0.contains("record.dump") }
        #expect(rest.count == lines.count - 2)
        let block = RunbookBlock(commands: rest.joined(separator: "\n"))
        let run = try await self.run(block, before: "rm backup/record.dump")
        #expect(run.output.contains(Self.restored), "\(run.output)")
        #expect(run.files["bundles/photo"] == "photo\n" && !run.calls.contains("pg_restore"), "\(run.calls)")
        #expect(run.calls.contains("unlink {cq:0}:settled:0197f3a2-7f3e-7a41-8c55-0d6c3c1f9e21\n"), "\(run.calls)")
        #expect(run.calls.hasSuffix("migrate\ndoctor\n"), "\(run.calls)")
    }

    /// Another server lacks the roles, and then nothing of the record is restored.
    @Test func `the runbook's restore names the roles that another server needs first`() async throws {
        let dumped = #"""
            echo "$*" >>calls; cat >read; cat <<EOF
            CREATE TABLE public.captures (id uuid);
            ALTER TABLE public.captures OWNER TO capture;
            GRANT SELECT ON TABLE public.captures TO grafana;
            ALTER DEFAULT PRIVILEGES FOR ROLE capture GRANT SELECT ON TABLES TO reports;
            EOF
            """#
        let run = try await RunbookBlock(after: "**On another server**").run(
            programs: ["pg_restore": dumped], before: "mkdir backup; echo a dump >backup/record.dump")
        #expect(run.files["read"] == "a dump\n" && run.calls == "--schema-only -f -\n", "\(run.calls)")
        let roles = run.output.matches(of: /TO ([a-z]+);/).map { String($0.output.1) }
        #expect(roles == ["grafana", "reports"], "\(run.output)")
    }

    @Test
    func `the runbook's restore leaves what Redis knows while the record is not back, and keeps what it has read`()
        async throws
    {
        let run = try await restore(restoreCode: 1, before: "echo earlier >settled.txt")
        #expect(!run.output.contains(Self.restored) && !run.calls.contains("unlink"), "\(run.calls)")
        #expect(!run.calls.contains("migrate") && run.files["bundles/photo"] == nil, "\(run.calls)")
        #expect(run.files["settled.txt"]?.hasPrefix("earlier\n") == true)
    }

    /// The only form that is tried; what stops programs reads the files in which their stack keeps its processes.
    @Test func `the runbook's restore can be followed with a stack of make up, whose servers have to stay`() throws {
        let stop = "kill $(cut -d ' ' -f 1 .local/up/pid/gateway .local/up/pid/worker-*)"
        #expect(try Repository.text("Config/deploy/RUNBOOKS.md").contains("\n\(stop) # "))
        let parts = ["processes", "servers", "programs"]
        let stack = try parts.map { try Repository.text("Config/local/\($0).sh") }.joined()
        #expect(stack.contains(#"echo "$! $(birth $!)" >"$home/pid/$name""#))
        for program in ["gateway", "worker-1"] { #expect(stack.contains("\n    start \(program) "), "\(program)") }
        #expect(stack.contains(#"CAPTURE_POSTGRES_URL="host=$sockets user=capture dbname=capture""#))
    }

    /// If the first answer to a capture was lost, the log has only the line of its retry.
    @Test func `the runbook's restore finds in the logs each capture that a 202 has named, whichever line says so`()
        throws
    {
        let command = /grep -hE '([^']+)' gateway\*\.log \| grep/
        let search = try #require(try Repository.text("Config/deploy/RUNBOOKS.md").firstMatch(of: command)).output.1
        let pattern = try Regex(String(search))
        let route = try Repository.text("Sources/CaptureGateway/Captures/Upload/UploadRoute.swift")
        let lines = route.matches(of: /"(capture (?:was )?accepted[^"]*)"/).map { String($0.output.1) }
        #expect(lines.count == 2)
        for line in lines { #expect(line.contains(pattern), "\(line)") }
    }
}
