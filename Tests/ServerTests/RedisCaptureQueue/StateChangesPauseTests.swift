import Testing

@testable import RedisCaptureQueue

@Suite("The pauses of those who listen to state changes")
struct StateChangesPauseTests {
    @Test(arguments: [(1, 100), (3, 400), (4, 500), (1_000, 500)])
    func `listeners that lost the same server do not come back at one moment`(failures: Int, longest: Int) {
        #expect(RedisStateChanges.pause(after: failures, chance: 0) == .milliseconds(longest / 10))
        #expect(RedisStateChanges.pause(after: failures, chance: 1) == .milliseconds(longest))
    }
}
