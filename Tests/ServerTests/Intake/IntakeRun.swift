import CaptureModel
import CaptureOperations
import CaptureQueue
import CaptureStore
import Foundation
import NIOCore
import PostgresCaptureStore
import RedisCaptureQueue
import RedisClient
import TestSupport

@testable import CaptureGateway

/// One random run of phones, gateways, workers and mishaps, and what the outside knows to be true of it.
///
/// A phone sends its captures in the order of their counters, the next one when the one before is answered with 202.
final class IntakeRun {
    private struct Phone {
        let device: Device
        /// What it sends, or sends again, next.
        var counter: UInt32 = 1
        /// Under which ids its captures were accepted, in order.
        var accepted: [CaptureID] = []
    }

    private let fixture: IntakeFixture
    private var generator: SubmissionMaker
    private var phones: [Phone] = []
    private let workers: [RedisCaptureQueue]
    private var leases: [(worker: Int, lease: Lease)] = []
    private var round = ReconcilerRound(IntakeReconciler.Configuration())
    private(set) var faults: [String] = []

    /// How many captures were answered with 202.
    var acceptedCount: Int { phones.reduce(0) { $0 + $1.accepted.count } }

    init(fixture: IntakeFixture, seed: UInt64, phones count: Int = 4) async throws {
        self.fixture = fixture
        generator = SubmissionMaker(seed: seed)
        workers = (0..<3).map { fixture.queue.queue("worker-\($0)") }
        for number in 0..<count {
            phones.append(Phone(device: try await fixture.store.registered(key: UInt8(number + 1))))
        }
    }

    private func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator.generator) }

    func step() async throws {
        switch number(0..<100) {
        case ..<38: await upload()
        case ..<44: await uploadAgain()
        case ..<50: await dieAfterRow()
        case ..<62: await reconcile()
        case ..<76: await claim()
        case ..<92: await settle()
        case ..<96: await attempt { _ = try await fixture.queue.redis("FLUSHALL") }
        case ..<98: await attempt { _ = try await fixture.queue.redis("FUNCTION", "FLUSH") }
        default: try await restart()
        }
    }

    /// Runs a step, in which a server's absence is no fault.
    private func attempt(_ body: () async throws -> Void) async {
        do { try await body() } catch let error as QueueError
            where error.code == .refused || error.code == .malformedReply
        {
            faults.append("\(error)")
        } catch {
            return
        }
    }

    private func upload() async {
        let index = number(phones.indices)
        do throws(APIError) {
            let receipt = try await fixture.upload(phones[index].counter, of: phones[index].device.id)
            phones[index].accepted.append(receipt.id)
            phones[index].counter += 1
        } catch {
            if error.code != .unavailable { faults.append("\(error)") }
        }
    }

    /// A client that did not get an answer, a while later.
    private func uploadAgain() async {
        let index = number(phones.indices)
        guard !phones[index].accepted.isEmpty else { return }
        let place = number(phones[index].accepted.indices)
        do throws(APIError) {
            let receipt = try await fixture.upload(UInt32(place + 1), of: phones[index].device.id)
            if receipt.id != phones[index].accepted[place] { faults.append("another id for the same bundle") }
            if !receipt.isDuplicate { faults.append("taken as new although it was accepted before") }
        } catch {
            if error.code != .unavailable { faults.append("\(error)") }
        }
    }

    /// A gateway that ends between row and queue; the phone has no answer and sends the capture again later.
    private func dieAfterRow() async {
        let phone = phones[number(phones.indices)]
        let bundle = UploadedBundle.signed(phone.counter, of: phone.device.id)
        let submission = bundle.submission(
            as: generator.submission(of: phone.device.id).id, of: phone.device.id, receivedAt: Timestamp(Date()),
            in: fixture.bundles.name)
        await attempt {
            try await fixture.bundles.put(bundle.media, of: submission)
            _ = try await fixture.ledger.record([submission])
        }
    }

    private func reconcile() async {
        do throws(ServerFault) {
            try await fixture.reconciler.turn(&round)
        } catch {
            if case .queue(let error) = error, error.isTransient { return }
            faults.append("\(error)")
        }
    }

    private func claim() async {
        let worker = number(workers.indices)
        await attempt {
            for lease in try await workers[worker].claimNow(3, captures: 3) { leases.append((worker, lease)) }
            if let lease = try await workers[worker].takeOver() { leases.append((worker, lease)) }
        }
    }

    /// Settles in the record, and then, unless the worker ends in between, in the queue.
    private func settle() async {
        guard let index = leases.indices.randomElement(using: &generator.generator) else { return }
        let (worker, lease) = number(0..<4) == 0 ? leases[index] : leases.remove(at: index)
        await attempt {
            let decisions = try await decide(lease)
            guard number(0..<6) != 0 else { return }
            _ = try await workers[worker].settle([lease.settling(decisions)])
        }
    }

    private func decide(_ lease: Lease) async throws -> [SettledCapture] {
        let device = phones.first { $0.device.id == lease.device }?.device
        return try await fixture.decide(lease, of: device)
    }

    private func restart() async throws {
        try await fixture.queue.server.kill()
        try await fixture.queue.server.restart()
    }

    /// Lets every phone get its last answer, brings the queue in order and works it off.
    func finish() async throws {
        leases = []
        try await eventually { (try? await fixture.queue.redis("PING")) != nil }
        let last = fixture.queue.queue("last")
        round = ReconcilerRound(IntakeReconciler.Configuration())
        while true {
            await reconcile()
            round = ReconcilerRound(IntakeReconciler.Configuration())
            await reconcile()
            let claimed = try await last.claimNow(10, captures: 8) + [try await last.takeOver()].compactMap { $0 }
            for lease in claimed { _ = try await last.settle([lease.settling(try await decide(lease))]) }
            let open = try await fixture.ledger.openIntake(after: 0, olderThan: .zero, limit: 1)
            if claimed.isEmpty, open.isEmpty { return }
        }
    }

    /// Everything that was answered with 202 is verified once, under the counter that it was signed with; and nothing
    /// else is in the record but what was sent and not answered.
    func audit() async throws -> [String] {
        var faults = faults + (try await strangers())
        for phone in phones {
            let results = try await fixture.store.results(of: phone.accepted)
            for (index, id) in phone.accepted.enumerated() {
                guard let result = results[id] else {
                    faults.append("counter \(index + 1) was accepted and has no result")
                    continue
                }
                if result.verdict != .verified || result.counter != UInt32(index + 1) {
                    faults.append("counter \(index + 1): \(result.verdict) \(String(describing: result.reason))")
                }
            }
        }
        return faults
    }

    /// What the record has to say of captures that were not answered with 202.
    private func strangers() async throws -> [String] {
        let accepted = Set(phones.flatMap(\.accepted))
        let others = try await fixture.settledCaptures().filter { !accepted.contains($0) }
        return try await fixture.store.results(of: others).values.compactMap { result -> String? in
            // The last capture of a phone may be there without an answer, under the id of the attempt that recorded it.
            let isLast = phones.contains { $0.device.id == result.device && $0.counter == result.counter }
            if isLast, result.verdict == .verified { return nil }
            return "counter \(String(describing: result.counter)) was never answered as \(result.id): \(result.verdict)"
        }
    }
}

extension Lease {
    /// Gives the lane back with everything settled.
    func settling(_ decisions: [SettledCapture]) -> LaneSettlement {
        LaneSettlement(
            token: token, device: device,
            items: decisions.map { .init(id: $0.id, disposition: .settled($0.decision)) },
            continuation: .ready)
    }
}
