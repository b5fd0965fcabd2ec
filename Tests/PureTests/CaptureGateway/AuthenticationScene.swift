import CaptureModel
import CaptureStore
import Crypto
import DeviceSimulator
import FoundationEssentials
import HTTPTypes
import Rollout
import TestSupport

@testable import CaptureGateway

/// A fixture with a phone and two plain keys, and the authenticator under test.
struct AuthenticationScene {
    let fixture: GatewayFixture
    let phone: SimulatedDevice
    let phoneID: DeviceID
    let key = Curve25519.Signing.PrivateKey()
    let keyID: DeviceID
    let otherKey = Curve25519.Signing.PrivateKey()
    let otherKeyID: DeviceID
    let authenticator: DeviceAuthenticator

    init(level: AttestationLevel = .secureEnclave) async throws {
        let fixture = try GatewayFixture()
        let phone = fixture.phone
        let (key, otherKey) = (self.key, self.otherKey)
        var generator = SystemRandomNumberGenerator()
        phoneID = .make(using: &generator)
        keyID = .make(using: &generator)
        otherKeyID = .make(using: &generator)
        let appraiser = EvidenceAppraiser(
            trust: fixture.configuration.trust, validity: fixture.configuration.validity,
            rollout: RolloutInForce())
        let challenge = [UInt8](repeating: 1, count: 32)
        let flaw: AttestationFlaw? = level == .unverified ? .counterNotZero : nil
        let forms = [
            (try fixture.form(phone, challenge, flaw: flaw), phoneID), (try fixture.form(key, challenge), keyID),
            (try fixture.form(otherKey, challenge), otherKeyID),
        ]
        for (form, id) in forms {
            let bytes = Array(try JSONEncoder().encode(form))
            let request = try JSONBody.decode(RegistrationRequest.self, from: bytes, headers: [:])
            let appraisal = try appraiser.appraise(try RegistrationClaim(request), as: id, at: fixture.time.now)
            _ = try await fixture.store.register(appraisal.registration)
        }
        self.fixture = fixture
        self.phone = phone
        authenticator = DeviceAuthenticator(
            configuration: fixture.configuration, dependencies: fixture.dependencies)
    }

    func headers(
        _ id: DeviceID, at offset: Duration = .zero, body: [UInt8] = [], sign: ([UInt8]) throws -> [UInt8]
    ) throws -> HTTPFields {
        let timestamp = "\(fixture.time.now.advanced(by: offset).millisecondsSince1970)"
        let message = Array("\(timestamp)|\(SHA256Digest.hash(body).hex)".utf8)
        return [
            .deviceID: "\(id)", .deviceTimestamp: timestamp,
            .deviceSignature: Data(try sign(message)).base64EncodedString(),
        ]
    }

    func phoneHeaders(
        at offset: Duration = .zero, body: [UInt8] = [], counter: CounterChoice = .next, flaw: AssertionFlaw? = nil
    ) throws -> HTTPFields {
        try headers(phoneID, at: offset, body: body) {
            try phone.assertion(clientDataHash: SHA256Digest.hash($0).bytes, counter: counter, flaw: flaw)
        }
    }

    func keyHeaders(at offset: Duration = .zero, body: [UInt8] = []) throws -> HTTPFields {
        try headers(keyID, at: offset, body: body) { Array(try key.signature(for: $0)) }
    }

    func otherKeyHeaders(at offset: Duration = .zero, body: [UInt8] = []) throws -> HTTPFields {
        try headers(otherKeyID, at: offset, body: body) { Array(try otherKey.signature(for: $0)) }
    }

    func code(
        _ headers: HTTPFields, body: [UInt8] = [], by other: DeviceAuthenticator? = nil
    ) async -> APIError.Code? {
        do {
            _ = try await (other ?? authenticator).device(signing: headers, body: body)
            return nil
        } catch {
            return error.code
        }
    }
}

extension DeviceAuthenticator {
    /// The device that signed a request with this body, in the two steps that a request takes.
    func device(signing headers: HTTPFields, body: [UInt8]) async throws(APIError) -> Device {
        let claim = try await claim(in: headers)
        try await check(claim, body: body)
        return claim.device
    }
}
