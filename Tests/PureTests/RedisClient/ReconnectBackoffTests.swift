@testable import RedisClient
import Testing

@Suite("Reconnect backoff")
struct ReconnectBackoffTests {
    @Test func `the ceiling doubles up to the cap and stays there`() {
        let backoff = ReconnectBackoff(base: .milliseconds(50), cap: .seconds(5), jitterSeed: 1)
        let ceilings = [1, 2, 3, 7, 8, 1_000, Int.max].map { backoff.ceiling(afterFailures: $0) }
        #expect(
            ceilings == [
                .milliseconds(50), .milliseconds(100), .milliseconds(200), .milliseconds(3_200), .seconds(5),
                .seconds(5), .seconds(5),
            ])
    }

    @Test func `delays fill the range from zero to the ceiling`() {
        let backoff = ReconnectBackoff(base: .milliseconds(100), cap: .seconds(5), jitterSeed: 1)
        var jitter = JitterSequence(seed: 42)
        let delays = (0..<1_000).map { _ in backoff.delay(afterFailures: 1, using: &jitter) }
        #expect(delays.allSatisfy { $0 >= .zero && $0 <= .milliseconds(100) })
        #expect(delays.contains { $0 < .milliseconds(10) })
        #expect(delays.contains { $0 > .milliseconds(90) })
    }

    @Test func `two seeds make two sequences, one seed makes one`() {
        let backoff = ReconnectBackoff(jitterSeed: 1)
        func delays(_ seed: UInt64) -> [Duration] {
            var jitter = JitterSequence(seed: seed)
            return (1..<10).map { backoff.delay(afterFailures: $0, using: &jitter) }
        }
        #expect(delays(1) == delays(1))
        #expect(delays(1) != delays(2))
    }
}
