import CaptureModel
public import Crypto

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A developer's private key for Apple's DeviceCheck service, with Apple's names for key and team.
///
/// ```swift
/// let key = try DeveloperKey(pem: contentsOfTheP8File, keyID: "ABC123DEFG", teamID: "TEAM123456")
/// let tokens = DeveloperTokens(key: key, now: Timestamp.systemTime)
/// ```
///
/// Neither the key nor a token is ever part of a description.
public struct DeveloperKey: Sendable, CustomStringConvertible {
    /// Apple's name for the key: ten letters and digits.
    public let keyID: String
    /// The developer's team: ten letters and digits.
    public let teamID: String
    private let key: P256.Signing.PrivateKey

    /// Why a key cannot be used.
    public enum Fault: Error, Equatable {
        /// The text is no P-256 key in PEM form (PKCS #8, as Apple hands it out).
        case key
        /// The key's name is not ten letters and digits.
        case keyID
        /// The team's name is not ten letters and digits.
        case teamID
        /// The key could not sign.
        case signature
        /// The time of issue is not finite, or too far away to be counted in seconds.
        case moment
    }

    /// Takes the contents of the file that Apple lets a developer download once (`AuthKey_….p8`).
    /// - Throws: `key` for any other text; `keyID` or `teamID` for a name of another form.
    public init(pem: String, keyID: String, teamID: String) throws(Fault) {
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) else { throw .key }
        try self.init(key: key, keyID: keyID, teamID: teamID)
    }

    /// Takes a key that has been read.
    /// - Throws: `keyID` or `teamID` for a name of another form.
    public init(key: P256.Signing.PrivateKey, keyID: String, teamID: String) throws(Fault) {
        guard Self.isName(keyID) else { throw .keyID }
        guard Self.isName(teamID) else { throw .teamID }
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
    }

    /// All known names are ten digits and capital letters.
    ///
    /// They go into the token's JSON as they are, so nothing else is taken.
    private static func isName(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy {
                $0.isDecimalDigit || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
            }
    }

    /// A JSON Web Token that identifies the developer: ES256 (RFC 7518 section 3.4), issuer, and time of issue.
    /// - Throws: `moment` for a time that cannot be counted in seconds; `signature` when the key cannot sign.
    public func token(issuedAt moment: Date) throws(Fault) -> String {
        guard let seconds = Int64(exactly: moment.timeIntervalSince1970.rounded(.down)) else { throw .moment }
        let header = #"{"alg":"ES256","kid":"\#(keyID)","typ":"JWT"}"#
        let claims = #"{"iss":"\#(teamID)","iat":\#(seconds)}"#
        let message = "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(Array(claims.utf8)))"
        guard let signature = try? key.signature(for: Array(message.utf8)) else { throw .signature }
        return "\(message).\(Base64URL.encode(Array(signature.rawRepresentation)))"
    }

    /// The key's name, safe for logs.
    public var description: String { "key \(keyID) of team \(teamID)" }
}
