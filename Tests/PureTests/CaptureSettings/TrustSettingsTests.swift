import AppAttest
import CaptureModel
import CaptureProcessing
import CaptureSettings
import DeviceSimulator
import Foundation
import TestSupport
import Testing
import WorkerSettings

@Suite("Settings of whom to believe")
struct TrustSettingsTests {
    private static let minimum = ["CAPTURE_APP_IDS": "TEAM123456.com.example.capture"]

    @Test(arguments: [
        ("TEAM123456.com.example.capture", true), ("com.example.capture", false), ("team123456.com.example", false),
        ("TEAM12345.com.example", false), ("TEAM1234567.com.example", false), ("TEAM123456", false),
    ])
    func `an app id without its team is refused, as no phone's key would fit it`(
        id: String, isTaken: Bool
    ) async throws {
        let settings = try await Settings(arguments: [], environment: ["CAPTURE_APP_IDS": id])
        let fault: SettingsError?
        do throws(SettingsError) {
            _ = try settings.appIDs()
            fault = nil
        } catch {
            fault = error
        }
        #expect((fault == nil) == isTaken)
        #expect(isTaken || fault.map { "\($0)" }?.contains("app.ids: '\(id)' is no app id") == true)
    }

    /// With gateways and workers; `capturectl` is never handed the key.
    @Test func `a threshold of the risk takes a developer's key`() async throws {
        let environment = Self.minimum.merging(["CAPTURE_RECEIPTS_RISK_WARNING": "5"]) { $1 }
        for program in ProgramName.servers {
            let fault = await #expect(throws: SettingsError.self) {
                try await Settings(arguments: [], environment: environment, program: program)
            }
            #expect(fault?.description.hasPrefix("receipts.riskWarning: takes apple.keyFile") == true)
        }
        _ = try await Settings(arguments: [], environment: environment, program: .capturectl)
        let key = ["CAPTURE_APPLE_KEY_FILE": "/etc/capture/AuthKey.p8"]
        let with = try await Settings(arguments: [], environment: environment.merging(key) { $1 })
        #expect(try with.workerConfiguration().riskWarning == 5)
    }

    @Test(arguments: ["windw(3)", "window(0)", "window(65537)", "-"])
    func `a counter policy that is none is refused by every program`(policy: String) async throws {
        let environment = Self.minimum.merging(["CAPTURE_CAPTURE_COUNTER_POLICY": policy]) { $1 }
        let fault = await #expect(throws: SettingsError.self) {
            try await Settings(arguments: [], environment: environment)
        }
        let words = "capture.counterPolicy: '\(policy)' is not what it takes; it takes strict or window(n)"
        #expect(fault.map { "\($0)" }?.contains(words) == true)
    }

    @Test func `a root's file that cannot be had is told from one that does not hold one certificate`() async throws {
        let folder = try TemporaryDirectory.make("roots")
        defer { try? FileManager.default.removeItem(at: folder) }
        let two = folder.appendingPathComponent("two.pem")
        let pem = try TestCertificateAuthority(at: Date()).rootPEM
        try Data("\(pem)\(pem)".utf8).write(to: two)
        let rule = "must be exactly one certificate in PEM form, of an authority with a key of P-256, P-384 or P-521"
        for (file, reason) in [
            ("/none/root.pem", "cannot be opened: No such file or directory"),
            ("/tmp", "cannot be opened: Is a directory"), ("/dev/null", rule), (two.path, rule),
        ] {
            let environment = Self.minimum.merging(["CAPTURE_APP_ROOTS": file]) { $1 }
            let settings = try await Settings(arguments: [], environment: environment)
            let fault = #expect(throws: SettingsError.self) { try settings.trustRoots() }
            #expect(fault.map { "\($0)" } == "app.roots: \(file): \(reason)")
        }
    }

    @Test(arguments: [("APPLE", "apple"), ("ENROLMENT", "enrolment")])
    func `a key's file that cannot be had is refused with the reason`(variable: String, section: String) async throws {
        for (file, reason) in [("/none/key", "No such file or directory"), ("/tmp", "Is a directory")] {
            let environment = Self.minimum.merging(["CAPTURE_\(variable)_KEY_FILE": file]) { $1 }
            let settings = try await Settings(arguments: [], environment: environment)
            let fault = #expect(throws: SettingsError.self) {
                _ = try settings.developerKey()
                _ = try settings.enrolmentSeal()
            }
            #expect(fault.map { "\($0)" } == "\(section).keyFile: \(file): cannot be opened: \(reason)")
        }
    }

    @Test(
        arguments: [
            ([0xEF, 0xBB, 0xBF], nil), ([], nil), ([0xFF], "is not UTF-8"),
        ] as [([UInt8], String?)])
    func `a key's file is UTF-8, and may begin with a byte order mark`(head: [UInt8], fault: String?) async throws {
        let directory = try TemporaryDirectory.make("key")
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appendingPathComponent("key")
        try Data(head + Array(Data(repeating: 7, count: 32).base64EncodedString().utf8)).write(to: file)
        let environment = Self.minimum.merging(["CAPTURE_ENROLMENT_KEY_FILE": file.path]) { $1 }
        let settings = try await Settings(arguments: [], environment: environment)
        if let fault {
            let error = #expect(throws: SettingsError.self) { _ = try settings.enrolmentSeal() }
            #expect(error.map { "\($0)" }?.hasSuffix(fault) == true)
        } else {
            #expect(try settings.enrolmentSeal() != nil)
        }
    }

    /// Group rights are how a container gets its secrets.
    @Test(arguments: [(0o600, false), (0o640, false), (0o644, true), (0o602, true)])
    func `a key's file that every user may access is told to the program that reads it`(
        mode: Int, isTold: Bool
    ) async throws {
        let directory = try TemporaryDirectory.make("key")
        defer { try? FileManager.default.removeItem(at: directory) }
        let (file, link) = (directory.appendingPathComponent("key"), directory.appendingPathComponent("link"))
        try Data().write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        func told(_ variable: String, _ path: String, _ program: ProgramName) async throws -> [String] {
            let environment = Self.minimum.merging([variable: path]) { $1 }
            let settings = try await Settings(arguments: [], environment: environment)
            return settings.exposedKeyFiles(of: program).map { "\($0.setting) \($0.path) \($0.mode)" }
        }
        for path in [file.path, link.path] {
            let exposed = "enrolment.keyFile \(path) \(mode)"
            #expect(try await told("CAPTURE_ENROLMENT_KEY_FILE", path, .gateway) == (isTold ? [exposed] : []))
            #expect(try await told("CAPTURE_ENROLMENT_KEY_FILE", path, .worker).isEmpty)
            #expect(try await told("CAPTURE_APPLE_KEY_FILE", path, .worker).isEmpty != isTold)
            #expect(try await told("CAPTURE_REDIS_TLS_KEY", path, .gateway).isEmpty != isTold)
        }
        #expect(try await told("CAPTURE_ENROLMENT_KEY_FILE", "/none/key", .gateway).isEmpty, "a start refuses it")
    }

    /// Apple forgets a key after about a month, and a receipt is over after 90 days.
    @Test(arguments: [("29d", true), ("30d", false)])
    func `receipts are not kept for longer than Apple takes them`(interval: String, isTaken: Bool) async throws {
        let environment = Self.minimum.merging(["CAPTURE_RECEIPTS_INTERVAL": interval]) { $1 }
        let fault: SettingsError?
        do throws(SettingsError) {
            _ = try await Settings(arguments: [], environment: environment)
            fault = nil
        } catch {
            fault = error
        }
        #expect((fault == nil) == isTaken)
        #expect(isTaken || fault.map { "\($0)" }?.contains("receipts.interval") == true)
    }

    @Test(arguments: [
        "https://data.example/#top", "https://user@data.example", "https://user:word@data.example",
        "https://data.example?x=1", "http://data.example",
    ])
    func `the developer's token goes to no address with more in it than a host`(address: String) async throws {
        let environment = Self.minimum.merging(["CAPTURE_APPLE_RECEIPTS_URL": address]) { $1 }
        let settings = try await Settings(arguments: [], environment: environment)
        let fault = #expect(throws: SettingsError.self) { try settings.receiptHosts() }
        #expect(fault.map { "\($0)" }?.contains("apple.receiptsURL") == true)
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
