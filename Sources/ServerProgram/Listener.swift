import ConnectionFault
package import Latch
package import ServiceLifecycle

/// A server; one that cannot take its address says which one, and which settings name it.
package struct Listener: Service, CustomStringConvertible {
    private let server: any Service
    private let address: String
    private let settings: String
    private let isListening: Latch

    /// Names the server and its address.
    /// - Parameters:
    ///   - settings: The keys that name host and port.
    ///   - isListening: Opens when the server has its address.
    package init(server: any Service, host: String, port: Int, settings: String, isListening: Latch) {
        self.server = server
        address = "\(host):\(port)"
        self.settings = settings
        self.isListening = isListening
    }

    /// The kind of service, for logs.
    package var description: String { "Listener" }

    /// Listens until graceful shutdown.
    /// - Throws: What kept the server from its address, with that and its settings.
    package func run() async throws {
        do {
            try await server.run()
        } catch  where !isListening.isOpen && !Task.isCancelled {
            throw Fault(address: address, settings: settings, cause: error)
        }
    }

    /// Why it cannot listen.
    private struct Fault: Error, CustomStringConvertible {
        let address: String
        let settings: String
        let cause: any Error

        var description: String { "cannot listen on \(address) (\(settings)): \(ConnectionFault.reason(of: cause))" }
    }
}
