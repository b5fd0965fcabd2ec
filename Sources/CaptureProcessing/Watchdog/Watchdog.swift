package import CaptureModel
import Dispatch
import Glibc
package import Logging
import Observability
import ServiceLifecycle
import Synchronization

/// Ends the worker when a capture takes too long or the process holds too much memory.
///
/// Swift cannot interrupt a computation. A capture whose verification does not end would keep a thread, a lane and,
/// with others of its kind, the whole worker for good. If one uses up the memory, the system kills any process it
/// likes. So the watchdog names the captures in flight in the log, reports the suspects to the queue, and exits at once
/// with ``exitCode``; a supervisor starts the worker again.
///
/// It looks from a serial queue of its own: Dispatch gives the queue a thread even while every thread of the
/// cooperative pool is busy.
package final class Watchdog: Service {
    /// The limits of a worker.
    package struct Limits: Sendable {
        /// How long the verification of one capture may compute; waiting for servers does not count.
        package let jobDeadline: Duration
        /// The most memory that the process may hold, in bytes of RSS.
        package let memoryMax: Int

        /// Memberwise.
        package init(jobDeadline: Duration, memoryMax: Int) {
            self.jobDeadline = jobDeadline
            self.memoryMax = memoryMax
        }
    }

    /// The cause for which the watchdog ends the worker.
    struct Alarm: Equatable {
        /// The captures that may be the cause; none when nothing was being verified.
        let suspects: [CaptureID]
        /// What happened, for the log and for the captures' status.
        let fault: String
    }

    /// Reports suspects and fault to the queue without awaiting anything, and calls `done` when the queue has noted
    /// them or cannot be reached.
    package typealias Surrender =
        @Sendable (_ suspects: [CaptureID], _ fault: String, _ done: @escaping @Sendable () -> Void) -> Void

    /// How long surrendering may take at the most before the process ends anyway.
    private static let surrenderMax = DispatchTimeInterval.seconds(2)

    /// `EX_SOFTWARE` of sysexits.h: the process is at fault, and starting it again is right.
    package static let exitCode: Int32 = 70

    private let limits: Limits
    private let running: RunningVerifications
    private let logger: Logger
    private let surrender: Surrender
    private let queue = DispatchQueue(label: "watchdog")
    private let lastResort = DispatchQueue(label: "watchdog, last resort")
    private let lastLook = Mutex(ContinuousClock.now)
    private let isEnding = Atomic(false)

    /// Watches nothing before ``run()``.
    /// - Parameters:
    ///   - limits: The limits of the worker.
    ///   - running: Where the worker notes which captures it is verifying.
    ///   - logger: Told what happened, once.
    ///   - surrender: Reports the suspects to the queue; the process exits when it is done.
    package init(limits: Limits, running: RunningVerifications, logger: Logger, surrender: @escaping Surrender) {
        self.limits = limits
        self.running = running
        self.logger = logger
        self.surrender = surrender
    }

    /// Watches until graceful shutdown or cancellation.
    package func run() async throws {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let step = DispatchTimeInterval.milliseconds(Int(interval / .milliseconds(1)))
        timer.schedule(deadline: .now() + step, repeating: step)
        timer.setEventHandler { self.watch() }
        lastLook.withLock { $0 = .now }
        timer.resume()
        // Ends with the service group's cancellation as well: either way there is nothing left to watch.
        try? await gracefulShutdown()
        timer.cancel()
    }

    /// The time between two looks: short enough to keep the deadline to a tenth.
    var interval: Duration { max(.milliseconds(5), min(limits.jobDeadline / 10, .milliseconds(100))) }

    private func watch() {
        guard !isEnding.load(ordering: .relaxed) else { return }
        let now = ContinuousClock.now
        let elapsed = lastLook.withLock { last in
            defer { last = now }
            return last.duration(to: now)
        }
        if let alarm = look(after: elapsed, memory: ResidentMemory.bytes()) { end(alarm) }
    }

    /// Looks once.
    /// - Parameters:
    ///   - elapsed: The time since the last look. A process that was stopped or starved did not compute either: no more
    ///     than two intervals of it are charged.
    ///   - memory: The bytes that the process holds; `nil` if unknown.
    func look(after elapsed: Duration, memory: Int?) -> Alarm? {
        let overdue = running.charge(min(elapsed, interval * 2), deadline: limits.jobDeadline)
        if !overdue.isEmpty {
            return Alarm(suspects: overdue, fault: "its verification took longer than \(limits.jobDeadline)")
        }
        if let memory, memory > limits.memoryMax {
            let captures = running.captures
            return Alarm(
                suspects: captures,
                fault: "while it was verified, its worker held more than \(limits.memoryMax >> 20) MiB of memory"
            )
        }
        return nil
    }

    private func end(_ alarm: Alarm) {
        isEnding.store(true, ordering: .relaxed)
        // It runs on a queue of its own and is set first: the cause of the alarm may hold up the log as well.
        lastResort.asyncAfter(deadline: .now() + Self.surrenderMax, execute: Self.exit)
        let captures = alarm.suspects.map(\.description).joined(separator: " ")
        logger.critical(
            "the worker ends itself",
            metadata: ["fault": "\(alarm.fault)", "captures": "\(captures)", "exit_code": "\(Self.exitCode)"]
        )
        surrender(alarm.suspects, alarm.fault, Self.exit)
    }

    /// Ends the process, not by the C library's `exit`: its handlers may wait for threads that never return.
    @Sendable private static func exit() { _exit(exitCode) }
}
