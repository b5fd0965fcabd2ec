import CaptureModel
import CaptureQueue
import CaptureStore
import DeviceSimulator
import FaultPoints
import Foundation
import GatewayClient
import PostgresCaptureStore
import RedisCaptureQueue
import TestSupport
import Testing

@Suite("A capture that takes its worker down is alone to blame", .timeLimit(.minutes(5)))
struct PoisonTests {
    private static let deliveriesMax = 2
    /// Each death costs one, and a worker that starves for longer than this counts as another: so neither short nor long.
    private static let lease = "6s"

    /// What a poison does to the process, and what the capture's fault says about it.
    struct Harm: Sendable, CustomTestStringConvertible {
        let poison: Poison
        let exitCode: Int32
        let fault: String
        let policy: String
        /// Short where it counts, and long where something else is to come first.
        let deadline: String
        /// What the capture ends as once it is redriven, later captures of its device being settled.
        let ending: String

        var testDescription: String { poison.rawValue }
    }

    static let harms = [
        Harm(
            poison: .crash, exitCode: 128 + SIGABRT, fault: "its worker did not come back; 2 deliveries",
            policy: "strict", deadline: "30s", ending: "COUNTER_STALE"
        ),
        Harm(
            poison: .loop, exitCode: 70, fault: "its verification took longer than 3.0 seconds; 2 deliveries",
            policy: "window(64)", deadline: "3s", ending: "verified"
        ),
        Harm(
            poison: .memory, exitCode: 70,
            fault: "while it was verified, its worker held more than 256 MiB of memory; 2 deliveries",
            policy: "strict", deadline: "30s", ending: "COUNTER_STALE"
        ),
    ]

    /// Captures of several devices, one of them in the middle of its device's lane.
    private struct Scene {
        let poisoned: CaptureID
        let others: [CaptureID]

        var all: [CaptureID] { others + [poisoned] }
    }

    private func scene(_ client: Client) async throws -> Scene {
        var captures: [[CaptureID]] = []
        let phones = [try await client.phone(), try await client.phone(), try await client.phone()]
        for round in 0..<5 {
            var row: [CaptureID] = []
            for (index, phone) in phones.enumerated() {
                row.append(try await client.upload(try phone.shoot(seed: UInt64(10 * round + index)), of: phone))
            }
            captures.append(row)
        }
        let poisoned = captures[3][1]
        return Scene(poisoned: poisoned, others: captures.joined().filter { $0 != poisoned })
    }

    @Test(arguments: harms)
    func `a poison is kept, the others are settled in order, and redriven it says so`(harm: Harm) async throws {
        let stack = try await Stack.start(settings: [
            "CAPTURE_QUEUE_LEASE": Self.lease, "CAPTURE_QUEUE_DELIVERIES_MAX": "\(Self.deliveriesMax)",
            "CAPTURE_WORKER_JOB_DEADLINE": harm.deadline, "CAPTURE_WORKER_MEMORY_MAX": "256MiB",
            "CAPTURE_WORKER_BATCH_BYTES_MAX": "8MiB",
            // After its first claim, two of each lane, the only pipeline takes the rest: the
            // poison has another before it.
            "CAPTURE_WORKER_PIPELINES": "1",
            "CAPTURE_CAPTURE_COUNTER_POLICY": harm.policy,
        ])
        let client = try await Client(of: stack)
        let scene = try await scene(client)
        let armed = [ArmedFaults.Variable.poison: "\(scene.poisoned)=\(harm.poison.rawValue)"]
        let exitCodes = try await Supervisor.keeping(armed, on: stack) {
            try await stack.withBackstage { queue, _, _ in try await drain(queue) }
        }
        // Once with its batch, and alone from then on.
        #expect(exitCodes == Array(repeating: harm.exitCode, count: Self.deliveriesMax + 1))
        try await checkIsolation(scene, harm, stack, client)
        try await checkRedrive(scene, harm, stack, client)
    }

