import Foundation
import TestSupport

/// One page of a browser, as a person has it.
struct BrowserPage: Sendable {
    let browser: Chromium
    let session: String

    private struct Nothing: Decodable {}

    /// Calls a method that says nothing of interest.
    func send(_ method: String, _ parameters: [String: any Sendable] = [:]) async throws {
        _ = try await browser.call(Nothing.self, method, parameters, session: session)
    }

    /// Goes to an address and waits until the page is there.
    func go(to address: String) async throws {
        try await send("Page.navigate", ["url": address])
        try await until("document.readyState === 'complete' && location.href.startsWith('http')")
    }

    /// The text of what an expression of the page gives.
    func text(_ expression: String) async throws -> String {
        struct Evaluation: Decodable {
            struct Value: Decodable { var value: String? }
            struct Exception: Decodable { var text: String }
            var result: Value
            var exceptionDetails: Exception?
        }
        let evaluation = try await browser.call(
            Evaluation.self, "Runtime.evaluate",
            ["expression": "String(\(expression))", "returnByValue": true, "userGesture": true], session: session)
        if let exception = evaluation.exceptionDetails {
            throw LeashedProcess.Failure(description: "\(expression): \(exception.text)")
        }
        return evaluation.result.value ?? ""
    }

    /// Waits until an expression is true; a page that is being replaced is asked again.
    func until(_ expression: String) async throws {
        var last = ""
        let isSo = try await eventually(within: .seconds(90)) {
            do { last = try await text(expression) } catch { last = "\(error)" }
            return last == "true"
        }
        if isSo { return }
        let page = (try? await text("document.body.innerText")) ?? ""
        throw LeashedProcess.Failure(
            description: "waited in vain for \(expression) (\(last)) on:\n\(page.prefix(1500))")
    }

    /// Clicks what a selector finds, and waits for the page that comes then, whose scripts run when all of it is there.
    func click(_ selector: String, then condition: String) async throws {
        _ = try await text("document.querySelector('\(selector)').click()")
        try await until("document.readyState === 'complete' && (\(condition))")
    }

    /// Fills in a field.
    func fill(_ selector: String, _ value: String) async throws {
        _ = try await text("document.querySelector('\(selector)').value = '\(value)'")
    }

    /// Takes a picture of what is seen, as PNG.
    func screenshot() async throws -> Data {
        struct Picture: Decodable { var data: Data }
        return try await browser.call(Picture.self, "Page.captureScreenshot", ["format": "png"], session: session).data
    }

    /// Sets the size of the window, and light or dark.
    func look(width: Int, height: Int, isDark: Bool = false) async throws {
        try await send(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600])
        try await send(
            "Emulation.setEmulatedMedia",
            ["features": [["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"]]])
    }
}
