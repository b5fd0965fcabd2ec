import CaptureModel
import DeviceSimulator
import GatewayClient
import TestSupport
import Testing

/// What becomes of a page on which something is selected.
@Suite("Selections on open pages of the dashboard", .timeLimit(.minutes(8)))
struct SelectedPartTests {
    private static let sign = "document.querySelector('#live').textContent"
    private static let state = "document.querySelector('.headline .state').textContent"
    private static let held = "held while you select or type"

    /// A result is final: no later news would bring it to a page that has stopped asking.
    @Test func `what is selected stays while its capture is settled, and the page shows the result after it`()
        async throws
    {
        try await DashboardScene.with { stack, gateway, page, address in
            let phone = try await Phone.register(with: gateway, authority: stack.authority)
            let capture = try await phone.upload(phone.shoot(seed: 1))
            try await page.go(to: "\(address)/captures/\(capture)")
            try await page.until("\(Self.sign) === 'live'")
            _ = try await page.text("document.getSelection().selectAllChildren(document.querySelector('#signer'))")
            let selected = try await page.text("document.getSelection()")
            #expect(!selected.isEmpty)
            let worker = try stack.worker()
            #expect(try await phone.settled(capture).state == .verified)
            // Asked once more from here on, the page has been told of the result.
            _ = try await page.text("(window.before = currentAt, want())")
            try await page.until("!isRefreshing")
            #expect(try await page.text(Self.sign) == Self.held)
            #expect(try await page.text("currentAt === before") == "true")
            #expect(try await page.text("document.getSelection()") == selected)
            #expect(try await page.text(Self.state) == "queued")

            _ = try await page.text("document.getSelection().removeAllRanges()")
            try await page.until("\(Self.state) === 'verified'")
            try await page.until("\(Self.sign) === 'settled'")
            #expect(try await page.text("getComputedStyle(document.querySelector('#hold')).display") == "none")
            try await worker.kill()
        }
    }
}
