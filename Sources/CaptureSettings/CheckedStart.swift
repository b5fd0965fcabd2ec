public import ServiceLifecycle

/// Starts a service once the ``StartupCheck`` has passed; a stop that comes earlier ends the wait.
public struct CheckedStart<Checked: Service>: Service, CustomStringConvertible {
    private let check: StartupCheck
    private let service: Checked

    /// Names the check and the service.
    public init(check: StartupCheck, service: Checked) {
        self.check = check
        self.service = service
    }

    /// The kind of service, for logs.
    public var description: String { "\(Checked.self)" }

    /// Waits for the check, then runs the service.
    public func run() async throws {
        do {
            try await cancelWhenGracefulShutdown { try await check.pass() }
        } catch is CancellationError {
            return
        }
        try await service.run()
    }
}
