import CaptureModel
import DeviceSimulator
import Foundation
import GatewayClient
import TestSupport
import Testing

/// How long an outage of these tests lasts.
///
/// Longer than every pause between two tries, than the lease where Redis goes and than what is held in hand, so that a
/// longer one shows nothing else;
/// `CAPTURE_TEST_OUTAGE` (seconds) takes another.
private let length = Duration.seconds(
    ProcessInfo.processInfo.environment["CAPTURE_TEST_OUTAGE"].flatMap(Int.init) ?? 3
)

@Suite("Outages", .timeLimit(.minutes(15)))
struct OutageTests {
    /// How long a worker holds what it has verified and cannot settle; then it takes and verifies it anew.
    private static let hold = Duration.milliseconds(1500)

    /// How long programs wait for a server unless an operator says otherwise, and the hold.
    private static let limits = [
        "CAPTURE_REDIS_CONNECT_TIMEOUT": "2s", "CAPTURE_REDIS_COMMAND_TIMEOUT": "5s",
        "CAPTURE_REDIS_SEND_TIMEOUT": "2s", "CAPTURE_POSTGRES_CONNECT_TIMEOUT": "2s",
        "CAPTURE_POSTGRES_ACQUIRE_TIMEOUT": "5s", "CAPTURE_POSTGRES_STATEMENT_TIMEOUT": "10s",
        "CAPTURE_POSTGRES_LOCK_TIMEOUT": "5s", "CAPTURE_GATEWAY_SERVER_TIMEOUT": "2s",
        "CAPTURE_GATEWAY_READINESS_TIMEOUT": "1s", "CAPTURE_WORKER_READINESS_TIMEOUT": "1s",
        "CAPTURE_INTAKE_WAIT": "5s", "CAPTURE_INTAKE_RESTORE_WAIT": "2s", "CAPTURE_WORKER_OUTAGE_HOLD": "1500ms",
    ]

    /// A stack with servers of its own, a phone, and captures on their way.
    private struct Scene {
        let stack: Stack
        let postgres: PrivatePostgres
        let gateway: LeashedProcess
        let worker: LeashedProcess
        let endpoint: GatewayEndpoint
        let phone: Phone
        var programs: [LeashedProcess] { [gateway, worker] }

        init(lease: String) async throws {
            postgres = try await PrivatePostgres.start()
            stack = try await Stack.start(
                settings: OutageTests.limits.merging(["CAPTURE_QUEUE_LEASE": lease]) { $1 }, postgres: postgres)
            let gateway = try await stack.gateway()
            self.gateway = gateway.process
            worker = try stack.worker()
            endpoint = try await GatewayEndpoint(gateway.process)
            phone = try await Phone.register(with: gateway.client, authority: stack.authority)
        }
    }

    @Test(arguments: Outage.allCases)
    func `a server away: 503 at once, quiet workers, one line each way, and on within two seconds`(
        outage: Outage
    ) async throws {
        try await expectInTime { try await goThrough(outage) }
    }

