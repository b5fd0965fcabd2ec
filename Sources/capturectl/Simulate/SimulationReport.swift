import CaptureModel
import CaptureOperations

/// A simulation's outcome as it is printed.
struct SimulationReport: Encodable {
    /// The counts of each outcome.
    struct Summary: Encodable {
        var captures: Int
        var verified: Int
        var rejected: Int
        var refusedAtTheDoor: Int
        var sameCapture: Int
        var unexpected: Int
        var elapsedMilliseconds: Double
        /// Whether every verdict was the expected one.
        var asExpected: Bool

        enum CodingKeys: String, CodingKey {
            case captures, verified, rejected, unexpected
            case refusedAtTheDoor = "refused_at_the_door"
            case sameCapture = "same_capture"
            case elapsedMilliseconds = "elapsed_ms"
            case asExpected = "as_expected"
        }
    }

    let devices: [SimulatedDeviceRecord]
    let captures: [CaptureRecord]
    let trust: [TrustShowcase.Record]
    /// What came of Apple's vectors; `nil` if none were asked for.
    @OrNull private(set) var appleVectors: AppleVectorCheck.Result?
    let summary: Summary

    enum CodingKeys: String, CodingKey {
        case devices, captures, trust, summary
        case appleVectors = "apple_vectors"
    }

    /// Sums a run up.
    init(
        _ result: Simulation.Result, trust: [TrustShowcase.Record], planned: Int, appleVectors: AppleVectorCheck.Result?
    ) {
        devices = result.devices
        self.trust = trust
        captures = result.captures
        self.appleVectors = appleVectors
        func count(_ verdict: String) -> Int { result.captures.count { $0.verdict == verdict } }
        let unexpected =
            result.captures.count { !$0.expected } + result.devices.count { !$0.expected }
            + trust.count { !$0.expected }
        // A device that cannot register sends none of its captures; a run without any capture shows nothing.
        let sentAll = result.captures.count == planned || result.devices.contains { $0.expected && $0.device == nil }
        summary = Summary(
            captures: result.captures.count, verified: count(CaptureState.verified.rawValue),
            rejected: count(CaptureState.rejected.rawValue),
            refusedAtTheDoor: result.captures.count { $0.verdict.hasPrefix("refused") },
            sameCapture: count("same capture"), unexpected: unexpected,
            elapsedMilliseconds: result.elapsed.milliseconds,
            asExpected: unexpected == 0 && sentAll && !result.captures.isEmpty
        )
    }

    /// One JSON object, keys in order.
    func json() throws -> String { try JSONText.write(self, isIndented: true) }

    /// Whether every verdict was the expected one, and no vector of Apple's was refused.
    var isWell: Bool { summary.asExpected && appleVectors?.passed != false }

    /// Whether the run ended because the gateway did not answer.
    var isGatewayAway: Bool { devices.contains(where: \.unreachable) }

    /// The tables and the totals, for people; ids are whole unless the output is a terminal.
    func text(on terminal: Terminal) -> String {
        let digits = terminal.columns == nil ? Int.max : 12
        let vectors = appleVectors.map { [ShownText.lines($0.text)] } ?? []
        return ([table(idDigits: digits), timing] + trustTable(idDigits: digits) + vectors + [sums])
            .joined(separator: "\n\n")
    }

    private func table(idDigits: Int) -> String {
        var table = TextTable([
            ("", .leading), ("#", .trailing), ("capture", .leading), ("device", .leading), ("scenario", .leading),
            ("expected", .leading), ("verdict", .leading), ("reason", .leading), ("confidence", .leading),
            ("queue", .trailing), ("verify", .trailing), ("settle", .trailing),
        ])
        for row in captures {
            let unverified = devices.contains { $0.number == row.device && $0.level == .unverified }
            table.append([
                row.expected ? "✓" : "✗", String(row.number),
                row.capture.map { String($0.description.suffix(idDigits)) } ?? "—",
                "\(row.device)\(unverified ? " unverified" : "")", row.scenario.title, row.expectation, row.verdict,
                row.reason ?? "", row.confidence?.rawValue ?? "", Self.time(row.queueMilliseconds),
                Self.time(row.verifyMilliseconds), Self.time(row.settleMilliseconds),
            ])
        }
        return table.text
    }

    /// The table of trials beyond captures; empty if there were none.
    private func trustTable(idDigits: Int) -> [String] {
        guard !trust.isEmpty else { return [] }
        var table = TextTable([
            ("", .leading), ("device trust", .leading), ("device", .leading), ("expected", .leading),
            ("outcome", .leading),
        ])
        for row in trust {
            table.append([
                row.expected ? "✓" : "✗", row.service,
                row.device.map { String($0.description.suffix(idDigits)) } ?? "—",
                row.expectation, row.outcome,
            ])
        }
        return [table.text]
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

    private var sums: String {
        let seconds = (summary.elapsedMilliseconds / 100).rounded() / 10
        var parts = ["\(summary.verified) verified", "\(summary.rejected) rejected by a worker"]
        parts.append("\(summary.refusedAtTheDoor) refused at the gateway")
        parts.append("\(summary.sameCapture) known as an earlier capture")
        var lines = [
            "\(summary.captures) captures of \(TerminalText.count(devices.count, "device")) in \(seconds) s: \(parts.joined(separator: ", "))."
        ]
        for device in devices where !device.expected {
            let reason = device.reason.map { ": \($0)" } ?? ""
            lines.append(ShownText.line("✗ \(device.title): \(device.level?.rawValue ?? "not registered")\(reason)"))
        }
        lines.append("\(summary.asExpected ? "Every" : "Not every") verdict was the expected one.")
        return lines.joined(separator: "\n")
    }

    /// Milliseconds with one decimal.
    private static func time(_ milliseconds: Double?) -> String {
        guard let milliseconds else { return "" }
        return "\((milliseconds * 10).rounded() / 10) ms"
    }
}
