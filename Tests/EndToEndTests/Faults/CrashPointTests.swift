import CaptureModel
import DeviceSimulator
import FaultPoints
import Foundation
import TestSupport
import Testing

@Suite("Whatever dies at whatever step, each capture ends once and right", .timeLimit(.minutes(5)))
struct CrashPointTests {
    private static let lease = ["CAPTURE_QUEUE_LEASE": "1s"]
    /// What recovery may take beyond the lease, and how many times as long as one more capture takes on this machine.
    private static let (margin, factor) = (Duration.seconds(15), 10)

    /// Two phones with three captures each; the second picture of the second phone was changed after it was signed.
    private func uploadSome(by client: Client) async throws -> [CaptureID: Verdict] {
        var verdicts: [CaptureID: Verdict] = [:]
        let phones = [try await client.phone(), try await client.phone()]
        for round in 0..<3 {
            for (index, phone) in phones.enumerated() {
                let signed = try phone.shoot(seed: UInt64(10 * round + index))
                let isForged = index == 1 && round == 1
                let shown = isForged ? signed.capture.photoTampered() : nil
                verdicts[try await client.upload(signed, of: phone, showing: shown)] = isForged ? .rejected : .verified
            }
        }
        return verdicts
    }

    @Test(arguments: FaultPoint.allCases.filter { $0.program == .gateway })
    func `a gateway that is killed exactly there has promised nothing that is not kept`(
        point: FaultPoint
    ) async throws {
        let stack = try await Stack.start(settings: Self.lease)
        let worker = try stack.worker()
        let client = try await Client(of: stack, gateway: [Faults.Variable.point: "\(point.rawValue):3"])
        let verdicts = try await uploadSome(by: client)
        #expect(await client.deaths == 1)
        #expect(verdicts.count == 6, "the bundle that was sent again is the same capture")
        try await Aftermath(stack: stack, verdicts: verdicts).check(orphans: point == .afterBytesStored)
        worker.signal(SIGTERM)
        #expect(try await worker.exitCode() == 0)
    }

    /// The second worker is killed at the same step, in the middle of taking over what the first one had in its hands.
    @Test(arguments: FaultPoint.allCases.filter { $0.program == .worker })
    func `workers that are killed exactly there leave nothing undone`(point: FaultPoint) async throws {
        let stack = try await Stack.start(settings: Self.lease)
        let client = try await Client(of: stack)
        var verdicts = try await uploadSome(by: client)
        for _ in 1...2 {
            let victim = try stack.worker([
                Faults.Variable.point: point.rawValue, "CAPTURE_WORKER_CAPTURES_PER_LANE_MAX": "2",
                "CAPTURE_WORKER_PIPELINES": "1",
            ])
            #expect(try await victim.exitCode() == 128 + SIGKILL)
            #expect(victim.output.contains("FAULTS ARE ARMED"))
        }
        let died = ContinuousClock.now
        let heir = try stack.worker()
        try await stack.withBackstage { queue, _, _ in try await drain(queue) }
        let recovered = ContinuousClock.now
        let phone = try await client.phone()
        verdicts[try await client.upload(try phone.shoot(seed: 100), of: phone)] = .verified
        try await stack.withBackstage { queue, _, _ in try await drain(queue) }
        let ordinary = recovered.duration(to: .now)
        #expect(died.duration(to: recovered) < .seconds(1) + Self.margin + ordinary * Self.factor)
        try await Aftermath(stack: stack, verdicts: verdicts).check()
        heir.signal(SIGTERM)
        #expect(try await heir.exitCode() == 0)
    }

    /// The settling statement is under way in the server when its worker dies, and ends either way.
    @Test(arguments: [true, false])
    func `a worker that is killed during the commit is right whether it comes or not`(commits: Bool) async throws {
        let stack = try await Stack.start(settings: Self.lease)
        let client = try await Client(of: stack)
        let verdicts = try await uploadSome(by: client)
        // Somebody else holds the devices' counters: the statement is sent and waits.
        let holder = try stack.session(
            "BEGIN; SELECT 1 FROM counters FOR UPDATE; SELECT pg_sleep(600); COMMIT"
        )
        let sleeping = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
        try await eventually { try await stack.psql("SELECT count(*) \(sleeping)") == "1" }
        let victim = try stack.worker()
        let waiting = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        try await eventually { try await stack.psql("SELECT count(*) \(waiting)") == "1" }
        try await victim.kill()
        if !commits { #expect(try await stack.psql("SELECT pg_terminate_backend(pid, 10000) \(waiting)") == "t") }
        _ = try await stack.psql("SELECT pg_terminate_backend(pid, 10000) \(sleeping)")
        _ = try await holder.exitCode()
        // What still runs has got its locks and ends by itself.
        let others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        try await eventually {
            try await stack.psql("SELECT count(*) \(others) AND application_name = 'capture-worker'") == "0"
        }
        #expect(try await (stack.psql("SELECT count(*) FROM captures") == "0") == !commits)
        let heir = try stack.worker()
        try await Aftermath(stack: stack, verdicts: verdicts).check()
        heir.signal(SIGTERM)
        #expect(try await heir.exitCode() == 0)
    }

    @Test(arguments: [
        [Faults.Variable.point: "after-lunch"], [Faults.Variable.point: "after-claim:0"],
        [Faults.Variable.poison: "nobody=crash"],
    ])
    func `a fault that there is not keeps a program from starting`(environment: [String: String]) async throws {
        let run = try await LeashedProcess.run(
            Programs.path("capture-worker"), [],
            environment: environment.merging(["CAPTURE_APP_IDS": Stack.appID]) { first, _ in first }
        )
        #expect(run.exitCode == 64)
        #expect(run.output.contains(try #require(environment.keys.first)))
    }
}
