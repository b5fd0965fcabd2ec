import AppAttest
import CaptureModel
import HTML

/// What an assertion says, taken apart.
struct AssertionFacts: Sendable {
    /// The signed bytes, as they were received.
    let bytes: [UInt8]
    /// What the device's key signs with; `nil` when the device is not known.
    let algorithm: Device.KeyAlgorithm?

    var markup: Markup {
        guard let parsed = try? AssertionVerifier().parse(bytes) else {
            return Markup.p { "Its \(Wording.bytes(bytes.count)) are not an assertion." }
        }
        return facts([
            ("App id's SHA-256", Markup.code { Hex.encode(parsed.rpIDHash) }),
            ("Flags", Markup.code { "0x\(Hex.encode([parsed.flags]))" }),
            ("Counter", Markup(Wording.number(Int(parsed.counter)))),
            ("Authenticator data", Markup.code { Hex.encode(parsed.authenticatorData) }),
            (signature, Markup.code { Hex.encode(parsed.signature) }),
            ("Size", Markup(Wording.bytes(bytes.count))),
        ])
    }

    /// The kind of signature, so that nobody who verifies it by hand takes it for another one.
    private var signature: String {
        switch algorithm {
        case .p256: "Signature (ECDSA, DER)"
        case .ed25519: "Signature (Ed25519)"
        case nil: "Signature"
        }
    }
}
