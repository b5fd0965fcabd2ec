import Dispatch
package import Foundation
import Synchronization

/// A real child process that cannot outlive this one.
///
/// A shell holds the leash: it watches a pipe from this process and kills the child when the pipe closes, however this
/// process ends. The child's output is kept line by line, so that tests await a line and never sleep.
package final class LeashedProcess: Sendable {
    /// The child did not do the awaited thing.
    package struct Failure: Error, CustomStringConvertible {
        /// The awaited thing.
        package let description: String

        /// Takes a description of the awaited thing.
        package init(description: String) {
            self.description = description
        }
    }

    private struct State {
        var output = ChildOutput()
        /// Whether nobody has the writing end of the output any more.
        var isOutputClosed = false
        /// The exit code of a child that is gone, whose output may still come.
        var reapedCode: Int32?
        /// The exit code, once all of the output has come, or was waited for in vain.
        private(set) var exitCode: Int32?
        var waiters: [UUID: Waiter] = [:]
        /// The signals that were to be sent before the child had told its number.
        private var earlySignals: [Int32] = []

        /// Takes what was printed next, and sends the signals that the child's number was missing for.
        mutating func take(_ data: ArraySlice<UInt8>) {
            output.take(data)
            guard output.processID != nil else { return }
            for signal in earlySignals { send(signal) }
            earlySignals = []
        }

        /// Sends a signal as soon as the child's number is known, but to none that is gone: another process may have its
        /// number by then.
        mutating func send(_ signal: Int32) {
            guard reapedCode == nil else { return }
            guard let processID = output.processID else { return earlySignals.append(signal) }
            Foundation.kill(processID, signal)
        }

        /// Tells the end of a child that is gone, whose output is complete.
        mutating func end(with code: Int32) {
            output.end()
            exitCode = code
        }
    }

    private struct Waiter {
        /// Returns a value once the state is as awaited.
        let check: @Sendable (State) -> Result<String, Failure>?
        let continuation: CheckedContinuation<Result<String, any Error>, Never>
    }

    /// How long to wait, after a child has ended, for its own children to close its output.
    private static let outputGrace = DispatchTimeInterval.seconds(3)

    /// The child tells its number before it becomes the program: a line of the leash's own could come into the middle of
    /// one of the program's.
    ///
    /// The first argument is the child's directory, or empty.
    private static let leash = """
        [ -z "$1" ] || cd -- "$1" || exit 127
        shift
        exec 3<&0
        /bin/sh -c 'echo "leash: $$"; exec "$@"' sh "$@" </dev/null 2>&1 &
        child=$!
        (read nothing <&3; kill -KILL $child) >/dev/null 2>&1 &
        keeper=$!
        wait $child
        code=$?
        kill -KILL $keeper 2>/dev/null
        exit $code
        """

    private let name: String
    private let state = Mutex(State())
    /// The writing end of the leash; closing it kills the child.
    private let leashEnd: Int32
    private let reader: OutputReader

    /// Starts a program.
    /// - Parameters:
    ///   - executable: Its path, or its name where `PATH` finds it.
    ///   - arguments: Its arguments.
    ///   - environment: Added to this process's environment.
    ///   - directory: Where it starts, if not where this process is; in one that it cannot enter it exits with 127.
    package init(
        _ executable: String, _ arguments: [String] = [], environment: [String: String] = [:],
        directory: URL? = nil
    ) throws {
        name = (executable as NSString).lastPathComponent
        let spawned = try Spawn.start(
            ["/bin/sh", "-c", Self.leash, "sh", directory?.path ?? "", executable] + arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        )
        leashEnd = spawned.input
        reader = OutputReader(spawned.output)
        // Threads of their own: neither reading nor reaping may block the cooperative pool. Reaping does not wait for
        // the end of the output, which the child's own children may keep open; and until a child is reaped, the testing
        // library does not notice the ends of its own children.
        Thread.detachNewThread { [weak self, reader] in
            reader.read { self?.take($0) }
            self?.update { state in
                state.isOutputClosed = true
                if let code = state.reapedCode { state.end(with: code) }
            }
        }
        Thread.detachNewThread { [weak self] in
            // Not an argument of the call: `self` would be held for as long as the child lives, and never let go of it.
            let code = Spawn.reap(spawned.processID)
            self?.reaped(code)
        }
    }

    deinit {
        close(leashEnd)
    }

    /// Everything that the child has printed so far.
    package var output: String { state.withLock { $0.output.lines.joined(separator: "\n") } }

    /// The most memory that the running child has used so far, as Linux counts it; `nil` once it is gone.
    package var peakMemoryBytes: Int? { figures()?.peakMemoryBytes }

    /// The time that processors have spent on the running child so far; `nil` once it is gone.
    package var processorTime: Duration? { figures()?.processorTime }

    /// Memory and processor time of the running child; `nil` once it is gone.
    /// - Parameter withChildren: Add the processes that the child has started.
    package func figures(withChildren: Bool = false) -> ProcessFigures? {
        state.withLock { $0.output.processID }.flatMap { ProcessFigures(of: $0, withChildren: withChildren) }
    }

    /// Sends a signal to the child itself, unless it is known to have ended; to one that is only starting, as soon as it
    /// can get it.
    package func signal(_ signal: Int32) {
        state.withLock { $0.send(signal) }
    }

    /// Returns once the child is there, and can get signals, or has ended.
    /// - Throws: `CancellationError` when the task is cancelled.
    package func started() async throws {
        _ = try await wait { $0.output.processID != nil || $0.exitCode != nil ? .success("") : nil }
    }

    /// Returns the first line that contains a text, as soon as it is printed; throws when the child exits without it.
    @discardableResult
    package func line(containing text: String) async throws -> String {
        try await line("'\(text)'") { $0.contains(text) }
    }

    /// Waits for a line that meets a condition.
    /// - Parameter words: The line in words, for the failure of a child that exits without printing it.
    package func line(
        _ words: String = "such a line", where isMeant: @escaping @Sendable (String) -> Bool
    ) async throws -> String {
        let name = name
        return try await wait { state in
            if let line = state.output.lines.first(where: isMeant) { return .success(line) }
            guard let code = state.exitCode else { return nil }
            let tail = state.output.lines.suffix(20).joined(separator: "\n")
            return .failure(Failure(description: "\(name) exited with \(code) before printing \(words):\n\(tail)"))
        }
    }

    /// Waits for the child to end and returns its exit code; 128 and more is a signal.
    /// - Throws: `CancellationError` when the task is cancelled, as every wait here does.
    package func exitCode() async throws -> Int32 {
        let text = try await wait { state in state.exitCode.map { .success(String($0)) } }
        return Int32(text) ?? -1
    }

    /// Kills the child (SIGKILL) and waits until it is gone.
    /// - Throws: `CancellationError` when the task is cancelled.
    package func kill() async throws {
        signal(SIGKILL)
        _ = try await exitCode()
    }

    private func wait(for check: @escaping @Sendable (State) -> Result<String, Failure>?) async throws -> String {
        let id = UUID()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<String, any Error>, Never>) in
                let ready = state.withLock { state -> Result<String, any Error>? in
                    if let result = check(state) { return result.mapError { $0 } }
                    // Checked with the lock held: a cancellation is either seen here or finds the waiter.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiters[id] = Waiter(check: check, continuation: continuation)
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
            waiter?.continuation.resume(returning: .failure(CancellationError()))
        }
        return try result.get()
    }

    private func reaped(_ code: Int32) {
        update { state in
            state.reapedCode = code
            if state.isOutputClosed { state.end(with: code) }
        }
        // Its own children may have its output still, and write for ever.
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.outputGrace) { [weak self] in
            guard let self else { return }
            reader.readWritten { self.take($0) }
            update { $0.end(with: code) }
        }
    }

    private func take(_ data: ArraySlice<UInt8>) {
        update { $0.take(data) }
    }

    private func update(_ change: (inout State) -> Void) {
        let woken = state.withLock { state in
            change(&state)
            var woken: [(Waiter, Result<String, Failure>)] = []
            for (id, waiter) in state.waiters {
                guard let result = waiter.check(state) else { continue }
                woken.append((waiter, result))
                state.waiters[id] = nil
            }
            return woken
        }
        for (waiter, result) in woken { waiter.continuation.resume(returning: result.mapError { $0 }) }
    }
}

extension LeashedProcess {
    /// Runs a program to its end and returns its exit code and its output.
    package static func run(
        _ executable: String, _ arguments: [String] = [], environment: [String: String] = [:], directory: URL? = nil
    ) async throws -> (exitCode: Int32, output: String) {
        let process = try LeashedProcess(executable, arguments, environment: environment, directory: directory)
        let code = try await process.exitCode()
        return (code, process.output)
    }
}
