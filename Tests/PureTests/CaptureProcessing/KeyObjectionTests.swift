import AppAttest
import CaptureModel
import CaptureQueue
import DeviceSimulator
import Foundation
import NIOCore
import Rollout
import TestSupport
import Testing

@testable import CaptureProcessing

/// A genuine capture of a device that is registered as a test says, and what a worker makes of it.
struct KeyFixture {
    static let app = AppID("TEAM123456.com.example.capture")!
    static let now = Timestamp(millisecondsSince1970: 1_790_000_000_000)

    /// What the record says of the device.
    struct Registered {
        var level = AttestationLevel.secureEnclave
        var hasReadableKey = true
        var environment = KeyEnvironment.production
        var trustRoot = TrustRoot.appleAppAttestation.recordedName
        /// The phone's own by default.
        var model: String?
        var hasLidar = true
        var age = Duration.seconds(60)
        var risk: Int?
        var riskAge = Duration.zero
        var isRiskAwaited = false
        var attestedApp = AttestedApp()
    }

    func verified(
        _ registered: Registered, rollout: RolloutPolicy = .none, _ configure: (inout WorkerConfiguration) -> Void
    ) async throws -> ExaminedCapture {
        let phone = SimulatedDevice(appID: Self.app.text)
        let device = Device.phone(
            .of(
                registered.level, publicKey: registered.hasReadableKey ? phone.publicKey : nil,
                environment: registered.environment, appID: Self.app.text, trustRoot: registered.trustRoot,
                reason: "ROOT_EXPIRED"),
            keyID: phone.keyID, model: registered.model ?? phone.model, hasLidar: registered.hasLidar,
            registeredAt: Self.now.advanced(by: .zero - registered.age),
            risk: registered.risk.map { DeviceRisk(metric: $0, at: Self.now.advanced(by: .zero - registered.riskAge)) },
            isRiskAwaited: registered.isRiskAwaited, attestedApp: registered.attestedApp)
        let capture = try SyntheticCapture(
            seed: 1, photoBytes: 24_000, capturedAt: Self.now, deviceModel: phone.model)
        let job = ClaimedJob.valid(
            CaptureJob(
                submission: CaptureSubmission(
                    id: CaptureID(UUID()), device: device.id, bundleDigest: .hash([1]), binding: .concatV1,
                    assertion: try CaptureSigner(device: phone).sign(capture).assertion, metadata: capture.metadata,
                    photoDigest: .hash(capture.photo), depthDigest: .hash(capture.depthMap),
                    photoBytes: capture.photo.count, depthBytes: capture.depthMap.count, receivedAt: Self.now,
                    traceParent: nil),
                receivedAt: Self.now, claimedAt: Self.now, attempts: 1, isRedriven: false))
        let media = CaptureMedia(
            photo: ByteBuffer(bytes: capture.photo), depth: ByteBuffer(bytes: capture.depthMap))
        let all = await BundleHasher(concurrency: 1).hash([job], media: [.found(media)])
        var configuration = WorkerConfiguration(appIDs: [Self.app])
        configure(&configuration)
        let known = KnownDevice(device, keys: configuration.keys)
        let verifier = CaptureVerifier(configuration: configuration, now: { Self.now })
        let hashed = try #require(all.first)
        let finding = verifier.verify(verifier.candidate(job, media: hashed, device: known), rollout: rollout)
        guard case .examined(let result) = finding else { throw NotLookedAt(finding: "\(finding)") }
        return result
    }

    struct NotLookedAt: Error {
        let finding: String
    }
}

@Suite("A key that the configuration does not take any more")
struct KeyObjectionTests {
    private let fixture = KeyFixture()
    private static let other = AppID("TEAM123456.com.example.other")!

    @Test func `a key that is not taken any more is held against its captures, however it was registered`() async throws
    {
        #expect(try await fixture.verified(.init()) { _ in }.outcome.rejection == nil)
        let takenOut: [(Reason, (inout WorkerConfiguration) -> Void)] = [
            (.trustRootNotAllowed, { $0.trustRoots = [String(repeating: "0", count: 64)] }),
            (.appNotAllowed, { $0.appIDs = [Self.other] }),
            (.environmentMismatch, { $0.environments = [.development] }),
        ]
        for (reason, change) in takenOut {
            let result = try await fixture.verified(.init(), change)
            #expect(result.outcome.rejection == reason && result.outcome.confidence == .none && result.counter == nil)
            #expect(result.checks.contains(Check(.device, .fail, reason)))
        }
    }