    /// Goes through an outage, in which requests have to be refused at once and the worker has to sleep, and after which
    /// everything has to be settled within two seconds of the server's return.
    private func goThrough(_ outage: Outage) async throws -> TimedRound {
        // A lease that a starved worker lets run out is an attempt: none does while Redis is there.
        let scene = try await Scene(lease: outage.isRedis ? "1s" : "30s")
        let before = try await ordinary(scene, seed: 1)
        let work = try await work(scene)
        var (accepted, said) = try await begin(outage, scene)
        let load = WorkerLoad(
            worker: scene.worker, hold: Self.hold, processor: try #require(scene.worker.processorTime))
        var (machine, tooLate) = (MachineWatch(besides: scene.programs), [String]())

        let refused = try await expectRefusals(scene, since: load.began, ordinary: before)
        if outage.isKilled { try await untilNoticed(scene, outage, said) }
        if try !load.isSlight(besides: work * accepted.count) { tooLate.append("the worker did not sleep") }
        let wasHeldUp = machine.wasHeldUp
        // Once it is known that the server is gone, nobody waits for it.
        if refused >= .seconds(1) + (wasHeldUp ? before * 4 : .zero) { tooLate.append("refused after \(refused)") }
        for (index, process) in scene.programs.enumerated() {
            said[index].append(Self.words(of: process, about: outage).count)
        }
        try await outage.end(scene.stack.redis, scene.postgres)
        let returned = ContinuousClock.now
        machine = MachineWatch(besides: scene.programs)

        try await eventually { try await scene.endpoint.ask("/readyz").status == 200 }
        let ready = returned.duration(to: .now)
        let late = try scene.phone.shoot(seed: 10)
        accepted.append(try await scene.phone.upload(late))
        for capture in accepted { #expect(try await scene.phone.settled(capture).state == .verified) }
        let settled = returned.duration(to: .now)
        let isHeldUp = machine.wasHeldUp
        print("outage \(outage.rawValue): ready after \(ready), everything settled after \(settled)")
        let ordinary = max(before, try await ordinary(scene, seed: 11))
        if !outage.isRedis {
            #expect(try await scene.stack.psql("SELECT max(attempts) FROM captures") == "1", "none was an attempt")
        }
        try await expectFewWords(scene, about: outage, said)
        // A machine that others keep busy may take the captures one after the other.
        if settled >= .seconds(2) + (isHeldUp ? ordinary * accepted.count : .zero) {
            tooLate.append("settled \(settled) after its return")
        }
        return TimedRound(
            late: tooLate.isEmpty ? nil : tooLate.joined(separator: ", "), wasHeldUp: wasHeldUp || isHeldUp)
    }

    /// Has the server go away while captures are on their way, and returns those, and how many lines each program had
    /// said of the server by then.
    ///
    /// When Redis goes some are in the queue, some in a worker's hands; when PostgreSQL has gone a worker takes all of
    /// them in vain.
    private func begin(_ outage: Outage, _ scene: Scene) async throws -> (accepted: [CaptureID], said: [[Int]]) {
        let (redis, pause) = (scene.stack.redis, "{cq:0}:paused")
        if !outage.isRedis { try await redis.cli("SET", pause, "1") }
        var accepted: [CaptureID] = []
        for seed in 2...9 as ClosedRange<UInt64> {
            accepted.append(try await scene.phone.upload(scene.phone.shoot(seed: seed)))
        }
        // Where the server was held up just before, that is over first.
        for process in scene.programs {
            try await eventually {
                _ = try await scene.endpoint.ask("/readyz")
                return Self.words(of: process, about: outage).last?.contains("is away") != true
            }
        }
        let said = scene.programs.map { [Self.words(of: $0, about: outage).count] }
        try await outage.begin(redis, scene.postgres)
        if !outage.isRedis {
            try await redis.cli("DEL", pause)
            let job = "{cq:0}:job:\(accepted[0])"
            try await eventually { try await redis.cli("HEXISTS", job, "claimed_at") == "1" }
        }
        return (accepted, said)
    }

    /// What one capture takes on this machine at this time anyway.
    private func ordinary(_ scene: Scene, seed: UInt64) async throws -> Duration {
        let start = ContinuousClock.now
        let status = try await scene.phone.settled(try await scene.phone.upload(try scene.phone.shoot(seed: seed)))
        #expect(status.state == .verified)
        return start.duration(to: .now)
    }

    /// What one more capture costs a worker that has settled some already.
    private func work(_ scene: Scene) async throws -> Duration {
        // Of several: the system counts in hundredths of a second, and one capture costs two or three of them.
        let seeds = 12...15 as ClosedRange<UInt64>
        let before = try #require(scene.worker.processorTime)
        for seed in seeds { _ = try await ordinary(scene, seed: seed) }
        return (try #require(scene.worker.processorTime) - before) / seeds.count
    }

    /// Requests are refused in time, and liveness stays green.
    /// - Returns: How long half of the later refusals took at the most.
    private func expectRefusals(
        _ scene: Scene, since began: ContinuousClock.Instant, ordinary: Duration
    ) async throws -> Duration {
        let signed = try scene.phone.shoot(seed: 100)
        var refusals: [Duration] = []
        var rounds = 0
        while began.duration(to: .now) < max(length, .seconds(2)) || rounds < 5 {
            rounds += 1
            let answer = try await scene.endpoint.upload(signed, as: scene.phone.id)
            #expect(answer.status == 503 && answer.code == "UNAVAILABLE" && answer.retryAfter != nil, "\(answer)")
            refusals.append(answer.took)
            #expect(try await scene.endpoint.ask("/healthz").status == 200)
            let ready = try await scene.endpoint.ask("/readyz")
            #expect(ready.status == 503 && ready.retryAfter != nil)
        }
        return expectSoon(refusals, ordinary: ordinary)
    }

    private func expectSoon(_ refusals: [Duration], ordinary: Duration) -> Duration {
        // The machine may be held up during one of them.
        let slow = refusals.sorted().dropLast().last ?? .zero
        let later = refusals.dropFirst().sorted()
        let median = later[(later.count - 1) / 2]
        print("all refusals but one within \(slow), half of the later ones within \(median)")
        #expect(
            slow < .seconds(8) + ordinary * 4,
            "a few questions at the most wait, each bounded by two seconds, not by the outage")
        return median
    }

    /// Returns once each program has said that the server is away.
    ///
    /// A worker asks Redis for work all the time, and has captures to settle when PostgreSQL goes. What it has asked of a
    /// server that only falls silent may wait longer than the outage lasts: then it need not notice.
    private func untilNoticed(_ scene: Scene, _ outage: Outage, _ said: [[Int]]) async throws {
        for (process, said) in zip(scene.programs, said) {
            try await eventually {
                Self.words(of: process, about: outage)[said[0]...].contains { $0.contains("is away") }
            }
        }
    }

    /// What a program has said of a server's coming and going.
    private static func words(of process: LeashedProcess, about outage: Outage) -> [String] {
        process.output.split(separator: "\n").map(String.init).filter { line in
            line.contains(outage.server) && ["is away", "is back", "reachable"].contains { line.contains($0) }
        }
    }

    /// One line when it went and one when it came back, of each program.
    ///
    /// A server that is held up for two seconds at another time is away as well, and that is not what is tested: only
    /// what is said from the beginning of the outage on counts, until the server is said to be back.
    /// - Parameter said: How many lines each program had said when the outage began, and when it ended.
    private func expectFewWords(_ scene: Scene, about outage: Outage, _ said: [[Int]]) async throws {
        var noticed: [String] = []
        for (process, said) in zip(scene.programs, said) {
            func since() -> ArraySlice<String> { Self.words(of: process, about: outage)[said[0]...] }
            guard since().contains(where: { $0.contains("is away") }) else { continue }
            noticed.append(process === scene.gateway ? "gateway" : "worker")
            // A gateway learns of its servers by what is asked of it.
            try await eventually {
                _ = try await scene.endpoint.ask("/readyz")
                return since().contains { $0.contains("is back") }
            }
            let lines = since()
            let back = try #require(lines.firstIndex { $0.contains("is back") })
            #expect(back >= said[1], "it came back while it was away: \(lines)")
            #expect(back == said[0] + 1 && lines.first?.contains("is away") == true, "\(lines)")
        }
        #expect(noticed.first == "gateway")
    }
}
