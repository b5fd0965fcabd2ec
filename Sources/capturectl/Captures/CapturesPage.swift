import CaptureModel
import CaptureOperations
import CaptureStore

/// A page of captures as it is printed.
struct CapturesPage {
    let captures: [ListedCapture]
    /// Whether it begins with the newest capture.
    let isFirst: Bool
    /// Where the next page begins.
    let next: String?
    /// How many captures were looked at, if that bound ended the page before it was full.
    var cutAfter: Int?

    /// As `GET /api/v1/captures` answers.
    var document: ListPage<ListedCaptureDocument> {
        ListPage(name: "captures", rows: captures.map { ListedCaptureDocument($0) }, next: next)
    }

    /// The state of a capture for people, and whether its key may be compromised.
    ///
    /// - Parameter isShort: Whether to leave out that a compromised capture was verified.
    private static func standing(_ capture: ListedCapture, isShort: Bool) -> String {
        guard capture.result?.compromisedSince != nil else { return capture.state.rawValue }
        guard isShort else { return "\(capture.state.rawValue), compromised" }
        return capture.state == .verified ? "compromised" : capture.state.rawValue
    }

    /// The text for an empty page.
    private var empty: String {
        if let cutAfter { return "none among the \(cutAfter) looked at" }
        if next != nil { return "none among these" }
        return isFirst ? "no captures" : "no more captures"
    }

    /// The table, and how to go on.
    func text(now: Timestamp, on terminal: Terminal) -> String {
        let more = next.map { "\n\nmore: --after \($0)" } ?? ""
        guard !captures.isEmpty else { return empty + more }
        let cut = cutAfter.map { "\n\nonly \($0) were looked at" } ?? ""
        // A truncated device id is useless. 80 columns have no room for the counter either, nor for the confidence
        // beside a compromised key.
        let width = terminal.columns ?? .max
        let hasCompromised = captures.contains { $0.result?.compromisedSince != nil }
        let (hasCounter, hasDevice) = (width >= (hasCompromised ? 110 : 90), width >= 150)
        let isShort = hasCompromised && !hasCounter
        var columns: [(title: String, alignment: TextTable.Alignment)] = [
            ("capture", .leading), ("ago", .trailing), ("state", .leading), ("reason", .leading),
        ]
        if !isShort { columns.append(("confidence", .leading)) }
        if hasCounter { columns.append(("counter", .trailing)) }
        if hasDevice { columns.append(("device", .leading)) }
        var table = TextTable(columns) { column, text in
            guard column == 2 else { return nil }
            return switch text {
            case "verified": .good
            case "rejected", "failed": .bad
            default: text.hasSuffix("compromised") ? .bad : .notable
            }
        }
        for capture in captures {
            let result = capture.result
            var row = [
                "\(capture.id)", TerminalText.age(now.since(capture.receivedAt)),
                Self.standing(capture, isShort: isShort), capture.reason?.rawValue ?? "",
            ]
            if !isShort { row.append(result.map { $0.verdict == .verified ? $0.confidence.rawValue : "" } ?? "") }
            if hasCounter { row.append(result?.counter.map { "\($0)" } ?? "") }
            if hasDevice { row.append("\(capture.device)") }
            table.append(row)
        }
        return table.text(for: terminal, flexible: 3) + cut + more
    }
}
