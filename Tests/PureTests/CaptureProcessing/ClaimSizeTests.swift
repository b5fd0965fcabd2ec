@testable import CaptureProcessing
import AppAttest
import CaptureQueue
import DeviceSimulator
import Testing

@Suite("A claim takes about as much as a batch holds")
struct ClaimSizeTests {
    private var generator = SeededGenerator(seed: 1)

    private var configuration: WorkerConfiguration {
        var configuration = WorkerConfiguration(appIDs: [])
        configuration.batchBytesMax = 48_000_000
        configuration.batchCapturesMax = 256
        configuration.claimLanesMax = 64
        configuration.capturesPerLaneMax = 16
        return configuration
    }

    private mutating func leases(_ lanes: Int, of captures: Int = 1, bytes: Int) -> [Lease] {
        (0..<lanes).map { lane in
            let jobs = (0..<captures).map { _ in Work.job(bytes: bytes, generator: &generator) }
            return Work.lease(lane, jobs, generator: &generator)
        }
    }

    @Test func `before anything is known a claim takes a few lanes`() {
        #expect(ClaimSize(configuration).next == .init(lanes: 16, capturesPerLane: 2))
    }

    @Test(arguments: [
        // Bundle bytes, captures that each lane brought, what the next claim takes.
        (0, 1, 64, 2), (4_096, 1, 64, 2), (4_096, 2, 64, 4), (4_096, 8, 32, 16), (4_096, 16, 16, 16),
        (750_000, 1, 64, 2), (3_000_000, 1, 16, 2), (3_000_000, 4, 4, 8), (3_000_000, 16, 1, 16),
        (20_000_000, 1, 2, 2), (20_000_000, 2, 1, 2), (100_000_000, 1, 1, 1),
    ])
    mutating func `the next claim is one batch of what came before`(
        bytes: Int, captures: Int, nextLanes: Int, nextPerLane: Int
    ) {
        let size = ClaimSize(configuration)
        for _ in 0..<3 { size.note(leases(4, of: captures, bytes: bytes)) }
        #expect(size.next == .init(lanes: nextLanes, capturesPerLane: nextPerLane))
    }

    @Test mutating func `of deep lanes a claim takes as much as a batch holds, whatever their number`() {
        for (lanes, bytes, batch) in [(1_000, 4_096, 256), (10, 4_096, 160), (1, 4_096, 16), (40, 3_000_000, 16)] {
            let size = ClaimSize(configuration)
            for _ in 0..<6 {
                let next = size.next
                size.note(leases(min(next.lanes, lanes), of: next.capturesPerLane, bytes: bytes))
            }
            #expect(min(size.next.lanes, lanes) * size.next.capturesPerLane == batch)
        }
    }

    @Test mutating func `a claim follows what comes, whatever that is, and one that brought nothing says nothing`() {
        let size = ClaimSize(configuration)
        for _ in 0..<20 { size.note(leases(64, bytes: 4_096)) }
        size.note([])
        size.note(leases(3, of: 0, bytes: 0))
        #expect(size.next == .init(lanes: 64, capturesPerLane: 2))
        for _ in 0..<10 { size.note(leases(10, bytes: 3_200_000)) }
        #expect(size.next.lanes == 15 || size.next.lanes == 16)
        for _ in 0..<200 {
            let bytes = Int.random(in: 0...60_000_000, using: &generator)
            size.note(leases(.random(in: 1...64, using: &generator), bytes: bytes))
            #expect((1...64).contains(size.next.lanes) && (1...16).contains(size.next.capturesPerLane))
        }
    }
}
