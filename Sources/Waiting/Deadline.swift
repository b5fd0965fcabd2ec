/// Runs an operation until a deadline.
package enum Deadline {
    /// The result of the operation; `nil` when the deadline comes first.
    ///
    /// The operation is cancelled then, and has ended when this returns.
    /// - Throws: What the operation throws; `CancellationError` when the task is cancelled.
    package static func result<Value: Sendable>(
        until deadline: ContinuousClock.Instant, _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await operation() }
            group.addTask {
                await EventLoopTimer.wait(until: deadline)
                try Task.checkCancellation()
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }
}
