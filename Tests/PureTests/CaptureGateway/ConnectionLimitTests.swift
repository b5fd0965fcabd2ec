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

    private func enter(_ limit: ConnectionLimit, _ number: Int) -> ConnectionLimit.Place {
        limit.enter { [closed] in closed.numbers.withLock { $0.append(number) } }
    }

    @Test func `the one that has waited for a request for longest`() {
        let limit = ConnectionLimit(connectionsMax: 3)
        let places = (0..<3).map { enter(limit, $0) }
        limit.note(places[0], isIdle: false)
        limit.note(places[0], isIdle: true)
        // 1 came before 2, and 0 has waited since its answer only.
        for number in 3..<6 { #expect(enter(limit, number).admission == .admitted) }
        #expect(closed.all == [1, 2, 0] && limit.count == 3)
    }

    @Test func `nobody who has a request under way`() {
        let limit = ConnectionLimit(connectionsMax: 2)
        let places = (0..<2).map { enter(limit, $0) }
        for place in places { limit.note(place, isIdle: false) }
        let refused = enter(limit, 2)
        #expect(refused.admission == .refused && closed.all.isEmpty)
        limit.leave(refused)
        limit.leave(places[0])
        #expect(enter(limit, 3).admission == .admitted && limit.count == 2)
    }

    @Test func `only a few are told, the others are closed without a word`() {
        let limit = ConnectionLimit(connectionsMax: 1)
        limit.note(enter(limit, 0), isIdle: false)
        let admissions = (1...100).map { enter(limit, $0).admission }
        #expect(admissions.count { $0 == .refused } == 16)
        #expect(admissions.count { $0 == .dropped } == 84)
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
