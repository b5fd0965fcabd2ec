import AppAttest
import HTML

/// What an assertion says, taken apart.
struct AssertionFacts: Sendable {
    /// As they were received.
    let bytes: [UInt8]

    var markup: Markup {
        guard let parsed = try? AssertionVerifier().parse(bytes) else {
            return Markup.p { "Its \(Wording.bytes(bytes.count)) are not an assertion." }
        }
        return facts([
            ("App id's SHA-256", Markup.code { Self.hex(parsed.rpIDHash) }),
            ("Flags", Markup.code { "0x\(Self.hex([parsed.flags]))" }),
            ("Counter", Markup(Wording.number(Int(parsed.counter)))),
            ("Authenticator data", Markup.code { Self.hex(parsed.authenticatorData) }),
            ("Signature (ECDSA, DER)", Markup.code { Self.hex(parsed.signature) }),
            ("Size", Markup(Wording.bytes(bytes.count))),
        ])
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
