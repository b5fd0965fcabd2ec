import TestSupport
import Testing

@Suite("The browser of these tests", .timeLimit(.minutes(5)))
struct ChromiumTests {
    /// What a page never answers.
    private static let endless: [String: any Sendable] = ["expression": "new Promise(() => {})", "awaitPromise": true]

    @Test func `who waits for a browser is let go when cancelled, or when the browser has ended`() async throws {
        let browser = try Chromium()
        let page = try await browser.page()
        let cancelled = Task { try await page.send("Runtime.evaluate", Self.endless) }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let waiting = Task { try await page.send("Runtime.evaluate", Self.endless) }
        try await browser.end()
        await #expect(throws: LeashedProcess.Failure.self) { try await waiting.value }
        await #expect(throws: LeashedProcess.Failure.self) { try await page.text("1") }
    }
}
