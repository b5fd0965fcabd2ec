import Synchronization
import Testing

@testable import CaptureProcessing

@Suite("Portions of a batch", .timeLimit(.minutes(1)))
struct PortionsTests {
    @Test(
        arguments: [(0, []), (1, [0..<1]), (6, [0..<3, 3..<6]), (7, [0..<3, 3..<6, 6..<7])] as [(Int, [Range<Int>])])
    func `portions of a batch are all of a size, but the last`(count: Int, ranges: [Range<Int>]) {
        #expect(Portions.ranges(of: count, size: 3) == ranges)
    }

    @Test(arguments: 1...9) func `portions of a batch are each worked once, and their results keep the order`(
        concurrency: Int
    ) async {
        let worked = Mutex<[Int]>([])
        let ranges = Portions.ranges(of: 100, size: 7)
        let found = await Portions.map(ranges, concurrency: concurrency) { portion -> [Int] in
            worked.withLock { $0.append(portion.lowerBound) }
            return portion.map { -$0 }
        }
        #expect(found == (0..<100).map { -$0 })
        let begun = worked.withLock { $0.sorted() }
        #expect(begun == ranges.map(\.lowerBound))
    }
}
