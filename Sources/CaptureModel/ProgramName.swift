/// The programs of this package, by the names that they are started with.
package enum ProgramName: String, Sendable, CaseIterable, CustomStringConvertible {
    /// Takes captures over HTTP and answers about their status.
    case gateway = "capture-gateway"
    /// Verifies queued captures and settles them.
    case worker = "capture-worker"
    /// The operators' command-line program.
    case capturectl

    /// The programs that run until they are stopped.
    package static let servers: [ProgramName] = [.gateway, .worker]

    /// The name that it is started with.
    package var description: String { rawValue }
}
