import CaptureModel
import Foundation
import TestSupport

/// The place of one program: it is started, killed and started again, and watched for ends of its own.
actor ProgramSlot {
    nonisolated let name: ChaosProgram
    private let arguments: [String]
    private let environment: [String: String]

    /// Every process that has had the place, the present one last.
    private var processes: [LeashedProcess]
    /// How long the place stays empty after the present process's end; `nil`: nobody has asked it to end.
    private var pauseAfterEnd: Duration?
    private var isClosing = false
    private var isSupervised = false
    /// Those who wait for the next process.
    private var heirsAwaited: [CheckedContinuation<Void, Never>] = []
    /// How processes ended that nobody had killed.
    private(set) var crashes: [String] = []
    private(set) var peakBytes = 0

    /// Starts the program.
    init(_ name: ChaosProgram, arguments: [String], environment: [String: String]) throws {
        self.name = name
        self.arguments = arguments
        self.environment = environment
        processes = [try Self.launch(name, arguments, environment)]
    }

    private static func launch(
        _ name: ChaosProgram, _ arguments: [String], _ environment: [String: String]
    ) throws -> LeashedProcess {
        try LeashedProcess(Programs.path("capture-\(name.role)"), arguments, environment: environment)
    }

    private var current: LeashedProcess { processes[processes.count - 1] }

    /// Starts the program again whenever it ends, until ``stop()`` or ``destroy()``.
    func supervise() async throws {
        isSupervised = true
        // Nobody waits for ever, however this ends.
        defer {
            isSupervised = false
            tellOfHeir()
        }
        while true {
            let code = try await current.exitCode()
            if isClosing { return }
            if let pause = pauseAfterEnd {
                pauseAfterEnd = nil
                try await letTimePass(pause)
            } else {
                let tail = current.output.split(separator: "\n").suffix(5).joined(separator: "\n")
                crashes.append("\(name) ended by itself with \(code):\n\(tail)")
            }
            if isClosing { return }
            processes.append(try Self.launch(name, arguments, environment))
            tellOfHeir()
        }
    }

    private func tellOfHeir() {
        for waiter in heirsAwaited { waiter.resume() }
        heirsAwaited = []
    }

    /// Ends the present process without a word, and returns when the next one, after the pause, has been started.
    func kill(downFor pause: Duration) async throws {
        measure()
        pauseAfterEnd = pause
        let count = processes.count
        try await current.kill()
        // The supervisor may have been quicker, or given up.
        if processes.count == count, isSupervised { await withCheckedContinuation { heirsAwaited.append($0) } }
    }

    /// Stops the present process where it is and lets it go on after a while.
    func freeze(for time: Duration) async throws {
        let process = current
        try await process.started()
        process.signal(SIGSTOP)
        // Whoever ends the run before must not leave it frozen: it could not end in good order.
        defer { process.signal(SIGCONT) }
        try await letTimePass(time)
    }

    /// Notes the most memory that the present process has used, which is known as long as it is there.
    private func measure() {
        peakBytes = max(peakBytes, current.peakMemoryBytes ?? 0)
    }

    /// Ends the program in good order; an end that is not one is noted.
    func stop() async throws {
        isClosing = true
        do {
            // One that has only just been started would die of the signal.
            try await current.line(containing: "is ready")
        } catch is LeashedProcess.Failure {
            // It has ended already, which its code tells.
        }
        measure()
        current.signal(SIGTERM)
        let code = try await current.exitCode()
        if code != 0 { crashes.append("\(name) was asked to stop and ended with \(code)") }
    }

    /// Ends the program at once and for good.
    func destroy() async throws {
        isClosing = true
        try await current.kill()
    }

    /// What the program's processes have said about something.
    func lines(containing text: String) -> [String] {
        processes.enumerated().flatMap { index, process in
            process.output.split(separator: "\n").filter { $0.contains(text) }.map { "\(name)#\(index + 1): \($0)" }
        }
    }

    /// Captures that one of the processes has told it settled, and went on for a time; at `info` those that were
    /// rejected.
    ///
    /// None of a process that has told that it could not remove files: nobody knows which.
    func settled(andWentOnFor time: Duration) -> Set<CaptureID> {
        var settled: Set<CaptureID> = []
        for process in processes {
            let lines = process.output.split(separator: "\n")
            guard let end = lines.reversed().lazy.compactMap(Self.moment).first,
                !lines.contains(where: { $0.contains("are left to be swept") })
            else { continue }
            for line in lines where line.contains(": capture settled ") {
                guard let moment = Self.moment(of: line), end.since(moment) >= time,
                    let word = line.split(separator: " ").first(where: { $0.hasPrefix("capture_id=") }),
                    let capture = CaptureID(word.dropFirst("capture_id=".count))
                else { continue }
                settled.insert(capture)
            }
        }
        return settled
    }

    /// When a line was written.
    private static func moment(of line: Substring) -> Timestamp? {
        line.split(separator: " ", maxSplits: 1).first.flatMap { Timestamp(rfc3339: String($0)) }
    }

    /// Everything that the program's processes have said.
    func log() -> String {
        processes.enumerated().map { "--- \(name)#\($0 + 1)\n\($1.output)" }.joined(separator: "\n")
    }
}
