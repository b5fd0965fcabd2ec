/// A value that is made once, by the first caller; the others wait for it.
package actor Once<Value: Sendable> {
    private let make: @Sendable () async throws -> Value
    private var task: Task<Value, any Error>?

    /// Notes how to make the value.
    package init(_ make: @escaping @Sendable () async throws -> Value) {
        self.make = make
    }

    /// The value, made now if need be.
    package func value() async throws -> Value {
        if let task { return try await task.value }
        let make = make
        // In a task of its own: the first caller may be cancelled while others wait for the same value.
        let task = Task { try await make() }
        self.task = task
        return try await task.value
    }
}
