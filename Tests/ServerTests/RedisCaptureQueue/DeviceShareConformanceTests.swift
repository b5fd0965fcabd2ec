import CaptureModel
import CaptureQueue
import TestSupport
import Testing

/// What one device may fill of a queue, whichever it is.
@Suite(.timeLimit(.minutes(2)))
struct DeviceShareConformanceTests {
    @Test(arguments: ConformingQueue.allCases)
    func `a device that floods fills its own lane and nobody else's`(kind: ConformingQueue) async throws {
        try await kind.with(capturesPerDeviceMax: 2) { fixture in
            var maker = SubmissionMaker(seed: 7)
            let flooding = maker.device()
            for _ in 0..<2 { #expect(try await fixture.upload(maker.submission(of: flooding)) == .accepted) }
            for _ in 0..<5 { #expect(try await fixture.upload(maker.submission(of: flooding)) == .full) }
            #expect(try await fixture.upload(maker.submission(of: maker.device())) == .accepted)
            let load = try await fixture.worker("a").load()
            #expect(load.captures == 3)
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `a device that floods by bytes is refused alone, until its lane is shorter`(kind: ConformingQueue) async throws
    {
        try await kind.with(bytesMax: 500, bytesPerDeviceMax: 100) { fixture in
            var maker = SubmissionMaker(seed: 18)
            let (flooding, other) = (maker.device(), maker.device())
            let captures = [60, 40, 2, 60].map { maker.submission(of: flooding, photoBytes: $0 - 1, depthBytes: 1) }
            let outcomes = [EnqueueOutcome.accepted, .accepted, .full, .full]
            for (capture, outcome) in zip(captures, outcomes) { #expect(try await fixture.upload(capture) == outcome) }
            let quiet = maker.submission(of: other, photoBytes: 99, depthBytes: 1)
            #expect(try await fixture.upload(quiet) == .accepted)
            let queue = fixture.worker("a")
            #expect(try await queue.load().bytes == 200)
            for lease in try await queue.claimNow(captures: 1) { _ = try await queue.settle([lease.settling()]) }
            #expect(try await queue.load().bytes == 40)
            #expect(try await fixture.upload(captures[3]) == .accepted, "there is room for what was settled")
            #expect(try await fixture.upload(captures[2]) == .full)
        }
    }

    @Test(arguments: ConformingQueue.allCases)
    func `an empty lane takes a capture that is larger than a device's share`(kind: ConformingQueue) async throws {
        try await kind.with(bytesPerDeviceMax: 10) { fixture in
            var maker = SubmissionMaker(seed: 19)
            let device = maker.device()
            let captures = (0..<2).map { _ in maker.submission(of: device, photoBytes: 50, depthBytes: 1) }
            #expect(try await fixture.upload(captures[0]) == .accepted)
            #expect(try await fixture.upload(captures[1]) == .full)
            let queue = fixture.worker("a")
            _ = try await queue.settle([try await queue.claimOne().settling()])
            #expect(try await fixture.upload(captures[1]) == .accepted)
        }
    }
}
