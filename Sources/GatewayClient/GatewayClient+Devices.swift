package import CaptureModel
import FoundationEssentials
import NIOCore
import NIOHTTP1

extension GatewayClient {
    /// Asks for a challenge.
    package func challenge() async throws(GatewayError) -> Challenge {
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
    /// If an earlier registration of the key succeeded but its answer was lost, this gives the device of that
    /// registration.
    package func register(_ form: RegistrationForm) async throws(GatewayError) -> RegistrationAnswer {
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
            return RegistrationAnswer(device: device, level: .secureEnclave, reason: nil, deviceCheck: nil)
        }
    }

    /// Registers a device without App Attest.
    package func register(_ form: CheckedRegistrationForm) async throws(GatewayError) -> RegistrationAnswer {
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

    private func register(at path: String, _ body: some Encodable) async throws(GatewayError) -> RegistrationAnswer {
        let call = try Call(
            method: .POST, path: path, headers: ["Content-Type": "application/json"], body: Self.json(body)
        )
        let data = try await send(call).data
        guard let device = data["device_id"]?.string.flatMap({ DeviceID($0) }),
            let level = data["attestation_level"]?.string.flatMap(AttestationLevel.init(rawValue:))
        else { throw .malformedAnswer("no device id or attestation level") }
        let standing = data["device_check"]?["state"]?.string.flatMap(DeviceCheckState.Standing.init(rawValue:))
        return RegistrationAnswer(
            device: device, level: level, reason: data["reason"]?.string, deviceCheck: standing)
    }

    /// Everything that is known of a device, as the gateway tells holders of tokens.
    package func device(
        _ device: DeviceID, as credentials: @escaping Credentials.Source
    ) async throws(GatewayError) -> JSONValue {
        try await send(Call(method: .GET, path: "/api/v1/devices/\(device)"), as: credentials).data
    }

    static func json(_ value: some Encodable) throws(GatewayError) -> ByteBuffer {
        do { return ByteBuffer(bytes: try JSONEncoder().encode(value)) } catch {
            throw .unwritable
        }
    }
}
