import CaptureQueue
import Logging
import NIOPosix
import RedisClient
import TestSupport
import Testing

@testable import RedisCaptureQueue

@Suite("Leases that a worker could not renew")
struct UnrenewedLeasesTests {
    private static let token = LaneToken(text: "1-0#1", partition: 0)

    /// A queue that asks no server, as nothing runs its client.
    private func queue(lease: Duration) -> RedisCaptureQueue {
        var configuration = RedisQueueConfiguration()
        configuration.leaseDuration = lease
        let client = RedisClient(
            configuration: RedisConfiguration(address: .tcp(host: "127.0.0.1", port: 1)),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: .quiet)
        return RedisCaptureQueue(client: client, configuration: configuration, consumer: "worker", logger: .quiet)
    }

    /// Others may still have the default lease while the setting is being changed.
    @Test(arguments: [
        (Duration.seconds(4), Duration.seconds(4)), (.seconds(5), .seconds(5)), (.seconds(30), .seconds(5)),
    ])
    func `a worker's leases may be lost when they were not renewed for their time, or for five seconds if that is less`(
        lease: Duration, silence: Duration
    ) {
        let queue = queue(lease: lease)
        #expect(queue.leases.hold([Self.token], sentAt: ContinuousClock.now - silence))
        #expect(queue.mayBeLost([Self.token]))
        queue.leases.noteRenewal(of: [Self.token], sentAt: .now)
        #expect(!queue.mayBeLost([Self.token]))
    }
}
