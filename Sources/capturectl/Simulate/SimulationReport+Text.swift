import CaptureModel
import CaptureOperations

extension SimulationReport {
    /// From 130 columns on the table has what was expected, and from 180 on all that it has in a pipe.
    private static let wideColumns = 130
    private static let wholeColumns = 180
    /// How many captures that came out otherwise than expected are told one by one.
    private static let unexpectedShownMax = 10

    /// The tables and the totals, for people, so that rows fit the terminal.
    ///
    /// Ids are whole everywhere: no command takes a part of one.
    func text(on terminal: Terminal) -> String {
        let vectors = appleVectors.map { [ShownText.lines($0.text)] } ?? []
        let tables = captures.isEmpty ? [] : [table(on: terminal), timing]
        return (tables + trustTable(on: terminal) + vectors + [sums(on: terminal)]).joined(separator: "\n\n")
    }

    private func table(on terminal: Terminal) -> String {
        let width = terminal.columns ?? .max
        let (isWide, isWhole) = (width >= Self.wideColumns, width >= Self.wholeColumns)
        var columns: [(title: String, alignment: TextTable.Alignment)] = [
            ("", .leading), ("#", .trailing), ("capture", .leading), ("scenario", .leading),
        ]
        if isWide {
            columns.append(contentsOf: [
                ("expected", .leading), ("verdict", .leading), ("reason", .leading), ("confidence", .leading),
            ])
        } else {
            columns.append(("outcome", .leading))
        }
        if isWhole {
            columns.append(contentsOf: [
                ("device", .leading), ("queue", .trailing), ("verify", .trailing), ("settle", .trailing),
            ])
        }
        var table = TextTable(columns)
        for capture in captures {
            var row = [
                capture.mark, String(capture.number), capture.capture.map { "\($0)" } ?? "—", capture.scenario.title,
            ]
            row += isWide ? capture.verdictCells : [capture.outcome]
            if isWhole { row += [device(of: capture)] + capture.times }
            table.append(row)
        }
        return table.text(for: terminal, flexible: isWide ? 6 : 4)
    }

    private func device(of capture: CaptureRecord) -> String {
        let isUnverified = devices.contains { $0.number == capture.device && $0.level == .unverified }
        return "\(capture.device)\(isUnverified ? " unverified" : "")"
    }

    /// The table of trials beyond captures; empty if there were none.
    ///
    /// On a narrow terminal the device's id stands below the outcome: there is no room for both in a line.
    private func trustTable(on terminal: Terminal) -> [String] {
        guard !trust.isEmpty else { return [] }
        let isWide = (terminal.columns ?? .max) >= Self.wideColumns
        var columns: [(title: String, alignment: TextTable.Alignment)] = [("", .leading), ("device trust", .leading)]
        if isWide { columns.append(contentsOf: [("device", .leading), ("expected", .leading)]) }
        columns.append(("outcome", .leading))
        var table = TextTable(columns)
        for row in trust {
            let (mark, device) = (row.expected ? "✓" : "✗", row.device.map { "\($0)" })
            if isWide {
                table.append([mark, row.service, device ?? "—", row.expectation, row.outcome])
            } else {
                table.append([mark, row.service, row.outcome])
                if let device { table.append(["", "", "device \(device)"]) }
            }
        }
        return [table.text(for: terminal, flexible: isWide ? 4 : 2)]
    }

    private var timing: String {
        var table = TextTable([
            ("where the time went", .leading), ("median", .trailing), ("95 %", .trailing), ("longest", .trailing),
        ])
        let rows: [(String, [Double])] = [
            ("upload, as the phone sees it", captures.compactMap(\.uploadMilliseconds).filter { $0 > 0 }),
            ("waiting in the queue", captures.compactMap(\.queueMilliseconds)),
            ("verifying", captures.compactMap(\.verifyMilliseconds)),
            ("settling", captures.compactMap(\.settleMilliseconds)),
        ]
        for (title, values) in rows {
            let sorted = values.sorted()
            let last = sorted.count - 1
            func at(_ share: Double) -> Double? {
                last < 0 ? nil : sorted[Int((Double(last) * share).rounded())]
            }
            table.append([title, Self.time(at(0.5)), Self.time(at(0.95)), Self.time(at(1))])
        }
        return table.text
    }

    private func sums(on terminal: Terminal) -> String {
        var lines = captures.isEmpty ? [] : [counts]
        for device in devices where !device.expected {
            let reason = device.reason.map { ": \($0)" } ?? ""
            lines.append("✗ \(device.title): \(device.level?.rawValue ?? "not registered")\(reason)")
        }
        // In a pipe the tables have it all.
        if terminal.columns != nil { lines += unexpectedLines }
        lines.append(end)
        return lines.map(ShownText.line).joined(separator: "\n")
    }

    private var counts: String {
        let seconds = (summary.elapsedMilliseconds / 100).rounded() / 10
        let parts = [
            "\(summary.verified) verified", "\(summary.rejected) rejected by a worker",
            "\(summary.refusedAtTheDoor) refused at the gateway",
            "\(summary.sameCapture) known as an earlier capture",
        ]
        let sent = TerminalText.count(summary.captures, "capture")
        let phones = TerminalText.count(devices.count, "device")
        return "\(sent) of \(phones) in \(seconds) s: \(parts.joined(separator: ", "))."
    }

    /// What came out otherwise than expected, in full: a narrow table has no room for it.
    private var unexpectedLines: [String] {
        let unexpected = captures.filter(\.isUnexpected)
        var lines = unexpected.prefix(Self.unexpectedShownMax).map(\.unexpectedLine)
        if unexpected.count > lines.count { lines.append("✗ and \(unexpected.count - lines.count) more") }
        return lines
            + trust.filter { !$0.expected }.map { "✗ \($0.service): \($0.outcome); expected: \($0.expectation)" }
    }

    private var end: String {
        if summary.isStopped {
            let open = captures.count(where: \.isOpen)
            return "Stopped: \(captures.count) of \(planned) captures were sent, \(open) of them without a verdict yet."
        }
        if captures.isEmpty { return "No capture was sent." }
        return "\(summary.asExpected ? "Every" : "Not every") verdict was the expected one."
    }

    /// Milliseconds with one decimal.
    fileprivate static func time(_ milliseconds: Double?) -> String {
        guard let milliseconds else { return "" }
        return "\((milliseconds * 10).rounded() / 10) ms"
    }
}

extension CaptureRecord {
    fileprivate var mark: String { isOpen ? "…" : expected ? "✓" : "✗" }

    fileprivate var verdictCells: [String] { [expectation, verdict, reason ?? "", confidence?.rawValue ?? ""] }

    /// Verdict, reason and confidence in one, in as few words as tell them apart.
    fileprivate var outcome: String {
        if let confidence, verdict == CaptureState.verified.rawValue { return "\(verdict), \(confidence.rawValue)" }
        return reason ?? verdict
    }

    fileprivate var unexpectedLine: String {
        "✗ capture \(number), \(scenario.title): \(verdict)\(reason.map { " \($0)" } ?? ""); expected: \(expectation)"
    }

    fileprivate var times: [String] {
        [queueMilliseconds, verifyMilliseconds, settleMilliseconds].map(SimulationReport.time)
    }
}
