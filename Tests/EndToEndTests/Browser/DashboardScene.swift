import CaptureModel
import Foundation
import GatewayClient
import TestSupport
import Testing

/// What the tests of the dashboard in a browser share.
///
/// `CAPTURE_TEST_SCREENSHOTS` names a folder for pictures of it.
enum DashboardScene {
    static let operatorToken = "operator-token-of-the-tests"

    /// A stack with a gateway, and a browser that has logged in.
    /// - Parameter settings: Of the stack, beside the operator's token.
    static func with(
        _ settings: [String: String] = [:],
        _ body: (Stack, GatewayClient, BrowserPage, _ address: String) async throws -> Void
    ) async throws {
        let token = ["CAPTURE_GATEWAY_OPERATOR_TOKENS": SHA256Digest.hash(Array(operatorToken.utf8)).hex]
        let stack = try await Stack.start(settings: token.merging(settings) { _, new in new })
        let (process, gateway) = try await stack.gateway()
        let browser = try Chromium()
        let page = try await browser.page()
        try await page.look(width: 1280, height: 900)
        let address = "\(gateway.configuration.url)/dashboard"
        // Whoever has not logged in gets to see the login only.
        try await page.go(to: "\(address)/captures")
        #expect(try await page.text("location.pathname") == "/dashboard/login")
        try await page.fill("#token", "wrong")
        try await page.fill("#name", "alice")
        try await page.click("#login button", then: "document.body.innerText.includes('opens no dashboard')")
        try await page.fill("#token", operatorToken)
        try await page.fill("#name", "alice")
        try await page.click("#login button", then: "location.pathname === '/dashboard/captures'")
        try await page.go(to: address)
        try await body(stack, gateway, page, address)
        try await browser.end()
        try await process.kill()
    }

    /// Expects that the page is no wider than its window.
    static func fits(
        _ page: BrowserPage, _ what: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let root = "document.documentElement"
        let overflow = try await page.text("\(root).scrollWidth - \(root).clientWidth")
        #expect(overflow == "0", "\(what) is wider than a phone by \(overflow)", sourceLocation: sourceLocation)
    }

    /// Expects that no table of the page is wider than its card.
    static func tablesFit(
        _ page: BrowserPage, _ what: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let overflow = "[...document.querySelectorAll('.scroll')].map((e) => e.scrollWidth - e.clientWidth).join(' ')"
        let overflows = try await page.text(overflow).split(separator: " ")
        #expect(!overflows.isEmpty, "\(what) has no table", sourceLocation: sourceLocation)
        #expect(
            overflows.allSatisfy { $0 == "0" }, "\(what): tables are too wide by \(overflows)",
            sourceLocation: sourceLocation)
    }

    /// Expects that each choice of a page has room for the longest of what can be chosen.
    static func choicesFit(
        _ page: BrowserPage, _ what: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let lack = """
            (e) => { const room = e.offsetWidth; e.style.cssText = 'width: max-content; max-width: none';
            const wanted = e.offsetWidth; e.style.cssText = ''; return wanted - room; }
            """
        let text = try await page.text("String(Math.max(...[...document.querySelectorAll('select')].map(\(lack))))")
        let lacking = try #require(Int(text), "\(what) has no choice", sourceLocation: sourceLocation)
        #expect(lacking <= 0, "\(what): a choice is cut by \(lacking)", sourceLocation: sourceLocation)
    }

    /// Expects that pages are no wider than a phone.
    static func fitOnAPhone(
        _ page: BrowserPage, _ address: String, _ paths: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await page.look(width: 390, height: 844)
        for path in paths {
            try await page.go(to: address + path)
            try await fits(page, path, sourceLocation: sourceLocation)
            try await shoot(page, "phone\(path.split(separator: "/").map { "-\($0)" }.joined())")
        }
    }

    /// Expects that nothing of a table is cut where pages are printed, on A4 with the browser's own margins.
    static func fitOnPaper(
        _ page: BrowserPage, _ address: String, _ paths: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await page.look(width: 718, height: 1000)
        try await page.send("Emulation.setEmulatedMedia", ["media": "print"])
        for path in paths {
            try await page.go(to: address + path)
            try await tablesFit(page, "\(path) on paper", sourceLocation: sourceLocation)
            let links = try await page.text("getComputedStyle(document.querySelector('.top nav')).display")
            #expect(links == "none", sourceLocation: sourceLocation)
        }
        try await page.send("Emulation.setEmulatedMedia", ["media": ""])
    }

    /// Takes a picture of the page for who wants to look at it.
    static func shoot(_ page: BrowserPage, _ name: String) async throws {
        guard let folder = ProcessInfo.processInfo.environment["CAPTURE_TEST_SCREENSHOTS"] else { return }
        try await page.screenshot().write(to: URL(fileURLWithPath: folder).appendingPathComponent("\(name).png"))
    }
}
