import CaptureQueue
import Testing

@testable import RedisCaptureQueue

@Suite("How often leases are renewed")
struct RenewalIntervalTests {
    @Test(arguments: [
        (Duration.milliseconds(500), Duration.milliseconds(500) / 3),
        (Duration.seconds(3), Duration.seconds(1)), (Duration.seconds(5), Duration.milliseconds(1_500)),
        (Duration.seconds(60), Duration.milliseconds(1_500)), (Duration.seconds(600), Duration.milliseconds(1_500)),
    ])
    func `the interval of renewals is a third of the lease's time, and often enough for signs of life`(
        lease: Duration, interval: Duration
    ) {
        #expect(LeaseRenewer.interval(ofLease: lease) == interval)
        // Two signs may be lost, and the worker counts as alive.
        #expect(Heartbeat.signInterval + interval <= WorkerStatus.silenceMax / 3)
    }
}
