import CaptureModel
import CaptureQueue
import FaultPoints
import Foundation
import GatewayClient
import PostgresCaptureStore
import RedisCaptureQueue
import TestSupport
import Testing

@Suite("Deploying beside work", .timeLimit(.minutes(5)))
struct DeployTests {
    @Test func `a worker that is told to stop leaves nothing to a lease`() async throws {
        // A lease that is longer than the test: whoever waited for one would be noticed.
        let stack = try await Stack.start(settings: ["CAPTURE_QUEUE_LEASE": "600s"])
        try await stack.withBackstage { queue, bundles, store in
            let crowd = try await Crowd.register(30, in: store)
            let capture = try Crowd.smallCapture()
            let accepted = try await crowd.enqueue(rounds: 30, sharing: capture, queue: queue, bundles: bundles)
            let leaver = try stack.worker(["CAPTURE_WORKER_CAPTURES_PER_LANE_MAX": "2"])
            try await eventually { try await queue.load().captures < accepted.count }
            try await leaver.expectStop()
            #expect(try await queue.load().leasedLanes == 0)
            let heir = try stack.worker()
            try await drain(queue)
            #expect(try await queue.counters()["taken_over", default: 0] == 0)
            let results = try await store.results(of: Array(accepted.keys))
            #expect(results.count == accepted.count)
            #expect(results.values.allSatisfy { $0.verdict == .verified && $0.attempts == 1 })
            try await heir.expectStop()
        }
    }

    @Test func `an idle worker stops within a second`() async throws {
        let stack = try await Stack.start()
        try await expectInTime {
            let worker = try stack.worker()
            try await worker.line(containing: "worker is ready")
            let (machine, told) = (MachineWatch(besides: [worker]), ContinuousClock.now)
            try await worker.expectStop()
            let (took, wasHeldUp) = (told.duration(to: .now), machine.wasHeldUp)
            let isInTime = took < (wasHeldUp ? Duration.seconds(5) : .seconds(1))
            return TimedRound(late: isInTime ? nil : "it stopped after \(took)", wasHeldUp: wasHeldUp)
        }
    }

