#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Base64 text of a digest, in the standard or the URL alphabet, padded or not.
enum Base64Digest {
    /// The bytes; `nil` for anything that is not base64.
    static func decode(_ text: String) -> [UInt8]? {
        // 32 bytes take 43 characters and a padding.
        guard text.utf8.count == 43 || text.utf8.count == 44 else { return nil }
        var standard = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        if standard.utf8.count == 43 { standard.append("=") }
        return Data(base64Encoded: standard).map(Array.init)
    }
}
