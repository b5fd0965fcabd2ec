import FoundationEssentials

/// What `DCDevice.generateToken` gave an app: tells Apple which device it is, and nobody else.
///
/// Meant for one question; good for long enough to ask again after a fault.
public struct DeviceToken: Sendable, Hashable, CustomStringConvertible {
    /// The token as base64 without line breaks.
    public let base64: String

    /// Bytes of a token at most; real ones have about 2,000.
    public static let bytesMax = 8192

    /// Takes base64; `nil` for anything else, and for nothing.
    public init?(base64: String) {
        guard base64.utf8.count <= Self.bytesMax * 4 / 3 + 4, let data = Data(base64Encoded: base64), !data.isEmpty,
            data.count <= Self.bytesMax
        else { return nil }
        self.base64 = base64
    }

    /// Says nothing of the token: it is a device's.
    public var description: String { "device token" }
}
