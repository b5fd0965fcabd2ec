import CaptureModel
import CaptureStore
import PostgresClient
import Testing

@testable import PostgresCaptureStore

@Suite("The checks of a batch, each text once", .timeLimit(.minutes(3)))
struct DistinctChecksTests {
    private static func risk(_ metric: Int) -> JudgedRisk {
        JudgedRisk(DeviceRisk(metric: metric, at: moment(0)), warning: 5)
    }

    /// With other checks, another risk, and claimed at another moment.
    private static func batch(_ device: Device) -> [ExaminedCapture] {
        [
            .sample(device, counter: 1), .sample(device, counter: 2),
            .sample(device, counter: nil, rejection: .signatureInvalid),
            .sample(device, counter: 3, risk: risk(1)), .sample(device, counter: 4, risk: risk(2)),
            .sample(device, counter: 5), .sample(device, counter: 6, receivedAt: moment(12)),
            .sample(device, counter: 7, risk: risk(1)),
        ]
    }

    @Test func `each text is there once, in the order in which it came`() throws {
        let batch = Self.batch(DeviceRegistration.sample().device)
        let distinct = DistinctChecks(batch)
        #expect(distinct.places == [1, 1, 2, 3, 4, 1, 5, 3])
        #expect(Set(distinct.texts).count == 5 && distinct.texts.count == 5)
        for (capture, place) in zip(batch, distinct.places) {
            let read = try #require(ChecksJSON.decode(distinct.texts[Int(place) - 1]))
            #expect(read.checks == capture.checks.inOrder && read.risk == capture.risk)
            #expect(read.claimedAt == capture.job.claimedAt)
        }
        #expect(DistinctChecks([]).texts.isEmpty && DistinctChecks([]).places.isEmpty)
    }

    /// In a batch that is accepted as it stands, and beside what is not.
    @Test(arguments: [false, true])
    func `each result has its own checks, with the counter's`(isPlain: Bool) async throws {
        try await withPostgresStore { store, _ async throws in
            let device = try await store.registered()
            var batch = Self.batch(device).filter { !isPlain || $0.outcome.rejection == nil }
            if !isPlain { batch += [.sample(device, counter: 7), .sample(device, counter: 6, risk: Self.risk(2))] }
            let decisions = try await store.settle(batch, policy: isPlain ? .strict : .window(4))
            let results = try await store.results(of: batch.map(\.job.id))
            for (capture, decision) in zip(batch, decisions) {
                let result = try #require(results[capture.job.id])
                let counter: Check =
                    switch decision.reason {
                    case nil: Check(.counter, .pass)
                    case .signatureInvalid?: Check(.counter, .unavailable, .notEvaluated)
                    case let reason?: Check(.counter, .fail, reason)
                    }
                #expect(result.checks == (capture.checks + [counter]).inOrder)
                #expect(result.risk == capture.risk?.risk && result.riskWarning == capture.risk?.warning)
                #expect(result.claimedAt == capture.job.claimedAt)
            }
            let expected: [Reason?] = isPlain ? [] : [.counterReplay, .counterReplay]
            #expect(decisions.suffix(expected.count).map(\.reason) == expected)
        }
    }
}
