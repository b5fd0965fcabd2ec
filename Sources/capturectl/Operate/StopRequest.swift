import ArgumentParser
import Dispatch
import Glibc
import Synchronization

/// Notices Ctrl-C and SIGTERM during work that must not end without a report.
final class StopRequest: Sendable {
    /// For the help of the commands on dead letters.
    static let help = """
        Ctrl-C or SIGTERM stops it after what is under way: it says how far it came and ends with 130 or 143.
        """

    /// What is said when the first signal arrives.
    private let words: String
    private let told = Mutex<Int32?>(nil)
    /// Ends when the first signal arrives.
    private let untilTold: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation

    /// Takes what is said on the error stream when the first signal arrives.
    init(_ words: String) {
        self.words = words
        (untilTold, end) = AsyncStream.makeStream(of: Void.self)
    }

    /// The first signal that arrived; `nil` if none did.
    var signal: Int32? { told.withLock { $0 } }

    /// The exit code of a command that a signal has stopped, as a shell gives it; `nil` if none arrived.
    var exitCode: ExitCode? { signal.map { ExitCode(128 + $0) } }

    /// Runs a body as ``heeding(_:)`` does, and cancels it when the first signal arrives.
    func cancelling<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await heeding {
            try await withThrowingTaskGroup(of: Value?.self) { group in
                group.addTask { try await body() }
                group.addTask { [untilTold] in
                    for await _ in untilTold {}
                    return nil
                }
                defer { group.cancelAll() }
                while let ended = try await group.next() {
                    if let value = ended { return value }
                    group.cancelAll()
                }
                throw CancellationError()
            }
        }
    }

    /// Runs a body during which neither signal ends the process; ``signal`` tells of them.
    func heeding<Value, Failure: Error>(_ body: () async throws(Failure) -> Value) async throws(Failure) -> Value {
        let queue = DispatchQueue(label: "stop request")
        var sources: [any DispatchSourceSignal] = []
        for signal in [SIGINT, SIGTERM] {
            let source = DispatchSource.makeSignalSource(signal: signal, queue: queue)
            source.setEventHandler { self.note(signal) }
            // The body begins only after the handler is installed.
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                source.setRegistrationHandler { continuation.resume() }
                source.resume()
            }
            sources.append(source)
        }
        defer { for source in sources { source.cancel() } }
        return try await body()
    }

    private func note(_ signal: Int32) {
        let isFirst = told.withLock { told in
            guard told == nil else { return false }
            told = signal
            return true
        }
        guard isFirst else { return }
        defer { end.finish() }
        // On a terminal the line already holds the progress and ^C.
        let start = isatty(STDERR_FILENO) == 1 ? "\n" : ""
        standardError("\(start)capturectl: \(words)\n")
    }
}
