import CaptureModel
import CaptureQueue

/// What became of the findings that were to be mended.
package struct Mending: Sendable {
    /// Those that were mended.
    package private(set) var mended: [QueueFinding] = []
    /// Those that a fault left without an answer: nobody knows whether they were mended.
    package private(set) var unknown: [QueueFinding] = []

    /// Nothing mended yet.
    package init() {}

    /// Mends findings page by page, those of one subject together, until it is told to stop.
    /// - Parameter step: Mends a page, and returns those of it that were mended.
    mutating func mend(
        _ findings: [QueueFinding], until isStopped: () -> Bool,
        _ step: ([QueueFinding]) async throws(QueueError) -> [QueueFinding]
    ) async throws(QueueError) {
        let groups = Dictionary(grouping: findings.enumerated(), by: \.element.subject).values
        let subjects = groups.sorted { $0[0].offset < $1[0].offset }
        for page in subjects.pages(of: QueueDoctor.questionsMax) where !isStopped() {
            let findings = page.joined().sorted { $0.offset < $1.offset }.map(\.element)
            unknown = findings
            mended += try await step(findings)
            unknown = []
        }
    }
}
