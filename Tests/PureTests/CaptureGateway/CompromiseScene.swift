import CaptureModel
import CaptureStore
import FoundationEssentials
import NIOHTTP1
import TestSupport

@testable import CaptureGateway

/// What tests of compromised keys begin with.
enum CompromiseScene {
    static let authorization: HTTPHeaders = ["Authorization": "Bearer \(GatewayFixture.operatorToken)"]

    /// A minute before the gateway's time.
    static func since(_ fixture: GatewayFixture) -> Timestamp { fixture.time.now.advanced(by: .seconds(-60)) }

    /// A gateway with operators and a registry, whose archive has one capture of a compromised key.
    static func fixture() throws -> GatewayFixture {
        let plain = try GatewayFixture()
        let result = ArchivedCapture.Result(
            verdict: .verified, reason: nil, confidence: .high, counter: 1, counterHighest: 1, attempts: 1,
            isRedriven: false, verifiedAt: plain.time.now, compromisedSince: since(plain))
        let capture = ArchivedCapture(
            id: CaptureID(UUID()), device: DeviceID(UUID()), receivedAt: plain.time.now, result: result)
        var fixture = plain.withOperators(archive: ListedArchive(captures: [capture]))
        var registry = MemoryRegistry(store: fixture.store)
        registry.standing = ReceiptStanding(
            outcome: .notYet, reason: .status(304), attempts: 0, receivedAt: plain.time.now, askedAt: nil, nextAt: nil)
        registry.summaries = ["26.1", "26.2"].map {
            AttestationSummary(
                at: plain.time.now, model: "iPhone17,1", osVersion: $0, bundleVersion: nil, validationCategory: nil)
        }
        fixture.dependencies.registry = registry
        return fixture
    }
}