    @Test func `a worker that cannot finish in its time ends all the same and says so, and another goes on`()
        async throws
    {
        let stack = try await Stack.start(settings: ["CAPTURE_QUEUE_LEASE": "2s"])
        try await stack.withBackstage { queue, bundles, store in
            let crowd = try await Crowd.register(1, in: store)
            let accepted = try await crowd.enqueue(
                rounds: 2, sharing: try Crowd.smallCapture(), queue: queue, bundles: bundles)
            let stuck = try #require(accepted.keys.first)
            let worker = try stack.worker([
                ArmedFaults.Variable.poison: "\(stuck)=loop", "CAPTURE_WORKER_JOB_DEADLINE": "600s",
                "CAPTURE_PROGRAM_STOP_LIMIT": "100ms",
            ])
            try await eventually { try await queue.status(of: [stuck]).first??.state == .processing }
            // Only a verification that does not end computes for so long.
            let before = try #require(worker.processorTime)
            try await eventually { try #require(worker.processorTime) - before > .seconds(1) }
            worker.signal(SIGTERM)
            #expect(try await worker.exitCode() == 75)
            #expect(worker.output.contains("the program did not stop in its time"))
            let heir = try stack.worker()
            try await drain(queue)
            let results = try await store.results(of: Array(accepted.keys))
            #expect(results.count == 2 && results.values.allSatisfy { $0.verdict == .verified })
            try await heir.expectStop()
        }
    }

    @Test func `a worker whose time is over hands back what it holds, and blames no server that is there`()
        async throws
    {
        // It has two seconds to hand back what it holds, and a machine that is held up may use them up.
        try await expectInTime { try await handBack() }
    }

    /// Ends a worker that waits for PostgreSQL, and has another one go on; lanes that are left to their leases are late.
    private func handBack() async throws -> TimedRound {
        let postgres = try await PrivatePostgres.start()
        // Two seconds are too short for a Redis that waits for a busy disk.
        let redis = try await PrivateRedis.start(["--appendfsync", "no"])
        let stack = try await Stack.start(
            settings: [
                // A lease that is longer than the test: whoever waited for one would be noticed.
                "CAPTURE_QUEUE_LEASE": "600s", "CAPTURE_PROGRAM_STOP_LIMIT": "1s",
                "CAPTURE_QUEUE_DURABILITY": "relaxed",
            ], redis: redis, postgres: postgres)
        return try await stack.withBackstage { queue, bundles, store in
            let crowd = try await Crowd.register(5, in: store)
            let capture = try Crowd.smallCapture()
            let worker = try stack.worker()
            try await worker.line(containing: "worker is ready")
            // It asks for the devices' keys, and nobody answers.
            try await postgres.signalAll(SIGSTOP)
            let accepted = try await crowd.enqueue(rounds: 2, sharing: capture, queue: queue, bundles: bundles)
            try await eventually { try await queue.load().leasedLanes > 0 }
            let machine = MachineWatch(besides: [worker])
            worker.signal(SIGTERM)
            let code = try await worker.exitCode()
            let wasHeldUp = machine.wasHeldUp
            // Exit 75 if a query is under way: the program waits for it, and it takes longer than the stop limit.
            #expect(code == 0 || code == 75, "\(worker.output)")
            #expect(!worker.output.contains("redis is away"))
            let load = try await queue.load()
            try await postgres.signalAll(SIGCONT)
            // Nobody else could work them before the test is over.
            guard load.leasedLanes == 0 else {
                return TimedRound(late: "\(load.leasedLanes) lanes were not handed back", wasHeldUp: wasHeldUp)
            }
            #expect(load.readyLanes == 5, "\(load)")
            let heir = try stack.worker()
            try await drain(queue)
            #expect(try await queue.counters()["taken_over", default: 0] == 0)
            let results = try await store.results(of: Array(accepted.keys))
            #expect(results.count == accepted.count && results.values.allSatisfy { $0.verdict == .verified })
            try await heir.expectStop()
            return TimedRound(late: nil, wasHeldUp: wasHeldUp)
        }
    }

    @Test func `a gateway that cuts off what does not get done in its time has stopped in good order`() async throws {
        let stack = try await Stack.start(settings: ["CAPTURE_PROGRAM_STOP_LIMIT": "1s"])
        let gateway = try await stack.gateway()
        let phone = try await Phone.register(with: gateway.client, authority: stack.authority)
        let endpoint = try await GatewayEndpoint(gateway.process)
        let upload = try RawConnection(port: endpoint.port)
        try await upload.send(
            GatewayEndpoint.uploadHead(of: phone.id, "Content-Length: 400000", "Expect: 100-continue"))
        // It is under way then, and would be waited for much longer.
        let answer = try await upload.read { $0.contains("100 Continue") }
        #expect(answer.contains("100 Continue"), "\(answer)")
        let told = ContinuousClock.now
        gateway.process.signal(SIGTERM)
        #expect(try await gateway.process.exitCode() == 0, "\(gateway.process.output)")
        #expect(told.duration(to: .now) >= .seconds(1), "it waited for the upload as long as it may")
        #expect(!gateway.process.output.contains("stopped by a fault"))
        upload.close()
    }

    @Test func `a newer library is loaded while older workers work, and they go on`() async throws {
        let stack = try await Stack.start(settings: ["CAPTURE_QUEUE_LEASE": "600s"])
        try await stack.withBackstage { queue, bundles, store in
            let crowd = try await Crowd.register(20, in: store)
            let capture = try Crowd.smallCapture()
            let old = try stack.worker(["CAPTURE_WORKER_CAPTURES_PER_LANE_MAX": "1"])
            async let accepted = crowd.enqueue(rounds: 20, sharing: capture, queue: queue, bundles: bundles)
            // The next release: another version, one function more, and all that this one calls.
            let version = FunctionLibrary.current.version
            let newer =
                FunctionLibrary.current.source.replacing(
                    "local LIBRARY_VERSION = \(version)", with: "local LIBRARY_VERSION = \(version + 1)")
                + "\nredis.register_function('capture_load_v2', function() return 'two' end)\n"
            for _ in 0..<20 {
                let loaded = try await stack.redis.load(functions: newer)
                #expect(loaded == FunctionLibrary.name)
            }
            let sent = try await accepted
            try await drain(queue)
            let results = try await store.results(of: Array(sent.keys))
            #expect(results.count == 400 && results.values.allSatisfy { $0.verdict == .verified && $0.attempts == 1 })
            // A program of this release that starts now leaves the newer one where it is.
            let late = try stack.worker()
            try await late.line(containing: "ready")
            #expect(try await stack.redis.cli("FCALL", "capture_load_v2", "0") == "two")
            for worker in [old, late] { worker.signal(SIGTERM) }
            for worker in [old, late] { #expect(try await worker.exitCode() == 0) }
        }
    }

    @Test func `a release that starts on a full Redis works with the older library until there is room`() async throws {
        let stack = try await Stack.start()
        let gateway = try await stack.gateway()
        let phone = try await Phone.register(with: gateway.client, authority: stack.authority)
        let waiting = try await phone.upload(try phone.shoot(seed: 1))
        try await gateway.process.kill()
        let version = FunctionLibrary.current.version
        let older = FunctionLibrary.current.source.replacing(
            "local LIBRARY_VERSION = \(version)", with: "local LIBRARY_VERSION = \(version - 1)")
        try await stack.redis.load(functions: older)
        try await stack.redis.cli("CONFIG", "SET", "maxmemory", "1")
        let worker = try stack.worker()
        try await worker.line(containing: "Redis is full and keeps an older function library")
        let later = try await stack.gateway()
        let status = try await later.client.settled(waiting, within: .seconds(240)) { _ in .token(Stack.token) }
        #expect(status.state == .verified)
        #expect(try await stack.redis.cli("FUNCTION", "LIST", "WITHCODE").contains("VERSION = \(version - 1)\n"))
        try await stack.redis.cli("CONFIG", "SET", "maxmemory", "0")
        try await eventually {
            try await stack.redis.cli("FUNCTION", "LIST", "WITHCODE").contains("VERSION = \(version)\n")
        }
        try await worker.expectStop()
    }
}
