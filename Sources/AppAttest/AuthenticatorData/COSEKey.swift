import CBOR

/// The public key inside attested credential data (RFC 9052, 7; RFC 9053, 7.1.1).
struct COSEKey {
    /// Both coordinates as X9.63 writes them: `04`, 32 bytes of x, 32 bytes of y.
    let x963: [UInt8]

    /// Takes exactly the five parameters of a P-256 key for ES256; anything else is `nil`.
    ///
    /// The coordinates stay 32 bytes each: as numbers they would lose their leading zeros.
    init?(_ value: CBORValue) {
        guard value.map?.count == 5,
            value[1] == .unsigned(2),  // kty: EC2
            value[3] == .negative(6),  // alg: ES256 (-7)
            value[-1] == .unsigned(1),  // crv: P-256
            let x = value[-2]?.bytes, x.count == 32,
            let y = value[-3]?.bytes, y.count == 32
        else { return nil }
        x963 = [0x04] + x + y
    }
}
