import Testing

@Suite("The runbook's backup", .timeLimit(.minutes(1)))
struct BackupRunbookTests {
    private static let awake = #"{"leased_lanes":0,"paused":false}"#
    private static let idle = #"{"leased_lanes":0,"paused":true}"#

    /// What stands in for the programs; `sleep` lets a minute pass at once.
    ///
    /// The first question is answered as before the backup, the others as during it. What reads the directory ends as it
    /// is told to, once it has read everything.
    private static let programs = [
        "capturectl": #"""
        echo "$1" >>calls
        [ "$1" = stats ] || exit 0
        [ "$(grep -c stats calls)" -gt 1 ] || { printf '%s' "$STATS_BEFORE"; exit 0; }
        printf '%s' "$STATS"; exit "$STATS_CODE"
        """#,
        "pg_dump": #"echo a dump; exit "$DUMP_CODE""#, "sleep": "exit 0",
        "tar": #"""
        PATH=${PATH#*:}
        case "$*" in *" -c .") tar "$@" && exit "$TAR_CODE" ;; *) exec tar "$@" ;; esac
        """#,
    ]

    /// Runs the runbook's block as it stands over a bundle directory with a bundle, and a file that is being written.
    private func backUp(
        statsBefore: String = Self.awake, stats: String = Self.idle, statsCode: Int = 0, dumpCode: Int = 0,
        tarCode: Int = 0, before: String = ":"
    ) async throws -> RunbookBlock.Run {
        try await RunbookBlock(after: "**Backing up**").run(
            programs: Self.programs,
            before: """
                BUNDLES="$0/bundles"
                mkdir -p bundles/ab/c; echo photo >bundles/ab/c/photo.1; echo half >bundles/ab/c/depth.1.partial-2
                \(before)
                """,
            environment: [
                "STATS_BEFORE": statsBefore, "STATS": stats, "STATS_CODE": "\(statsCode)", "DUMP_CODE": "\(dumpCode)",
                "TAR_CODE": "\(tarCode)",
            ])
    }

    private func isComplete(_ run: RunbookBlock.Run) -> Bool { run.output.hasSuffix("the backup is complete") }

    private func copied(_ run: RunbookBlock.Run) -> [String] { run.paths(below: "backup/bundles") }

    private func resumed(_ run: RunbookBlock.Run) -> Int { run.calls.split(separator: "\n").count { $0 == "resume" } }

    @Test func `the runbook's backup copies what is whole, and resumes`() async throws {
        let run = try await backUp()
        #expect(isComplete(run), "\(run.output)")
        #expect(copied(run) == ["ab", "ab/c", "ab/c/photo.1"])
        #expect(run.files["backup/record.dump"] == "a dump\n")
        #expect(run.calls.hasPrefix("stats\npause\n") && run.calls.hasSuffix("resume\n"), "\(run.calls)")
        #expect(resumed(run) == 1)
    }

    /// Uploads go on during a pause, and GNU tar ends with 1 for each folder that gets one while it is read.
    @Test
    func `the runbook's backup is whole while uploads come, and none where the directory cannot be read to its end`()
        async throws
    {
        for (code, isWhole) in [(1, true), (2, false)] {
            let run = try await backUp(tarCode: code)
            #expect(isComplete(run) == isWhole, "\(code): \(run.output)")
            #expect(copied(run) == ["ab", "ab/c", "ab/c/photo.1"] && resumed(run) == 1, "\(code): \(run.calls)")
        }
        let paused = try await backUp(statsBefore: Self.idle, tarCode: 2)
        #expect(!isComplete(paused) && resumed(paused) == 0, "\(paused.calls)")
    }

    @Test func `the runbook's backup does not end the pause of somebody else`() async throws {
        let run = try await backUp(statsBefore: Self.idle)
        #expect(isComplete(run) && run.output.contains("the queue is paused already"), "\(run.output)")
        #expect(!copied(run).isEmpty)
        #expect(!run.calls.contains("pause") && !run.calls.contains("resume"), "\(run.calls)")
    }

    /// jq 1.6 is content with no input at all.
    @Test func `the runbook's backup is none where the queue cannot be asked, or does not come to rest`() async throws {
        for (stats, code) in [("", 69), (#"{"leased_lanes":1,"paused":true}"#, 0)] {
            let run = try await backUp(stats: stats, statsCode: code)
            #expect(!isComplete(run) && run.output.contains("lanes are still in work"), "\(run.output)")
            #expect(copied(run).isEmpty && resumed(run) == 1, "its own pause is not left behind: \(run.calls)")
        }
        let unknown = try await backUp(before: #"capturectl() { return 69; }"#)
        #expect(!isComplete(unknown) && unknown.output.contains("the queue cannot be asked"), "\(unknown.output)")
    }

    @Test func `the runbook's backup is none where the queue was not paused all the while, or the record is not whole`()
        async throws
    {
        let awake = try await backUp(stats: Self.awake)
        #expect(!isComplete(awake) && awake.output.contains("false"), "\(awake.output)")
        let cut = try await backUp(dumpCode: 1)
        #expect(!isComplete(cut) && resumed(cut) == 1, "\(cut.output)")
    }

    @Test func `the runbook's backup never touches an older one, and is none where files cannot be read`() async throws
    {
        let again = try await backUp(dumpCode: 1, before: "mkdir backup; echo old >backup/record.dump")
        #expect(!isComplete(again) && again.calls.isEmpty, "\(again.output)")
        #expect(again.files["backup/record.dump"] == "old\n" && copied(again).isEmpty)
        let lost = try await backUp(before: "BUNDLES=none")
        #expect(!isComplete(lost), "\(lost.output)")
    }
}
