/// An attestation of a registered key after that of its registration, as others can verify it.
package struct LaterAttestation: Sendable, Equatable {
    /// When it was made: the moment at which it was good.
    package let attestedAt: Timestamp
    /// The attestation object as received.
    package let attestationObject: [UInt8]
    /// The clientDataHash that it was checked against.
    package let clientDataHash: [UInt8]

    /// Memberwise.
    package init(attestedAt: Timestamp, attestationObject: [UInt8], clientDataHash: [UInt8]) {
        self.attestedAt = attestedAt
        self.attestationObject = attestationObject
        self.clientDataHash = clientDataHash
    }
}
