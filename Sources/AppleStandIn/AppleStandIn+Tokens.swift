import CaptureModel
import Crypto
import Foundation

extension AppleStandIn {
    private struct Header: Decodable {
        var alg: String
        var kid: String
    }

    private struct Claims: Decodable {
        var iss: String
        var iat: Int64
    }

    /// Whether a JSON Web Token is the developer's, signed with ES256 and no older than an hour.
    func takes(_ token: String) -> Bool {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.decoded(parts[0]), let claims = Self.decoded(parts[1]),
            let signature = Self.decoded(parts[2]),
            let head = try? JSONDecoder().decode(Header.self, from: header),
            let body = try? JSONDecoder().decode(Claims.self, from: claims),
            let ecdsa = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
        else { return false }
        let age = now().date.timeIntervalSince1970 - Double(body.iat)
        return head.alg == "ES256" && head.kid == developer.keyID && body.iss == developer.teamID
            && (-60...3600).contains(age)
            && developer.key.isValidSignature(ecdsa, for: Data("\(parts[0]).\(parts[1])".utf8))
    }

    private static func decoded(_ text: Substring) -> Data? {
        let padded = text.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: padded + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4))
    }
}
