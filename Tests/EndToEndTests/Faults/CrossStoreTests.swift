import CaptureModel
import CaptureQueue
import DeviceSimulator
import FaultPoints
import Foundation
import GatewayClient
import PostgresCaptureStore
import RedisCaptureQueue
import TestSupport
import Testing

/// Steps that change PostgreSQL and then Redis or files, each of them reached only where something else came first.
@Suite("What dies between two stores leaves nothing that the next one does not finish", .timeLimit(.minutes(5)))
struct CrossStoreTests {
    /// A short lease, which a worker that starves may let run out as often as it likes: none of it is about poison.
    private static let lease = ["CAPTURE_QUEUE_LEASE": "1s", "CAPTURE_QUEUE_DELIVERIES_MAX": "100"]

    private static func armed(_ point: FaultPoint, passing times: Int = 1) -> [String: String] {
        [ArmedFaults.Variable.point: "\(point.rawValue):\(times)"]
    }

    /// A stack whose gateways soon look for captures without a queue entry, one of them armed, and a phone of that one.
    ///
    /// Nothing is missing from its queue: no restoration does what is the sweep's to do.
    private static func sweptStack(
        _ settings: [String: String] = [:], dyingAt point: [String: String]
    ) async throws -> (stack: Stack, doomed: (process: LeashedProcess, client: GatewayClient), phone: Phone) {
        let sweeping = ["CAPTURE_INTAKE_GRACE": "1s", "CAPTURE_INTAKE_SWEEP_INTERVAL": "1s"]
        let stack = try await Stack.start(settings: sweeping.merging(settings) { $1 })
        let doomed = try await stack.gateway(point)
        let phone = try await Phone.register(with: doomed.client, authority: stack.authority).impatient
        try await stack.withBackstage { queue, _, _ in
            try await eventually { try await queue.restorations().allSatisfy(\.isRestored) }
        }
        return (stack, doomed, phone)
    }

    @Test func `an upload whose gateway died behind the row, and that nobody sends again, is enqueued from it`()
        async throws
    {
        let (stack, doomed, phone) = try await Self.sweptStack(dyingAt: Self.armed(.afterIntake))
        let signed = try phone.shoot(seed: 1)
        await #expect(throws: GatewayError.self) { try await phone.upload(signed) }
        #expect(try await doomed.process.exitCode() == 128 + SIGKILL)
        let row = try await stack.psql("SELECT capture_id FROM intake WHERE closed_at IS NULL")
        let capture = try #require(CaptureID(row), "\(row)")
        let worker = try stack.worker()
        let gateway = try await stack.gateway().process
        try await gateway.line(containing: "captures without a queue entry were enqueued")
        try await Aftermath(stack: stack, verdicts: [capture: .verified]).check()
        #expect(try await stack.psql("SELECT count(*) FROM intake") == "0", "none is closed, and none left open")
        try await gateway.expectStop()
        try await worker.expectStop()
    }

