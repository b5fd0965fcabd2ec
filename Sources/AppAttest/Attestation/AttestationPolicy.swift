import CBOR

/// The requirements that an attestation must meet, and the bounds on its size.
public struct AttestationPolicy: Sendable {
    /// The apps whose keys are accepted; the attestation says which one it is.
    public var appIDs: [AppID]
    /// The environments whose keys are accepted; default production only.
    public var environments: Set<AttestEnvironment>
    /// The roots that a chain may end in; default Apple's alone.
    public var roots: [TrustRoot]
    /// Whether an attestation without a receipt, or with one of no bytes, is refused; default `true`.
    public var requireReceipt: Bool
    /// The requirements on a receipt that is present; `nil`, the default, does not look into it.
    public var receipts: ReceiptPolicy?
    /// The validation categories taken where iOS 27 names one; `nil`, the default, takes any.
    public var validationCategories: Set<Int>?
    /// The lowest bundle version taken where iOS 27 names one; `nil`, the default, takes any.
    public var bundleVersionMinimum: DottedVersion?
    /// What the leaf's access control list (1.2.840.113635.100.8.6) must be; `nil`, the default, takes any or none.
    ///
    /// ``macOS27AccessControl`` is the one that Apple documents for Macs; iOS has others.
    public var accessControl: [UInt8]?
    /// Bounds on what is read.
    public var limits: Limits

    /// Bounds on the work that one attestation can cause, and the length of the clientDataHash.
    public struct Limits: Hashable, Sendable {
        /// Bytes of an attestation object; default 16 KiB, where real ones have up to 6 KB.
        public var attestationBytesMax: Int
        /// Nested maps and arrays; default 4, where real ones have 3.
        public var depthMax: Int
        /// CBOR items; default 256, where real ones have 12.
        public var itemsMax: Int
        /// Verified intermediates to remember; default 16, where one is in use.
        public var cachedIntermediatesMax: Int
        /// Bytes of a clientDataHash, no more and no fewer; default 32, as SHA-256 has.
        ///
        /// The nonce covers the authenticator data and the clientDataHash in one piece, and does not say where the one
        /// ends and the other begins: only this length does. An app that hands its challenge to `attestKey` as it is,
        /// as Apple's sample does with one of 24 bytes, needs challenges of one length, which is named here.
        public var clientDataHashBytes: Int

        /// Creates limits; each has a default.
        public init(
            attestationBytesMax: Int = 16_384, depthMax: Int = 4, itemsMax: Int = 256, cachedIntermediatesMax: Int = 16,
            clientDataHashBytes: Int = 32
        ) {
            self.attestationBytesMax = attestationBytesMax
            self.depthMax = depthMax
            self.itemsMax = itemsMax
            self.cachedIntermediatesMax = cachedIntermediatesMax
            self.clientDataHashBytes = clientDataHashBytes
        }

        var cbor: CBORLimits { CBORLimits(bytesMax: attestationBytesMax, depthMax: depthMax, itemsMax: itemsMax) }
    }

    /// Creates a policy for production keys of some apps under Apple's root, unless told otherwise.
    public init(
        appIDs: [AppID],
        environments: Set<AttestEnvironment> = [.production],
        roots: [TrustRoot] = [.appleAppAttestation],
        requireReceipt: Bool = true,
        receipts: ReceiptPolicy? = nil,
        validationCategories: Set<Int>? = nil,
        bundleVersionMinimum: DottedVersion? = nil,
        accessControl: [UInt8]? = nil,
        limits: Limits = Limits()
    ) {
        self.appIDs = appIDs
        self.environments = environments
        self.roots = roots
        self.requireReceipt = requireReceipt
        self.receipts = receipts
        self.validationCategories = validationCategories
        self.bundleVersionMinimum = bundleVersionMinimum
        self.accessControl = accessControl
        self.limits = limits
    }

    var extensions: ExtensionPolicy {
        ExtensionPolicy(validationCategories: validationCategories, bundleVersionMinimum: bundleVersionMinimum)
    }

    /// The access control list that Apple documents for keys made on macOS 27.
    public static let macOS27AccessControl: [UInt8] = [
        0x30, 0x46, 0xA3, 0x44, 0x04, 0x42, 0x30, 0x40, 0x0C, 0x02, 0x31, 0x31, 0x30, 0x3A, 0x30, 0x09,
        0x0C, 0x02, 0x6F, 0x6B, 0xA1, 0x03, 0x01, 0x01, 0xFF, 0x30, 0x09, 0x0C, 0x02, 0x6F, 0x61, 0xA1,
        0x03, 0x01, 0x01, 0xFF, 0x30, 0x0B, 0x0C, 0x04, 0x6F, 0x64, 0x65, 0x6C, 0xA1, 0x03, 0x01, 0x01,
        0xFF, 0x30, 0x15, 0x0C, 0x04, 0x6F, 0x73, 0x67, 0x6E, 0xA0, 0x06, 0x0C, 0x04, 0x72, 0x73, 0x65,
        0x63, 0x30, 0x05, 0xA6, 0x03, 0x02, 0x01, 0x01,
    ]
}
