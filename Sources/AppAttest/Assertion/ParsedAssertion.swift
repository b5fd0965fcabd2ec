import CBOR

/// A parsed assertion; only ``AssertionVerifier`` can say whether it is genuine.
public struct ParsedAssertion: Sendable {
    /// The ECDSA signature as received, supposed to be DER.
    public let signature: [UInt8]

    let data: AuthenticatorData

    /// The signed bytes.
    public var authenticatorData: [UInt8] { data.bytes }
    /// The digest of the app id that the device claims.
    public var rpIDHash: [UInt8] { Array(data.rpIDHash) }
    /// The flags; AT and ED are not reliable.
    public var flags: UInt8 { data.flags }
    /// The counter that the device claims; not verified: never store it.
    public var counter: UInt32 { data.counter }
    /// What iOS 27 and later say about the app; `nil` on systems before.
    public var extensions: AuthenticatorExtensions? { data.extensions }
}

/// What an assertion proves; only ``AssertionVerifier`` makes one.
public struct VerifiedAssertion: Sendable {
    /// The device's counter, to be compared with the highest one seen before and then stored, in one transaction.
    public let counter: UInt32
    /// What iOS 27 and later say about the app; `nil` on systems before.
    public let extensions: AuthenticatorExtensions?

    /// Checks the counter against the highest one seen before, for callers without a store that decides atomically.
    ///
    /// - Throws: ``AssertionError`` with `COUNTER_NOT_GREATER`.
    public func requireCounter(above previous: Int64) throws(AssertionError) {
        guard Int64(counter) > previous else { throw AssertionError(.counterNotGreater) }
    }
}

/// Step 1: the two byte strings of an assertion.
///
/// Keys beyond them are passed over; they are not signed.
struct AssertionObject {
    let signature: [UInt8]
    let authenticatorData: [UInt8]

    init(_ bytes: [UInt8], limits: AssertionVerifier.Limits) throws(AssertionError) {
        guard bytes.count <= limits.assertionBytesMax else { throw AssertionError(.assertionTooLarge) }
        let object: CBORValue
        do throws(CBORError) {
            object = try CBORValue.decode(bytes, limits: limits.cbor)
        } catch {
            let code: AssertionError.Code = error.code == .trailingBytes ? .assertionTrailingBytes : .assertionMalformed
            throw AssertionError(code, detail: "\(error)")
        }
        guard case .map = object else { throw AssertionError(.assertionNotAMap) }
        guard let signature = object["signature"]?.bytes, let data = object["authenticatorData"]?.bytes else {
            throw AssertionError(.assertionIncomplete)
        }
        self.signature = signature
        authenticatorData = data
    }
}
