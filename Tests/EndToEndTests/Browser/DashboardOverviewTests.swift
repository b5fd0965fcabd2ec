import CaptureModel
import CaptureQueue
import DeviceSimulator
import Foundation
import GatewayClient
import RedisCaptureQueue
import TestSupport
import Testing

/// The first page of the dashboard, which says how the queue is, over the whole system.
@Suite("The overview in a browser", .timeLimit(.minutes(8)))
struct DashboardOverviewTests {
    @Test func `the overview is dark where that is asked for, and fits on a phone`() async throws {
        try await DashboardScene.with { stack, gateway, page, address in
            let phone = try await Phone.register(with: gateway, authority: stack.authority)
            let worker = try stack.worker()
            #expect(try await phone.settled(phone.upload(phone.shoot(seed: 1))).state == .verified)
            try await page.go(to: address)
            try await page.until("document.querySelector('#live').textContent === 'live'")
            let light = try await page.text("getComputedStyle(document.body).backgroundColor")
            try await DashboardScene.shoot(page, "overview")
            try await page.look(width: 1280, height: 900, isDark: true)
            #expect(try await page.text("getComputedStyle(document.body).backgroundColor") != light)
            try await DashboardScene.shoot(page, "overview-dark")
            try await DashboardScene.fitOnAPhone(page, address, [""])
            try await worker.kill()
        }
    }

    @Test func `a stream that was refused, or given back because nobody looks, is opened again`() async throws {
        try await DashboardScene.with { _, _, page, address in
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
    }

    /// A headless page is never hidden: this one is told that it is.
    private func hides(_ page: BrowserPage, _ isHidden: Bool) async throws {
        _ = try await page.text(
            "Object.defineProperty(document, 'hidden', { value: \(isHidden), configurable: true })")
        _ = try await page.text("document.dispatchEvent(new Event('visibilitychange'))")
    }

    @Test func `an open page tells a pause from elsewhere, and keeps what was opened and has the focus`() async throws {
        try await DashboardScene.with { stack, gateway, page, address in
            let phone = try await Phone.register(with: gateway, authority: stack.authority)
            let worker = try stack.worker()
            #expect(try await phone.settled(phone.upload(phone.shoot(seed: 1))).state == .verified)
            try await page.go(to: address)
            _ = try await page.text("document.querySelector('#day details').open = true")
            _ = try await page.text("document.querySelector('#day summary').focus()")
            _ = try await page.text("document.querySelector('#overview-live').dataset.mark = 'before'")
            try await stack.withBackstage { queue, _, _ in try await queue.setPaused(since: Timestamp.systemTime()) }
            try await page.until("document.querySelector('#paused-live').innerText.includes('The queue is paused')")
            try await page.until("document.querySelector('button[value=resume]') !== null")
            try await page.until("document.querySelector('#overview-live').dataset.mark !== 'before'")
            #expect(try await page.text("document.querySelector('#day details').open") == "true")
            #expect(try await page.text("document.activeElement === document.querySelector('#day summary')") == "true")
            try await stack.withBackstage { queue, _, _ in try await queue.setPaused(since: nil) }
            try await page.until("document.querySelector('#paused-live').innerText === ''")
            try await worker.kill()
        }
    }

    @Test func `the queue is paused and goes on by a button, and who logs out has to log in again`() async throws {
        try await DashboardScene.with { stack, _, page, address in
            try await page.go(to: address)
            try await page.click("button[value=pause]", then: "document.querySelector('button[value=resume]') !== null")
            // If PostgreSQL was late with the name, it is there with a later look.
            let banner = "document.querySelector('#paused-live').innerText"
            try await page.until("\(banner).includes(', by alice (dashboard, token ')")
            try await stack.withBackstage { queue, _, _ in
                let load = try await queue.load()
                #expect(load.isPaused)
            }
            try await page.click("button[value=resume]", then: "document.querySelector('button[value=pause]') !== null")
            try await page.click(".who button", then: "location.pathname === '/dashboard/login'")
            try await page.go(to: address)
            #expect(try await page.text("location.pathname") == "/dashboard/login")
            // A link to the page itself would lead back here.
            try await page.go(to: "\(address)/captures")
            try await page.until("document.querySelector('#next') === null")
            let notice = try await page.text("document.querySelector('.notice').innerText")
            #expect(notice == "Log in, and the page that you asked for follows.")
        }
    }
}
