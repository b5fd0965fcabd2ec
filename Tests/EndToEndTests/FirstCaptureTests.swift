import CaptureModel
import DeviceSimulator
import Foundation
import GatewayClient
import TestSupport
import Testing

@Suite("A signed capture goes from a device to a provenance record", .timeLimit(.minutes(5)))
struct FirstCaptureTests {
    /// What one stack shows: the tests below read it in parallel.
    struct Scene: Sendable {
        let stack: Stack
        let gateway: GatewayClient
        let processes: [LeashedProcess]
    }

    private static let scene = Once<Scene> {
        // The gateway lets through what it would refuse by itself: these tests are about the worker's verdicts.
        let stack = try await Stack.start(settings: ["CAPTURE_GATEWAY_PRECHECK": "none"])
        let gateway = try await stack.gateway()
        return Scene(stack: stack, gateway: gateway.client, processes: [gateway.process, try stack.worker()])
    }

    private func phone(format: WireFormat = .extensionsFlagged, trusted: Bool = true) async throws -> Phone {
        let scene = try await Self.scene.value()
        let authority = trusted ? scene.stack.authority : try TestCertificateAuthority(name: "Nobody", at: Date())
        return try await Phone.register(with: scene.gateway, authority: authority, format: format)
    }

    @Test(arguments: WireFormat.allCases, Binding.allCases)
    func `a genuine capture is verified with high confidence`(format: WireFormat, binding: Binding) async throws {
        let phone = try await phone(format: format)
        #expect(phone.level == .secureEnclave)
        let status = try await phone.settled(try await phone.upload(try phone.shoot(seed: 1, binding: binding)))
        #expect(status.state == .verified)
        #expect(status.confidence == .high)
    }

    @Test func `the provenance result names what it rests on`() async throws {
        let phone = try await phone()
        let signed = try phone.shoot(seed: 2)
        let capture = try await phone.upload(signed)
        #expect(try await phone.settled(capture).state == .verified)
        let record = try await phone.gateway.provenance(capture) { _ in .token(Stack.token) }
        #expect(record["verdict"]?.string == "verified")
        #expect(record["device_id"]?.string == phone.id.description)
        #expect(record["photo_sha256"]?.string == SHA256Digest.hash(signed.capture.photo).hex)
        #expect(record["depth_sha256"]?.string == SHA256Digest.hash(signed.capture.depthMap).hex)
        #expect(record["metadata_sha256"]?.string == SHA256Digest.hash(signed.capture.metadata).hex)
        let signedHash = CaptureSigner.clientDataHash(of: signed.capture, binding: .concatV1)
        #expect(record["client_data_sha256"]?.string == signedHash.hex)
        #expect(record["trust_root"]?.string?.contains("TEST ONLY") == true)
        #expect(record["environment"]?.string == "production" && record["app_id"]?.string == Stack.appID)
        #expect(record["key_id"]?.string == "\(phone.device.keyID)")
        #expect(record["attestation_level"]?.string == "secure_enclave")
        #expect(record["counter"]?.integer == 1 && record["counter_policy"]?.string == "strict")
        #expect(record["binding"]?.string == "concat-v1")
        // Where the photo was taken is in the metadata only.
        #expect(String(decoding: signed.capture.metadata, as: UTF8.self).contains("latitude"))
        let text = "\(record)"
        #expect(!text.contains("latitude") && !text.contains("location"))
    }

    @Test func `the provenance result has every check, and why one did not pass`() async throws {
        let phone = try await phone()
        let signed = try phone.shoot(seed: 14)
        let genuine = try await phone.upload(signed)
        let tampered = try await phone.upload(signed, showing: signed.capture.photoTampered())
        // Risk and rollout are looked at only where they are configured.
        let names = Check.Name.allCases.filter { $0 != .risk && $0 != .rollout }.map(\.rawValue)
        for (capture, state) in [(genuine, .verified), (tampered, .rejected)] as [(CaptureID, CaptureState)] {
            #expect(try await phone.settled(capture).state == state)
            let record = try await phone.gateway.provenance(capture) { _ in .token(Stack.token) }
            let checks = try #require(record["checks"]?.array)
            #expect(checks.compactMap { $0["name"]?.string } == names)
            for check in checks {
                #expect((check["outcome"]?.string == "pass") == (check["reason"]?.string == nil), "\(check)")
            }
            let failed = checks.filter { $0["outcome"]?.string == "fail" }
            #expect(failed.compactMap { $0["name"]?.string } == (state == .verified ? [] : ["assertion"]))
            #expect(failed.compactMap { $0["reason"]?.string } == (state == .verified ? [] : ["SIGNATURE_INVALID"]))
        }
    }

