import CaptureModel
import CaptureQueue
import CaptureStore
import TestSupport
import Testing

@Suite("Bytes that come while a worker has their capture", .timeLimit(.minutes(1)))
struct ReturnedBytesTests {
    /// A record that is asked for the result of a capture without bytes, which come just before.
    private struct BringingStore: ForwardingStore {
        let memory: MemoryCaptureStore
        let bundles: MemoryBundleStore
        let submission: CaptureSubmission
        let media: CaptureMedia

        func results(of captures: [CaptureID]) async throws(StoreError) -> [CaptureID: ProvenanceResult] {
            do throws(QueueError) {
                try await bundles.put(media, of: submission)
            } catch {
                throw StoreError(.refused, "\(error)")
            }
            return try await memory.results(of: captures)
        }
    }

    /// Behind the later ones its counter would be stale.
    @Test(arguments: 0..<3)
    func `a capture whose bytes come before its batch is decided keeps its place before later ones of its device`(
        place: Int
    ) async throws {
        let (memory, bundles) = (MemoryCaptureStore(time: Timestamp.systemTime), MemoryBundleStore())
        let queue = MemoryCaptureQueue(time: Timestamp.systemTime, bundles: bundles)
        let crowd = try await Crowd.register(1, in: memory)
        let device = try #require(crowd.devices.first)
        let picture = SharedPicture(try Crowd.smallCapture())
        let handOff = HandOff(queue: queue, bundles: bundles, now: Timestamp.systemTime) { moment in
            var generator = SystemRandomNumberGenerator()
            return CaptureID.make(at: moment, using: &generator)
        }
        var captures: [CaptureID] = []
        for _ in 0..<3 { captures.append(try await handOff.send(picture, from: device)) }
        let job = try await queue.job(of: captures[place], from: device.id)
        let submission = try #require(job?.submission)
        let fetched = try await bundles.fetch([submission])
        let media = try #require(fetched.first?.media)
        try await bundles.remove(submission)
        let store = BringingStore(memory: memory, bundles: bundles, submission: submission, media: media)
        try await withWorker(
            of: queue, bundles: bundles, store: store, app: "TEAM123456.com.example.capture", now: Timestamp.systemTime
        ) {
            try await eventually { try await queue.status(of: captures).allSatisfy { $0?.state.isWaiting == false } }
        }
        let statuses = try await queue.status(of: captures)
        #expect(statuses.map { $0?.state } == captures.map { _ in .verified }, "\(statuses)")
        #expect(statuses.map { $0?.isRedriven } == captures.map { _ in false }, "\(statuses)")
        #expect(statuses.map { $0?.attempts } == captures.map { _ in 1 }, "to be given back costs no attempt")
    }
}
