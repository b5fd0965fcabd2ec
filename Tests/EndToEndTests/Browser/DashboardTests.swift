import CaptureModel
import CaptureQueue
import DeviceSimulator
import Foundation
import GatewayClient
import RedisCaptureQueue
import TestSupport
import Testing

/// The dashboard in a browser, over the whole system.
///
/// `CAPTURE_TEST_SCREENSHOTS` names a folder for pictures of it.
@Suite("The dashboard in a browser", .timeLimit(.minutes(8)))
struct DashboardTests {
    static let operatorToken = "operator-token-of-the-tests"

    @Test func `an operator watches a capture, finds it, retries a dead letter and revokes a device`() async throws {
        try await Self.withDashboard { stack, gateway, page, address in
            let other = try await Phone.register(with: gateway, authority: stack.authority)
            for seed in 11...13 { _ = try await other.upload(other.shoot(seed: UInt64(seed))) }
            let dead = try await stack.withBackstage { queue, _, _ in try await queue.bury(fault: "connection refused")
            }
            let phone = try await Phone.register(with: gateway, authority: stack.authority)
            let waiting = try await phone.upload(phone.shoot(seed: 1))
            try await page.go(to: "\(address)/captures/\(waiting)")
            #expect(try await page.text("document.querySelector('.headline .state').textContent") == "queued")
            // Its bundle is kept, so there are pictures, and both are ones that the browser can show.
            try await page.until("[...document.querySelectorAll('.pictures img')].every((i) => i.complete)")
            #expect(
                try await page.text("[...document.querySelectorAll('.pictures img')].map((i) => i.naturalWidth > 99)")
                    == "true,true")
            try await Self.shoot(page, "capture-queued")

            // Verified live: nobody loads the page again.
            _ = try await page.text("document.body.dataset.mark = 'same page'")
            let worker = try stack.worker()
            try await page.until("document.querySelector('.headline .state').textContent === 'verified'")
            #expect(try await page.text("document.body.dataset.mark") == "same page")
            try await page.until("document.querySelectorAll('#checks .state.pass').length > 4")
            try await Self.shoot(page, "capture-verified")

            try await findsAndFilters(page, address, phone, waiting)
            try await showsReplays(page, address, phone)
            try await retries(page, address, other, dead)
            try await revokes(page, address, phone)
            try await marks(page, address, phone)
            try await looksWell(page, address)
            try await listensAgain(page, address)
            try await isPausedElsewhere(stack, page, address)
            try await pausesAndLeaves(stack, page, address)
            try await worker.kill()
        }
    }

    @Test func `without a script the dashboard is read and used all the same`() async throws {
        try await Self.withDashboard { stack, gateway, page, address in
            let phone = try await Phone.register(with: gateway, authority: stack.authority)
            let capture = try await phone.upload(phone.shoot(seed: 2))
            try await page.send("Emulation.setScriptExecutionDisabled", ["value": true])
            try await page.go(to: "\(address)/captures?state=queued")
            #expect(try await page.text("document.body.innerText").contains("\(capture)".suffix(12)))
            let sign = try await page.text("document.querySelector('#live').textContent")
            #expect(sign.hasPrefix("Updates on reload. As of "))
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
        try await page.click("main a.button", then: "document.querySelector('#group-0') !== null")
        try await page.click("#group-0 button[value=discard-group]", then: asks)
        try await Self.shoot(page, "discard")
        try await page.click(
            ".confirm .danger", then: "document.body.innerText.includes('1 capture was deleted for good')")
    }

    /// A stack with a gateway, and a browser that has logged in.
    static func withDashboard(
        _ body: (Stack, GatewayClient, BrowserPage, _ address: String) async throws -> Void
    ) async throws {
        let stack = try await Stack.start(
            settings: ["CAPTURE_GATEWAY_OPERATOR_TOKENS": SHA256Digest.hash(Array(operatorToken.utf8)).hex])
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
        try await page.click("#login button", then: "document.body.innerText.includes('not known')")
        try await page.fill("#token", operatorToken)
        try await page.fill("#name", "alice")
        try await page.click("#login button", then: "location.pathname === '/dashboard/captures'")
        try await page.go(to: address)
        try await body(stack, gateway, page, address)
        try await browser.end()
        try await process.kill()
    }

    private func findsAndFilters(
        _ page: BrowserPage, _ address: String, _ phone: Phone, _ capture: CaptureID
    ) async throws {
        let tampered = try phone.shoot(seed: 3)
        let other = try phone.shoot(seed: 4)
        let rejected = try await phone.upload(tampered, showing: other.capture)
        _ = try await phone.settled(rejected)
        try await page.go(to: "\(address)/captures")
        try await page.until("document.querySelectorAll('table.captures tbody tr').length === 5")
        _ = try await page.text("document.querySelector('#filter-state').value = 'rejected'")
        try await page.click(
            ".filters .primary", then: "document.querySelectorAll('table.captures tbody tr').length === 1")
        #expect(try await page.text("document.querySelector('table.captures').innerText").contains("SIGNATURE_INVALID"))
        try await Self.shoot(page, "captures")
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
        try await Self.shoot(page, "rejections")
    }

    /// One of three dead letters is redriven by itself, one with its group, and one deleted.
    private func retries(
        _ page: BrowserPage, _ address: String, _ phone: Phone, _ dead: [CaptureID]
    ) async throws {
        try await page.go(to: "\(address)/dead")
        #expect(try await page.text("document.querySelector('#group-0').innerText").contains("connection refused"))
        try await Self.shoot(page, "dead")
        _ = try await page.text("document.querySelector('input[name=letter][value$=\"\(dead[0])\"]').click()")
        try await page.click(
            "#group-0 button[value=redrive]", then: "document.body.innerText.includes('1 capture was put back')")
        _ = try await phone.settled(dead[0])
        _ = try await page.text("document.querySelector('input[name=letter][value$=\"\(dead[2])\"]').click()")
        _ = try await page.text("window.confirm = (question) => question.includes('for good')")
        try await page.click(
            "#group-0 button[value=discard]", then: "document.body.innerText.includes('1 capture was deleted for good')"
        )
        try await page.click(
            "#group-0 button[value=redrive-group]", then: "document.body.innerText.includes('There is none.')")
        #expect(try await phone.settled(dead[1]).state == .verified)
        try await page.go(to: "\(address)/captures/\(dead[0])")
        #expect(try await page.text("document.querySelector('#audit').innerText").contains("capture.redrive"))
    }

    private func revokes(_ page: BrowserPage, _ address: String, _ phone: Phone) async throws {
        try await page.go(to: "\(address)/devices/\(phone.id)")
        try await page.fill("#reason", "stolen, ticket 4711")
        try await page.fill("#from", "2020-01-01T00:00:00")
        try await page.click("button[name=preview]", then: "document.querySelector('#preview') !== null")
        #expect(try await page.text("document.querySelector('#preview').innerText").contains("which stay verified"))
        try await Self.shoot(page, "device")
        try await page.click(
            ".confirm .danger", then: "document.querySelector('.notice')?.innerText === 'The device was revoked.'")
        #expect(try await page.text("document.querySelector('.title .state').textContent") == "revoked")
        try await page.go(to: "\(address)/audit")
        let line = try await page.text("document.querySelector('tbody tr').innerText")
        #expect(line.contains("device.revoke") && line.contains("alice (dashboard, token "))
        #expect(line.contains("stolen, ticket 4711"))
    }

    /// What the key has signed is red from then on.
    private func marks(_ page: BrowserPage, _ address: String, _ phone: Phone) async throws {
        try await page.go(to: "\(address)/devices/\(phone.id)")
        try await page.fill("#reason", "it was unlocked, ticket 4711")
        try await page.fill("#from", "2020-01-01T00:00:00")
        _ = try await page.text("document.querySelector('#compromised').value = '1'")
        try await page.click("button[name=preview]", then: "document.querySelector('#preview') !== null")
        let preview = try await page.text("document.querySelector('#preview').innerText")
        #expect(preview.contains("are marked as of a compromised key"))
        try await page.click(
            ".confirm .danger",
            then: "(document.querySelector('.notice')?.innerText ?? '').endsWith('1 verified result is marked.')")
        let chip = try await page.text("document.querySelector('.title .chip.bad').innerText")
        #expect(chip.hasPrefix("compromised since 2020-01-01"))
        try await Self.shoot(page, "device-compromised")
        try await page.go(to: "\(address)/captures?state=verified&device=\(phone.id)")
        try await page.click("table.captures a.id", then: "document.querySelector('.headline .chip.bad') !== null")
    }

    private func looksWell(_ page: BrowserPage, _ address: String) async throws {
        try await page.go(to: address)
        try await page.until("document.querySelector('#live').textContent === 'live'")
        let light = try await page.text("getComputedStyle(document.body).backgroundColor")
        try await Self.shoot(page, "overview")
        try await page.look(width: 1280, height: 900, isDark: true)
        #expect(try await page.text("getComputedStyle(document.body).backgroundColor") != light)
        try await Self.shoot(page, "overview-dark")
        for path in ["", "/captures", "/rejections", "/replays", "/devices", "/dead", "/audit"] {
            try await page.look(width: 390, height: 844)
            try await page.go(to: address + path)
            try await Self.fits(page, path)
            try await Self.shoot(page, "phone\(path.split(separator: "/").map { "-\($0)" }.joined())")
        }
        try await page.look(width: 1280, height: 900)
    }

    /// The page is no wider than its window.
    static func fits(_ page: BrowserPage, _ what: String) async throws {
        let root = "document.documentElement"
        let overflow = try await page.text("\(root).scrollWidth - \(root).clientWidth")
        #expect(overflow == "0", "\(what) is wider than a phone by \(overflow)")
    }

    /// A stream that was refused, or given back because nobody looks, is opened again.
    private func listensAgain(_ page: BrowserPage, _ address: String) async throws {
        let isLive = "source.readyState === 1 && document.querySelector('#live').textContent === 'live'"
        try await page.go(to: address)
        try await page.until(isLive)
        _ = try await page.text("source.close()")
        try await page.until(isLive)
        try await hides(page, true)
        #expect(try await page.text("source.readyState") == "2")
        try await hides(page, false)
        try await page.until(isLive)

        // Numbers of an hour ago are not live again before they have been asked for.
        try await hides(page, true)
        try await page.until("!isRefreshing")
        let anHourAgo = "currentAt = new Date(Date.now() - 3600000)"
        _ = try await page.text("(window.fetch = () => new Promise(() => {}), \(anHourAgo))")
        try await hides(page, false)
        try await page.until("source.readyState === 1")
        #expect(try await page.text("document.querySelector('#live').textContent") == "asking")
    }

    /// A headless page is never hidden: this one is told that it is.
    private func hides(_ page: BrowserPage, _ isHidden: Bool) async throws {
        _ = try await page.text(
            "Object.defineProperty(document, 'hidden', { value: \(isHidden), configurable: true })")
        _ = try await page.text("document.dispatchEvent(new Event('visibilitychange'))")
    }

    /// The open page tells it, and what was opened and has the focus stays so.
    private func isPausedElsewhere(_ stack: Stack, _ page: BrowserPage, _ address: String) async throws {
        try await page.go(to: address)
        _ = try await page.text("document.querySelector('#day details').open = true")
        _ = try await page.text("document.querySelector('#day summary').focus()")
        _ = try await page.text("document.querySelector('#overview-live').dataset.mark = 'before'")
        try await stack.withBackstage { queue, _, _ in try await queue.setPaused(true) }
        try await page.until("document.querySelector('#paused-live').innerText.includes('The queue is paused')")
        try await page.until("document.querySelector('button[value=resume]') !== null")
        try await page.until("document.querySelector('#overview-live').dataset.mark !== 'before'")
        #expect(try await page.text("document.querySelector('#day details').open") == "true")
        #expect(try await page.text("document.activeElement === document.querySelector('#day summary')") == "true")
        try await stack.withBackstage { queue, _, _ in try await queue.setPaused(false) }
        try await page.until("document.querySelector('#paused-live').innerText === ''")
    }

    private func pausesAndLeaves(_ stack: Stack, _ page: BrowserPage, _ address: String) async throws {
        try await page.go(to: address)
        try await page.click("button[value=pause]", then: "document.querySelector('button[value=resume]') !== null")
        try await stack.withBackstage { queue, _, _ in
            let load = try await queue.load()
            #expect(load.isPaused)
        }
        try await page.click("button[value=resume]", then: "document.querySelector('button[value=pause]') !== null")
        try await page.click(".who button", then: "location.pathname === '/dashboard/login'")
        try await page.go(to: address)
        #expect(try await page.text("location.pathname") == "/dashboard/login")
    }

    static func shoot(_ page: BrowserPage, _ name: String) async throws {
        guard let folder = ProcessInfo.processInfo.environment["CAPTURE_TEST_SCREENSHOTS"] else { return }
        try await page.screenshot().write(to: URL(fileURLWithPath: folder).appendingPathComponent("\(name).png"))
    }
}
