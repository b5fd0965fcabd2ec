package import ServiceLifecycle
package import Waiting

/// Starts a service once the ``StartupCheck`` has opened the gate; a stop that comes earlier ends the wait.
package struct CheckedStart<Checked: Service>: Service, CustomStringConvertible {
    private let gate: Latch
    private let service: Checked

    /// Names the gate and the service.
    package init(behind gate: Latch, service: Checked) {
        self.gate = gate
        self.service = service
    }

    /// The kind of service, for logs.
    package var description: String { "\(Checked.self)" }

    /// Waits for the gate, then runs the service.
    package func run() async throws {
        guard try await untilStopped({ try await gate.waitUntilOpen() }) != nil else { return }
        try await service.run()
    }
}