    @Test func `a key that is not taken any more is told by its root's certificate, and not by the root's name`()
        async throws
    {
        let name = "TEST ONLY sha256:\(TrustRoot.appleAppAttestation.sha256)"
        #expect(try await fixture.verified(.init(trustRoot: name)) { _ in }.outcome.rejection == nil)
        let foreign = "\(name) sha256:\(String(repeating: "0", count: 64))"
        for root in ["Apple App Attestation Root CA", "", name + "0", foreign] {
            let result = try await fixture.verified(.init(trustRoot: root)) { _ in }
            #expect(result.outcome.rejection == .trustRootNotAllowed)
        }
    }

    @Test func `a key that was never attested is held to its app, and to no root and no environment`()
        async throws
    {
        let result = try await fixture.verified(.init(level: .unverified)) {
            $0.trustRoots = []
            $0.environments = []
        }
        #expect(result.outcome.rejection == nil && result.outcome.confidence == .medium)
        let other = try await fixture.verified(.init(level: .unverified)) { $0.appIDs = [Self.other] }
        #expect(other.outcome.rejection == .rpIDMismatch)
    }
}

@Suite("The risk of a device, where a threshold is configured")
struct RiskCheckTests {
    private let fixture = KeyFixture()

    private func risk(_ registered: KeyFixture.Registered) async throws -> (check: Check?, confidence: Confidence) {
        let result = try await fixture.verified(registered) {
            $0.riskWarning = 5
            $0.environments = [.production, .development]
        }
        return (result.checks.first { $0.name == .risk }, result.outcome.confidence)
    }

    @Test func `the risk of a device is compared with the threshold once Apple has told it`() async throws {
        let (passed, high) = try await risk(.init(risk: 5))
        #expect(passed == Check(.risk, .pass) && high == .high)
        let (failed, lowered) = try await risk(.init(risk: 6))
        #expect(failed == Check(.risk, .fail, .riskElevated) && lowered == .medium)
    }

    @Test func `the risk of a device is kept as it was judged, with the limit, and not where there was none to judge`()
        async throws
    {
        func judged(_ registered: KeyFixture.Registered, warning: Int? = 5) async throws -> JudgedRisk? {
            try await fixture.verified(registered) {
                $0.riskWarning = warning
                $0.environments = [.production, .development]
            }.risk
        }
        let known = DeviceRisk(metric: 6, at: KeyFixture.now)
        #expect(try await judged(.init(risk: 6)) == JudgedRisk(known, warning: 5))
        #expect(try await judged(.init()) == nil)
        #expect(try await judged(.init(environment: .development, risk: 6)) == nil)
        #expect(try await judged(.init(risk: 6), warning: nil) == nil)
    }

    @Test(arguments: [1, 9], [true, false])
    func `the risk of a device is missing evidence once it is older than what Apple counts, and elevated for good`(
        metric: Int, isAwaited: Bool
    ) async throws {
        let month = Duration.seconds(30 * 86_400)
        var registered = KeyFixture.Registered(age: month * 2, risk: metric, riskAge: month, isRiskAwaited: isAwaited)
        let elevated = Check(.risk, .fail, .riskElevated)
        #expect(try await risk(registered).check == (metric > 5 ? elevated : Check(.risk, .pass)))
        registered.riskAge += .seconds(1)
        let (old, lowered) = try await risk(registered)
        #expect(old == (metric > 5 ? elevated : Check(.risk, .unavailable, .riskUnknown)) && lowered == .medium)
    }

    @Test(arguments: [(true, 3599), (true, 3600), (false, 60), (false, 3600)])
    func `the risk of a device is missing evidence where Apple cannot be asked, or should have answered long ago`(
        isAwaited: Bool, seconds: Int
    ) async throws {
        let (check, confidence) = try await risk(.init(age: .seconds(seconds), isRiskAwaited: isAwaited))
        let isNew = isAwaited && seconds < 3600
        #expect(check == Check(.risk, .unavailable, isNew ? .notEvaluated : .riskUnknown))
        #expect(confidence == (isNew ? .high : .medium))
    }

    @Test func `the risk of a device is nobody's of whom Apple says nothing, and not looked at without a threshold`()
        async throws
    {
        let unevaluated = Check(.risk, .unavailable, .notEvaluated)
        let (development, high) = try await risk(.init(environment: .development, age: .seconds(86_400), risk: 9))
        #expect(development == unevaluated && high == .high)
        let (unverified, medium) = try await risk(.init(level: .unverified, age: .seconds(86_400)))
        #expect(unverified == unevaluated && medium == .medium)
        let without = try await fixture.verified(.init(age: .seconds(86_400))) { _ in }
        #expect(!without.checks.contains { $0.name == .risk } && without.outcome.confidence == .high)
    }
}
