import AppAttest
import CaptureGateway
import CaptureProcessing
import DeviceSimulator
import Foundation
import GatewaySettings
import MultiBufferSHA256
import TestSupport
import Testing
import WorkerSettings

@testable import CaptureSettings

@Suite("A value that an operator sets")
struct ArrivalTests {
    /// What other tests set, or what has no field that could be looked at.
    private static let elsewhere: [Setting] = [
        // By `TrustSettingsTests` and `ConfigurationTests`; roots and hashing below.
        .appRoots, .redisTLSRoots, .redisTLSCertificate, .redisTLSKey, .workerHashing,
        // PostgreSQL.
        .postgresURL, .postgresConnectionsMax, .postgresStatementTimeout, .postgresLockTimeout,
        .postgresConnectTimeout, .gatewayServerTimeout,
        // Rollouts, what a 202 rests on, and where the bytes are.
        .rolloutFile, .rolloutInterval, .queueReplicaWait, .bundlesStore, .bundlesDirectory, .bundlesOrphanAge,
        // The worker's watchdog and its health listener.
        .workerJobDeadline, .workerMemoryMax, .workerMetricsHost, .workerMetricsPort,
        // Apple's servers and receipts.
        .appleKeyFile, .appleKeyID, .appleTeamID, .appleReceiptsURL, .appleReceiptsDevelopmentURL,
        .appleDeviceCheckURL, .appleDeviceCheckDevelopmentURL, .receiptsInterval, .receiptsPollInterval,
        // Logs, and what seals enrolments.
        .logLevel, .logFormat, .enrolmentKeyFile,
    ]

    private func made(_ environment: [String: String]) async throws -> Settings {
        let minimum = ["CAPTURE_APP_IDS": "TEAM123456.com.example.capture"]
        return try await Settings(arguments: [], environment: minimum.merging(environment) { $1 })
    }

    @Test(arguments: Arrival.all)
    func `an operator's value arrives in the field that it is for, where something else was before`(arrival: Arrival)
        async throws
    {
        let standard = try await made(arrival.others)
        #expect(try arrival.isThere(standard) == false)
        let set = try await made(arrival.others.merging([arrival.setting.environmentName: arrival.value]) { $1 })
        #expect(try arrival.isThere(set))
    }

    @Test
    func `an operator's value is of a setting whose arrival is looked at, or is named as configuring something else`() {
        let all = Set(Setting.all.map(\.key))
        let arriving = Set(Arrival.all.map(\.setting.key))
        let elsewhere = Set(Self.elsewhere.map(\.key))
        #expect(all.subtracting(arriving).subtracting(elsewhere) == [])
        #expect(arriving.intersection(elsewhere) == [] && arriving.union(elsewhere).isSubset(of: all))
    }

    @Test func `an operator's value as a root is trusted besides Apple's, for attestations and for receipts`()
        async throws
    {
        let folder = try TemporaryDirectory.make("roots")
        defer { try? FileManager.default.removeItem(at: folder) }
        let authority = try TestCertificateAuthority(at: Date())
        try authority.write(directory: folder.path)
        let own = try TrustRoot(pem: authority.rootPEM).sha256
        let path = folder.appendingPathComponent("root.pem").path
        let gateway = try await made(["CAPTURE_APP_ROOTS": path]).gatewayConfiguration()
        #expect(gateway.trust.roots.map(\.sha256) == [TrustRoot.appleAppAttestation.sha256, own])
        #expect(gateway.trust.receiptRoots.map(\.sha256) == [TrustRoot.appleRootG3.sha256, own])
    }

    /// On a processor that does nothing at once both are the same.
    @Test func `an operator's value as the way of hashing is one after the other, or what is fastest`() async throws {
        for (word, width) in [("auto", HashingWidth.fastest), ("scalar", HashingWidth.one)] {
            #expect(try await made(["CAPTURE_WORKER_HASHING": word]).workerConfiguration().hashing == width)
        }
    }
}
