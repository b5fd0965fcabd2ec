package import CaptureModel
package import Crypto
import Synchronization

/// A simulated phone: a P-256 key in memory that attests and asserts as the Secure Enclave does.
///
/// ```swift
/// let authority = try TestCertificateAuthority(at: now)
/// let phone = SimulatedDevice(appID: "ABCDE12345.com.example.app")
/// let attestation = try phone.attest(clientDataHash: hash, authority: authority, at: now)
/// let assertion = try phone.assertion(clientDataHash: hash)       // counter 1
/// ```
///
/// Like the hardware it has a single counter, which every assertion raises, whatever it is for. Several tasks may use
/// it at once; no two assertions get the same counter unless ``CounterChoice/exactly(_:)`` asks for it.
package final class SimulatedDevice: Sendable {
    /// SHA-256 of the public key, as Apple names keys.
    package let keyID: KeyID
    /// The public key as X9.63: 65 bytes.
    package let publicKey: [UInt8]
    /// Team and bundle of the app that owns the key.
    package let appID: String
    /// The App Attest environment of the app.
    package let environment: KeyEnvironment
    /// The format that its release of iOS writes.
    package let format: WireFormat
    /// The statements of iOS 27 about the app.
    package let statements: AppExtensions
    /// The version of its system, as the leaf certificate names it.
    package let systemVersion: String
    /// The hardware model.
    package let model: String

    let key: P256.Signing.PrivateKey
    private let counter = Mutex<UInt32>(0)

    /// Makes a device.
    /// - Parameters:
    ///   - systemVersion: The version of its system; by default the one that writes the format.
    ///   - key: Its key; a new one by default, since keys need no seed.
    package init(
        appID: String, environment: KeyEnvironment = .production, format: WireFormat = .extensionsFlagged,
        statements: AppExtensions = AppExtensions(), systemVersion: String? = nil, model: String = "iPhone17,1",
        key: P256.Signing.PrivateKey = P256.Signing.PrivateKey()
    ) {
        self.appID = appID
        self.environment = environment
        self.format = format
        self.statements = statements
        self.systemVersion = systemVersion ?? format.systemVersion
        self.model = model
        self.key = key
        self.publicKey = Array(key.publicKey.x963Representation)
        self.keyID = KeyID(publicKey: publicKey)
    }

    /// The counter of the last assertion made with ``CounterChoice/next``.
    package var lastCounter: UInt32 { counter.withLock { $0 } }

    /// Skips counters, as assertions do that never reach this server.
    package func skipCounters(_ count: UInt32) {
        counter.withLock { $0 += count }
    }

    /// The hardware's next counter.
    func nextCounter() -> UInt32 {
        counter.withLock { value in
            value += 1
            return value
        }
    }

    /// DER of an ECDSA signature over the SHA-256 of a message.
    static func sign(_ message: [UInt8], with key: P256.Signing.PrivateKey) throws(SimulatorError)
        -> P256.Signing.ECDSASignature
    {
        do { return try key.signature(for: message) } catch {
            throw SimulatorError(.signature, "the key does not sign")
        }
    }
}
