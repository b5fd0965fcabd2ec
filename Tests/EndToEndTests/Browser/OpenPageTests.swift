import CaptureModel
import CaptureQueue
import DeviceSimulator
import GatewayClient
import RedisCaptureQueue
import TestSupport
import Testing

/// What becomes of a page of the dashboard that somebody has open.
@Suite("Open pages of the dashboard", .timeLimit(.minutes(8)))
struct OpenPageTests {
    private static let isLive = "document.querySelector('#live').textContent === 'live'"
    /// What the gateway answers with 500: no server is away.
    private static let failure = #"""
        async () => new Response('<span id="failure">The request could not be completed.</span><code id="request">r-1',
          { status: 500 })
        """#

    @Test func `a capture that was given up is followed to its result, once it is redriven`() async throws {
        try await DashboardScene.with { stack, gateway, page, address in
            let phone = try await Phone.register(with: gateway, authority: stack.authority)
            let capture = try await phone.upload(phone.shoot(seed: 1))
            let fault = String(repeating: "connectionrefused", count: 16)
            let dead = try await stack.withBackstage { queue, _, _ in try await queue.bury(fault: fault) }
            #expect(dead == [capture])
            try await fitsOnAPhone(page, address)
            try await keepsItsPlace(page, address, phone)
            try await confirmsWhatItPreviewed(page, "\(address)/devices/\(phone.id)")

            try await page.go(to: "\(address)/captures/\(capture)")
            try await page.until(Self.isLive)
            #expect(try await page.text("document.querySelector('.headline .state').textContent") == "failed")
            // Held, it asks nobody, what was asked before comes too late, and it goes on when it is let go.
            try await asksSlowly(page)
            _ = try await page.text("document.querySelector('#hold').click()")
            #expect(try await page.text("document.querySelector('#live').textContent") == "held")
            #expect(try await page.text("timer === null && source === null") == "true")
            let isPutBack = try await stack.withBackstage { queue, _, _ in try await queue.redrive(capture) }
            #expect(isPutBack)
            _ = try await page.text("letThrough()")
            try await page.until("window.isAnswered && !isRefreshing")
            #expect(try await page.text("document.querySelector('.headline .state').textContent") == "failed")
            #expect(try await page.text("document.querySelector('#live').textContent") == "held")
            #expect(try await page.text("document.querySelector('#stale').innerText") == "")
            _ = try await page.text("window.fetch = asked")
            _ = try await page.text("document.querySelector('#hold').click()")
            try await page.until("document.querySelector('.headline .state').textContent === 'queued'")
            // Later ones of its device are before it in the lane by now.
            let worker = try stack.worker()
            try await page.until("document.querySelector('.headline .state').textContent === 'rejected'")
            // Told in another tab, and aloud.
            try await page.until("document.title.startsWith('Rejected: capture ')")
            let news = try await page.text("document.querySelector('#news').textContent")
            #expect(news == "The capture is rejected now.")
            try await page.until("document.querySelector('#live').textContent === 'settled'")
            try await worker.kill()
        }
    }

    @Test func `an open page says when it is not current any more, and what was asked for follows the next login`()
        async throws
    {
        try await DashboardScene.with { _, _, page, address in
            try await comesFromElsewhere(page, address)
            try await page.go(to: "\(address)/captures")
            try await page.until(Self.isLive)
            _ = try await page.text("window.asked = window.fetch")
            for (fetch, trouble) in [
                // A page of the gateway, and a proxy's own answer.
                (Self.failure, #"The request could not be completed\. Request r-1"#),
                ("async () => new Response('', { status: 503 })", "the gateway answers 503"),
                ("async () => { throw new Error('refused') }", "the gateway does not answer"),
            ] {
                _ = try await page.text("(window.fetch = \(fetch), want())")
                let words = "/^Not current since \\d\\d:\\d\\d:\\d\\d UTC: \(trouble)\\.$/"
                try await page.until("\(words).test(document.querySelector('#stale').innerText.trim())")
                #expect(try await page.text("document.querySelector('#live').textContent") == "not current")
            }
            // The next evening, last night has its date.
            _ = try await page.text("(currentAt = new Date('2020-01-02T23:58:03Z'), tell())")
            let since = "Not current since 2020-01-02 23:58:03 UTC: the gateway does not answer."
            #expect(try await page.text("document.querySelector('#stale').innerText").contains(since))
            _ = try await page.text("(window.fetch = window.asked, want())")
            try await page.until("document.querySelector('#stale').innerText === ''")
            try await page.until(Self.isLive)

            // Nothing of what somebody types is lost.
            try await page.fill("#q", "half an id")
            try await page.send("Network.clearBrowserCookies")
            try await page.until("document.querySelector('#stale a') !== null")
            #expect(try await page.text("document.querySelector('#stale').innerText").contains("login has ended"))
            #expect(try await page.text("document.querySelector('#q').value") == "half an id")
            try await page.click("#stale a", then: "document.querySelector('#login') !== null")
            try await logIn(page, then: "location.pathname === '/dashboard/captures'")

            try await page.go(to: address)
            try await page.send("Network.clearBrowserCookies")
            try await page.click("button[value=pause]", then: "document.body.innerText.includes('nothing was done')")
            try await logIn(page, then: "document.querySelector('button[value=pause]') !== null")
            try await isSentOnce(page)
            try await followsALink(page, address)
        }
    }

    /// The buttons of the new login are beside its name, and what they do is done in it.
    @Test func `an open page is of whoever has logged in last, in whichever tab`() async throws {
        try await DashboardScene.with { stack, _, page, address in
            try await page.until(Self.isLive)
            #expect(try await page.text("document.querySelector('.who bdi').textContent") == "alice")
            let form = "new URLSearchParams({ token: '\(DashboardScene.operatorToken)', name: 'judy' })"
            // As another tab does it.
            _ = try await page.text("fetch('/dashboard/login', { method: 'POST', body: \(form) })")
            try await page.until("document.querySelector('.who bdi').textContent === 'judy'")
            try await page.until(Self.isLive)
            try await page.click("button[value=pause]", then: "document.querySelector('button[value=resume]') !== null")
            let actor = try await stack.psql("SELECT actor FROM audit WHERE action = 'queue.pause'")
            #expect(actor.hasPrefix("judy (dashboard, token "))
        }
    }

    /// The page is in the middle of asking, and its question leaves when it is let through.
    private func asksSlowly(_ page: BrowserPage) async throws {
        _ = try await page.text(
            """
            (window.asked = window.fetch, window.fetch = async (...request) => {
              window.isAsked = true;
              await new Promise((done) => { window.letThrough = done });
              try { return await asked(...request) } finally { window.isAnswered = true }
            }, want())
            """)
        try await page.until("window.isAsked")
    }

    /// By a link of another site, with which the browser shows no cookie: who is logged in is not asked again.
    private func comesFromElsewhere(_ page: BrowserPage, _ address: String) async throws {
        try await page.go(to: "\(address.replacing("127.0.0.1", with: "localhost"))/login")
        #expect(try await page.text("location.hostname") == "localhost")
        _ = try await page.text("setTimeout(() => { location.href = '\(address)/devices' }, 0)")
        try await page.until("location.href === '\(address)/devices'")
    }

    private func logIn(_ page: BrowserPage, then condition: String) async throws {
        try await page.fill("#token", DashboardScene.operatorToken)
        try await page.fill("#name", "alice")
        try await page.click("#login button", then: condition)
    }

    /// In a tab that shows the login already, only what is behind the # is new.
    private func followsALink(_ page: BrowserPage, _ address: String) async throws {
        try await page.send("Network.clearBrowserCookies")
        try await page.go(to: "\(address)/login")
        let link = "#token=\(DashboardScene.operatorToken)&name=alice"
        _ = try await page.text("setTimeout(() => { location.hash = '\(link)' }, 0)")
        try await page.until("location.pathname === '/dashboard' && document.querySelector('#login') === null")
    }

    /// However often it is clicked, until its answer is overdue or somebody comes back to the page.
    private func isSentOnce(_ page: BrowserPage) async throws {
        _ = try await page.text(
            """
            (window.lapses = [], window.setTimeout = (lapse) => lapses.push(lapse),
            window.sent = [], addEventListener('submit', (event) => {
              sent.push(!event.defaultPrevented);
              event.preventDefault();
            }))
            """)
        let click = "document.querySelector('button[value=pause]').click()"
        #expect(try await page.text("(\(click), \(click), sent.join())") == "true,false")
        _ = try await page.text("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
        #expect(try await page.text("(\(click), sent.join())") == "true,false,true")
        #expect(try await page.text("(lapses.forEach((lapse) => lapse()), \(click), sent.at(-1))") == "true")
    }

    /// No word of a fault, no search and no name makes a page wider, and the link of the page is seen.
    private func fitsOnAPhone(_ page: BrowserPage, _ address: String) async throws {
        try await page.look(width: 375, height: 812)
        for path in ["/dead", "/captures?q=\(String(repeating: "q", count: 200))", "/audit"] {
            try await page.go(to: address + path)
            try await DashboardScene.fits(page, path)
            _ = try await page.text("document.querySelector('.who bdi').textContent = 'W'.repeat(64)")
            try await DashboardScene.fits(page, "\(path) of somebody with a long name")
            let places = "['.top nav a[aria-current]', '.top nav'].map((s) => document.querySelector(s))"
            let edges = "\(places).map((e) => e.getBoundingClientRect())"
            let isSeen = "(([link, room]) => link.left >= room.left && link.right <= room.right + 1)(\(edges))"
            #expect(try await page.text(isSeen) == "true", "the link of \(path)")
        }
    }

    /// A row more takes the focus to no other capture, the table not back to its left, and no row from where it is read.
    private func keepsItsPlace(_ page: BrowserPage, _ address: String, _ phone: Phone) async throws {
        let (rows, table) = ("table.captures tbody tr", "document.querySelector('#captures-live .scroll')")
        try await page.go(to: "\(address)/captures")
        try await page.until(Self.isLive)
        let count = try await page.text("document.querySelectorAll('\(rows)').length")
        _ = try await page.text("document.querySelector('\(rows):last-child a.id').focus()")
        let focused = try await page.text("document.activeElement.href")
        #expect(try await page.text("(\(table).scrollLeft = 40, \(table).scrollLeft)") == "40")
        // The head of the list is out of sight.
        let place = "document.activeElement.getBoundingClientRect().top"
        let down = "(document.body.style.paddingBottom = '200vh', scrollBy(0, \(place) - 5), window.place = \(place))"
        #expect(try await page.text("\(down) > 0 && \(table).getBoundingClientRect().top < 0") == "true")
        _ = try await phone.upload(phone.shoot(seed: 2))
        try await page.until("document.querySelectorAll('\(rows)').length > \(count)")
        #expect(try await page.text("Math.abs(\(place) - window.place) < 2") == "true")
        #expect(try await page.text("document.activeElement.href") == focused)
        #expect(try await page.text("\(table).scrollLeft") == "40")
        try await page.look(width: 1280, height: 900)
    }

    /// A preview does not confirm what was changed after it.
    private func confirmsWhatItPreviewed(_ page: BrowserPage, _ address: String) async throws {
        try await page.go(to: address)
        try await page.fill("#reason", "stolen")
        // With its script, which hears of the change.
        let isShown = "document.readyState === 'complete' && document.querySelector('.confirm .danger') !== null"
        try await page.click("button[name=preview]", then: isShown)
        try await page.fill("#reason", "lost")
        let tell = "document.querySelector('#reason').dispatchEvent(new Event('input', { bubbles: true }))"
        #expect(try await page.text("(\(tell), document.querySelector('.confirm'))") == "null")
        try await page.click("button[name=preview]", then: "document.querySelector('.confirm .danger') !== null")
    }
}