    /// Two captures of it would be one that is verified and one that is called a replay.
    @Test(arguments: [false, true])
    func `a bundle that was handed off is one capture, though an upload of it died behind its row`(
        isSentAgain: Bool
    ) async throws {
        let (stack, doomed, phone) = try await Self.sweptStack(dyingAt: Self.armed(.afterIntake))
        let signed = try phone.shoot(seed: 1)
        let files = try ExampleFiles(
            photo: signed.capture.photo, depth: signed.capture.depthMap, assertion: signed.assertion,
            metadata: signed.capture.metadata)
        defer { files.remove() }
        let handed = try #require(
            try await EnqueueExample.python.handOff(files, of: phone.id, to: stack.redis, binding: signed.binding)
                .capture)
        await #expect(throws: GatewayError.self) { try await phone.upload(signed) }
        #expect(try await doomed.process.exitCode() == 128 + SIGKILL)
        let (gateway, client) = try await stack.gateway()
        if isSentAgain {
            let again = Phone(id: phone.id, level: phone.level, device: phone.device, gateway: client)
            #expect(try await again.upload(signed) == handed)
        }
        try await eventually { try await stack.psql("SELECT capture_id FROM intake") == "\(handed)" }
        let worker = try stack.worker()
        try await eventually { try await stack.psql("SELECT count(*) FROM intake") == "0" }
        try await Aftermath(stack: stack, verdicts: [handed: .verified]).check(orphans: true)
        try await gateway.expectStop()
        try await worker.expectStop()
    }

    /// Nobody was told of the refusal; put back without its bytes it would be told as one that Redis has lost.
    @Test func `an upload that a full lane refuses, and whose gateway dies over that, is enqueued with its bytes`()
        async throws
    {
        let (stack, doomed, phone) = try await Self.sweptStack(
            ["CAPTURE_QUEUE_CAPTURES_PER_DEVICE_MAX": "1"], dyingAt: Self.armed(.afterEnqueue, passing: 2))
        try await eventually { try await stack.redis.cli("HGET", "{cq:0}:limits", "device_captures_max") == "1" }
        let taken = try await phone.upload(try phone.shoot(seed: 1))
        let refused = try phone.shoot(seed: 2)
        await #expect(throws: GatewayError.self) { try await phone.upload(refused) }
        #expect(try await doomed.process.exitCode() == 128 + SIGKILL)
        let row = try await stack.psql(
            "SELECT capture_id FROM intake WHERE closed_at IS NULL AND capture_id <> '\(taken)'")
        let capture = try #require(CaptureID(row), "\(row)")
        let gateway = try await stack.gateway().process
        try await gateway.line(containing: "captures without a queue entry were enqueued")
        let worker = try stack.worker()
        try await Aftermath(stack: stack, verdicts: [taken: .verified, capture: .verified]).check()
        try await gateway.expectStop()
        try await worker.expectStop()
    }

    @Test func `gateways that are killed behind a row and with it in hand make one capture of it`() async throws {
        // However long the second gateway takes to start: no sweep puts the row's capture into the queue before it.
        let files = try await FilesystemScene.set(
            settings: Self.lease.merging(["CAPTURE_INTAKE_GRACE": "5m"]) { $1 })
        let worker = try files.stack.worker()
        let client = try await Client(
            of: files.stack, gateway: Self.armed(.afterIntake, passing: 3), then: [Self.armed(.afterClaimRow)])
        let verdicts = try await client.uploadSome()
        #expect(await client.deaths == 2)
        #expect(verdicts.count == 6)
        try await Aftermath(stack: files.stack, verdicts: verdicts).check()
        try await files.expectSwept()
        try await worker.expectStop()
    }

    @Test func `a gateway that is killed while it takes back what is refused has accepted nothing`() async throws {
        let files = try await FilesystemScene.set(
            settings: Self.lease.merging(["CAPTURE_QUEUE_CAPTURES_PER_DEVICE_MAX": "2"]) { $1 })
        let client = try await Client(of: files.stack, gateway: Self.armed(.afterWithdraw))
        let phone = try await client.phone()
        try await eventually {
            try await files.stack.redis.cli("HGET", "{cq:0}:limits", "device_captures_max") == "2"
        }
        var verdicts: [CaptureID: Verdict] = [:]
        for seed in 1...2 as ClosedRange<UInt64> {
            verdicts[try await client.upload(try phone.shoot(seed: seed), of: phone)] = .verified
        }
        let third = try phone.shoot(seed: 3)
        async let late = client.upload(third, of: phone)
        try await eventually { await client.deaths == 1 }
        // From here on there is room again.
        let worker = try files.stack.worker()
        verdicts[try await late] = .verified
        #expect(verdicts.count == 3)
        try await Aftermath(stack: files.stack, verdicts: verdicts).check()
        try await files.expectSwept()
        try await worker.expectStop()
    }

    @Test(arguments: [1, 4])
    func `what gateways are killed over putting back is put back by the next, once each`(
        partitions: Int
    ) async throws {
        let files = try await FilesystemScene.set(
            settings: Self.lease.merging(["CAPTURE_QUEUE_PARTITIONS": "\(partitions)"]) { $1 })
        let stack = files.stack
        let client = try await Client(of: stack)
        let verdicts = try await client.uploadSome()
        // It would put everything back itself.
        try await client.killGateway()
        try await stack.redis.cli("FLUSHALL")
        for _ in 1...2 {
            let victim = try stack.launchGateway(Self.armed(.insideRestore))
            #expect(try await victim.exitCode() == 128 + SIGKILL)
        }
        let gateway = try await stack.gateway().process
        try await gateway.line(containing: "the queue holds everything that was accepted")
        let worker = try stack.worker()
        try await Aftermath(stack: stack, verdicts: verdicts).check()
        try await files.expectSwept()
        try await gateway.expectStop()
        try await worker.expectStop()
    }

    /// The captures of one partition after the other are put back, and only then is any partition open again.
    @Test func `what is half put back when its gateway is killed is put back by the next, once each`() async throws {
        // Six devices are in two of them at least.
        let files = try await FilesystemScene.set(
            settings: Self.lease.merging(["CAPTURE_QUEUE_PARTITIONS": "64"]) { $1 })
        let stack = files.stack
        let client = try await Client(of: stack)
        var captures: [CaptureID] = []
        for seed in 1...6 as ClosedRange<UInt64> {
            let phone = try await client.phone()
            captures.append(try await client.upload(try phone.shoot(seed: seed), of: phone))
        }
        try await client.killGateway()
        try await stack.redis.cli("FLUSHALL")
        // The first where some are put back, the second where all that is known is put back already.
        for times in [2, 1] {
            let victim = try stack.launchGateway(Self.armed(.insideRestore, passing: times))
            #expect(try await victim.exitCode() == 128 + SIGKILL)
            try await stack.withBackstage { [captures] queue, _, _ in
                let known = try await queue.status(of: captures).count { $0 != nil }
                #expect((1..<captures.count).contains(known))
                #expect(try await !queue.restorations().contains(where: \.isRestored))
            }
        }
        let gateway = try await stack.gateway().process
        try await gateway.line(containing: "the queue holds everything that was accepted")
        let worker = try stack.worker()
        let verdicts = Dictionary(uniqueKeysWithValues: captures.map { ($0, Verdict.verified) })
        try await Aftermath(stack: stack, verdicts: verdicts).check()
        try await files.expectSwept()
        try await gateway.expectStop()
        try await worker.expectStop()
    }

    /// The row goes when nobody is there to hear of it: the statement waits in the server when the command dies.
    @Test func `a discard that is killed between ledger and queue is done by the next`() async throws {
        let stack = try await Stack.start(settings: [
            "CAPTURE_POSTGRES_LOCK_TIMEOUT": "60s", "CAPTURE_POSTGRES_STATEMENT_TIMEOUT": "60s",
        ])
        let (gateway, client) = try await stack.gateway()
        let phone = try await Phone.register(with: client, authority: stack.authority)
        let other = try await Phone.register(with: client, authority: stack.authority)
        let signed = try phone.shoot(seed: 1)
        let capture = try await phone.upload(signed)
        let buried = try await stack.withBackstage { queue, _, _ in try await queue.bury(fault: "of the test") }
        #expect(buried == [capture])
        let kept = try await other.upload(try other.shoot(seed: 2))

        let rows = "FROM intake WHERE capture_id = '\(capture)'"
        let standstill = try await Standstill.begin(in: stack, "SELECT 1 \(rows) FOR UPDATE")
        let command = ["dead", "discard", "\(capture)", "--yes"]
        let victim = try LeashedProcess(Programs.path("capturectl"), command, environment: stack.environment)
        try await standstill.untilMet(by: "capturectl")
        try await victim.kill()
        try await standstill.end()
        try await eventually { try await stack.psql("SELECT count(*) \(rows)") == "0" }
        let left = try await stack.withBackstage { queue, _, _ in try await queue.load().deadLetters }
        #expect(left == 1)

        let again = try await stack.capturectlJSON("dead", "discard", "\(capture)", "--yes")
        #expect(again.exitCode == 0 && again.object["done"] as? Int == 1)
        let anew = try await phone.upload(signed)
        #expect(anew != capture, "the bundle is nobody's any more")
        let worker = try stack.worker()
        try await Aftermath(stack: stack, verdicts: [kept: .verified, anew: .verified]).check(buried: 1)
        try await gateway.expectStop()
        try await worker.expectStop()
    }
}
