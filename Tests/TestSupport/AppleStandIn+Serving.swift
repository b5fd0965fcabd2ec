package import AppleStandIn
import Logging
import NIOCore
import ServiceLifecycle

extension AppleStandIn {
    /// Serves on a free port while a body runs; the body gets the base address for each environment.
    package func serving<Value: Sendable>(
        _ body: @Sendable (_ address: @Sendable (_ environment: String) -> String) async throws -> Value
    ) async throws -> Value {
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let logger = Logger(label: "apple", factory: { _ in SwiftLogNoOpLogHandler() })
        let server = application(port: 0, logger: logger) { address in continuation.yield(address?.port ?? 0) }
        let services = ServiceGroup(configuration: .init(services: [server], logger: logger))
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // A server that ends before it has an address must end the wait for one.
                defer { continuation.finish() }
                try await services.run()
            }
            var found: Int?
            for await port in ports {
                found = port
                break
            }
            guard let port = found else {
                try await group.next()
                throw CancellationError()
            }
            let result: Result<Value, any Error>
            do {
                result = .success(try await body { environment in "http://127.0.0.1:\(port)/\(environment)" })
            } catch {
                result = .failure(error)
            }
            await services.triggerGracefulShutdown()
            try await group.waitForAll()
            return try result.get()
        }
    }
}
