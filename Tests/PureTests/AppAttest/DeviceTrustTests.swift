import CaptureModel
import enum Crypto.Curve25519
import DeviceSimulator
import Testing

@testable import AppAttest

private let own = AppID("TEAM123456.com.example.capture")!
private let other = AppID("TEAM123456.com.example.other")!
private let foreign = AppID("TEAM123456.com.example.foreign")!

extension Device {
    /// A device of which only key and app matter.
    fileprivate init(publicKey: [UInt8]?, algorithm: KeyAlgorithm = .p256, appID: String? = nil) {
        var generator = SystemRandomNumberGenerator()
        let attested = appID.map {
            DeviceKey.attested(publicKey: publicKey ?? [], environment: .production, appID: $0, trustRoot: "")
        }
        self.init(
            id: DeviceID.make(using: &generator), keyID: KeyID(publicKey: publicKey ?? []),
            key: attested ?? .unverified(algorithm, publicKey: publicKey, reason: nil), platform: "ios",
            model: "iPhone17,1", hasLidar: true, revokedAt: nil, registeredAt: Timestamp(millisecondsSince1970: 0))
    }
}

@Suite("The app that an assertion is held to")
struct AppOfAssertionTests {
    /// What was attested of the key, the app that the assertion names, and the one of two that it is held to.
    private static let cases: [(String?, AppID, AppID?)] = [
        (nil, own, own), (nil, other, other), (nil, foreign, own),
        (own.text, own, own), (own.text, other, own), (own.text, foreign, own), (other.text, own, other),
        (foreign.text, foreign, nil), (foreign.text, own, nil), ("no app", own, nil),
    ]

    @Test(arguments: cases)
    func `the app that an assertion is held to is the key's own, or the one that it names where nothing was attested`(
        attested: String?, named: AppID, expected: AppID?
    ) throws {
        let phone = SimulatedDevice(appID: named.text)
        let assertion = try AssertionVerifier().parse(phone.assertion(clientDataHash: [1]))
        let apps = [own, other]
        #expect(apps.app(for: assertion, attested: attested) == expected)
        #expect(apps.app(for: assertion, of: Device(publicKey: phone.publicKey, appID: attested)) == expected)
        #expect([AppID]().app(for: assertion, attested: attested) == nil)
    }

    @Test(arguments: [(own.text, own), ("no app", nil), (nil, nil)] as [(String?, AppID?)])
    func `the app that an assertion is held to is read from what the record says of the device`(
        text: String?, app: AppID?
    ) {
        #expect(AppID(of: Device(publicKey: nil, appID: text)) == app)
    }
}

@Suite("A device's key for assertions")
struct DeviceKeyTests {
    private let phone = SimulatedDevice(appID: own.text)
    private let plain = SoftwareDevice(appID: own.text, key: .ed25519(Curve25519.Signing.PrivateKey()))

    @Test func `a device's key for assertions verifies what the device signs, whichever kind it is of`() throws {
        let hash = SHA256Digest.hash([1]).bytes
        let signed = [
            (Device(publicKey: phone.publicKey), try phone.assertion(clientDataHash: hash)),
            (Device(publicKey: plain.publicKey, algorithm: .ed25519), try plain.assertion(clientDataHash: hash)),
        ]
        for (device, assertion) in signed {
            let key = try #require(device.assertionKey)
            let verified = try AssertionVerifier().verify(
                assertion, clientDataHash: hash, publicKey: key, appID: own)
            #expect(verified.counter == 1)
        }
    }

    @Test func `a device's key for assertions is none where it is not of the kind that was registered`() {
        let unread: [(Device.KeyAlgorithm, [UInt8]?)] = [
            (.p256, plain.publicKey), (.ed25519, phone.publicKey), (.p256, []), (.ed25519, []), (.p256, nil),
            (.ed25519, nil),
        ]
        for (algorithm, bytes) in unread {
            #expect(Device(publicKey: bytes, algorithm: algorithm).assertionKey == nil)
        }
        let error = #expect(throws: AppAttest.AssertionError.self) { try AssertionKey([], algorithm: .ed25519) }
        #expect(error?.code == .publicKeyMalformed)
    }
}

@Suite("What is said of assertions and keys in the record's words")
struct DeviceTrustWordsTests {
    @Test(arguments: AppAttest.AssertionError.Code.allCases)
    func `a failed step has its reason`(code: AppAttest.AssertionError.Code) {
        let told: [AppAttest.AssertionError.Code: Reason] = [
            .signatureInvalid: .signatureInvalid, .clientDataHashLength: .signatureInvalid,
            .publicKeyMalformed: .signatureInvalid, .rpIDMismatch: .rpIDMismatch,
        ]
        #expect(Reason(AppAttest.AssertionError(code)) == told[code] ?? .assertionMalformed)
    }

    @Test func `an environment has the same word as in App Attest`() {
        #expect(
            AttestEnvironment.allCases.map(\.rawValue)
                == KeyEnvironment.allCases.map(\.rawValue))
        for environment in AttestEnvironment.allCases {
            let recorded = KeyEnvironment(environment)
            #expect(recorded.rawValue == environment.rawValue)
            #expect(AttestEnvironment(recorded) == environment)
        }
    }

    @Test func `all apps and environments that are configured are taken`() {
        let keys = TrustedKeys(apps: [own, other], environments: [.production, .development], trustRoots: ["root"])
        #expect(
            keys
                == TrustedKeys(
                    appIDs: [own.text, other.text], environments: [.production, .development], trustRoots: ["root"]))
    }
}
