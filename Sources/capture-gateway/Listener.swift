import Latch
import ServiceLifecycle

/// The HTTP server; one that cannot take its address says which one, and which settings name it.
struct Listener: Service, CustomStringConvertible {
    let server: any Service
    let host: String
    let port: Int
    /// Opens when the server has its address.
    let isListening: Latch

    /// The kind of service, for logs.
    var description: String { "Listener" }

    /// Listens until graceful shutdown.
    func run() async throws {
        do {
            try await server.run()
        } catch  where !isListening.isOpen && !Task.isCancelled {
            throw Fault(address: "\(host):\(port)", cause: error)
        }
    }

    /// Why it cannot listen.
    private struct Fault: Error, CustomStringConvertible {
        let address: String
        let cause: any Error

        var description: String { "cannot listen on \(address) (gateway.host, gateway.port): \(cause)" }
    }
}
