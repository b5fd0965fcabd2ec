import CaptureModel
import CaptureQueue
import DeviceSimulator
import Foundation
import GatewayClient
import RedisCaptureQueue
import TestSupport
import Testing

/// What an operator does at the dashboard, over the whole system.
@Suite("Deeds at the dashboard in a browser", .timeLimit(.minutes(8)))
struct DashboardDeedsTests {
    @Test func `dead letters are put back by themselves or by their group, and deleted`() async throws {
        try await DashboardScene.with { stack, gateway, page, address in
            let phone = try await Phone.register(with: gateway, authority: stack.authority)
            for seed in 11...13 { _ = try await phone.upload(phone.shoot(seed: UInt64(seed))) }
            let dead = try await stack.withBackstage { queue, _, _ in try await queue.bury(fault: "connection refused")
            }
            let worker = try stack.worker()
            try await retries(page, address, phone, dead)
            try await DashboardScene.fitOnAPhone(page, address, ["/dead", "/audit"])
            try await worker.kill()
        }
    }

    /// Otherwise the doctor would call it lost, and it would be put back as soon as a ledger is kept again.
    @Test func `a dead letter that is deleted loses its row of the time when a ledger was kept`() async throws {
        try await DashboardScene.with(["CAPTURE_QUEUE_DURABILITY": "fsync"]) { stack, _, page, address in
            let before = try await stack.gateway(["CAPTURE_QUEUE_DURABILITY": "ledger"])
            let phone = try await Phone.register(with: before.client, authority: stack.authority)
            let capture = try await phone.upload(phone.shoot(seed: 1))
            try await before.process.kill()
            let dead = try await stack.withBackstage { queue, _, _ in try await queue.bury(fault: "of the test") }
            #expect(dead == [capture])
            #expect(try await stack.psql("SELECT capture_id FROM intake") == capture.description)
            try await page.go(to: "\(address)/dead")
            try await delete(capture, page)
            #expect(try await stack.psql("SELECT capture_id FROM intake").isEmpty)
        }
    }

    @Test func `a device is revoked, and what its compromised key has signed is marked`() async throws {
        try await DashboardScene.with { stack, gateway, page, address in
            let phone = try await Phone.register(with: gateway, authority: stack.authority)
            let worker = try stack.worker()
            #expect(try await phone.settled(phone.upload(phone.shoot(seed: 1))).state == .verified)
            try await revokes(page, address, phone)
            try await marks(page, address, phone)
            try await DashboardScene.fitOnAPhone(page, address, ["/devices", "/audit"])
            try await worker.kill()
        }
    }

    /// Of a choice that is cut nobody sees whether a device is only revoked.
    @Test func `choices of what is listed, and of what a revocation does, are shown whole`() async throws {
        try await DashboardScene.with { stack, gateway, page, address in
            let phone = try await Phone.register(with: gateway, authority: stack.authority)
            for width in [1280, 768, 390] {
                try await page.look(width: width, height: 844)
                for path in ["/audit", "/devices/\(phone.id)"] {
                    try await page.go(to: address + path)
                    try await DashboardScene.choicesFit(page, "\(path) at \(width)")
                }
            }
        }
    }

    /// A name, a model, a fault or the address of a ticket may be one long word.
    @Test func `no word that somebody wrote makes a table wider than its card`() async throws {
        try await DashboardScene.with { stack, gateway, page, address in
            let phone = try await Phone.register(
                with: gateway, authority: stack.authority,
                device: SimulatedDevice(appID: Stack.appID, model: String(repeating: "M", count: 64)))
            let capture = try await phone.upload(phone.shoot(seed: 1))
            let fault = String(repeating: "connectionrefused", count: 16)
            let dead = try await stack.withBackstage { queue, _, _ in try await queue.bury(fault: fault) }
            #expect(dead == [capture])
            try await page.look(width: 1440, height: 900)
            try await page.click(".who button", then: "location.pathname === '/dashboard/login'")
            try await page.fill("#token", DashboardScene.operatorToken)
            try await page.fill("#name", String(repeating: "W", count: 64))
            try await page.click("#login button", then: "location.pathname === '/dashboard'")
            try await page.go(to: "\(address)/devices/\(phone.id)")
            try await page.fill("#reason", "https://tickets.example/4711?q=" + String(repeating: "q", count: 400))
            try await page.click("button[name=preview]", then: "document.querySelector('.confirm .danger') !== null")
            try await page.click(
                ".confirm .danger", then: "document.querySelector('.notice')?.innerText === 'The device was revoked.'")
            let paths = ["/devices/\(phone.id)", "/devices", "/audit"]
            for path in paths {
                try await page.go(to: address + path)
                try await DashboardScene.tablesFit(page, path)
            }
            try await DashboardScene.fitOnPaper(page, address, paths)
            try await hasLinksInOneRow(page, "\(address)/audit")
            try await page.look(width: 1440, height: 900)
            try await page.send("Emulation.setScriptExecutionDisabled", ["value": true])
            try await page.go(to: "\(address)/dead")
            try await page.click(
                "[id^=group-] button[value=discard-group]", then: "document.querySelector('.confirm .danger') !== null")
            try await DashboardScene.tablesFit(page, "the question before a discard")
        }
    }

