import ServiceLifecycle

/// Works until graceful shutdown or cancellation, which end it without an error.
/// - Returns: What the work gave; `nil` when it was ended.
/// - Throws: What the work throws, but for `CancellationError`.
@discardableResult
package func untilStopped<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
    do { return try await cancelWhenGracefulShutdown(work) } catch is CancellationError { return nil }
}
