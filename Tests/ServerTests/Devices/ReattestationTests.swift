import CaptureModel
import CaptureStore
import PostgresCaptureStore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct `Attesting a key again` {
    private static let one = String(repeating: "1", count: 64)
    private static let two = String(repeating: "2", count: 64)

    @Test func `a new attestation is for the same app, in the same environment, and under the same root`() async throws
    {
        try await withPostgresStore { store, _ async throws in
            let registration = DeviceRegistration.sample().claiming(trustRoot: "Root sha256:\(Self.one)")
            let id = registration.device.id
            #expect(try await store.register(registration) == .created)
            let again = registration.attestedAgain(at: moment(50), osVersion: "26.0", receipt: [7])
            for other in [
                again.claiming(appID: "TEAM000000.app.other"), again.claiming(environment: .development),
                again.claiming(trustRoot: "Root sha256:\(Self.two)"),
            ] {
                let outcome = try await store.reattest(other, keeping: [Self.one], actor: "x")
                #expect(outcome == .notAttested)
            }
            #expect(try await store.attestations(of: id).entries.map(\.osVersion) == ["18.1"])
            #expect(try await store.receipt(of: id) == nil)
            let same = try await store.reattest(again, keeping: [Self.one], actor: "x")
            #expect(same == .kept([Drift(fact: .osVersion, before: "18.1", after: "26.0")]))
        }
    }

    @Test func `of many attestations the first and the latest are told, and that there are others`() async throws {
        try await withPostgresStore { store, _ async throws in
            let registration = DeviceRegistration.sample()
            let id = registration.device.id
            #expect(try await store.register(registration) == .created)
            let most = AttestationHistory.latestMax
            for count in 1...(most + 1) {
                let again = registration.attestedAgain(at: moment(50 + count), osVersion: "26.\(count)", receipt: [7])
                _ = try await store.reattest(again, keeping: [Self.one], actor: "x")
                guard count >= most else { continue }
                let told = try await store.attestations(of: id)
                #expect(told.isCut == (count > most) && told.entries.count == 1 + most)
                #expect(told.entries.prefix(2).map(\.osVersion) == ["18.1", "26.\(count - most + 1)"])
                #expect(told.entries.last?.osVersion == "26.\(count)")
            }
        }
    }

    /// Whoever asks with the old receipt has nothing to say about the new one.
    @Test func `a claim on a receipt is lost with the attestation that replaces it`() async throws {
        try await withPostgresStore { store, _ async throws in
            let registration = DeviceRegistration.sample()
            let id = registration.device.id
            #expect(try await store.register(registration) == .created)
            let again = registration.attestedAgain(at: moment(50), osVersion: "26.0", receipt: [7])
            _ = try await store.reattest(again, keeping: [], actor: "x")
            let claim = try #require(try await store.claimReceipt(lease: .seconds(60), token: 1))
            #expect(claim.receipt == [7])
            let later = registration.attestedAgain(at: moment(60), osVersion: "26.0", receipt: [8])
            _ = try await store.reattest(later, keeping: [], actor: "x")
            let settlement = ReceiptSettlement(outcome: .ended, reason: nil, attempts: 0, next: nil)
            #expect(try await store.settle(claim, as: settlement, at: moment(70)) == false)
            let standing = try #require(try await store.receipt(of: id))
            #expect(standing.outcome == .waiting && standing.receivedAt == moment(60))
        }
    }

    @Test func `a device leaves a root that is not kept, and its results name the one of their time`() async throws {
        try await withPostgresStore { store, _ async throws in
            let (before, after) = ("Root sha256:\(Self.one)", "Root sha256:\(Self.two)")
            let registration = DeviceRegistration.sample().claiming(trustRoot: before)
            let device = registration.device
            #expect(try await store.register(registration) == .created)
            let first = ExaminedCapture.sample(device, counter: 1)
            _ = try await store.settle([first], policy: .strict)
            let moved = registration.attestedAgain(at: moment(50), osVersion: "18.1", receipt: [7])
                .claiming(trustRoot: after)
            #expect(try await store.reattest(moved, keeping: [Self.two], actor: "x") == .kept([]))
            #expect(try await store.devices([device.id])[device.id]?.trustRoot == after)
            let trail = try await store.auditTrail(of: "\(device.id)", limit: 1)
            #expect(
                trail.first?.details == [
                    "trust_root": "\(before) → \(after)", "processor_version": ProcessorVersion.current,
                ])
            let second = ExaminedCapture.sample(device, counter: 2)
            _ = try await store.settle([second], policy: .strict)
            let results = try await store.results(of: [first.job.id, second.job.id])
            #expect(results[first.job.id]?.trustRoot == before && results[second.job.id]?.trustRoot == after)
        }
    }

    /// Else whoever trusts the root that a result names could not verify its evidence.
    @Test func `evidence has the latest attestation before its result, under the root that the result names`()
        async throws
    {
        try await withPostgresStore { store, _ async throws in
            let roots = [Self.one, Self.two].map { "Root sha256:\($0)" }
            let registration = DeviceRegistration.sample().claiming(trustRoot: roots[0])
            #expect(try await store.register(registration) == .created)
            let captures = (1...4).map { ExaminedCapture.sample(registration.device, counter: UInt32($0)) }
            let now = try await store.serverTime()
            func attest(_ root: Int, at moment: Timestamp) async throws {
                let again = registration.attestedAgain(at: moment, osVersion: "18.1", receipt: [7])
                    .claiming(trustRoot: roots[root])
                _ = try await store.reattest(again, keeping: [], actor: "x")
            }
            _ = try await store.settle([captures[0]], policy: .strict)
            try await attest(0, at: now.advanced(by: .seconds(3600)))
            var moments: [Timestamp] = []
            for place in 1...2 {
                // After the settlement before, by the record's clock.
                moments.append(try await store.serverTime())
                try await attest(1, at: moments[place - 1])
                _ = try await store.settle([captures[place]], policy: .strict)
            }
            // By a gateway whose clock is ahead.
            try await attest(1, at: now.advanced(by: .seconds(3600)))
            _ = try await store.settle([captures[3]], policy: .strict)
            let end = try await store.serverTime()
            var found: [LaterAttestation?] = []
            for capture in captures { found.append(try await store.evidence(of: capture.job.id)?.laterAttestation) }
            #expect(found.prefix(3).map { $0?.attestedAt } == [nil, moments[0], moments[1]])
            let last = try #require(found[3]).attestedAt
            #expect(now <= last && last <= end)
            #expect(found.map { $0?.attestationObject } == [nil, [9], [9], [9]])
            #expect(found.map { $0?.clientDataHash } == [nil, [9], [9], [9]])
        }
    }
}

extension DeviceRegistration {
    /// The same with other claims.
    fileprivate func claiming(
        appID: String? = nil, environment: KeyEnvironment? = nil, trustRoot: String? = nil
    ) -> DeviceRegistration {
        guard case .attested(let publicKey, let ownEnvironment, let ownApp, let ownRoot) = device.key else {
            return self
        }
        return DeviceRegistration(
            device: .phone(
                .attested(
                    publicKey: publicKey, environment: environment ?? ownEnvironment, appID: appID ?? ownApp,
                    trustRoot: trustRoot ?? ownRoot),
                id: device.id, model: device.model, registeredAt: device.registeredAt,
                latestOSVersion: device.latestOSVersion),
            attestationObject: attestationObject, clientDataHash: clientDataHash, certificateChain: certificateChain,
            receipt: receipt, osVersion: osVersion, validationCategory: validationCategory,
            bundleVersion: bundleVersion)
    }
}
