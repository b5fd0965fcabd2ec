import FoundationEssentials
import Testing

@testable import ServerProgram

@Suite("Freed memory", .timeLimit(.minutes(1)))
struct MemoryReturnTests {
    private static let start = ContinuousClock.now

    /// Looks at a process that has computed for so long since the look before, two seconds ago.
    private static func isDue(
        afterComputing time: Duration, held: Int, freed: Int, _ change: (inout MemoryReturnState) -> Void = { _ in }
    ) -> Bool {
        var state = MemoryReturnState()
        let dueAtOnce = state.freedBytesDue(at: start, processorTime: .seconds(7), held: held) { freed }
        #expect(dueAtOnce == nil, "nothing is known of the time before")
        change(&state)
        let due = state.freedBytesDue(at: start + .seconds(2), processorTime: .seconds(7) + time, held: held) { freed }
        #expect(due == nil || due == freed)
        return due != nil
    }

    @Test(arguments: [
        (300, 64, true), (300, 63, false), (63, 63, false),
    ]) func `freed memory is given back in calm times, if it is worth while`(held: Int, freed: Int, isDue: Bool) {
        #expect(Self.isDue(afterComputing: .milliseconds(500), held: held << 20, freed: freed << 20) == isDue)
    }

    @Test(arguments: [(512, false), (513, true)])
    func `freed memory is given back in busy times when the process may be killed for it`(held: Int, isDue: Bool) {
        #expect(Self.isDue(afterComputing: .milliseconds(501), held: held << 20, freed: 64 << 20) == isDue)
    }

    @Test func `freed memory is not given back again at once: that shall never take more than a tenth of the time`() {
        let start = Self.start
        for (took, isDue) in [(Duration.milliseconds(100), true), (.milliseconds(200), false)] {
            let isDueAgain = Self.isDue(afterComputing: .zero, held: 600 << 20, freed: 100 << 20) {
                $0.gaveBack(100 << 20, from: start, to: start + took)
            }
            #expect(isDueAgain == isDue)
        }
    }

    @Test func `freed memory is left alone for a minute when almost none of it went back`() {
        var state = MemoryReturnState()
        let start = Self.start
        state.gaveBack((16 << 20) - 1, from: start, to: start)
        let looks = [1, 59, 60].map { second in
            state.freedBytesDue(at: start + .seconds(second), processorTime: .zero, held: 600 << 20) { 100 << 20 }
        }
        #expect(looks == [nil, nil, 100 << 20])
    }

    /// On a busy machine it takes half a second, in which requests go on.
    @Test(arguments: [
        (500, 0, 100), (600, 100, 0),
        // As much came into use, or half of it was freed, while it went back.
        (600, 0, 100), (500, 50, 100),
    ])
    func `what went back is known although other memory came into use or was freed meanwhile`(
        held: Int, freed: Int, returned: Int
    ) {
        let before = HeldMemory(bytes: 600 << 20, freedBytes: 100 << 20)
        let after = HeldMemory(bytes: held << 20, freedBytes: freed << 20)
        #expect(before.bytesReturned(until: after) == returned << 20)
    }

    /// The C library itself would give back what lies behind the last block that is in use.
    ///
    /// ThreadSanitizer has an allocator of its own in the C library's place.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["TSAN_OPTIONS"] == nil))
    func `freed memory goes back to the system although there is a block in use behind it`() async {
        await #expect(processExitsWith: .success) {
            let bytes = 4000
            var blocks = (0..<50_000).map { _ in
                let block = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 16)
                block.initializeMemory(as: UInt8.self, repeating: 1, count: bytes)
                return block
            }
            let last = blocks.removeLast()
            for block in blocks { block.deallocate() }
            let before = try #require(FreedMemory.bytes())
            FreedMemory.giveBack()
            let after = try #require(FreedMemory.bytes())
            #expect(before - after > 150 << 20)
            last.deallocate()
        }
    }
}
