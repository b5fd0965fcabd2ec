import CaptureModel
import Crypto

/// Names an app as App Attest does: team identifier, a dot, and the bundle identifier.
///
/// ```swift
/// guard let app = AppID("1234567890.com.example.camera") else { return }
/// ```
///
/// App ids are compared byte by byte: case matters.
public struct AppID: Hashable, Sendable, CustomStringConvertible {
    /// The whole text, such as `1234567890.com.example.camera`.
    public let text: String
    /// SHA-256 of the text: authenticator data carry it instead of the text (WebAuthn's rpIdHash).
    public let rpIDHash: [UInt8]

    /// The longest text taken, in bytes.
    public static let bytesMax = 512

    /// Takes a team identifier of ten digits and capital letters, a dot, and a bundle identifier of visible ASCII.
    ///
    /// Anything else is `nil`. So is a bundle identifier alone, as no device's key would ever belong to it.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.bytesMax, bytes.allSatisfy({ (0x21...0x7E).contains($0) }),
            let dot = bytes.firstIndex(of: UInt8(ascii: ".")), dot < bytes.count - 1, Self.isTeam(bytes[..<dot])
        else { return nil }
        self.text = text
        self.rpIDHash = Array(SHA256.hash(data: bytes))
    }

    private static func isTeam(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count == 10
            && bytes.allSatisfy { $0.isDecimalDigit || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }

    /// The same as ``text``.
    public var description: String { text }
}
