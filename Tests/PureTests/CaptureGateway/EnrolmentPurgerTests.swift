import CaptureStore
import TestSupport
import Testing

@testable import CaptureGateway

@Suite(.timeLimit(.minutes(1))) struct `The purger of enrolments` {
    @Test func `the purger of enrolments goes on until nothing is left, and again after a fault`() async throws {
        let store = MemoryEnrolmentStore()
        store.answerPurges([
            .success(3), .success(1), .success(0), .failure(StoreError(.unavailable, "away")), .success(2),
        ])
        var configuration = EnrolmentPurger.Configuration()
        (configuration.interval, configuration.retention) = (.milliseconds(1), .seconds(77))
        let purger = EnrolmentPurger(store: store, configuration: configuration, logger: .quiet)
        let running = Task { try await purger.run() }
        var ages: [Duration] = []
        for await age in store.purges {
            ages.append(age)
            if ages.count == 8 { break }
        }
        #expect(ages == Array(repeating: .seconds(77), count: 8))
        running.cancel()
        try await running.value
    }

    @Test func `the purger of enrolments tells of a fault once for as long as it lasts, and of its end`() async throws {
        let store = MemoryEnrolmentStore()
        let away = Result<Int, StoreError>.failure(StoreError(.unavailable, "away"))
        store.answerPurges([away, away, away, .success(0), away])
        let log = LogRecorder()
        var configuration = EnrolmentPurger.Configuration()
        configuration.interval = .milliseconds(1)
        let purger = EnrolmentPurger(store: store, configuration: configuration, logger: log.logger)
        let running = Task { try await purger.run() }
        var count = 0
        for await _ in store.purges {
            count += 1
            if count == 7 { break }
        }
        running.cancel()
        try await running.value
        let episode = [
            "warning enrolments that are over are not purged", "notice enrolments that are over are purged again",
        ]
        #expect(log.lines == episode + episode)
    }
}
