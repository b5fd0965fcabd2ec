#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The result of `DCDevice.generateToken` in an app: it identifies the device to Apple and to nobody else.
///
/// Meant for one request; valid long enough for retries after a fault.
public struct DeviceToken: Sendable, Hashable, CustomStringConvertible {
    /// The token as base64 without line breaks.
    public let base64: String

    /// Bytes of a token at most; real ones have about 2,000.
    public static let bytesMax = 8192

    /// Takes base64; `nil` for anything else and for an empty text.
    public init?(base64: String) {
        guard base64.utf8.count <= Self.bytesMax * 4 / 3 + 4, let data = Data(base64Encoded: base64), !data.isEmpty,
            data.count <= Self.bytesMax
        else { return nil }
        self.base64 = base64
    }

    /// Reveals nothing of the token, which belongs to a device.
    public var description: String { "device token" }
}
