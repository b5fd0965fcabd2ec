/// Which of Apple's two App Attest environments a key belongs to; they share nothing but the root certificate.
public enum AttestEnvironment: String, Sendable, CaseIterable, Codable {
    /// Apps from the App Store, TestFlight and enterprise distribution.
    case production
    /// Apps run from Xcode, unless their entitlement says otherwise.
    case development

    /// The 16 bytes that identify it in authenticator data.
    public var aaguid: [UInt8] {
        switch self {
        case .production: Array("appattest\0\0\0\0\0\0\0".utf8)
        case .development: Array("appattestdevelop".utf8)
        }
    }

    /// The environment of 16 bytes of authenticator data.
    ///
    /// All 16 are compared, because "appattest" is the beginning of both.
    init?(aaguid: some Collection<UInt8>) {
        guard let match = Self.allCases.first(where: { aaguid.elementsEqual($0.aaguid) }) else { return nil }
        self = match
    }
}