    /// Beside a long name, and with thousands of dead letters.
    private func hasLinksInOneRow(_ page: BrowserPage, _ address: String) async throws {
        for width in [1280, 1366] {
            try await page.look(width: width, height: 900)
            try await page.go(to: address)
            _ = try await page.text("document.querySelector('#dead-live').textContent = '12 345'")
            let rows = "new Set([...document.querySelectorAll('.top nav a')].map((link) => link.offsetTop)).size"
            #expect(try await page.text(rows) == "1", "\(width)")
        }
    }

    /// One of three dead letters is redriven by itself, one with its group, and one deleted.
    private func retries(
        _ page: BrowserPage, _ address: String, _ phone: Phone, _ dead: [CaptureID]
    ) async throws {
        try await page.go(to: "\(address)/dead")
        #expect(try await page.text("document.querySelector('[id^=group-]').innerText").contains("connection refused"))
        try await DashboardScene.shoot(page, "dead")
        _ = try await page.text("document.querySelector('input[name=letter][value$=\"\(dead[0])\"]').click()")
        try await page.click(
            "[id^=group-] button[value=redrive]", then: "document.body.innerText.includes('1 capture was put back')")
        _ = try await phone.settled(dead[0])
        try await delete(dead[2], page)
        _ = try await page.text("window.confirm = (question) => !question.startsWith('Put back 1 capture of 1 device')")
        _ = try await page.text("document.querySelector('[id^=group-] button[value=redrive-group]').click()")
        #expect(try await page.text("document.querySelector('form[data-sent]') === null") == "true", "refused")
        _ = try await page.text("window.confirm = (question) => question.startsWith('Put back 1 capture of 1 device')")
        try await page.click(
            "[id^=group-] button[value=redrive-group]", then: "document.body.innerText.includes('There is none.')")
        #expect(try await phone.settled(dead[1]).state == .verified)
        try await page.go(to: "\(address)/captures/\(dead[0])")
        #expect(try await page.text("document.querySelector('#audit').innerText").contains("capture.redrive"))
    }

    /// Deletes one dead letter of the first group on the page.
    private func delete(_ capture: CaptureID, _ page: BrowserPage) async throws {
        _ = try await page.text("document.querySelector('input[name=letter][value$=\"\(capture)\"]').click()")
        _ = try await page.text("window.confirm = (question) => question.includes('for good')")
        try await page.click(
            "[id^=group-] button[value=discard]",
            then: "document.body.innerText.includes('1 capture was deleted for good')")
    }

    private func revokes(_ page: BrowserPage, _ address: String, _ phone: Phone) async throws {
        try await page.go(to: "\(address)/devices/\(phone.id)")
        try await page.fill("#reason", "stolen, ticket 4711")
        try await page.fill("#from", "2020-01-01T00:00:00")
        try await page.click("button[name=preview]", then: "document.querySelector('#preview') !== null")
        #expect(try await page.text("document.querySelector('#preview').innerText").contains("which stay verified"))
        try await page.until("document.activeElement === document.querySelector('#preview')")
        try await DashboardScene.shoot(page, "device")
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
        try await page.look(width: 360, height: 780)
        try await DashboardScene.fits(page, "the preview of a compromise")
        try await page.look(width: 1280, height: 900)
        try await page.click(
            ".confirm .danger",
            then: "(document.querySelector('.notice')?.innerText ?? '').endsWith('1 verified result is marked.')")
        let chip = try await page.text("document.querySelector('.title .chip.bad').innerText")
        #expect(chip.hasPrefix("compromised since 2020-01-01"))
        try await DashboardScene.shoot(page, "device-compromised")
        try await page.go(to: "\(address)/captures?state=verified&device=\(phone.id)")
        try await page.click("table.captures a.id", then: "document.querySelector('.headline .chip.bad') !== null")
    }
}
