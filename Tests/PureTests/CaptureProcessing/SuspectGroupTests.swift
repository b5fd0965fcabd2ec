import CaptureModel
import CaptureQueue
import DeviceSimulator
import Testing

@testable import CaptureProcessing

@Suite("Which suspects are worked together")
struct SuspectGroupTests {
    private func leases(_ kinds: [(Suspicion, captures: Int)]) -> [Lease] {
        var generator = SeededGenerator(seed: 85)
        return kinds.enumerated().map { number, kind in
            let jobs = (0..<kind.captures).map { _ in Work.job(bytes: 1, generator: &generator) }
            return Lease(
                token: LaneToken(text: "\(number)-0#1", partition: 0), device: .make(using: &generator), deliveries: 1,
                suspicion: kind.0, jobs: jobs)
        }
    }

    private func group(_ kinds: [(Suspicion, captures: Int)]) -> [Int] {
        let leases = leases(kinds)
        let (group, rest) = SuspectGroup.first(of: leases)
        #expect(Set((group + rest).map(\.token)) == Set(leases.map(\.token)))
        return group.compactMap { lease in leases.firstIndex { $0.token == lease.token } }
    }

    @Test func `a few suspects of slight suspicion are worked together`() {
        #expect(group([]) == [])
        #expect(group([(.slight, 4), (.slight, 4), (.slight, 4), (.slight, 4), (.slight, 1)]) == [0, 1, 2, 3])
        #expect(group([(.slight, 15), (.slight, 4), (.slight, 1)]) == [0, 2])
        #expect(group([(.slight, 40), (.slight, 1)]) == [0], "a lane is not divided here")
    }

    @Test func `a suspect of grave suspicion is worked alone`() {
        #expect(group([(.grave, 1), (.slight, 1), (.grave, 1)]) == [0])
        #expect(group([(.slight, 1), (.grave, 1), (.slight, 1)]) == [0, 2])
    }
}
