/// Asks with a time limit that holds even when what is asked heeds no cancellation.
package enum Probe {
    /// Whether `ask` returned within the limit without an error.
    package static func answers(within limit: Duration, _ ask: @escaping @Sendable () async throws -> Void) async
        -> Bool
    {
        let (answers, continuation) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingOldest(1))
        // Unstructured, because a task group would wait for a server that does not answer; both end by themselves: the
        // clients of the servers have time limits of their own, and the one that comes second is cancelled below.
        let asking = Task {
            do {
                try await ask()
                continuation.yield(true)
            } catch {
                continuation.yield(false)
            }
        }
        let waiting = Task {
            // Cancelled when the answer came first: then nobody listens any more.
            try? await ContinuousClock().sleep(for: limit)
            continuation.yield(false)
        }
        defer {
            asking.cancel()
            waiting.cancel()
        }
        return await answers.first { _ in true } ?? false
    }
}