    @Test func `a photo that was changed after signing is rejected`() async throws {
        let phone = try await phone()
        let signed = try phone.shoot(seed: 3)
        let status = try await phone.settled(try await phone.upload(signed, showing: signed.capture.photoTampered()))
        #expect(status.state == .rejected)
        #expect(status.reason == "SIGNATURE_INVALID")
    }

    @Test(arguments: Binding.allCases)
    func `a depth map that was swapped after signing is rejected`(binding: Binding) async throws {
        let phone = try await phone()
        let signed = try phone.shoot(seed: 4, binding: binding)
        let status = try await phone.settled(try await phone.upload(signed, showing: signed.capture.depthMapTampered()))
        #expect(status.state == .rejected)
        #expect(status.reason == "SIGNATURE_INVALID")
    }

    @Test func `a bundle that is uploaded again is the same capture`() async throws {
        let phone = try await phone()
        let signed = try phone.shoot(seed: 5)
        let first = try await phone.upload(signed)
        #expect(try await phone.upload(signed) == first)
        #expect(try await phone.settled(first).state == .verified)
        #expect(try await phone.upload(signed) == first)
    }

    @Test func `a used assertion with other metadata is a replay`() async throws {
        let phone = try await phone()
        let signed = try phone.shoot(seed: 6)
        #expect(try await phone.settled(try await phone.upload(signed)).state == .verified)
        let replay = try await phone.upload(signed, showing: signed.capture.metadataRewritten())
        let status = try await phone.settled(replay)
        #expect(status.state == .rejected)
        #expect(status.reason == "COUNTER_REPLAY")
    }

    @Test func `a counter below the highest that was never used is stale`() async throws {
        let phone = try await phone()
        let late = try phone.shoot(seed: 7)
        #expect(try await phone.settled(try await phone.upload(try phone.shoot(seed: 8))).state == .verified)
        let status = try await phone.settled(try await phone.upload(late))
        #expect(status.state == .rejected)
        #expect(status.reason == "COUNTER_STALE")
    }

    @Test func `other bytes sent first under a signed assertion do not keep the genuine capture out`() async throws {
        let phone = try await phone()
        let signed = try phone.shoot(seed: 9)
        let forged = try await phone.upload(signed, showing: signed.capture.photoTampered())
        #expect(try await phone.settled(forged).state == .rejected)
        let genuine = try await phone.upload(signed)
        #expect(genuine != forged)
        #expect(try await phone.settled(genuine).state == .verified)
    }

    @Test func `a malleated signature is no second capture`() async throws {
        let phone = try await phone()
        for (seed, isGenuineFirst) in [(10, true), (12, false)] as [(UInt64, Bool)] {
            let signed = try phone.shoot(seed: seed)
            let both = isGenuineFirst ? [signed, try signed.malleated()] : [try signed.malleated(), signed]
            let first = try await phone.upload(both[0])
            #expect(try await phone.settled(first).state == .verified)
            #expect(try await phone.upload(both[1]) == first, "it says the same")
        }
    }

    /// Else whoever has a photo with its depth map and metadata would be told of its capture, without a signature.
    @Test(arguments: Binding.allCases)
    func `a verified capture's bytes under a forged signature are a capture of their own`(
        binding: Binding
    ) async throws {
        let phone = try await phone()
        let signed = try phone.shoot(seed: 15, binding: binding)
        let genuine = try await phone.upload(signed)
        #expect(try await phone.settled(genuine).state == .verified)
        let forged = try CaptureSigner(device: phone.device, binding: binding).sign(
            signed.capture, counter: .exactly(1), flaw: .keyOfOtherDevice)
        let own = try await phone.upload(forged)
        #expect(own != genuine)
        let status = try await phone.settled(own)
        #expect(status.state == .rejected && status.reason == "SIGNATURE_INVALID")
        #expect(try await phone.upload(forged) == own)
        #expect(try await phone.upload(signed) == genuine)
        #expect(try await phone.upload(signed.malleated()) == genuine, "the other form of the good signature")
    }

    @Test func `a capture for another app id is rejected`() async throws {
        let phone = try await phone()
        let signed = try phone.shoot(seed: 11, flaw: .otherAppID)
        let status = try await phone.settled(try await phone.upload(signed))
        #expect(status.reason == "RP_ID_MISMATCH")
    }

    @Test func `a device that nobody vouches for reaches medium confidence at the most`() async throws {
        let phone = try await phone(trusted: false)
        #expect(phone.level == .unverified)
        let status = try await phone.settled(try await phone.upload(try phone.shoot(seed: 12)))
        #expect(status.state == .verified)
        #expect(status.confidence == .medium)
    }
}
