import CaptureModel
import CaptureQueue
import NIOCore
import TestSupport
import Testing

struct MemoryCaptureQueueTests {
    private let time = ManualTime()

    @Test func `the bytes of a settled capture are gone and those of a dead letter stay`() async throws {
        var maker = SubmissionMaker(seed: 1)
        let device = maker.device()
        let bundles = MemoryBundleStore()
        let queue = MemoryCaptureQueue(time: time.source, bundles: bundles)
        let captures = [maker.submission(of: device), maker.submission(of: device)]
        for capture in captures {
            try await bundles.put(media, of: capture)
            #expect(try await queue.enqueue(capture) == .accepted)
        }
        let lease = try #require(try await queue.claim(lanesMax: 1, capturesPerLaneMax: 2, wait: .zero).first)
        _ = try await queue.settle([
            LaneSettlement(
                token: lease.token, device: device,
                items: [
                    .init(id: captures[0].id, disposition: .settled(.verified)),
                    .init(id: captures[1].id, disposition: .dead(.internal, fault: "test")),
                ],
                continuation: .ready
            )
        ])
        #expect(try await bundles.fetch(captures) == [.missing, .found(media)])
    }

    @Test func `only so many settled captures are remembered`() async throws {
        var maker = SubmissionMaker(seed: 2)
        var configuration = MemoryCaptureQueue.Configuration()
        configuration.statusesMax = 1
        let queue = MemoryCaptureQueue(configuration: configuration, time: time.source)
        let captures = [maker.submission(of: maker.device()), maker.submission(of: maker.device())]
        for capture in captures { _ = try await queue.enqueue(capture) }
        for lease in try await queue.claim(lanesMax: 2, capturesPerLaneMax: 1, wait: .zero) {
            let items = lease.jobs.map {
                LaneSettlement.Item(id: $0.id, disposition: .settled(.verified))
            }
            _ = try await queue.settle([
                LaneSettlement(token: lease.token, device: lease.device, items: items, continuation: .ready)
            ])
        }
        #expect(try await queue.status(of: captures.map(\.id)).map { $0?.state } == [nil, .verified])
    }

    @Test(.timeLimit(.minutes(1)))
    func `a claim that is cancelled ends its wait`() async throws {
        let queue = MemoryCaptureQueue(time: time.source)
        let claim = Task { try await queue.claim(lanesMax: 1, capturesPerLaneMax: 1, wait: .seconds(600)) }
        try await eventually { queue.isAwaited }
        claim.cancel()
        #expect(try await claim.value.isEmpty)
    }

    private var media: CaptureMedia {
        CaptureMedia(photo: ByteBuffer(bytes: [1, 2, 3]), depth: ByteBuffer(bytes: [4, 5]))
    }
}
