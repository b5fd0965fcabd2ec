import ConnectionFault
package import ServiceLifecycle
package import Waiting

/// Runs a server; if it cannot take its address, the error names the address and its settings.
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
    /// - Throws: The error that kept the server from its address, with the address and its settings.
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
