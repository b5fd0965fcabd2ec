/// An operation that is given up at a moment.
package enum Deadline {
    /// What the operation gives; `nil` where the moment comes first.
    ///
    /// It is cancelled then, and has ended when this returns.
    package static func result<Value: Sendable>(
        until end: ContinuousClock.Instant, _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await operation() }
            group.addTask {
                try await Task.sleep(until: end, clock: .continuous)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }
}
