import Foundation

extension ChaosReport {
    /// Tables for people.
    package var text: String {
        let load = [
            ["seed", "\(seed)"],
            ["load", Self.seconds(seconds)],
            ["accepted", "\(accepted) (\(Int(Double(accepted) / max(seconds, 1)))/s)"],
            ["results", "\(results)"],
            ["drained in", Self.seconds(drainSeconds)],
            ["settled within", settledWithin.map(Self.seconds).joined(separator: ", ") + " (50 %, 99 %, 100 %)"],
            ["sent", Self.list(sent)],
            ["answers", Self.list(answers)],
            ["left to the sweeper", "\(orphans) bundles"],
            ["memory, MiB", Self.list(memory)],
        ]
        let times = recoveries.map { recovery in
            [
                recovery.fault, "\(recovery.times)", Self.seconds(recovery.lastedMax),
                Self.seconds(recovery.nextMedian), Self.seconds(recovery.nextMax), Self.seconds(recovery.backlogMax),
            ]
        }
        let heads = ["fault", "times", "lasted at most", "next settled: median", "at most", "backlog settled: at most"]
        let figures = figures.map { [$0.kind.rawValue, "\($0.count)", $0.count == 0 ? "" : "✗ must be 0"] }
        return [
            Self.table(load), Self.table([heads] + times, numbers: 1...5), Self.table(figures, numbers: 1...1),
            isClean ? "✓ every promise was kept" : "✗ \(violations.count) promises were broken (seed \(seed))",
        ].joined(separator: "\n\n")
    }

    private static func seconds(_ value: Double) -> String { String(format: "%.1f s", value) }

    private static func list(_ counts: [String: Int]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
    }

    /// Lines text up in columns; numbers stand on the right.
    private static func table(_ rows: [[String]], numbers: ClosedRange<Int>? = nil) -> String {
        let columns = rows.first?.count ?? 0
        let widths = (0..<columns).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return numbers?.contains(column) == true ? padding + cell : cell + padding
            }
            return "  " + cells.joined(separator: "  ").reversed().drop { $0 == " " }.reversed()
        }.joined(separator: "\n")
    }
}
