import AppleDeviceCheck
import CaptureModel
import Crypto
import Foundation
import Synchronization
import Testing

@Suite struct `A developer's key` {
    private static let moment = Date(timeIntervalSince1970: 1_790_000_000)
    private let secret = P256.Signing.PrivateKey()

    private func key(keyID: String = "ABC123DEFG", teamID: String = "TEAM123456") throws(DeveloperKey.Fault)
        -> DeveloperKey
    {
        try DeveloperKey(pem: secret.pemRepresentation, keyID: keyID, teamID: teamID)
    }

    private static func decoded(_ text: Substring) throws -> Data {
        let padded = text.replacing("-", with: "+").replacing("_", with: "/")
        return try #require(Data(base64Encoded: padded + String(repeating: "=", count: (4 - text.count % 4) % 4)))
    }

    @Test func `a developer's key makes tokens of ES256 that say who asks and since when`() throws {
        let parts = try key().token(issuedAt: Self.moment).split(separator: ".")
        #expect(parts.count == 3)
        #expect(try Self.decoded(parts[0]) == Data(#"{"alg":"ES256","kid":"ABC123DEFG","typ":"JWT"}"#.utf8))
        #expect(try Self.decoded(parts[1]) == Data(#"{"iss":"TEAM123456","iat":1790000000}"#.utf8))
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: Self.decoded(parts[2]))
        #expect(secret.publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
        #expect(!parts.joined().contains { "+/=".contains($0) })
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, .greatestFiniteMagnitude, 9.3e18])
    func `a developer's key makes no token of a time that seconds cannot count`(_ seconds: Double) {
        #expect(throws: DeveloperKey.Fault.moment) {
            try key().token(issuedAt: Date(timeIntervalSince1970: seconds))
        }
    }

    @Test(arguments: ["", "abc123defg", "ABC123DEF", "ABC123DEFGH", "ABC\",\"x\":1", "ABC123DEÄ"])
    func `a developer's key has names that cannot break out of a token`(_ name: String) {
        #expect(throws: DeveloperKey.Fault.keyID) { try key(keyID: name) }
        #expect(throws: DeveloperKey.Fault.teamID) { try key(teamID: name) }
    }

    @Test func `a developer's key is refused when it is no P-256 key, and is never printed`() throws {
        for pem in ["", "no key", P384.Signing.PrivateKey().pemRepresentation, secret.publicKey.pemRepresentation] {
            #expect(throws: DeveloperKey.Fault.key) {
                try DeveloperKey(pem: pem, keyID: "ABC123DEFG", teamID: "TEAM123456")
            }
        }
        #expect("\(try key())" == "key ABC123DEFG of team TEAM123456")
    }

    @Test func `a developer's key is asked for a token no more often than it must be`() throws {
        let clock = Mutex(Timestamp(Self.moment))
        let tokens = DeveloperTokens(key: try key(), lifetime: .seconds(600)) { clock.withLock { $0 } }
        let first = try tokens.token()
        clock.withLock { $0 = $0.advanced(by: .seconds(599)) }
        #expect(try tokens.token() == first)
        clock.withLock { $0 = $0.advanced(by: .seconds(1)) }
        let second = try tokens.token()
        #expect(second != first)
        // A clock that was put back makes the token one of the future, which Apple refuses.
        clock.withLock { $0 = $0.advanced(by: .seconds(-60)) }
        let third = try tokens.token()
        #expect(third != second)
    }

    @Test func `a developer's key makes another token once Apple refuses one, and no more than one a minute`() throws {
        let clock = Mutex(Timestamp(Self.moment))
        let tokens = DeveloperTokens(key: try key(), lifetime: .seconds(600)) { clock.withLock { $0 } }
        let first = try tokens.token()
        clock.withLock { $0 = $0.advanced(by: .seconds(59)) }
        tokens.renew(first)
        #expect(try tokens.token() == first, "the key itself may be refused")
        clock.withLock { $0 = $0.advanced(by: .seconds(1)) }
        tokens.renew(first)
        let second = try tokens.token()
        #expect(second != first)
        // Questions that were in flight with the first one.
        clock.withLock { $0 = $0.advanced(by: .seconds(120)) }
        for _ in 0..<3 { tokens.renew(first) }
        #expect(try tokens.token() == second)
        tokens.renew(second)
        #expect(try tokens.token() != second)
    }
}
