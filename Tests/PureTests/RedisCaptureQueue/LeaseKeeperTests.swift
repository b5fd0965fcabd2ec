import CaptureQueue
import TestSupport
import Testing

@testable import RedisCaptureQueue

@Suite("The leases that a worker holds")
struct LeaseKeeperTests {
    private static let token = LaneToken(text: "1-0#1", partition: 0)

    private func keeper(_ time: ManualTime) -> LeaseKeeper {
        LeaseKeeper(ageMax: .seconds(900), now: { time.monotonic })
    }

    @Test func `a worker's leases are renewed for so long only, where nobody gives them back`() {
        let time = ManualTime()
        let keeper = keeper(time)
        #expect(keeper.hold([Self.token]))
        for _ in 0..<3 {
            time.advance(by: .seconds(300))
            #expect(keeper.dropLeaked().held == [0: [Self.token]])
            keeper.noteRenewal(wentThrough: true)
        }
        time.advance(by: .seconds(1))
        let (held, leaked) = keeper.dropLeaked()
        #expect(held.isEmpty && leaked == [Self.token])
        #expect(!keeper.holds(Self.token))
    }

    @Test
    func `a worker's leases may be lost when no renewal has gone through for so long, counted from when it was sent`() {
        let time = ManualTime()
        let keeper = keeper(time)
        func mayBeLost() -> Bool { keeper.mayBeLost([Self.token], after: .seconds(5)) }
        #expect(mayBeLost(), "it is not held")
        #expect(keeper.hold([Self.token]))
        time.advance(by: .seconds(4))
        #expect(!mayBeLost())
        let sentAt = time.monotonic
        time.advance(by: .seconds(1))
        #expect(mayBeLost())
        keeper.noteRenewal(of: [Self.token], sentAt: sentAt)
        #expect(!mayBeLost())
        time.advance(by: .seconds(4))
        #expect(mayBeLost())
        keeper.noteRenewal(of: [Self.token], sentAt: time.monotonic)
        #expect(!mayBeLost())
        keeper.markLost([Self.token])
        #expect(mayBeLost())
    }

    @Test func `a claim is as old as its question, however late its answer was read`() {
        let time = ManualTime()
        let keeper = keeper(time)
        let sentAt = time.monotonic
        time.advance(by: .seconds(5))
        #expect(keeper.hold([Self.token], sentAt: sentAt))
        #expect(keeper.mayBeLost([Self.token], after: .seconds(5)))
    }

    /// Until its settlement shows whether it was lost, no claim may take its token for one of a lost answer.
    @Test func `a lease that is being given back is held, whatever a renewal finds and however long it takes`() {
        let time = ManualTime()
        let keeper = keeper(time)
        #expect(keeper.hold([Self.token]))
        keeper.beginSettling([Self.token])
        #expect(keeper.markLost([Self.token]) == 0)
        #expect(keeper.holdsToken("1-0", partition: 0))
        time.advance(by: .seconds(901))
        let (held, leaked) = keeper.dropLeaked()
        #expect(held == [0: [Self.token]] && leaked.isEmpty)
        keeper.release([Self.token])
        #expect(!keeper.holdsToken("1-0", partition: 0))

        #expect(keeper.hold([Self.token]))
        #expect(keeper.markLost([Self.token]) == 1, "the one before has left nothing")
        #expect(!keeper.holds(Self.token))
    }

    @Test func `a token is told from one that begins alike, and from that of another partition`() {
        let keeper = keeper(ManualTime())
        #expect(keeper.hold([LaneToken(text: "1-01#1", partition: 0)]))
        #expect(keeper.holdsToken("1-01", partition: 0))
        #expect(!keeper.holdsToken("1-0", partition: 0) && !keeper.holdsToken("1-01", partition: 1))
    }

    /// As where Redis is away for an hour: whoever holds them waits for it.
    @Test func `a worker's leases grow no older while renewals fail`() {
        let time = ManualTime()
        let keeper = keeper(time)
        #expect(keeper.hold([Self.token]))
        time.advance(by: .seconds(300))
        for _ in 0..<12 {
            keeper.noteRenewal(wentThrough: false)
            time.advance(by: .seconds(300))
            #expect(keeper.dropLeaked().held == [0: [Self.token]])
        }
        keeper.noteRenewal(wentThrough: true)
        time.advance(by: .seconds(600))
        #expect(keeper.dropLeaked().leaked.isEmpty)
        time.advance(by: .seconds(1))
        #expect(keeper.dropLeaked().leaked == [Self.token])
    }

    @Test func `a worker's leases are as old as they are, also where they were taken during an outage`() {
        let time = ManualTime()
        let keeper = keeper(time)
        keeper.noteRenewal(wentThrough: false)
        time.advance(by: .seconds(3_600))
        #expect(keeper.hold([Self.token]))
        keeper.noteRenewal(wentThrough: true)
        time.advance(by: .seconds(900))
        #expect(keeper.dropLeaked().leaked.isEmpty)
        time.advance(by: .seconds(1))
        #expect(keeper.dropLeaked().leaked == [Self.token])
    }
}
