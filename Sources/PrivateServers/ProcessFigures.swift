import Foundation

/// The system's figures of a process and of the processes that it has started.
package struct ProcessFigures: Sendable, Equatable {
    /// The time that processors have spent on it, threads and ended children included.
    package var processorTime: Duration
    /// The most memory that it, or the largest of its children, has held at a time.
    package var peakMemoryBytes: Int

    /// Reads the figures of a running process; `nil` once it is gone, or where there is no `/proc`.
    /// - Parameter withChildren: Add the running processes that it has started, such as PostgreSQL's sessions.
    init?(of processID: Int32, withChildren: Bool = false) {
        guard let own = Self.stat(processID) else { return nil }
        let children = withChildren ? Self.all().filter { $0.parent == processID } : []
        let ticks = ([own] + children).reduce(0) { $0 + $1.ticks }
        processorTime = .milliseconds(ticks * 1000 / sysconf(Int32(_SC_CLK_TCK)))
        peakMemoryBytes = ([processID] + children.map(\.processID)).compactMap(Self.peak).max() ?? 0
    }

    private struct Stat {
        let processID: Int32
        let parent: Int32
        let ticks: Int
    }

    private static func all() -> [Stat] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { Int32($0) }
            .compactMap { stat($0) }
    }

    private static func stat(_ processID: Int32) -> Stat? {
        guard let text = try? String(contentsOfFile: "/proc/\(processID)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        // proc(5): the name in parentheses is the second field, the parent the 4th. The 14th to 17th are user and
        // system time, its own and that of the children it has waited for.
        let fields = text[text.index(after: end)...].split(separator: " ").map { Int($0) ?? 0 }
        guard fields.count > 14 else { return nil }
        return Stat(processID: processID, parent: Int32(fields[1]), ticks: fields[11...14].reduce(0, +))
    }

    private static func peak(_ processID: Int32) -> Int? {
        guard let status = try? String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
        else { return nil }
        return line.split(separator: " ").compactMap { Int($0) }.first.map { $0 * 1024 }
    }
}

extension ProcessFigures {
    /// The processor time of several processes together, and the largest of their peaks.
    package static func sum(_ all: [ProcessFigures]) -> ProcessFigures {
        ProcessFigures(
            processorTime: all.reduce(.zero) { $0 + $1.processorTime },
            peakMemoryBytes: all.map(\.peakMemoryBytes).max() ?? 0)
    }

    private init(processorTime: Duration, peakMemoryBytes: Int) {
        self.processorTime = processorTime
        self.peakMemoryBytes = peakMemoryBytes
    }
}
