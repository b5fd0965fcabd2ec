import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Notices Ctrl-C and SIGTERM during work that must not end without a report.
final class StopRequest: Sendable {
    /// For the help of the commands that heed it.
    static let help = """
        Ctrl-C or SIGTERM stops it after the capture under way: it says how far it came and ends with 130 or 143.
        """

    private let told = Mutex<Int32?>(nil)

    /// The first signal that arrived; `nil` if none did.
    var signal: Int32? { told.withLock { $0 } }

    /// Runs a body during which neither signal ends the process; ``signal`` tells of them.
    func heeding<Value>(_ body: () async -> Value) async -> Value {
        let queue = DispatchQueue(label: "stop request")
        var sources: [any DispatchSourceSignal] = []
        for signal in [SIGINT, SIGTERM] {
            #if canImport(Darwin)
                // Otherwise the signal's default action runs before Dispatch's handler.
                Darwin.signal(signal, SIG_IGN)
            #endif
            let source = DispatchSource.makeSignalSource(signal: signal, queue: queue)
            source.setEventHandler { self.note(signal) }
            // The body begins only after the handler is installed.
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                source.setRegistrationHandler { continuation.resume() }
                source.resume()
            }
            sources.append(source)
        }
        let value = await body()
        for source in sources { source.cancel() }
        return value
    }

    private func note(_ signal: Int32) {
        let isFirst = told.withLock { told in
            guard told == nil else { return false }
            told = signal
            return true
        }
        guard isFirst else { return }
        // On a terminal the line already holds the progress and ^C.
        let start = isatty(STDERR_FILENO) == 1 ? "\n" : ""
        standardError("\(start)capturectl: stops after the capture under way\n")
    }
}
