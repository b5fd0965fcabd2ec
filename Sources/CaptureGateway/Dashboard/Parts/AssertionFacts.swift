import AppAttest
import CaptureModel
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
            ("App id's SHA-256", Markup.code { Hex.encode(parsed.rpIDHash) }),
            ("Flags", Markup.code { "0x\(Hex.encode([parsed.flags]))" }),
            ("Counter", Markup(Wording.number(Int(parsed.counter)))),
            ("Authenticator data", Markup.code { Hex.encode(parsed.authenticatorData) }),
            ("Signature (ECDSA, DER)", Markup.code { Hex.encode(parsed.signature) }),
            ("Size", Markup(Wording.bytes(bytes.count))),
        ])
    }
}
