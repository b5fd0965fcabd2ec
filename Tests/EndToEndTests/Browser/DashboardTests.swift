import CaptureModel
import CaptureQueue
import DeviceSimulator
import Foundation
import GatewayClient
import RedisCaptureQueue
import TestSupport
import Testing

/// What an operator reads at the dashboard, over the whole system.
@Suite("The dashboard in a browser", .timeLimit(.minutes(8)))
struct DashboardTests {
    @Test func `an open page shows the pictures of a capture, and that it is verified without a reload`() async throws {
        try await DashboardScene.with { stack, gateway, page, address in
            let phone = try await Phone.register(with: gateway, authority: stack.authority)
            let waiting = try await phone.upload(phone.shoot(seed: 1))
            try await page.go(to: "\(address)/captures/\(waiting)")
            #expect(try await page.text("document.querySelector('.headline .state').textContent") == "queued")
            // Its bundle is kept, so there are pictures, and both are ones that the browser can show.
            try await page.until("[...document.querySelectorAll('.pictures img')].every((i) => i.complete)")
            #expect(
                try await page.text("[...document.querySelectorAll('.pictures img')].map((i) => i.naturalWidth > 99)")
                    == "true,true")
            try await DashboardScene.shoot(page, "capture-queued")

            // Verified live: nobody loads the page again.
            _ = try await page.text("document.body.dataset.mark = 'same page'")
            let worker = try stack.worker()
            try await page.until("document.querySelector('.headline .state').textContent === 'verified'")
            #expect(try await page.text("document.body.dataset.mark") == "same page")
            try await page.until("document.querySelectorAll('#checks .state.pass').length > 4")
            try await DashboardScene.shoot(page, "capture-verified")
            try await worker.kill()
        }
    }

    @Test func `captures are found by state, id and digest, and those that were rejected by their reason`() async throws
    {
        try await DashboardScene.with { stack, gateway, page, address in
            let phone = try await Phone.register(with: gateway, authority: stack.authority)
            let worker = try stack.worker()
            let verified = try await phone.upload(phone.shoot(seed: 1))
            #expect(try await phone.settled(verified).state == .verified)
            try await findsAndFilters(page, address, phone, verified)
            try await showsReplays(page, address, phone)
            try await DashboardScene.fitOnAPhone(page, address, ["/captures", "/rejections", "/replays"])
            try await worker.kill()
        }
    }

    private func findsAndFilters(
        _ page: BrowserPage, _ address: String, _ phone: Phone, _ capture: CaptureID
    ) async throws {
        let tampered = try phone.shoot(seed: 3)
        let other = try phone.shoot(seed: 4)
        let rejected = try await phone.upload(tampered, showing: other.capture)
        _ = try await phone.settled(rejected)
        try await page.go(to: "\(address)/captures")
        try await page.until("document.querySelectorAll('table.captures tbody tr').length === 2")
        _ = try await page.text("document.querySelector('#filter-state').value = 'rejected'")
        try await page.click(
            ".filters .primary", then: "document.querySelectorAll('table.captures tbody tr').length === 1")
        #expect(try await page.text("document.querySelector('table.captures').innerText").contains("SIGNATURE_INVALID"))
        try await DashboardScene.shoot(page, "captures")
        try await page.click("table.captures a.id", then: "location.pathname.endsWith('/\(rejected)')")
        try await page.go(to: "\(address)/captures")
        try await page.fill("#q", "\(capture)")
        try await page.click("[role=search] button", then: "location.pathname.endsWith('/\(capture)')")
        // By the digest of its photo, as well.
        try await page.until("document.querySelector('#digests code') !== null")
        let digest = try await page.text("document.querySelector('#digests code').textContent")
        try await page.go(to: "\(address)/captures?q=\(digest)")
        #expect(try await page.text("location.pathname").hasSuffix("/\(capture)"))
    }

    private func showsReplays(_ page: BrowserPage, _ address: String, _ phone: Phone) async throws {
        _ = try await phone.settled(phone.upload(phone.shoot(seed: 5, counter: .exactly(1))))
        try await page.go(to: "\(address)/replays")
        let row = try await page.text("document.querySelector('table.captures tbody').innerText")
        #expect(row.contains("COUNTER_REPLAY"))
        try await page.go(to: "\(address)/rejections")
        #expect(try await page.text("document.querySelectorAll('#by-reason tbody tr').length > 1") == "true")
        try await DashboardScene.shoot(page, "rejections")
    }

    @Test func `without a script the dashboard is read and used all the same`() async throws {
        try await DashboardScene.with { stack, gateway, page, address in
            let phone = try await Phone.register(with: gateway, authority: stack.authority)
            let capture = try await phone.upload(phone.shoot(seed: 2))
            try await page.send("Emulation.setScriptExecutionDisabled", ["value": true])
            try await page.go(to: "\(address)/captures?state=queued")
            #expect(try await page.text("document.body.innerText").contains("\(capture)".prefix(18)))
            let sign = try await page.text("document.querySelector('#live').textContent")
            #expect(sign.hasPrefix("Updates on reload. As of "))
            // Only its script could do anything with it.
            #expect(try await page.text("getComputedStyle(document.querySelector('#hold')).display") == "none")
            try await asksByAPage(stack, page, address, capture)
            try await page.go(to: address)
            try await page.click("button[value=pause]", then: "document.body.innerText.includes('The queue is paused')")
        }
    }

    /// What would be deleted is shown before it is, and there is a way back.
    private func asksByAPage(
        _ stack: Stack, _ page: BrowserPage, _ address: String, _ capture: CaptureID
    ) async throws {
        let dead = try await stack.withBackstage { queue, _, _ in
            try await queue.bury(fault: "connection refused")
        }
        #expect(dead == [capture])
        let asks = "document.querySelector('h1').innerText === 'Discard 1 capture?'"
        try await page.go(to: "\(address)/captures/\(capture)")
        try await page.click("button[value=discard]", then: asks)
        try await page.click("main a.button", then: "location.pathname.endsWith('/captures/\(capture)')")
        try await page.go(to: "\(address)/dead")
        try await page.click("[id^=group-] button[value=discard-group]", then: asks)
        try await DashboardScene.shoot(page, "discard")
        try await page.click(
            ".confirm .danger", then: "document.body.innerText.includes('1 capture was deleted for good')")
    }
}
