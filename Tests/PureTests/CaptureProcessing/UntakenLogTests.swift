import CaptureModel
import CaptureQueue
import CaptureSettings
import DeviceSimulator
import NIOCore
import TestSupport
import Testing

@testable import CaptureProcessing

@Suite("Captures that a gateway has taken, and that a worker's settings do not take", .timeLimit(.minutes(1)))
struct UntakenLogTests {
    private static let began = "warning captures that a gateway has taken are rejected for this worker's settings"
    private static let ended = "notice captures are rejected for this worker's settings no longer"

    private let recorder = LogRecorder()
    private let start = ContinuousClock.now

    private func note(
        _ decisions: [Decision], in log: UntakenLog, after time: Duration, wasSettledBefore: Bool = false
    ) -> [ExaminedCapture] {
        let captures = Work.captures(decisions.count, seed: 5)
        var decided = BatchDecision()
        for (capture, decision) in zip(captures, decisions) {
            decided.settled[capture.job.id] = SettledCapture(
                id: capture.job.id, decision: decision, wasSettledBefore: wasSettledBefore)
        }
        log.note(captures, decided, at: start + time)
        return captures
    }

    @Test(
        arguments: [
            (.appNotAllowed, "app.ids"), (.environmentMismatch, "app.environments"),
            (.trustRootNotAllowed, "app.roots"), (.bindingNotAllowed, "capture.bindings"),
        ] as [(Reason, String)])
    func `the first names the setting, its reason and the capture`(reason: Reason, setting: String) {
        let captures = note(
            [.verified, .rejected(reason), .rejected(reason)], in: UntakenLog(logger: recorder.logger), after: .zero)
        #expect(recorder.lines == [Self.began])
        #expect(recorder.values(of: "setting") == [setting])
        #expect(Setting.all.contains { $0.key == setting })
        #expect(recorder.values(of: "reason") == [reason.rawValue])
        #expect(recorder.values(of: "capture_id") == ["\(captures[1].job.id)"])
        #expect(recorder.values(of: "device_id") == ["\(captures[1].job.device)"])
    }

    @Test func `it is told once for each setting, until none was rejected for it for a while`() {
        let log = UntakenLog(logger: recorder.logger)
        let calm = 600
        #expect(UntakenLog.calm == .seconds(calm))
        let steps: [(decision: Decision, second: Int)] = [
            (.rejected(.appNotAllowed), 0), (.verified, 1), (.rejected(.appNotAllowed), 2),
            (.rejected(.bindingNotAllowed), 3), (.verified, calm + 1), (.verified, calm + 2), (.verified, calm + 3),
            (.verified, calm + 4), (.rejected(.appNotAllowed), calm + 5),
        ]
        for step in steps { _ = note([step.decision], in: log, after: .seconds(step.second)) }
        #expect(recorder.lines == [Self.began, Self.began, Self.ended, Self.ended, Self.began])
        #expect(
            recorder.values(of: "setting")
                == ["app.ids", "capture.bindings", "app.ids", "capture.bindings", "app.ids"])
    }

    @Test func `neither other reasons nor what was settled before is told`() {
        let log = UntakenLog(logger: recorder.logger)
        _ = note([.verified, .rejected(.counterStale), .rejected(.deviceUnknown)], in: log, after: .zero)
        _ = note([.rejected(.appNotAllowed)], in: log, after: .zero, wasSettledBefore: true)
        #expect(recorder.lines.isEmpty)
    }

    @Test func `a worker that settles such a capture tells it`() async throws {
        let time = ManualTime()
        let queue = MemoryCaptureQueue(time: time.source)
        let (bundles, store) = (MemoryBundleStore(), MemoryCaptureStore(time: time.source))
        var maker = SubmissionMaker(seed: 92)
        let device = maker.device()
        try await store.register(SimulatedDevice(appID: "TEAM123456.com.example.added"), as: device, at: time.now)
        let media = CaptureMedia(photo: ByteBuffer(string: "photo"), depth: ByteBuffer(string: "depth"))
        let capture = maker.submission(of: device, bundleStore: .memory, media: media)
        try await bundles.put(media, of: capture)
        #expect(try await queue.enqueue(capture) == .accepted)
        try await withWorker(of: queue, bundles: bundles, store: store, now: time.source, logger: recorder.logger) {
            try await eventually { try await queue.status(of: [capture.id])[0]?.state == .rejected }
        }
        #expect(recorder.lines.contains(Self.began))
        #expect(recorder.values(of: "setting") == ["app.ids"])
    }
}
