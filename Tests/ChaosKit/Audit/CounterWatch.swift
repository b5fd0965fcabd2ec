import CaptureModel
import Synchronization

/// Looks at the stored counters again and again while a run goes on: none may ever go down.
final class CounterWatch: Sendable {
    private struct State {
        var highest: [DeviceID: UInt32] = [:]
        var regressions: [String] = []
        var samples = 0
    }

    private let reader: RecordReader
    private let state = Mutex(State())

    init(reader: RecordReader) {
        self.reader = reader
    }

    /// What was seen to go down.
    var regressions: [String] { state.withLock { $0.regressions } }

    /// Samples until it is cancelled.
    func run() async throws {
        while !Task.isCancelled {
            // PostgreSQL may be away: there is nothing to see then.
            if let counters = try? await reader.counters() { note(counters) }
            try await Task.sleep(for: .seconds(1))
        }
    }

    private func note(_ counters: [DeviceID: UInt32]) {
        let now = Timestamp.systemTime()
        state.withLock { state in
            state.samples += 1
            for (device, before) in state.highest where (counters[device] ?? 0) < before {
                let after = counters[device].map(String.init) ?? "gone"
                state.regressions.append("device \(device): \(before), and \(after) at \(now.rfc3339)")
            }
            state.highest = counters
        }
    }
}
