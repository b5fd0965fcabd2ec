import AppAttest
import AppleDeviceCheck
import CaptureModel
import CaptureProcessing
import CaptureStore
import Crypto
import DeviceSimulator
import Foundation
import Logging
import PostgresCaptureStore
import PostgresClient
import Synchronization
import TestSupport

/// Devices with genuine receipts of a test authority, and who exchanges them as a test says.
struct ReceiptScene {
    static let appID = "TEAM123456.com.example.capture"

    let authority: TestCertificateAuthority
    let root: TrustRoot
    let issuer: TestReceiptIssuer
    let store: PostgresCaptureStore
    let clock: ManualTime

    /// The time of the scene, which the renewer goes by; PostgreSQL has its own.
    final class ManualTime: Sendable {
        private let moment = Mutex(Timestamp(Date()))
        var now: Timestamp { moment.withLock { $0 } }
        func advance(by duration: Duration) { moment.withLock { $0 = $0.advanced(by: duration) } }
    }

    init(store: PostgresCaptureStore) throws {
        self.store = store
        clock = ManualTime()
        authority = try TestCertificateAuthority(at: clock.now.date)
        root = try TrustRoot(pem: authority.rootPEM)
        issuer = try TestReceiptIssuer(authority: authority, at: clock.now.date)
    }

    /// A device that is registered, with its receipt, or with any other bytes instead.
    func register(
        receipt: [UInt8]? = nil, rejection: ReceiptReason? = nil, environment: KeyEnvironment = .production,
        appID: String = appID, trustRoot: TrustRoot? = nil
    ) async throws -> Device {
        let phone = SimulatedDevice(appID: appID, environment: environment)
        let hash = Array(SHA256.hash(data: phone.keyID.bytes))
        let content = try phone.receiptContent(clientDataHash: hash, authority: authority, at: clock.now.date)
        let device = Device.phone(
            .attested(
                publicKey: phone.publicKey, environment: environment, appID: phone.appID,
                trustRoot: (trustRoot ?? root).recordedName),
            model: phone.model, registeredAt: clock.now)
        let registration = DeviceRegistration(
            device: device, attestationObject: [1], clientDataHash: hash, certificateChain: [],
            receipt: try receipt ?? issuer.sign(content), osVersion: nil, validationCategory: nil, bundleVersion: nil,
            receiptRejection: rejection)
        guard try await store.register(registration) == .created else { throw StoreError(.conflict, "registered") }
        return device
    }

    /// A renewer that asks a function of the test.
    func renewer(
        _ configure: (inout ReceiptRenewerConfiguration) -> Void = { _ in },
        _ answer: @escaping @Sendable ([UInt8]) async -> ReceiptAnswer
    ) throws -> ReceiptRenewer<PostgresCaptureStore, AnsweredExchange> {
        try renewer(asking: AnsweredExchange(answer: answer), configure)
    }

    /// Who has a newer receipt with this metric for each.
    func renewing(riskMetric: Int) -> AnsweredExchange {
        AnsweredExchange { [issuer, clock] receipt in
            let renewed = try? issuer.renew(receipt, riskMetric: riskMetric, at: clock.now.date)
            return renewed.map { .renewed($0) } ?? .refused
        }
    }

    /// A renewer that asks whoever is given.
    func renewer<Exchange: ReceiptExchange>(
        asking exchange: Exchange, logger: Logger = .quiet,
        _ configure: (inout ReceiptRenewerConfiguration) -> Void = { _ in }
    ) throws -> ReceiptRenewer<PostgresCaptureStore, Exchange> {
        let keys = TrustedKeys(
            appIDs: [Self.appID], environments: [.production, .development], trustRoots: [root.sha256])
        var configuration = ReceiptRenewerConfiguration(keys: keys, teamID: "TEAM123456")
        configuration.roots = [root]
        configuration.pollInterval = .milliseconds(20)
        configure(&configuration)
        return ReceiptRenewer(
            store: store, exchange: exchange, configuration: configuration, now: { [clock] in clock.now },
            random: { .random(in: .min ... .max) }, logger: logger)
    }

    /// Makes every receipt that will ever be due one that is due now.
    func hurry(_ client: PostgresClient) async throws {
        try await client.executeScript("UPDATE receipts SET next_at = now() WHERE next_at IS NOT NULL")
    }
}

/// Answers as a test says.
struct AnsweredExchange: ReceiptExchange {
    let answer: @Sendable ([UInt8]) async -> ReceiptAnswer

    func exchange(
        _ receipt: [UInt8], environment: KeyEnvironment
    ) async -> ReceiptAnswer {
        await answer(receipt)
    }

    func host(of environment: KeyEnvironment) -> String { "apple.example" }
}
