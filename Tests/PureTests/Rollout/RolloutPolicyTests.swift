import AppAttest
import CBOR
import CaptureModel
import DeviceSimulator
import Foundation
import Rollout
import TestSupport
import Testing

/// An app, its keys, and what it signs.
private enum Scene {
    static let app = AppID("TEAM123456.com.example.capture")!

    static func policy(_ rollout: AppRollout) -> RolloutPolicy {
        RolloutPolicy(digest: .hash([1]), apps: [app: rollout])
    }

    /// What an assertion of a device with such statements signs about its app.
    static func signed(_ statements: AppExtensions) throws -> AuthenticatorExtensions {
        let device = SimulatedDevice(appID: app.text, statements: statements)
        let hash = [UInt8](repeating: 1, count: 32)
        let assertion = try device.assertion(clientDataHash: hash)
        let verified = try AssertionVerifier().verify(
            assertion, clientDataHash: hash, publicKey: AssertionKey(x963: device.publicKey), appID: app)
        return try #require(verified.extensions)
    }

    static func key(_ number: UInt64) -> KeyID {
        KeyID(publicKey: Array("key \(number)".utf8))
    }

    /// A device with the first key.
    static func device(_ osVersion: String?) -> RolloutDevice {
        RolloutDevice(key: key(1), osVersion: osVersion)
    }
}

@Suite struct `What a rollout covers` {
    /// Computed with another implementation: SHA-256 of `capture-rollout-v1` and 32 such bytes.
    @Test(arguments: [(UInt8(0x00), 4502), (0x01, 630), (0x7F, 1892), (0xFF, 1233)])
    func `a key is in the same bucket on every server and for ever`(byte: UInt8, bucket: Int) throws {
        let key = try #require(KeyID(bytes: [UInt8](repeating: byte, count: 32)))
        #expect(RolloutBucket.of(key) == bucket)
    }

    @Test func `raising the percentage only adds devices`() throws {
        let seed = testSeed("raising the percentage only adds devices")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2000 {
            let key = Scene.key(generator.next())
            let one = Int.random(in: 0...RolloutBucket.count, using: &generator)
            let other = Int.random(in: one...RolloutBucket.count, using: &generator)
            func isWithin(_ buckets: Int) throws -> Bool {
                let policy = Scene.policy(AppRollout(mode: .enforce, bucketsWithin: buckets))
                let device = RolloutDevice(key: key, osVersion: nil)
                return try #require(policy.ruling(on: device, of: Scene.app, extensions: nil)).isWithin
            }
            #expect(try !isWithin(0) && isWithin(RolloutBucket.count))
            if try isWithin(one) { #expect(try isWithin(other), "seed \(seed): \(key) left at \(other) after \(one)") }
        }
    }

    @Test(arguments: [100, 2500, 5000])
    func `a percentage covers about that many devices`(buckets: Int) {
        let devices = 20_000
        let within = (0..<UInt64(devices)).count { RolloutBucket.of(Scene.key($0)) < buckets }
        // Five standard deviations around the mean; the keys are always the same.
        let share = Double(buckets) / Double(RolloutBucket.count)
        let deviation = (Double(devices) * share * (1 - share)).squareRoot()
        #expect(abs(Double(within) - Double(devices) * share) < 5 * deviation)
    }
}

@Suite struct `What a rollout asks` {
    private static let strict: AppRollout = {
        var rollout = AppRollout(mode: .enforce, osVersionMinimum: DottedVersion("26.2"))
        rollout.extensions = ExtensionPolicy(validationCategories: [2, 4], bundleVersionMinimum: DottedVersion("1314"))
        return rollout
    }()

    @Test(arguments: [
        ("26.2", UInt32(4), "1314", [RolloutRequirement]()), ("26.10", 2, "1314.0", []), ("27", 4, "2000", []),
        ("26.1.9", 4, "1314", [.osVersion]), ("27.0", 3, "1314", [.validationCategory]),
        ("27.0", 4, "1313.9", [.bundleVersion]), ("27.0", 4, "1314b2", [.bundleVersion]),
        ("beta", 4, "1314", [.osVersion]), ("9", 5, "1", [.osVersion, .bundleVersion, .validationCategory]),
    ])
    func `each requirement is looked at by itself`(
        osVersion: String, category: UInt32, bundle: String, unmet: [RolloutRequirement]
    ) throws {
        let ruling = try #require(
            Scene.policy(Self.strict).ruling(
                on: Scene.device(osVersion), of: Scene.app,
                extensions: Scene.signed(AppExtensions(validationCategory: category, bundleVersion: bundle))))
        #expect(ruling.unmet == unmet)
        #expect(ruling.rejection == unmet.first?.reason && ruling.wouldReject == nil)
        #expect(ruling.facts.validationCategory == Int(category))
    }

