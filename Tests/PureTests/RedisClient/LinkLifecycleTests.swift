@testable import RedisClient
import Testing

@Suite("Life of a Redis link")
struct LinkLifecycleTests {
    private let fault = RedisError(.connection, "refused")

    @Test func `failures in a row are counted, and forgotten with a log-in`() {
        var link = LinkLifecycle(reconnects: true)
        #expect(link.start() == true)
        #expect(link.start() == false)
        for failures in 1...3 {
            guard case .retry(failures) = link.lost(fault) else { return fail("does not retry") }
            #expect(link.failedAttempts == failures - 1)
            #expect(link.retryDue() == true)
        }
        #expect(link.connected() == true)
        #expect(!link.isUp)
        #expect(link.lastFault?.message == "refused")
        link.loggedIn()
        #expect(link.isUp)
        #expect(link.lastFault == nil)
        guard case .retry(1) = link.lost(fault) else { return fail("does not start anew") }
        #expect(!link.isUp)
    }

    /// A replica lets everybody in, and refuses the first write: whoever came back at once would never stop.
    @Test func `a server that takes no writes is left ever longer, until another takes them`() {
        var link = up()
        for failures in 1...5 {
            guard case .retry(failures) = link.lost(fault, isDemoted: true) else { return fail("begins anew") }
            _ = link.retryDue()
            _ = link.connected()
            link.loggedIn()
            #expect(link.isUp && link.lastFault == nil)
        }
        // One that lets nobody in any more is still the same.
        guard case .retry(6) = link.lost(fault, isDemoted: true) else { return fail("begins anew") }
        _ = link.retryDue()
        guard case .retry(7) = link.lost(fault) else { return fail("begins anew") }
        _ = link.retryDue()
        _ = link.connected()
        link.loggedIn()
        guard case .retry(1) = link.lost(fault) else { return fail("does not begin anew") }
    }

    @Test func `the first loss of a server that came after one without writes is the first in a row`() {
        var link = up()
        for _ in 1...5 {
            _ = link.lost(fault, isDemoted: true)
            _ = link.retryDue()
            _ = link.connected()
            link.loggedIn()
        }
        guard case .retry(1) = link.lost(fault) else { return fail("goes on where the other ended") }
    }

    @Test func `a link that does not reconnect ends with its first fault`() {
        var link = LinkLifecycle(reconnects: false)
        #expect(link.start() == true)
        guard case .finish(let reason) = link.lost(fault) else { return fail("goes on") }
        #expect(reason == fault)
        #expect(link.refusal == fault)
        guard case .none = link.lost(fault) else { return fail("ends twice") }
    }

    @Test func `an orderly end waits for answers, refuses commands and does not reconnect`() {
        var link = up()
        #expect(link.drain(isIdle: false) == true)
        #expect(link.isUp)
        #expect(link.refusal?.code == .closed)
        guard case .finish = link.lost(fault) else { return fail("reconnects") }
        #expect(link.refusal?.code == .closed)
    }

    @Test func `an orderly end waits for nothing where nothing is under way`() {
        var idle = up()
        #expect(idle.drain(isIdle: true) == false)
        var waiting = up()
        _ = waiting.lost(fault)
        #expect(waiting.drain(isIdle: false) == false)
    }

    @Test func `a transport that comes after the end is not wanted`() {
        var link = LinkLifecycle(reconnects: true)
        #expect(link.start() == true)
        #expect(link.close(fault) == true)
        #expect(link.close(fault) == false)
        #expect(link.connected() == false)
        #expect(link.retryDue() == false)
        #expect(link.start() == false)
    }

    private func up() -> LinkLifecycle {
        var link = LinkLifecycle(reconnects: true)
        _ = link.start()
        _ = link.connected()
        link.loggedIn()
        return link
    }

    /// Records an issue and nothing else, for the `else` of a `guard`.
    private func fail(_ comment: Comment, sourceLocation: SourceLocation = #_sourceLocation) {
        Issue.record(comment, sourceLocation: sourceLocation)
    }
}
