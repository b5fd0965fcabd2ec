import CaptureGateway
import CaptureInspection
import CaptureProcessing
import GatewaySettings
import PostgresClient
import RedisCaptureQueue
import RedisClient
import Testing
import WorkerSettings

@testable import CaptureSettings

/// A setting with a value that is not its default, and whether that value is in the field that it is for.
struct Arrival: Sendable, CustomTestStringConvertible {
    let setting: Setting
    let value: String
    /// What has to be set beside it, by its name in the environment.
    let others: [String: String]
    let isThere: @Sendable (Settings) throws -> Bool

    init(
        _ setting: Setting, _ value: String, beside others: [String: String] = [:],
        isThere: @escaping @Sendable (Settings) throws -> Bool
    ) {
        self.setting = setting
        self.value = value
        self.others = others
        self.isThere = isThere
    }

    var testDescription: String { "\(setting.key)=\(value.prefix(40))" }

    static let all = [
        listening, trusting, uploading, inspecting, verifying, batching, queueing, reconciling, connecting, pooling,
        keeping, asking,
    ].flatMap { $0 }

    static func gateway(
        _ setting: Setting, _ value: String, isThere: @escaping @Sendable (GatewayConfiguration) -> Bool
    ) -> Arrival {
        Arrival(setting, value) { isThere(try $0.gatewayConfiguration()) }
    }

    static func worker(
        _ setting: Setting, _ value: String, beside others: [String: String] = [:],
        isThere: @escaping @Sendable (WorkerConfiguration) -> Bool
    ) -> Arrival {
        Arrival(setting, value, beside: others) { isThere(try $0.workerConfiguration()) }
    }

    /// A limit of both programs: the gateway holds a capture to the same one as the worker.
    static func media(
        _ setting: Setting, _ value: String, isThere: @escaping @Sendable (InspectionLimits) -> Bool
    ) -> Arrival {
        Arrival(setting, value) { settings in
            let limits = try settings.gatewayConfiguration().uploads.inspection
            return try limits == settings.workerConfiguration().inspection && isThere(limits)
        }
    }

    static func queue(
        _ setting: Setting, _ value: String, isThere: @escaping @Sendable (RedisQueueConfiguration) -> Bool
    ) -> Arrival {
        Arrival(setting, value) { isThere($0.queueConfiguration) }
    }

    static func reconciler(
        _ setting: Setting, _ value: String, isThere: @escaping @Sendable (IntakeReconciler.Configuration) -> Bool
    ) -> Arrival {
        Arrival(setting, value) { isThere($0.reconcilerConfiguration) }
    }

    static func redis(
        _ setting: Setting, _ value: String, isThere: @escaping @Sendable (RedisConfiguration) -> Bool
    ) -> Arrival {
        Arrival(setting, value) { isThere(try $0.redisConfiguration(name: "test")) }
    }

    static func postgres(
        _ setting: Setting, _ value: String, isThere: @escaping @Sendable (PostgresConfiguration) -> Bool
    ) -> Arrival {
        Arrival(setting, value) { isThere($0.postgresConfiguration(name: "test")) }
    }

    static func receipts(
        _ setting: Setting, _ value: String, isThere: @escaping @Sendable (ReceiptRenewerConfiguration) -> Bool
    ) -> Arrival {
        Arrival(setting, value) { isThere(try $0.receiptConfiguration()) }
    }
}
