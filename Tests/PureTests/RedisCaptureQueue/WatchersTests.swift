import CaptureQueue
import Testing

@testable import RedisCaptureQueue

@Suite("Watchers")
struct WatchersTests {
    @Test func `who is told to look again finds a place to watch from`() async throws {
        let watchers = Watchers(watchersMax: 1, bufferMax: 1)
        for _ in 0..<2_000 {
            let stream = try #require(watchers.add(nil))
            async let isFree: Bool = {
                for await _ in stream {}
                return watchers.add(nil) != nil
            }()
            await Task.yield()
            watchers.finish()
            #expect(await isFree)
        }
    }

    @Test func `one that is let go gives its place back once`() async throws {
        let watchers = Watchers(watchersMax: 1, bufferMax: 1)
        for _ in 0..<2 {
            let stream = try #require(watchers.add(nil))
            #expect(watchers.add(nil) == nil)
            watchers.finish()
            let next = try #require(watchers.add(nil))
            for await _ in stream {}
            #expect(watchers.add(nil) == nil, "the first one's end takes no place from the second")
            watchers.finish()
            for await _ in next {}
        }
    }
}
