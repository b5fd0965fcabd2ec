public import CaptureModel
import FoundationEssentials
import NIOCore
import NIOHTTP1

/// A challenge to attest.
public struct Challenge: Sendable, Equatable {
    /// Its 32 bytes.
    public var bytes: [UInt8]
    /// Until when it is good.
    public var expiresAt: Timestamp?
}

/// What a device says when it registers.
public struct RegistrationForm: Sendable, Equatable {
    /// The hardware model.
    public var model: String
    /// Whether there is a LiDAR sensor.
    public var hasLidar: Bool
    /// SHA-256 of the public key.
    public var keyID: [UInt8]
    /// The attestation object.
    public var attestation: [UInt8]
    /// The challenge that it answers.
    public var challenge: [UInt8]

    /// Fills in the form.
    public init(model: String, hasLidar: Bool = true, keyID: [UInt8], attestation: [UInt8], challenge: [UInt8]) {
        self.model = model
        self.hasLidar = hasLidar
        self.keyID = keyID
        self.attestation = attestation
        self.challenge = challenge
    }
}

/// What became of a registration.
public struct RegistrationReceipt: Sendable, Equatable {
    /// The id under which the device sends captures.
    public var device: DeviceID
    /// Whether the attestation was believed.
    public var level: AttestationLevel
    /// Why it was not.
    public var reason: String?
    /// What DeviceCheck said, where it was asked.
    public var deviceCheck: DeviceCheckState.Standing?
}

/// What a device without App Attest says when it registers.
public struct CheckedRegistrationForm: Sendable, Equatable {
    /// The hardware model.
    public var model: String
    /// What DeviceCheck gave the app: base64.
    public var deviceToken: String
    /// The app's own key: `ed25519` or `p256`.
    public var algorithm: Device.KeyAlgorithm
    /// The public key.
    public var publicKey: [UInt8]
    /// The challenge that the key signed.
    public var challenge: [UInt8]
    /// The key's signature over it.
    public var signature: [UInt8]

    /// Fills in the form.
    public init(
        model: String, deviceToken: String, algorithm: Device.KeyAlgorithm, publicKey: [UInt8], challenge: [UInt8],
        signature: [UInt8]
    ) {
        self.model = model
        self.deviceToken = deviceToken
        self.algorithm = algorithm
        self.publicKey = publicKey
        self.challenge = challenge
        self.signature = signature
    }
}

extension GatewayClient {
    /// Asks for a challenge.
    public func challenge() async throws(GatewayError) -> Challenge {
        let data = try await send(Call(method: .GET, path: "/api/v1/devices/challenge")).data
        guard let text = data["challenge"]?.string, let bytes = Data(base64Encoded: text) else {
            throw .malformedAnswer("no challenge")
        }
        return Challenge(
            bytes: Array(bytes), expiresAt: data["expires_at"]?.string.flatMap { Timestamp(rfc3339: $0) }
        )
    }

    /// Registers a device.
    ///
    /// A key that was registered by an earlier attestation, whose answer was lost, is told the device that it is.
    public func register(_ form: RegistrationForm) async throws(GatewayError) -> RegistrationReceipt {
        let body = RegistrationBody(
            model: form.model, hasLidar: form.hasLidar,
            attestation: .init(
                keyID: Data(form.keyID).base64EncodedString(),
                attestationObject: Data(form.attestation).base64EncodedString(),
                challenge: Data(form.challenge).base64EncodedString()
            )
        )
        do throws(GatewayError) {
            return try await register(at: "/api/v1/devices/register", body)
        } catch {
            guard case .refused(let refusal) = error, refusal.code == "CONFLICT", let device = refusal.device else {
                throw error
            }
            return RegistrationReceipt(device: device, level: .secureEnclave, reason: nil, deviceCheck: nil)
        }
    }

    /// Registers a device without App Attest.
    public func register(_ form: CheckedRegistrationForm) async throws(GatewayError) -> RegistrationReceipt {
        let body = CheckedRegistrationBody(
            model: form.model, deviceToken: form.deviceToken,
            publicKey: .init(
                algorithm: form.algorithm.rawValue, key: Data(form.publicKey).base64EncodedString(),
                challenge: Data(form.challenge).base64EncodedString(),
                signature: Data(form.signature).base64EncodedString()
            )
        )
        return try await register(at: "/api/v1/devices/devicecheck", body)
    }

    private func register(at path: String, _ body: some Encodable) async throws(GatewayError) -> RegistrationReceipt {
        let call = try Call(
            method: .POST, path: path, headers: ["Content-Type": "application/json"], body: Self.json(body)
        )
        let data = try await send(call).data
        guard let device = data["device_id"]?.string.flatMap({ DeviceID($0) }),
            let level = data["attestation_level"]?.string.flatMap(AttestationLevel.init(rawValue:))
        else { throw .malformedAnswer("no device id or attestation level") }
        let standing = data["device_check"]?["state"]?.string.flatMap(DeviceCheckState.Standing.init(rawValue:))
        return RegistrationReceipt(
            device: device, level: level, reason: data["reason"]?.string, deviceCheck: standing)
    }

    /// Everything that is known of a device, as the gateway tells holders of tokens.
    public func device(
        _ device: DeviceID, as credentials: @escaping Credentials.Source
    ) async throws(GatewayError) -> JSONValue {
        try await send(Call(method: .GET, path: "/api/v1/devices/\(device)"), as: credentials).data
    }

    static func json(_ value: some Encodable) throws(GatewayError) -> ByteBuffer {
        do { return ByteBuffer(bytes: try JSONEncoder().encode(value)) } catch {
            throw .malformedAnswer("the request cannot be written as JSON")
        }
    }
}

/// The registration's JSON.
private struct RegistrationBody: Encodable {
    struct Attestation: Encodable {
        var keyID: String
        var attestationObject: String
        var challenge: String

        enum CodingKeys: String, CodingKey {
            case keyID = "key_id"
            case attestationObject = "attestation_object"
            case challenge
        }
    }

    var platform = "ios"
    var model: String
    var hasLidar: Bool
    var attestation: Attestation

    enum CodingKeys: String, CodingKey {
        case platform, model
        case hasLidar = "has_lidar"
        case attestation
    }
}

/// The JSON of a registration with DeviceCheck.
private struct CheckedRegistrationBody: Encodable {
    struct PublicKey: Encodable {
        var algorithm: String
        var key: String
        var challenge: String
        var signature: String
    }

    var platform = "ios"
    var model: String
    var hasLidar = false
    var deviceToken: String
    var publicKey: PublicKey

    enum CodingKeys: String, CodingKey {
        case platform, model
        case hasLidar = "has_lidar"
        case deviceToken = "device_token"
        case publicKey = "public_key"
    }
}
