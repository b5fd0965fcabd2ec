import CaptureModel
import CaptureQueue
import TestSupport
import Testing

@testable import RedisCaptureQueue

@Suite("Watchers", .timeLimit(.minutes(1)))
struct WatchersTests {
    private let capture: CaptureID

    init() {
        var maker = SubmissionMaker(seed: 1)
        capture = maker.submission(of: maker.device()).id
    }

    @Test(arguments: [false, true])
    func `who is told to look again finds a place to watch from`(hearsAll: Bool) async throws {
        let watchers = Watchers(watchersMax: 1, bufferMax: 1)
        let what = hearsAll ? nil : capture
        for _ in 0..<2_000 {
            let stream = try #require(watchers.add(what))
            async let isFree: Bool = {
                for await _ in stream {}
                return watchers.add(what) != nil
            }()
            await Task.yield()
            watchers.finish()
            #expect(await isFree)
        }
    }

    @Test(arguments: [false, true])
    func `a watcher that is let go gives its place back once`(hearsAll: Bool) async throws {
        let watchers = Watchers(watchersMax: 1, bufferMax: 1)
        let what = hearsAll ? nil : capture
        for _ in 0..<2 {
            let stream = try #require(watchers.add(what))
            #expect(watchers.add(what) == nil)
            watchers.finish()
            let next = try #require(watchers.add(what))
            for await _ in stream {}
            #expect(watchers.add(what) == nil, "the first one's end takes no place from the second")
            watchers.finish()
            for await _ in next {}
        }
    }

    @Test(arguments: [false, true])
    func `who hears all has a place, however many wait for a capture each, and takes none of theirs`(
        comesFirst: Bool
    ) throws {
        let watchers = Watchers(watchersMax: 2, bufferMax: 1)
        var places: [AsyncStream<StateChange>] = []
        if comesFirst { places.append(try #require(watchers.add(nil))) }
        for _ in 0..<2 { places.append(try #require(watchers.add(capture))) }
        #expect(watchers.add(capture) == nil)
        if !comesFirst { places.append(try #require(watchers.add(nil))) }
        #expect(watchers.add(nil) == nil)
        withExtendedLifetime(places) {}
    }
}
