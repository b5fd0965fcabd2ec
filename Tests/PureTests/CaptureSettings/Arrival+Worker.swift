import AppAttest
import CaptureGateway
import CaptureModel
import CaptureProcessing
import PostgresClient
import RedisCaptureQueue
import RedisClient
import Waiting
import WorkerSettings

@testable import CaptureSettings

extension Arrival {
    static let verifying: [Arrival] = [
        .worker(.appIDs, "TEAM123456.com.example.other") { $0.appIDs.map(\.text) == ["TEAM123456.com.example.other"] },
        .worker(.appEnvironments, "development") { $0.environments == [.development] },
        .worker(.bindings, "framed-v2") { $0.bindings == [.framedV2] },
        .worker(.counterPolicy, "window(64)") { $0.counterPolicy == .window(64) },
        .worker(.receiptsRiskWarning, "5", beside: [Setting.appleKeyFile.environmentName: "/etc/AuthKey.p8"]) {
            $0.riskWarning == 5
        },
        .worker(.workerConcurrency, "5") { $0.concurrency == 5 },
        .worker(.workerSignatures, "scalar") { !$0.provesSignaturesTogether },
        .worker(.workerCachedDevicesMax, "11") { $0.cachedDevicesMax == 11 },
        .worker(.workerCachedDeviceLifetime, "13s") { $0.cachedDeviceLifetime == .seconds(13) },
    ]

    static let batching: [Arrival] = [
        .worker(.workerPipelines, "4") { $0.pipelines == 4 },
        .worker(.workerLinger, "20ms") { $0.linger == .milliseconds(20) },
        .worker(.workerClaimLanesMax, "21") { $0.claimLanesMax == 21 },
        .worker(.workerCapturesPerLaneMax, "6") { $0.capturesPerLaneMax == 6 },
        .worker(.workerBatchBytesMax, "16MiB") { $0.batchBytesMax == 16_777_216 },
        .worker(.depthBytesMax, "44MiB") { $0.bytesInHandMax == 3 * 56_623_104 },
        .worker(.workerBatchCapturesMax, "32") { $0.batchCapturesMax == 32 },
        .worker(.workerAttemptsMax, "3") { $0.attemptsMax == 3 },
        .worker(.workerRetryBase, "1s") { $0.retryBackoff.base == .seconds(1) },
        .worker(.workerRetryCap, "30s") { $0.retryBackoff.cap == .seconds(30) },
        .worker(.workerOutageHold, "8s") { $0.outageHold == .seconds(8) },
        Arrival(.workerOutageHold, "8s") {
            let postgres = $0.postgresWorkerConfiguration(name: "test")
            return postgres.lockTimeout == .seconds(2) && postgres.statementTimeout == .seconds(4)
        },
        Arrival(.workerReadinessTimeout, "4s") {
            let postgres = $0.postgresWorkerConfiguration(name: "test")
            return $0.workerReadinessTimeout == .seconds(4) && postgres.pingAcquireTimeout == .seconds(2)
        },
        .worker(.stopLimit, "100s") { $0.stopLimit == .seconds(100) },
        .worker(.queueLease, "8s") { $0.takeOverInterval == .milliseconds(500) },
    ]

    static let queueing: [Arrival] = [
        .queue(.queuePartitions, "16") { $0.capturesPerDeviceMax == 3_125 },
        .queue(.queueCapturesMax, "50") { $0.capturesMax == 50 },
        .queue(.queueCapturesPerDeviceMax, "7") { $0.capturesPerDeviceMax == 7 },
        .queue(.queueBytesMax, "64MiB") { $0.bytesMax == 67_108_864 },
        .queue(.queueBytesPerDeviceMax, "16MiB") { $0.bytesPerDeviceMax == 16_777_216 },
        .queue(.photoBytesMax, "12MiB") { $0.photoBytesMax == 12_582_912 },
        .queue(.depthBytesMax, "6MiB") { $0.depthBytesMax == 6_291_456 },
        .queue(.queueLease, "8s") { $0.leaseDuration == .seconds(8) },
        .queue(.queueDeliveriesMax, "2") { $0.deliveriesMax == 2 },
        .queue(.queueStatusRetention, "5m") { $0.statusRetention == .seconds(300) },
        .queue(.queueAcceptedRetention, "2h") { $0.acceptedRetention == .seconds(7_200) },
        .queue(.queueDurability, "fsync") { !$0.hasLedger },
    ]

    static let reconciling: [Arrival] = [
        .reconciler(.intakeInterval, "2s") { $0.interval == .seconds(2) },
        .reconciler(.intakeGrace, "45s") { $0.grace == .seconds(45) },
        .reconciler(.intakeSweepInterval, "10m") { $0.sweepInterval == .seconds(600) },
        .reconciler(.queueAcceptedRetention, "2h") { $0.retention == .seconds(7_200) },
    ]

    static let connecting: [Arrival] = [
        .redis(.redisURL, "redis://127.0.0.1:6379/2") { $0.database == 2 },
        .redis(.redisConnectTimeout, "3s") { $0.connectTimeout == .seconds(3) },
        .redis(.redisCommandTimeout, "7s") { $0.commandTimeout == .seconds(7) },
        .redis(.redisSendTimeout, "4s") { $0.sendTimeout == .seconds(4) },
        .redis(.redisPipelineDepthMax, "17") { $0.pipelineDepthMax == 17 },
        .redis(.redisBacklogMax, "4096") { $0.backlogMax == 4_096 },
        .redis(.redisBacklogBytesMax, "32MiB") { $0.backlogBytesMax == 33_554_432 },
        .redis(.redisReplyBytesMax, "32MiB") { $0.replyBytesMax == 33_554_432 },
    ]
}
