import AppAttest
import CaptureModel
import CaptureProcessing
import CaptureSettings
import DeviceSimulator
import Foundation
import TestSupport
import Testing

@Suite("Settings of whom to believe")
struct TrustSettingsTests {
    private static let minimum = ["CAPTURE_APP_IDS": "TEAM123456.com.example.capture"]

    @Test func `a threshold of the risk takes a developer's key`() async throws {
        var environment = Self.minimum.merging(["CAPTURE_RECEIPTS_RISK_WARNING": "5"]) { $1 }
        let without = try await Settings(arguments: [], environment: environment)
        let fault = #expect(throws: SettingsError.self) { try without.workerConfiguration() }
        #expect(fault.map { "\($0)" }?.contains("receipts.riskWarning: takes apple.keyFile") == true)
        environment["CAPTURE_APPLE_KEY_FILE"] = "/etc/capture/AuthKey.p8"
        let with = try await Settings(arguments: [], environment: environment)
        #expect(try with.workerConfiguration().riskWarning == 5)
        environment["CAPTURE_RECEIPTS_INTERVAL"] = "30d"
        let rare = try await Settings(arguments: [], environment: environment)
        let tooOld = #expect(throws: SettingsError.self) { try rare.workerConfiguration() }
        #expect(tooOld.map { "\($0)" }?.contains("receipts.interval: with receipts.riskWarning") == true)
    }

    @Test func `a worker takes the keys of the configured apps, environments and roots, and no others`() async throws {
        let folder = try TemporaryDirectory.make("roots")
        defer { try? FileManager.default.removeItem(at: folder) }
        let authority = try TestCertificateAuthority(at: Date())
        try authority.write(directory: folder.path)
        let own = try TrustRoot(pem: authority.rootPEM)
        let plain = try await Settings(arguments: [], environment: Self.minimum)
        #expect(
            try plain.workerConfiguration().keys
                == TrustedKeys(
                    appIDs: ["TEAM123456.com.example.capture"], environments: [.production],
                    trustRoots: [TrustRoot.appleAppAttestation.sha256]))
        let added = ["CAPTURE_APP_ROOTS": folder.appendingPathComponent("root.pem").path]
        let more = try await Settings(arguments: [], environment: Self.minimum.merging(added) { $1 })
        let keys = try more.workerConfiguration().keys
        #expect(keys.trustRoots == [TrustRoot.appleAppAttestation.sha256, own.sha256])
        // Whoever exchanges receipts goes by the same.
        #expect(try more.receiptConfiguration().keys == keys)
    }
}
