import ArgumentParser

/// `capturectl doctor`.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Checks what must always hold of the queue and its servers, and repairs it with --fix.",
        usage: "capturectl doctor [<options>]",
        discussion: """
            Safe beside running gateways and workers: it walks in pages, and looks at whatever seems wrong a second time, \
            at one moment, before it says so. Without --fix it changes nothing. With it, it repairs what can be repaired \
            without losing anything, notes that in the audit, and looks at everything again. A fault of Redis or \
            PostgreSQL is a line of the report, and the exit code 69 or 70: what needs that server is not looked at from \
            then on, and nothing is repaired any more. The report says what was repaired by then.

            Ctrl-C or SIGTERM stops it after the step under way: it says what it has found until then, with --fix also how \
            far it came, and ends with 130 or 143. The audit has what was noted and not repaired as queue.repair.missed.

            With --json each line has the `name` of its check. The names are codes, which later releases keep: \
            \(DoctorReport.order.joined(separator: "; ")). The first two are there only if that server has a fault, and \
            those of files only if bytes are kept in files. The `state` is ok, note, problem or repaired.

            Examples:
              capturectl doctor
              capturectl doctor --json | jq '.checks[] | select(.state == "problem")'
              capturectl doctor --json |
                  jq -r '.checks[] | select(.name == "ledger") | .state'
              capturectl doctor --fix --orphan-age 7200 --actor "alice, ticket 4711"

            Exit codes: 0 healthy; 1 problems are left; 64 bad usage; 69 Redis or PostgreSQL cannot be reached or \
            logged in to, or cannot do it now; 70 one of them refuses for good; 74 the report could not be written; 130 \
            or 143 Ctrl-C or SIGTERM has stopped it.
            """
    )

    @Flag(help: "Repair what can be repaired, and look again.")
    var fix = false

    @Option(
        help: ArgumentHelp(
            "With --fix: how long bytes that belong to nothing are kept from now, and how old dead letters without a job may be; 60 to 2592000. (default: 3600)",
            valueName: "seconds"))
    var orphanAge: Int?

    @OptionGroup var options: OperatorOptions
    @OptionGroup var actor: ActorOption

    func validate() throws {
        // CAPTURE_ACTOR may be set for all commands.
        guard fix || actor.actor == nil else { throw ValidationError("--actor goes with --fix") }
        guard let orphanAge else { return }
        guard (60...2_592_000).contains(orphanAge) else {
            throw ValidationError("--orphan-age takes 60 to 2592000 seconds")
        }
        guard fix else { throw ValidationError("--orphan-age goes with --fix") }
    }

    func run() async throws {
        let (fix, json, age, name) = (fix, options.json, orphanAge ?? 3_600, actor.name)
        try await OperatorSession.run(options, checksInstallation: false) { session in
            // Missing functions are reported, and only --fix may load them.
            let stop = StopRequest("stops after the step under way")
            let doctor = Doctor(session: session.onlyLooking, orphanAge: .seconds(age), stop: stop)
            let report = try await stop.heeding { try await fix ? doctor.repair(by: name) : doctor.look() }
            try printAnswer(json ? JSONText.write(report) : report.text())
            if let fault = report.fault { throw fault }
            if let code = stop.exitCode { throw code }
            return report.isHealthy
        }
    }
}
