/// Asks with a time limit that holds even when the question ignores cancellation.
package enum Probe {
    /// What came of asking.
    package enum Outcome: Sendable, Equatable {
        /// The server has answered.
        case answered
        /// It was not asked, as too many calls wait here: that says nothing about the server.
        case busy
        /// It answers, and a key that tells its state is damaged; which one.
        case damaged(String)
        /// It answered with a refusal; why.
        case refused(String)
        /// It did not answer in time or could not be reached; which of the two.
        case failed(String)
    }

    /// What came of `ask`; `failed` when it has not returned within the limit.
    package static func outcome(
        within limit: Duration, of ask: @escaping @Sendable () async -> Outcome
    ) async -> Outcome {
        let silence = Outcome.failed("no answer to a probe within \(limit)")
        let (outcomes, continuation) = AsyncStream.makeStream(of: Outcome.self, bufferingPolicy: .bufferingOldest(1))
        // Unstructured, because a task group would wait for a server that does not answer; both end by themselves: the
        // clients of the servers have time limits of their own, and the one that comes second is cancelled below.
        let asking = Task {
            let outcome = await ask()
            continuation.yield(outcome)
        }
        let waiting = Task {
            // Cancelled when the answer came first: then nobody listens any more.
            try? await ContinuousClock().sleep(for: limit)
            continuation.yield(silence)
        }
        defer {
            asking.cancel()
            waiting.cancel()
        }
        return await outcomes.first { _ in true } ?? silence
    }
}