    @Test func `what is not known is not held against anybody`() throws {
        let ruling = try #require(
            Scene.policy(Self.strict).ruling(on: Scene.device(nil), of: Scene.app, extensions: nil))
        #expect(ruling.unmet.isEmpty && ruling.rejection == nil && ruling.check == Check(.rollout, .pass))
        #expect(ruling.facts == .init(osVersion: nil, bundleVersion: nil, validationCategory: nil))
    }

    @Test func `a version of a device's own making goes into no record`() throws {
        let long = String(repeating: "1.", count: 40) + "1"
        for text in ["1\u{0}2", "\"}]", "１２", "-1", "+1", "", long] {
            let ruling = try #require(
                Scene.policy(Self.strict).ruling(
                    on: Scene.device("27.0"), of: Scene.app,
                    extensions: Scene.signed(AppExtensions(bundleVersion: text))))
            #expect(ruling.unmet == [.bundleVersion] && ruling.facts.bundleVersion == nil, "\(text)")
        }
    }

    @Test(arguments: RolloutMode.allCases)
    func `only enforce refuses, monitor marks, and off judges nothing`(mode: RolloutMode) throws {
        var rollout = Self.strict
        rollout.mode = mode
        let ruling = Scene.policy(rollout).ruling(
            on: Scene.device("18.0"), of: Scene.app, extensions: nil)
        switch mode {
        case .off: #expect(ruling == nil)
        case .monitor:
            #expect(ruling?.rejection == nil && ruling?.wouldReject == .osVersionNotAllowed)
            #expect(ruling?.check == Check(.rollout, .fail, .rolloutWouldReject))
        case .enforce:
            #expect(ruling?.rejection == .osVersionNotAllowed && ruling?.wouldReject == nil)
            #expect(ruling?.check == Check(.rollout, .fail, .osVersionNotAllowed))
        }
    }

    @Test func `a device outside of the percentage is not refused, and not said to have passed`() throws {
        var rollout = Self.strict
        rollout.bucketsWithin = RolloutBucket.of(Scene.key(1))
        let ruling = try #require(
            Scene.policy(rollout).ruling(on: Scene.device("18.0"), of: Scene.app, extensions: nil))
        #expect(ruling.rejection == nil && ruling.unmet == [.osVersion])
        #expect(ruling.check == Check(.rollout, .unavailable, .notEvaluated))
        rollout.bucketsWithin += 1
        #expect(
            Scene.policy(rollout).ruling(on: Scene.device("18.0"), of: Scene.app, extensions: nil)?
                .rejection == .osVersionNotAllowed)
    }

    @Test func `another app's devices are not judged`() throws {
        let other = try #require(AppID("TEAM123456.com.example.other"))
        #expect(
            Scene.policy(Self.strict).ruling(on: Scene.device("1"), of: other, extensions: nil) == nil)
    }

    @Test func `a ruling is read as it was written`() throws {
        let ruling = try #require(
            Scene.policy(Self.strict).ruling(
                on: Scene.device("18.0"), of: Scene.app, extensions: Scene.signed(AppExtensions())))
        let text = try JSONEncoder().encode(ruling)
        #expect(try JSONDecoder().decode(RolloutRuling.self, from: text) == ruling)
        let bare = RolloutRuling(
            policy: .hash([]), mode: .monitor, bucket: 1, bucketsWithin: 0,
            facts: .init(osVersion: nil, bundleVersion: nil, validationCategory: nil), unmet: [])
        #expect(try JSONDecoder().decode(RolloutRuling.self, from: JSONEncoder().encode(bare)) == bare)
    }
}

@Suite struct `Versions with dots` {
    @Test(arguments: [
        ("1", "2"), ("1.9", "1.10"), ("1", "1.0.1"), ("0", "0.1"), ("26.2", "27"), ("9.9.9", "10"),
    ])
    func `versions with dots are compared number by number`(lower: String, higher: String) throws {
        let (lower, higher) = (try #require(DottedVersion(lower)), try #require(DottedVersion(higher)))
        #expect(lower < higher && !(higher < lower) && lower != higher)
    }

    @Test func `zeros at the end say nothing`() {
        #expect(DottedVersion("1.0.0") == DottedVersion("1") && DottedVersion("0.0") == DottedVersion("0"))
        #expect(DottedVersion("1.0")?.description == "1")
    }

    @Test(arguments: ["", ".", "1.", ".1", "1..2", "1a", " 1", "+1", "-1", "99999999999999999999"])
    func `any other text is none`(text: String) {
        #expect(DottedVersion(text) == nil)
    }
}
