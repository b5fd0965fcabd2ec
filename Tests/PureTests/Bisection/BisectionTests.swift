import Bisection
import DeviceSimulator
import Testing

@Suite("A group that is halved where it fails")
struct BisectionTests {
    /// Tries the numbers below `count`, of which the culprits make every part fail that they are in.
    private func run(_ count: Int, culprits: Set<Int>) -> (done: [Int], alone: [Int], tries: Int) {
        var (done, alone, tries) = ([Int](), [Int](), 0)
        var parts = Bisection(Array(0..<count))
        while let part = parts.next() {
            tries += 1
            if culprits.isDisjoint(with: part) {
                done += part
            } else if !parts.halve(part) {
                alone += part
            }
        }
        return (done, alone, tries)
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func `every item of a group has one outcome, in its order and after a bounded number of tries`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 0...70, using: &generator)
        let rarity = Int.random(in: 1...20, using: &generator)
        let culprits = Set((0..<count).filter { _ in Int.random(in: 0..<rarity, using: &generator) == 0 })
        let (done, alone, tries) = run(count, culprits: culprits)
        #expect(done == (0..<count).filter { !culprits.contains($0) })
        #expect(alone == culprits.sorted())
        #expect(tries <= max(0, 2 * count - 1))
    }

    @Test(arguments: [1, 2, 3, 7, 64, 100, 1000])
    func `a group's only culprit is found in two tries for each halving`(count: Int) {
        // As many as the number can be halved, rounded up.
        let halvings = Int.bitWidth - (count - 1).leadingZeroBitCount
        for culprit in [0, count / 2, count - 1] {
            let (done, alone, tries) = run(count, culprits: [culprit])
            #expect(alone == [culprit] && done.count == count - 1)
            #expect(tries <= 1 + 2 * halvings)
        }
    }

    @Test func `items that are not tried yet stay in order, whatever is put before them or taken out`() {
        var parts = Bisection(Array(0..<8))
        let whole = parts.next()
        #expect(whole == (0..<8).map(\.self)[...] && parts.isEmpty && parts.rest.isEmpty)
        parts.putFirst([[0, 1], [], [2, 3, 4, 5, 6, 7]])
        #expect(parts.rest == Array(0..<8))
        parts.drop { [0, 1, 4].contains($0) }
        #expect(parts.rest == [2, 3, 5, 6, 7])
        #expect(parts.next() == [2, 3, 5, 6, 7] && parts.next() == nil)
    }

    @Test func `an empty group has nothing to try`() {
        var parts = Bisection([Int]())
        #expect(parts.isEmpty && parts.next() == nil)
    }
}
