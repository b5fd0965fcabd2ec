import CaptureModel
import DeviceSimulator
import FaultPoints
import Foundation
import TestSupport
import Testing

@Suite("Whatever dies at whatever step, each capture ends once and right", .timeLimit(.minutes(5)))
struct CrashPointTests {
    /// A short lease, which a heir that starves may let run out as often as it likes: none of it is about poison.
    private static let lease = ["CAPTURE_QUEUE_LEASE": "1s", "CAPTURE_QUEUE_DELIVERIES_MAX": "100"]

    /// Reached where something else came first: see `CrossStoreTests`.
    private static let detours: Set<FaultPoint> = [.afterClaimRow, .afterWithdraw, .insideRestore]

    /// All points that a capture passes in a program, with bytes in Redis; again without a ledger, those that exist
    /// without one; and with bytes in files, those after which only the sweeper removes the files.
    private static func scenes(of program: ProgramName) -> [Scene] {
        let points = FaultPoint.allCases.filter { $0.program == program && !detours.contains($0) }
        let withoutLedger = points.filter { $0 != .afterIntake }
        let untidy = points.filter { $0 == .afterBytesStored || $0 == .afterSettle }
        return points.map { Scene(point: $0, store: .redis, durability: .ledger) }
            + withoutLedger.map { Scene(point: $0, store: .redis, durability: .fsync) }
            + untidy.map { Scene(point: $0, store: .filesystem, durability: .ledger) }
    }

    /// Where a program is killed, where the bytes are then, and what a 202 rests on.
    struct Scene: Sendable, CustomTestStringConvertible {
        let point: FaultPoint
        let store: BundleStoreName
        let durability: DurabilityLevel

        var testDescription: String { "\(point.rawValue), bytes in \(store), \(durability.rawValue)" }

        /// Starts the servers; with the files, where there are any.
        func start() async throws -> (Stack, FilesystemScene?) {
            let settings = CrashPointTests.lease.merging(["CAPTURE_QUEUE_DURABILITY": durability.rawValue]) { $1 }
            guard store == .filesystem else { return (try await Stack.start(settings: settings), nil) }
            let files = try await FilesystemScene.set(settings: settings)
            return (files.stack, files)
        }
    }

    @Test(arguments: scenes(of: .gateway))
    func `a gateway that is killed exactly there has promised nothing that is not kept`(scene: Scene) async throws {
        let (stack, files) = try await scene.start()
        let worker = try stack.worker()
        let client = try await Client(of: stack, gateway: [ArmedFaults.Variable.point: "\(scene.point.rawValue):3"])
        let verdicts = try await client.uploadSome()
        #expect(await client.deaths == 1)
        #expect(verdicts.count == 6, "the bundle that was sent again is the same capture")
        if let files {
            let nobodys = try files.folders().filter { name in CaptureID(name).map { verdicts[$0] == nil } ?? true }
            #expect(!nobodys.isEmpty, "the bytes of the upload that was cut off are left")
        }
        let leavesBytes = scene.point == .afterBytesStored && files == nil
        try await Aftermath(stack: stack, verdicts: verdicts).check(orphans: leavesBytes)
        try await files?.expectSwept()
        try await worker.expectStop()
    }

    /// The second worker is killed at the same step, in the middle of taking over what the first one had in its hands.
    ///
    /// How long recovery takes is measured by `RecoveryTimeTests`.
    @Test(arguments: scenes(of: .worker))
    func `workers that are killed exactly there leave nothing undone`(scene: Scene) async throws {
        let (stack, files) = try await scene.start()
        let client = try await Client(of: stack)
        var verdicts = try await client.uploadSome()
        for _ in 1...2 {
            let victim = try stack.worker([
                ArmedFaults.Variable.point: scene.point.rawValue, "CAPTURE_WORKER_CAPTURES_PER_LANE_MAX": "2",
                "CAPTURE_WORKER_PIPELINES": "1",
            ])
            #expect(try await victim.exitCode() == 128 + SIGKILL)
            #expect(victim.output.contains("FAULTS ARE ARMED"))
        }
        let heir = try stack.worker()
        try await stack.withBackstage { queue, _, _ in try await drain(queue) }
        let phone = try await client.phone()
        verdicts[try await client.upload(try phone.shoot(seed: 100), of: phone)] = .verified
        try await stack.withBackstage { queue, _, _ in try await drain(queue) }
        try await Aftermath(stack: stack, verdicts: verdicts).check()
        try await files?.expectSwept()
        try await heir.expectStop()
    }

    /// The settling statement is under way in the server when its worker dies, and ends either way.
    @Test(arguments: [true, false])
    func `a worker that is killed during the commit is right whether it comes or not`(commits: Bool) async throws {
        let stack = try await Stack.start(settings: Self.lease)
        let client = try await Client(of: stack)
        let verdicts = try await client.uploadSome()
        // Somebody else holds the devices' counters: the statement is sent and waits.
        let standstill = try await Standstill.begin(in: stack, "SELECT 1 FROM counters FOR UPDATE")
        let victim = try stack.worker()
        try await standstill.untilMet(by: "capture-worker")
        try await victim.kill()
        if !commits { try await standstill.endWaiting("capture-worker") }
        try await standstill.end()
        // A statement that still runs has got its locks and ends by itself.
        let others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        try await eventually {
            try await stack.psql("SELECT count(*) \(others) AND application_name = 'capture-worker'") == "0"
        }
        #expect(try await (stack.psql("SELECT count(*) FROM captures") == "0") == !commits)
        let heir = try stack.worker()
        try await Aftermath(stack: stack, verdicts: verdicts).check()
        try await heir.expectStop()
    }

    @Test(arguments: [
        [ArmedFaults.Variable.point: "after-lunch"], [ArmedFaults.Variable.point: "after-claim:0"],
        [ArmedFaults.Variable.poison: "nobody=crash"],
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
