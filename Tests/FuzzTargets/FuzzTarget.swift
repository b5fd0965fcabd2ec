/// A part of the system that takes bytes from outside, as a function that any bytes may be put into.
///
/// Each target calls the parser as the programs do and checks what must hold whatever the bytes are. The raw value
/// names its folder in `Tests/Corpora`.
package enum FuzzTarget: String, Sendable, CaseIterable {
    /// The strict CBOR decoder and its encoder.
    case cbor
    /// Attestation objects, from CBOR to the certificate chain.
    case attestation
    /// The parts of an attestation that only a certified one reaches: leaf extensions and authenticator data.
    case certified
    /// Assertions, from CBOR to the signature.
    case assertion
    /// Receipts, from BER to the fields, with the chain and the signature.
    case receipt
    /// `multipart/form-data`, in any pieces.
    case multipart
    /// The JPEG walker with what it finds behind the picture.
    case jpeg
    /// The depth decoder: raw, gzip, zlib, deflate.
    case depth
    /// Redis's replies: hiredis's reader and the builder of values.
    case replies
    /// The fields of a job's hash in Redis.
    case jobFields = "job-fields"
    /// The metadata's JSON.
    case metadata
    /// The JSON of a registration.
    case registration
    /// What an enrolling device and its user send inside of its JSON: the password hash and the invitation's code.
    case enrolment
    /// The document that others verify.
    case evidence

    /// Puts bytes in.
    ///
    /// - Throws: ``BrokenProperty`` when something does not hold that must hold for any bytes.
    package func run(_ input: [UInt8]) throws(BrokenProperty) {
        switch self {
        case .cbor: try fuzzCBOR(input)
        case .attestation: try fuzzAttestation(input)
        case .certified: try fuzzCertified(input)
        case .assertion: try fuzzAssertion(input)
        case .receipt: try fuzzReceipt(input)
        case .multipart: try fuzzMultipart(input)
        case .jpeg: try fuzzJPEG(input)
        case .depth: try fuzzDepth(input)
        case .replies: try fuzzReplies(input)
        case .jobFields: try fuzzJobFields(input)
        case .metadata: try fuzzMetadata(input)
        case .registration: try fuzzRegistration(input)
        case .enrolment: try fuzzEnrolment(input)
        case .evidence: try fuzzEvidence(input)
        }
    }
}

/// Something that must hold for any input, and did not.
package struct BrokenProperty: Error, CustomStringConvertible {
    /// What should have held.
    package let description: String
}

/// Throws unless a property holds; the text says what should hold.
func property(_ holds: Bool, _ text: @autoclosure () -> String) throws(BrokenProperty) {
    guard holds else { throw BrokenProperty(description: text()) }
}
