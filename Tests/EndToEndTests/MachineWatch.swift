import Foundation
import TestSupport

/// Tells whether a machine was held up while the time of something was taken: by programs of others, or by its disk.
///
/// The system counts it, and what the programs under test have used is left out: one that has become slow is no excuse for
/// itself. Their servers, and this process, count as others.
struct MachineWatch: Sendable {
    private struct Reading {
        let time = ContinuousClock.now
        /// How many processors there are.
        let processors: Int
        /// How long all of them together had nothing to do, and waited for no disk.
        let idle: Duration

        /// Reads the figures; `nil` where there is no `/proc`.
        init?() {
            guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else { return nil }
            // proc(5): a line for all processors and one for each; the times are user, nice, system, idle and others.
            let lines = text.split(separator: "\n").filter { $0.hasPrefix("cpu") }
            let fields = (lines.first ?? "").split(separator: " ")
            guard lines.count > 1, fields.count > 4, let ticks = Int(fields[4]) else { return nil }
            processors = lines.count - 1
            idle = .milliseconds(ticks * 1000 / sysconf(Int32(_SC_CLK_TCK)))
        }
    }

    private let programs: [LeashedProcess]
    private let used: [Duration]
    private let start = Reading()

    /// Begins to watch.
    /// - Parameter programs: Those whose time is taken.
    init(besides programs: [LeashedProcess]) {
        self.programs = programs
        used = programs.map { $0.processorTime ?? .zero }
    }

    /// Under it everything takes several times as long.
    private static let hasThreadSanitizer = ProcessInfo.processInfo.environment["TSAN_OPTIONS"] != nil

    /// Whether others have had more than a third of the processors' time since; also where the system does not tell.
    var wasHeldUp: Bool {
        guard !Self.hasThreadSanitizer, let start, let end = Reading() else { return true }
        let time = start.time.duration(to: end.time)
        let own = zip(programs, used).reduce(Duration.zero) { sum, program in
            // One that has ended may have used a processor all the time.
            sum + (program.0.processorTime.map { max(.zero, $0 - program.1) } ?? time)
        }
        let all = time * end.processors
        return all - (end.idle - start.idle) - own > all / 3
    }
}
