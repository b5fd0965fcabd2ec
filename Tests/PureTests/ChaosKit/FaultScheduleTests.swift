import ChaosKit
import Testing

@Suite("The faults of a chaos run are the seed's")
struct FaultScheduleTests {
    @Test func `the same seed gives the same faults, another seed others`() {
        let options = ChaosOptions(seed: 5, duration: .seconds(60))
        #expect(FaultSchedule(options).faults == FaultSchedule(options).faults)
        #expect(FaultSchedule(options).faults != FaultSchedule(ChaosOptions(seed: 6, duration: .seconds(60))).faults)
    }

    @Test func `a minute has every kind of fault, each within the load`() {
        var options = ChaosOptions(seed: 7, duration: .seconds(60))
        options.bundles = .filesystem
        let faults = FaultSchedule(options).faults
        #expect(faults.allSatisfy { (.zero..<options.duration).contains($0.at) })
        // Those that differ by server have two names.
        #expect(Set(faults.map(\.fault.kind)).count >= 15)
    }

    @Test func `Redis is flushed only where what was accepted survives it`() {
        var options = ChaosOptions(seed: 7, duration: .seconds(600))
        #expect(!FaultSchedule(options).faults.contains { $0.fault == .redisFlushed })
        options.bundles = .filesystem
        #expect(FaultSchedule(options).faults.contains { $0.fault == .redisFlushed })
    }
}
