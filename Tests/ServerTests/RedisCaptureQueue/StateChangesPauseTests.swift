import Testing

@testable import RedisCaptureQueue

@Suite("The pauses of those who listen to state changes")
struct StateChangesPauseTests {
    @Test(arguments: [(1, 100), (3, 400), (4, 500), (1_000, 500)])
    func `listeners that lost the same server do not come back at one moment`(failures: Int, longest: Int) {
        let pauses = (0..<100).map { _ in RedisStateChanges.pause(after: failures) }
        #expect(Set(pauses).count > 50)
        #expect(pauses.allSatisfy { $0 > .milliseconds(longest / 10 - 1) && $0 <= .milliseconds(longest) })
    }
}
