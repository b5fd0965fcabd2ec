import CaptureModel
import CaptureQueue
import Foundation
import GatewayClient
import PostgresCaptureStore
import RedisCaptureQueue
import Synchronization
import TestSupport
import Testing

@Suite("At the level replicated an answer waits for a replica", .timeLimit(.minutes(5)))
struct ReplicatedTests {
    private static let limits = ["--client-output-buffer-limit", "replica 1gb 512mb 120"]

    private struct Scene {
        let stack: Stack
        let replica: PrivateRedis
        let gateway: LeashedProcess
        let phone: Phone

        static func set() async throws -> Scene {
            let primary = try await PrivateRedis.start(ReplicatedTests.limits, tcp: true)
            let replica = try await primary.replica()
            let stack = try await Stack.start(
                settings: ["CAPTURE_QUEUE_DURABILITY": "replicated", "CAPTURE_QUEUE_REPLICA_WAIT": "30s"],
                redis: primary)
            let gateway = try await stack.gateway()
            let phone = try await Phone.register(with: gateway.client, authority: stack.authority)
            return Scene(stack: stack, replica: replica, gateway: gateway.process, phone: phone)
        }

        /// Starts a gateway with other settings; the phone as it sends to that one.
        func phone(at settings: [String: String]) async throws -> (gateway: LeashedProcess, phone: Phone) {
            let (gateway, client) = try await stack.gateway(settings)
            return (gateway, Phone(id: phone.id, level: phone.level, device: phone.device, gateway: client))
        }
    }

    @Test func `a replica that hangs makes it 503, and the same upload later finds its capture`() async throws {
        let scene = try await Scene.set()
        let first = try await scene.phone.upload(try scene.phone.shoot(seed: 1))
        let second = try scene.phone.shoot(seed: 2)
        // This gateway alone waits for a replica so briefly: to the other one a replica that is only slow does not hang.
        let (hasty, hurried) = try await scene.phone(at: ["CAPTURE_QUEUE_REPLICA_WAIT": "300ms"])
        defer { withExtendedLifetime(hasty) {} }
        scene.replica.signal(SIGSTOP)
        let refusal = try await hurried.refusal(of: second)
        #expect(refusal.status == 503 && refusal.code == "UNAVAILABLE" && refusal.retryAfter != nil)
        // It is in the queue all the same, with its bytes.
        let queued = try await scene.stack.withBackstage { queue, _, _ in try await queue.load().captures }
        #expect(queued == 2)
        // Redis is there all the while, and the log calls it neither away nor back.
        #expect(try await GatewayEndpoint(hasty).ask("/readyz").status == 200)
        // Neither a new nor a repeated upload is answered for while the replica hangs.
        let repeated = try await hurried.refusal(of: second)
        #expect(repeated.status == 503 && repeated.code == "UNAVAILABLE")
        try await hasty.line(containing: "0 of 1 replicas have it in time")
        let told = hasty.output.split(separator: "\n")
        #expect(told.count { $0.contains("requests are put off") } == 1)
        #expect(!told.contains { $0.contains("redis is away") || $0.contains("redis is back") })
        scene.replica.signal(SIGCONT)
        let retried = try await scene.phone.upload(second)
        #expect(retried != first)
        #expect(try await scene.phone.upload(second) == retried)
        let load = try await scene.stack.withBackstage { queue, _, _ in try await queue.load().captures }
        #expect(load == 2, "the retries are the same capture")
        let worker = try scene.stack.worker()
        for capture in [first, retried] { #expect(try await scene.phone.settled(capture).state == .verified) }
        try await worker.expectStop()
    }

    @Test func `where two replicas are asked for, one makes it 503, and the second one 202`() async throws {
        let scene = try await Scene.set()
        let (demanding, phone) = try await scene.phone(at: [
            "CAPTURE_QUEUE_REPLICAS": "2", "CAPTURE_QUEUE_REPLICA_WAIT": "5s",
        ])
        defer { withExtendedLifetime(demanding) {} }
        let capture = try phone.shoot(seed: 1)
        let refusal = try await phone.refusal(of: capture)
        #expect(refusal.status == 503 && refusal.code == "UNAVAILABLE")
        try await demanding.line(containing: "1 of 2 replicas have it in time")
        let second = try await scene.stack.redis.replica()
        defer { withExtendedLifetime(second) {} }
        let accepted = try await phone.upload(capture)
        #expect(try await scene.phone.upload(capture) == accepted)
        let queued = try await scene.stack.withBackstage { queue, _, _ in try await queue.load().captures }
        #expect(queued == 1)
    }

    /// As when the network between them fails: the one replica is promoted, and the primary does not know it yet.
    @Test func `after a failover nothing answered is missing, and what the replica did not get was not answered`()
        async throws
    {
        let scene = try await Scene.set()
        var answered: [CaptureID] = []
        for seed in 0..<3 { answered.append(try await scene.phone.upload(scene.phone.shoot(seed: UInt64(seed)))) }
        try await scene.replica.cli("REPLICAOF", "NO", "ONE")
        let (phone, late) = (scene.phone.impatient, try scene.phone.shoot(seed: 3))
        let isOver = Mutex(false)
        let upload = Task {
            let capture = try? await phone.upload(late)
            isOver.withLock { $0 = true }
            return capture
        }
        // The primary has it, and waits for a replica; without that it is answered now.
        let primary = scene.stack.redis
        try await eventually { try await Self.isWaiting(primary) || isOver.withLock { $0 } }
        try await primary.kill()
        upload.cancel()
        #expect(await upload.value == nil, "the replica does not have it")
        let worker = try scene.stack.worker([
            "CAPTURE_REDIS_URL": scene.replica.url, "CAPTURE_QUEUE_DURABILITY": "fsync",
        ])
        try await scene.stack.withBackstage { [answered] _, _, store in
            try await eventually { try await store.results(of: answered).count == answered.count }
        }
        try await worker.expectStop()
    }

    /// Whether a client of a server is held by `WAIT`.
    private static func isWaiting(_ redis: PrivateRedis) async throws -> Bool {
        try await redis.cli("CLIENT", "LIST").split(separator: "\n").contains {
            $0.contains(/\sflags=\S*b/) && $0.contains(" cmd=wait ")
        }
    }
}
