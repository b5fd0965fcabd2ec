import CaptureModel
import CaptureOperations
import CaptureStore
import Evidence
import FoundationEssentials
import PostgresCaptureStore
import Testing

/// The library refuses documents that no record writes: it has to take each that the record does write.
@Suite("Evidence of what was settled, in every store", .timeLimit(.minutes(3)))
struct SettledEvidenceTests {
    /// A registration as gateways make it, with 32 bytes that the attestation was made for.
    private static func registration(
        key: UInt8, level: AttestationLevel = .secureEnclave, at registeredAt: Timestamp = moment(0)
    ) -> DeviceRegistration {
        let sample = DeviceRegistration.sample(key: key, level: level, at: registeredAt)
        return DeviceRegistration(
            device: sample.device, attestationObject: sample.attestationObject,
            clientDataHash: [UInt8](repeating: 1, count: 32), certificateChain: sample.certificateChain,
            receipt: sample.receipt, osVersion: sample.osVersion, validationCategory: sample.validationCategory,
            bundleVersion: sample.bundleVersion)
    }

    /// The reasons for which a batch was rejected, after the evidence of each capture was written and read.
    private func settled(
        _ batch: [ExaminedCapture], in store: any CaptureStore, policy: CounterPolicy = .strict
    ) async throws -> [Reason?] {
        let decisions = try await store.settle(batch, policy: policy)
        for capture in batch { _ = try await evidence(of: capture, in: store) }
        return decisions.map(\.reason)
    }

    private func evidence(of capture: ExaminedCapture, in store: any CaptureStore) async throws -> CaptureEvidence {
        let recorded = try #require(try await store.evidence(of: capture.job.id))
        let written = CaptureEvidence(recorded)
        let read = try CaptureEvidence(json: Array(try JSONEncoder().encode(written)))
        #expect(read.result.verdict == recorded.result.verdict && read.result.reason == recorded.result.reason)
        return read
    }

    @Test(arguments: StoreKind.allCases, [CounterPolicy.strict, .window(4)])
    func `evidence of what was settled is read, however its counter was judged`(
        _ kind: StoreKind, _ policy: CounterPolicy
    ) async throws {
        try await kind.withStore { store async throws in
            let registration = Self.registration(key: 1)
            #expect(try await store.register(registration) == .created)
            let counters: [UInt32] = [7, 5, 7, 0, 1, .max]
            let batch = counters.map { ExaminedCapture.sample(registration.device, counter: $0) }
            let reasons = try await settled(batch, in: store, policy: policy)
            #expect(reasons[1] == (policy == .strict ? .counterStale : nil))
            #expect(reasons[2] == .counterReplay && reasons[3] == .counterStale && reasons[5] == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `evidence of what was settled is read of devices that are unknown, software keys, or replaced`(
        _ kind: StoreKind
    ) async throws {
        try await kind.withStore { store async throws in
            let software = Self.registration(key: 1, level: .unverified)
            #expect(try await store.register(software) == .created)
            let late = Self.registration(key: 2)
            let batch: [ExaminedCapture] = [
                .sample(nil, counter: nil, rejection: .deviceUnknown), .sample(late.device, counter: 3),
                .sample(software.device, counter: 1), .sample(software.device, counter: nil),
                .sample(software.device, counter: 2, rejection: .photoHashMismatch),
            ]
            let reasons: [Reason?] = [.deviceUnknown, .deviceUnknown, nil, .signatureInvalid, .photoHashMismatch]
            #expect(try await settled(batch, in: store) == reasons)
            // The key of one is attested by now, and the device of the other is known.
            for registration in [Self.registration(key: 1, at: moment(20)), late] {
                #expect(try await store.register(registration) == .created)
            }
            for capture in batch { _ = try await evidence(of: capture, in: store) }
        }
    }

    @Test func `evidence of what was settled is read of devices that are revoked or compromised`() async throws {
        try await withPostgresStore { store, _ async throws in
            let registration = Self.registration(key: 1)
            #expect(try await store.register(registration) == .created)
            let device = registration.device
            #expect(try await store.revoke(device.id, at: moment(20), reason: "lost", actor: "operator"))
            let batch: [ExaminedCapture] = [
                .sample(device, counter: 1, receivedAt: moment(18)),
                .sample(device, counter: 2, receivedAt: moment(19)),
                .sample(device, counter: 3, receivedAt: moment(20)),
            ]
            #expect(try await settled(batch, in: store) == [nil, nil, .deviceRevoked])
            _ = try await store.compromise(device.id, since: moment(19), reason: "stolen", actor: "operator")
            var marks: [Timestamp?] = []
            for capture in batch {
                marks.append(try await evidence(of: capture, in: store).result.compromisedSince)
            }
            #expect(marks == [nil, moment(19), moment(19)])
        }
    }
}