    private func checkIsolation(_ scene: Scene, _ harm: Harm, _ stack: Stack, _ client: Client) async throws {
        try await stack.withBackstage { queue, _, store in
            let letters = try await queue.deadLetters(after: nil, limit: 10).letters
            #expect(letters.map(\.id) == [scene.poisoned])
            #expect(letters.first?.status.reason == .deliveriesExhausted)
            #expect(letters.first?.status.fault == harm.fault)
            // With a strict counter, verified is in order.
            let results = try await store.results(of: scene.others + [scene.poisoned])
            #expect(results.count == scene.others.count)
            #expect(results.values.allSatisfy { $0.verdict == .verified })
            #expect(results.values.allSatisfy { $0.attempts <= 2 }, "nobody was taken down with it again")
        }
        for part in ["photo", "depth"] {
            #expect(
                try await stack.redis.cli("PTTL", "{cq:0}:\(part):\(scene.poisoned)") == "-1", "kept without expiry")
        }
        let status = try await client.status(of: scene.poisoned)
        #expect(status.state == .failed && status.reason == "DELIVERIES_EXHAUSTED")
    }

    /// Not poisoned any more, it is what it always was: an honest capture, too late by our doing.
    private func checkRedrive(_ scene: Scene, _ harm: Harm, _ stack: Stack, _ client: Client) async throws {
        let worker = try stack.worker()
        try await stack.withBackstage { queue, _, _ in
            #expect(try await queue.redrive(scene.poisoned))
            try await drain(queue)
        }
        let status = try await client.status(of: scene.poisoned)
        let record = try await client.provenance(of: scene.poisoned)
        #expect((status.reason ?? status.state.rawValue) == harm.ending)
        #expect(status.isRedriven == true)
        #expect(record["redriven"]?.bool == true)
        if harm.ending != "verified" { #expect(record["explanation"]?.string?.contains("redriven") == true) }
        try await worker.expectStop()
    }

    @Test func `a capture that is redriven while it is a poison still takes nobody down but its worker`() async throws {
        let stack = try await Stack.start(settings: [
            "CAPTURE_QUEUE_LEASE": Self.lease, "CAPTURE_QUEUE_DELIVERIES_MAX": "\(Self.deliveriesMax)",
        ])
        let client = try await Client(of: stack)
        let phone = try await client.phone()
        let poisoned = try await client.upload(try phone.shoot(seed: 1), of: phone)
        let armed = [ArmedFaults.Variable.poison: "\(poisoned)=crash"]
        let before = try await Supervisor.keeping(armed, on: stack) {
            try await stack.withBackstage { queue, _, _ in try await drain(queue) }
        }
        #expect(before.count == Self.deliveriesMax)
        let others = try await scene(client).all
        let after = try await Supervisor.keeping(armed, on: stack) {
            try await stack.withBackstage { queue, _, _ in
                #expect(try await queue.redrive(poisoned))
                try await drain(queue)
            }
        }
        #expect(after.count == Self.deliveriesMax, "\(after)")
        try await stack.withBackstage { queue, _, store in
            #expect(try await queue.deadLetters(after: nil, limit: 10).letters.map(\.id) == [poisoned])
            let results = try await store.results(of: others)
            #expect(results.values.count { $0.verdict == .verified && $0.attempts == 1 } == others.count)
        }
    }

    /// A poison at the head of its lane is known at its first death: nobody else meets it again.
    @Test func `a watchdog that knows the culprit costs the others no lease`() async throws {
        let stack = try await Stack.start(settings: [
            // Longer than the test: whoever waited for it would be noticed.
            "CAPTURE_QUEUE_LEASE": "600s", "CAPTURE_QUEUE_DELIVERIES_MAX": "2", "CAPTURE_WORKER_JOB_DEADLINE": "3s",
        ])
        let client = try await Client(of: stack)
        let scene = try await scene(client)
        let armed = [ArmedFaults.Variable.poison: "\(scene.poisoned)=loop"]
        let exitCodes = try await Supervisor.keeping(armed, on: stack) {
            try await stack.withBackstage { queue, _, _ in try await drain(queue) }
        }
        #expect(exitCodes.count <= 3 && exitCodes.allSatisfy { $0 == Int32(70) }, "\(exitCodes)")
        try await stack.withBackstage { queue, _, store in
            #expect(try await queue.deadLetters(after: nil, limit: 10).letters.map(\.id) == [scene.poisoned])
            let results = try await store.results(of: scene.others)
            #expect(results.values.count { $0.verdict == .verified } == scene.others.count)
        }
    }
}
