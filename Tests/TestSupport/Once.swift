import Foundation
import Synchronization

/// A value that is made once, by the first caller; the others wait for it.
package final class Once<Value: Sendable>: Sendable {
    private struct State {
        var isBegun = false
        var result: Result<Value, any Error>?
        var waiters: [UUID: CheckedContinuation<Value, any Error>] = [:]
    }

    private let make: @Sendable () async throws -> Value
    private let state = Mutex(State())

    /// Notes how to make the value.
    package init(_ make: @escaping @Sendable () async throws -> Value) {
        self.make = make
    }

    /// The value, made now if need be.
    /// - Throws: `CancellationError` when the task is cancelled before the value is there, which is made all the same.
    package func value() async throws -> Value {
        let id = UUID()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait(as: id, $0) }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(throwing: CancellationError())
        }
    }

    private func wait(as id: UUID, _ continuation: CheckedContinuation<Value, any Error>) {
        let (result, isFirst) = state.withLock { state -> (Result<Value, any Error>?, Bool) in
            if let result = state.result { return (result, false) }
            // Checked with the lock held: a cancellation is either seen here or finds the waiter.
            if Task.isCancelled { return (.failure(CancellationError()), false) }
            state.waiters[id] = continuation
            defer { state.isBegun = true }
            return (nil, !state.isBegun)
        }
        if let result { return continuation.resume(with: result) }
        // In a task of its own: the first caller may be cancelled while others wait for the same value.
        if isFirst { Task { await makeIt() } }
    }

    private func makeIt() async {
        let result: Result<Value, any Error>
        do { result = .success(try await make()) } catch { result = .failure(error) }
        let waiters = state.withLock { state in
            state.result = result
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(with: result) }
    }
}
