import CaptureModel
import Crypto
import DeviceSimulator
import Foundation
import GatewayClient
import TestSupport
import Testing

/// A gateway and a worker that are never restarted, and the one file that tells them what to ask.
@Suite(.timeLimit(.minutes(5))) struct `A rollout` {
    /// The processes with their file, and how a test changes it.
    private struct Scene: Sendable {
        let stack: Stack
        let file: URL
        let gateway: LeashedProcess
        let worker: LeashedProcess
        let client: GatewayClient

        static func text(_ lines: String...) -> String {
            "apps:\n  \(Stack.appID):\n" + lines.map { "    \($0)\n" }.joined()
        }

        /// Writes the file and waits until both programs say that it is in force; gives its SHA-256.
        @discardableResult
        func bring(_ text: String) async throws -> String {
            try Data(text.utf8).write(to: file, options: .atomic)
            let digest = SHA256Digest.hash(Array(text.utf8)).hex
            for process in [gateway, worker] {
                _ = try await process.line { $0.contains("a rollout policy is in force") && $0.contains(digest) }
            }
            return digest
        }

        /// Uploads a capture and waits for its end.
        func settled(_ phone: Phone, _ seed: UInt64) async throws -> CaptureStatus {
            try await phone.settled(phone.upload(phone.shoot(seed: seed)))
        }

        func rollout(of capture: CaptureID) async throws -> JSONValue? {
            try await client.provenance(capture) { _ in .token(Stack.token) }["rollout"]
        }
    }

    private static let monitor = Scene.text("mode: monitor", #"osVersionMinimum: "27.0""#)
    private static let enforce = Scene.text("mode: enforce", #"osVersionMinimum: "27.0""#)

    private func withScene(_ text: String, _ body: (Scene) async throws -> Void) async throws {
        let plain = try await Stack.start()
        let file = plain.directory.appendingPathComponent("rollout.yaml")
        try Data(text.utf8).write(to: file)
        let settings = ["CAPTURE_ROLLOUT_FILE": file.path, "CAPTURE_ROLLOUT_INTERVAL": "50ms"]
        let (gateway, client) = try await plain.gateway(settings)
        let worker = try plain.worker(settings)
        try await body(Scene(stack: plain, file: file, gateway: gateway, worker: worker, client: client))
        for process in [gateway, worker] {
            try await process.expectStop()
        }
    }

    /// Registers a device again under a newer system: the same key, attested once more.
    private func attestAgain(_ phone: Phone, as newer: SimulatedDevice, _ scene: Scene) async throws -> Phone {
        let answer = try await phone.attestAgain(authority: scene.stack.authority, newer: newer)
        #expect(answer.status == 200)
        newer.skipCounters(phone.device.lastCounter)
        return Phone(id: phone.id, level: phone.level, device: newer, gateway: phone.gateway)
    }

    @Test func `what is marked while it is watched is refused once it is enforced, without a restart`() async throws {
        try await withScene(Self.monitor) { scene async throws in
            let key = P256.Signing.PrivateKey()
            let old = try await Phone.register(
                with: scene.client, authority: scene.stack.authority,
                device: SimulatedDevice(appID: Stack.appID, format: .plain, key: key))
            let new = try await Phone.register(with: scene.client, authority: scene.stack.authority)
            let marked = try await scene.settled(old, 1)
            let good = try await scene.settled(new, 2)
            #expect(marked.state == .verified && good.state == .verified)
            #expect(marked.confidence == good.confidence, "what is only watched changes nothing")
            let reason = Reason.osVersionNotAllowed.rawValue
            let status = try await scene.client.data("/api/v1/captures/\(marked.captureID)")
            #expect(status?["would_reject"]?.string == reason && status?["reason"] == .null)
            #expect(try await scene.client.data("/api/v1/captures/\(good.captureID)")?["would_reject"] == .null)
            let record = try await scene.rollout(of: marked.captureID)
            #expect(record?["policy_sha256"]?.string == SHA256Digest.hash(Array(Self.monitor.utf8)).hex)
            #expect(record?["mode"]?.string == "monitor" && record?["os_version"]?.string == "26.3")
            #expect(record?["unmet"]?.array?.compactMap(\.string) == ["os_version"])
            try await expectMetrics(scene, mode: "monitor", refused: "would_reject")

            let digest = try await scene.bring(Self.enforce)
            let refused = try await scene.settled(old, 3)
            #expect(refused.state == .rejected && refused.reason == reason)
            let again = try await scene.rollout(of: refused.captureID)
            #expect(again?["policy_sha256"]?.string == digest && again?["mode"]?.string == "enforce")
            #expect(try await scene.settled(new, 4).state == .verified)
            await #expect {
                _ = try await Phone.register(
                    with: scene.client, authority: scene.stack.authority, format: .plain)
            } throws: { error in
                guard case .refused(let refusal) = error as? GatewayError else { return false }
                return refusal.status == 401 && refusal.code == "ATTESTATION_FAILED"
                    && refusal.reason == .osVersionNotAllowed
            }
            try await expectMetrics(scene, mode: "enforce", refused: "rejected")
            // A result is for good, whatever is enforced later.
            let kept = try await scene.client.data("/api/v1/captures/\(marked.captureID)")
            #expect(kept?["status"]?.string == "verified")

            // The worker does not rely on what it keeps of the device: the newer system counts at once.
            let updated = try await attestAgain(old, as: SimulatedDevice(appID: Stack.appID, key: key), scene)
            #expect(try await scene.settled(updated, 5).state == .verified)
        }
    }

    @Test func `an app that is lower than attested is refused, until it is attested itself`() async throws {
        let compared = Scene.text("mode: enforce", "notBelowAttested: [bundleVersion, validationCategory]")
        try await withScene(compared) { scene async throws in
            let key = P256.Signing.PrivateKey()
            func device(_ version: String, _ category: UInt32) -> SimulatedDevice {
                let statements = AppExtensions(validationCategory: category, bundleVersion: version)
                return SimulatedDevice(appID: Stack.appID, statements: statements, key: key)
            }
            /// The same key in another build of the app.
            func build(_ device: SimulatedDevice, after phone: Phone) -> Phone {
                device.skipCounters(phone.device.lastCounter)
                return Phone(id: phone.id, level: phone.level, device: device, gateway: phone.gateway)
            }
            let phone = try await Phone.register(
                with: scene.client, authority: scene.stack.authority, device: device("1314", 4))
            #expect(try await scene.settled(phone, 1).state == .verified)
            let test = build(device("1315", 2), after: phone)
            #expect(try await scene.settled(test, 2).state == .verified, "TestFlight is not less than the App Store")
            let lower = build(device("57", 4), after: test)
            let refused = try await scene.settled(lower, 3)
            #expect(refused.state == .rejected && refused.reason == Reason.extensionsNotAllowed.rawValue)
            let record = try await scene.rollout(of: refused.captureID)
            #expect(record?["unmet"]?.array?.compactMap(\.string) == ["bundle_version_attested"])
            #expect(record?["bundle_version"]?.string == "57" && record?["attested_bundle_version"]?.string == "1314")

            // The worker does not rely on what it keeps of the device; and what the earlier build signed still counts.
            let attested = try await attestAgain(lower, as: device("57", 4), scene)
            #expect(try await scene.settled(attested, 4).state == .verified)
            #expect(try await scene.settled(build(device("1314", 4), after: attested), 5).state == .verified)
        }
    }

    /// Both programs count what they judged.
    private func expectMetrics(
        _ scene: Scene, mode: String, refused: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let gateway = try await Scrape(scene.gateway, "listening on ").exposition()
        let worker = try await Scrape(scene.worker, "metrics at ").exposition()
        for (subject, exposition) in [("attestation", gateway), ("capture", worker)] {
            func count(_ outcome: String) -> String? {
                exposition.value(
                    "capture_rollout_rulings_total", ["subject": subject, "mode": mode, "outcome": outcome])
            }
            #expect(count(refused) == "1", "\(subject)", sourceLocation: sourceLocation)
            let unmet = ["subject": subject, "mode": mode, "requirement": "os_version"]
            #expect(
                exposition.value("capture_rollout_unmet_total", unmet) == "1", "\(subject)",
                sourceLocation: sourceLocation)
            #expect(exposition.value("capture_rollout_file_in_force") == "1", sourceLocation: sourceLocation)
        }
    }

    @Test func `a file that is no policy leaves the one in force, and says so`() async throws {
        try await withScene(Self.monitor) { scene async throws in
            let old = try await Phone.register(with: scene.client, authority: scene.stack.authority, format: .plain)
            let digest = try await scene.bring(Self.enforce)
            try Data("apps:\n  \(Stack.appID): {mode: of}\n".utf8).write(to: scene.file, options: .atomic)
            for process in [scene.gateway, scene.worker] {
                let line = try await process.line(containing: "the rollout's file is no policy")
                #expect(line.contains("mode: takes off | monitor | enforce"))
            }
            #expect(try await scene.settled(old, 1).reason == Reason.osVersionNotAllowed.rawValue)
            let standing = try await scene.client.data("/api/v1/rollout")
            #expect(standing?["policy_sha256"]?.string == digest)
            #expect(standing?["fault"]?.string?.contains("mode: takes") == true)
            #expect(standing?["apps"]?.array?.first?["mode"]?.string == "enforce")
            let worker = try await Scrape(scene.worker, "metrics at ").exposition()
            #expect(worker.value("capture_rollout_file_in_force") == "0")
            #expect(worker.value("capture_rollout_reloads_total", ["outcome": "refused"]) == "1")
            // The way back needs no restart either.
            try await scene.bring(Scene.text("mode: off"))
            let free = try await scene.settled(old, 2)
            #expect(free.state == .verified)
            #expect(try await scene.rollout(of: free.captureID) == .null, "nothing is judged")
            #expect(try await scene.client.data("/api/v1/rollout")?["fault"] == .null)
        }
    }

    @Test func `a percentage takes a device in when it reaches the device's bucket`() async throws {
        func text(_ percentage: String) -> String {
            Scene.text("mode: enforce", #"osVersionMinimum: "27.0""#, "percentage: \(percentage)")
        }
        try await withScene(text("0")) { scene async throws in
            let old = try await Phone.register(with: scene.client, authority: scene.stack.authority, format: .plain)
            let outside = try await scene.settled(old, 1)
            #expect(outside.state == .verified)
            let record = try await scene.rollout(of: outside.captureID)
            #expect(record?["within"]?.bool == false && record?["unmet"]?.array?.count == 1)
            let bucket = try #require(record?["bucket"]?.integer)
            func percent(_ buckets: Int) -> String {
                "\(buckets / 100)." + (buckets % 100 < 10 ? "0" : "") + "\(buckets % 100)"
            }
            try await scene.bring(text(percent(bucket)))
            #expect(try await scene.settled(old, 2).state == .verified, "all buckets below \(bucket)")
            try await scene.bring(text(percent(bucket + 1)))
            #expect(try await scene.settled(old, 3).reason == Reason.osVersionNotAllowed.rawValue)
        }
    }

    @Test func `without a good file neither program starts`() async throws {
        let stack = try await Stack.start()
        let file = stack.directory.appendingPathComponent("rollout.yaml")
        for text in [nil, "apps: 1\n"] {
            if let text { try Data(text.utf8).write(to: file) }
            let settings = ["CAPTURE_ROLLOUT_FILE": file.path]
            for process in [try stack.worker(settings), try stack.launchGateway(settings)] {
                #expect(try await process.exitCode() == 64)
                #expect(process.output.contains("rollout.file: \(file.path): "))
            }
        }
    }
}
