import CaptureModel
import CaptureQueue
import RedisCaptureQueue
import RedisClient
import TestSupport

/// A queue in which everything occurs once: lanes that wait, are held and are put off, a dead
/// letter, a settled capture.
struct QueueWard: Sendable {
    let fixture: QueueFixture
    let keys: PartitionKeys
    /// Three captures that wait.
    let waiting: [CaptureSubmission]
    /// Two captures in a worker's hands.
    let held: [CaptureSubmission]
    /// One that is put off.
    let delayed: CaptureSubmission
    let dead: CaptureSubmission
    let settled: CaptureSubmission
    /// A device, a capture and a digest that the queue does not know.
    let strangers: (device: DeviceID, capture: CaptureID, digest: SHA256Digest)

    init(_ fixture: QueueFixture) async throws {
        self.fixture = fixture
        keys = fixture.keyspace[0]
        var maker = SubmissionMaker(seed: 20)
        let devices = (0..<6).map { _ in maker.device() }
        func submissions(_ count: Int, _ device: Int) -> [CaptureSubmission] {
            (0..<count).map { _ in maker.submission(of: devices[device]) }
        }
        let one = submissions(1, 0) + submissions(1, 1) + submissions(1, 2)
        (settled, dead, delayed) = (one[0], one[1], one[2])
        held = submissions(2, 3)
        waiting = submissions(3, 4)
        let stranger = maker.submission(of: devices[5])
        strangers = (stranger.device, stranger.id, stranger.bundleDigest)
        let queue = fixture.queue("holder")
        for capture in one { try await fixture.upload(capture) }
        for lease in try await queue.claimNow() {
            let item: [LaneSettlement.Item] =
                lease.device == dead.device
                ? [.init(id: dead.id, disposition: .dead(.attemptsExhausted, fault: "gave up"))] : []
            let isSettled = lease.device == settled.device
            let continuation: LaneSettlement.Continuation =
                lease.device == delayed.device ? .delayed(.seconds(600), fault: "away") : .ready
            _ = try await queue.settle([
                isSettled
                    ? lease.settling()
                    : LaneSettlement(
                        token: lease.token, device: lease.device, items: item, continuation: continuation)
            ])
        }
        for capture in held { try await fixture.upload(capture) }
        _ = try await queue.claimNow()
        for capture in waiting { try await fixture.upload(capture) }
    }

    /// Sends a command as it is.
    func redis(_ name: String, _ arguments: RedisArgument...) async throws {
        _ = try await fixture.client.send(RedisCommand(name, arguments))
    }

    /// The stream's entry of a device.
    func token(of device: DeviceID) async throws -> String {
        for entry in try await fixture.redis("XRANGE", .string(keys.ready), "-", "+").array ?? [] {
            if entry.array?.last?.array?.last?.string == device.description {
                return entry.array?.first?.string ?? ""
            }
        }
        return ""
    }
}
