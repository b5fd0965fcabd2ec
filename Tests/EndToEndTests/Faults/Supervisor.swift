import Foundation
import Synchronization
import TestSupport

/// Starts a worker again whenever it ends, as systemd does with `Restart=always`.
final class Supervisor: Sendable {
    private struct State {
        var process: LeashedProcess?
        var exitCodes: [Int32] = []
        var isStopping = false
    }

    private let stack: Stack
    private let settings: [String: String]
    private let state = Mutex(State())

    private init(_ stack: Stack, _ settings: [String: String]) {
        self.stack = stack
        self.settings = settings
    }

    /// Keeps a worker of the stack running while the body runs, then stops it in good order.
    /// - Returns: How its processes ended, the last one's 0 left out.
    static func keeping(
        _ settings: [String: String], on stack: Stack, _ body: @Sendable () async throws -> Void
    ) async throws -> [Int32] {
        let supervisor = Supervisor(stack, settings)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await supervisor.run() }
            do {
                try await body()
            } catch {
                supervisor.stop()
                throw error
            }
            supervisor.stop()
            try await group.waitForAll()
            return supervisor.state.withLock { $0.exitCodes.dropLast() }
        }
    }

    private func run() async throws {
        while let process = try start() {
            let code = try await process.exitCode()
            state.withLock { $0.exitCodes.append(code) }
        }
    }

    private func start() throws -> LeashedProcess? {
        try state.withLock { state in
            guard !state.isStopping else { return nil }
            state.process = try stack.worker(settings)
            return state.process
        }
    }

    private func stop() {
        state.withLock { state in
            state.isStopping = true
            state.process?.signal(SIGTERM)
        }
    }
}
