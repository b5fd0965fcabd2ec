import AppleDeviceCheck
import CaptureGateway
import CaptureModel
import CaptureProcessing
import FilesystemBundleStore
import GatewaySettings
import PostgresClient
import Waiting
import WorkerSettings

@testable import CaptureSettings

extension Arrival {
    static let pooling: [Arrival] = [
        Arrival(.redisConnections, "5") { $0.redisConnections == 5 },
        .postgres(.postgresAcquireTimeout, "3s") { $0.acquireTimeout == .seconds(3) },
        .postgres(.postgresWaitersMax, "99") { $0.waitersMax == 99 },
    ]

    /// Replicas count at one level of durability only, and without a ledger unknown bytes may lie for longer.
    static let keeping: [Arrival] = [
        Arrival(.queueReplicas, "3", beside: [Setting.queueDurability.environmentName: "replicated"]) {
            $0.replicas == 3 && $0.durabilityDemand.replicas == 3
        },
        Arrival(.bundlesUnknownAge, "3d", beside: [Setting.queueDurability.environmentName: "fsync"]) {
            $0.unknownAge == .seconds(259_200)
        },
        Arrival(.bundlesThreads, "3") { $0.bundleLimits.threads == 3 },
        Arrival(.bundlesBacklogMax, "99") { $0.bundleLimits.backlogMax == 99 },
        Arrival(.bundlesTimeout, "7s") { $0.bundleLimits.timeout == .seconds(7) },
        Arrival(.enrolmentRetention, "2h") { $0.enrolmentPurger.retention == .seconds(7_200) },
    ]

    static let asking: [Arrival] = [
        // The claim on a receipt outlasts two answers.
        Arrival(.appleTimeout, "7s") {
            try $0.receiptConfiguration().lease == .seconds(44) && $0.appleLimits.timeout == .seconds(7)
                && $0.deviceCheckRetries.timeout == .seconds(7)
        },
        .receipts(.receiptsRetryBase, "2m") { $0.backoff.base == .seconds(120) },
        .receipts(.receiptsRetryCap, "3h") { $0.backoff.cap == .seconds(10_800) },
        .receipts(.receiptsAlarmPause, "20m") { $0.alarmPause == .seconds(1_200) },
        .receipts(.receiptsUnknownPause, "2d") { $0.unknownPause == .seconds(172_800) },
    ]
}
