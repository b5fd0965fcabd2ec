import ArgumentParser
import CaptureOperations
import CaptureQueue
import CaptureStore

/// How the operators' commands end; scripts go by these.
enum CommandEnd {
    /// Something was found to be wrong, or was not found, or was declined.
    static let problems = ExitCode(1)
    /// A server cannot be reached or cannot do it now (`EX_UNAVAILABLE`).
    static let unavailable = ExitCode(69)
    /// A server refuses: configuration or a bug (`EX_SOFTWARE`).
    static let refused = ExitCode(70)

    /// For the help of each command.
    static let help = """
        Exit codes: 0 done; 1 something is wrong, was not found, or was declined; 64 bad usage; 69 Redis or PostgreSQL \
        cannot be reached; 70 one of them refuses.
        """

    /// The code for a fault of a server, which is told on the error stream.
    static func of(_ error: any Error) -> any Error {
        switch error {
        case OperatorDesk.Fault.queue(let error): return of(error)
        case OperatorDesk.Fault.store(let error): return of(error)
        case let error as QueueError:
            standardError("capturectl: Redis: \(error.message)\n")
            return error.isTransient ? unavailable : refused
        case let error as StoreError:
            standardError("capturectl: PostgreSQL: \(error.message)\n")
            return error.isTransient ? unavailable : refused
        default: return error
        }
    }
}
