import Synchronization
import Testing

@testable import CaptureGateway

@Suite("Who gives way when there are as many connections as may be")
struct ConnectionLimitTests {
    private final class Closed: Sendable {
        let numbers = Mutex<[Int]>([])
        var all: [Int] { numbers.withLock { $0 } }
    }

    private let closed = Closed()

    private func enter(_ limit: ConnectionLimit, _ number: Int, client: String? = nil) -> ConnectionLimit.Place {
        limit.enter(client: client) { [closed] in closed.numbers.withLock { $0.append(number) } }
    }

    /// As many connections with a request under way as a client gets, and what became of the next one.
    private func fill(
        _ limit: ConnectionLimit, as client: String?
    ) -> (busy: [ConnectionLimit.Place], next: ConnectionLimit.Admission) {
        var busy: [ConnectionLimit.Place] = []
        while true {
            let place = enter(limit, -1, client: client)
            guard limit.note(place, isIdle: false), place.admission == .admitted else {
                limit.leave(place)
                return (busy, place.admission)
            }
            busy.append(place)
        }
    }

    @Test func `a client has three times what it leaves free, and one in any case`() {
        let limit = ConnectionLimit(connectionsMax: 16)
        let (first, second) = (fill(limit, as: "a"), fill(limit, as: "b"))
        #expect(first.busy.count == 12 && second.busy.count == 3)
        #expect([first.next, second.next] == [.overShare(isTold: true), .overShare(isTold: true)])
        let third = fill(limit, as: "c")
        #expect(third.busy.count == 1 && limit.count == 16 && closed.all.isEmpty)
        // All places are taken now, whoever comes.
        #expect(third.next == .refused)
        // Nobody is in the way any more.
        for place in first.busy + second.busy + third.busy { limit.leave(place) }
        #expect(fill(limit, as: "b").busy.count == 12)
    }

    @Test func `connections that wait are no part of a share, and a request on one of them asks for it`() {
        let limit = ConnectionLimit(connectionsMax: 16)
        let places = (0..<16).map { enter(limit, $0, client: "a") }
        let working = places.map { limit.note($0, isIdle: false) }
        #expect(working.count { $0 } == 12 && working.suffix(4).allSatisfy { !$0 })
        // The four give way to others, and to nobody at their own address.
        #expect(enter(limit, 16, client: "a").admission == .overShare(isTold: true) && closed.all.isEmpty)
        #expect(enter(limit, 17, client: "b").admission == .admitted && closed.all == [12])
        limit.note(places[0], isIdle: true)
        #expect(limit.note(places[13], isIdle: false))
    }

    @Test func `a trusted proxy may have all connections, as it speaks for many`() {
        let limit = ConnectionLimit(connectionsMax: 16)
        #expect(fill(limit, as: nil).busy.count == 16)
        let proxies = TrustedProxies(["10.0.0.0/8"])
        #expect(proxies.client(ofConnectionFrom: IPAddress("10.0.0.1")) == nil)
        #expect(proxies.client(ofConnectionFrom: IPAddress("127.0.0.1")) == "127.0.0.1")
        #expect(proxies.client(ofConnectionFrom: nil) == "local")
        let neighbours = ["2001:db8:0:1::1", "2001:db8:0:1:ffff::2"].map { address in
            proxies.client(ofConnectionFrom: IPAddress(address))
        }
        #expect(neighbours[0] != nil && neighbours[0] == neighbours[1])
    }

    @Test func `the connection that has waited for a request for longest gives way first`() {
        let limit = ConnectionLimit(connectionsMax: 3)
        let places = (0..<3).map { enter(limit, $0) }
        limit.note(places[0], isIdle: false)
        limit.note(places[0], isIdle: true)
        // 1 came before 2, and 0 has waited since its answer only.
        for number in 3..<6 { #expect(enter(limit, number).admission == .admitted) }
        #expect(closed.all == [1, 2, 0] && limit.count == 3)
    }

    @Test func `no connection with a request under way gives way`() {
        let limit = ConnectionLimit(connectionsMax: 2)
        let places = (0..<2).map { enter(limit, $0) }
        for place in places { limit.note(place, isIdle: false) }
        let refused = enter(limit, 2)
        #expect(refused.admission == .refused && closed.all.isEmpty)
        limit.leave(refused)
        limit.leave(places[0])
        #expect(enter(limit, 3).admission == .admitted && limit.count == 2)
    }

    @Test func `only a few connections are told that they are refused, the others are closed without a word`() {
        let limit = ConnectionLimit(connectionsMax: 1)
        limit.note(enter(limit, 0), isIdle: false)
        let admissions = (1...100).map { enter(limit, $0).admission }
        #expect(admissions.count { $0 == .refused } == 16)
        #expect(admissions.count { $0 == .dropped } == 84)
    }

    @Test func `so it is with those beyond a share, and none of them is told that there is no place`() {
        let limit = ConnectionLimit(connectionsMax: 16)
        let busy = fill(limit, as: "a").busy
        let refused = (1...100).map { enter(limit, $0, client: "a") }
        #expect(refused.count { $0.admission == .overShare(isTold: true) } == 16)
        #expect(refused.count { $0.admission == .overShare(isTold: false) } == 84)
        #expect(enter(limit, 101, client: "b").admission == .admitted)
        for place in refused { limit.leave(place) }
        #expect(enter(limit, 102, client: "a").admission == .overShare(isTold: true) && busy.count == 12)
    }

    @Test func `requests without number leave no trace`() {
        let limit = ConnectionLimit(connectionsMax: 2)
        let busy = enter(limit, 0)
        for _ in 0..<1000 {
            limit.note(busy, isIdle: false)
            limit.note(busy, isIdle: true)
        }
        _ = enter(limit, 1)
        _ = enter(limit, 2)
        #expect(closed.all == [0])
    }
}
