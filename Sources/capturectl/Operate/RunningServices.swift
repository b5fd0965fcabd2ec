import ServiceLifecycle

/// Runs clients while a command uses them, and stops them after.
func withRunning<Value: Sendable>(
    _ services: [any Service], _ body: @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for service in services { group.addTask { try await service.run() } }
        defer { group.cancelAll() }
        return try await body()
    }
}
