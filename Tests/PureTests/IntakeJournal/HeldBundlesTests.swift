import CaptureModel
import TestSupport
import Testing

@testable import IntakeJournal

@Suite("Bundles whose rows somebody holds")
struct HeldBundlesTests {
    private static func bundle(_ number: Int) -> SHA256Digest { .hash(Array("\(number)".utf8)) }

    @Test func `a held bundle is refused for a second, and goes alone for ten`() {
        let time = ManualTime()
        var held = HeldBundles()
        #expect(!held.hasConflicts(at: time.monotonic))
        held.noteConflict(of: Self.bundle(1), at: time.monotonic)
        for (bundle, isHeld) in [(Self.bundle(1), true), (Self.bundle(2), false)] {
            #expect(held.refuses(bundle, at: time.monotonic) == isHeld)
            #expect(held.setsApart(bundle, at: time.monotonic) == isHeld)
        }
        time.advance(by: HeldBundles.refusedFor - .milliseconds(1))
        #expect(held.refuses(Self.bundle(1), at: time.monotonic))
        time.advance(by: .milliseconds(1))
        #expect(!held.refuses(Self.bundle(1), at: time.monotonic))
        time.advance(by: HeldBundles.apartFor - HeldBundles.refusedFor - .milliseconds(1))
        #expect(held.setsApart(Self.bundle(1), at: time.monotonic) && held.hasConflicts(at: time.monotonic))
        time.advance(by: .milliseconds(1))
        #expect(!held.setsApart(Self.bundle(1), at: time.monotonic) && !held.hasConflicts(at: time.monotonic))
    }

    @Test func `the conflict of a group of uploads says of no bundle that it is held`() {
        let time = ManualTime()
        var held = HeldBundles()
        held.noteConflict(at: time.monotonic)
        #expect(held.hasConflicts(at: time.monotonic))
        #expect(!held.refuses(Self.bundle(1), at: time.monotonic))
    }

    /// Whoever has many bundles cannot fill the gateway's memory with them.
    @Test func `no more held bundles are kept than can conflict while they are, and those of before make room`() {
        let time = ManualTime()
        var held = HeldBundles()
        for number in 0..<600 { held.noteConflict(of: Self.bundle(number), at: time.monotonic) }
        var kept = (0..<600).filter { held.setsApart(Self.bundle($0), at: time.monotonic) }
        #expect(kept == Array(0..<512))

        // One that is kept counts from its last conflict, full or not.
        time.advance(by: HeldBundles.refusedFor)
        held.noteConflict(of: Self.bundle(0), at: time.monotonic)
        #expect(held.refuses(Self.bundle(0), at: time.monotonic))

        time.advance(by: HeldBundles.apartFor - HeldBundles.refusedFor)
        held.noteConflict(of: Self.bundle(599), at: time.monotonic)
        kept = (0..<600).filter { held.setsApart(Self.bundle($0), at: time.monotonic) }
        #expect(kept == [0, 599])
    }
}
