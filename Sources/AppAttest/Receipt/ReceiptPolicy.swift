/// The requirements on every receipt, whichever key it is for.
public struct ReceiptPolicy: Sendable {
    /// The roots that a signer's chain may end in; default Apple Root CA - G3 alone.
    public var roots: [TrustRoot]
    /// How old a receipt may be when it is received; default 5 minutes, which is Apple's advice; `nil` takes any age.
    public var ageMax: Duration?
    /// How far Apple's clock may be ahead of ours; default 5 minutes.
    public var clockSkewMax: Duration
    /// Bounds on what is read.
    public var limits: Limits

    /// Bounds on the work that one receipt can cause.
    public struct Limits: Hashable, Sendable {
        /// Bytes of a receipt; default 16 KiB, where real ones have up to 4 KB.
        public var receiptBytesMax: Int
        /// Indefinite lengths inside of one another; default 12, where real ones have 6.
        public var depthMax: Int
        /// Elements at one level; default 256, where real ones have up to 31.
        public var elementsMax: Int
        /// Certificates in one receipt; default 8, where real ones have 3.
        public var certificatesMax: Int
        /// Authorities between signer and root; default 3, where real ones have 1.
        public var authoritiesMax: Int
        /// Verified intermediates to remember; default 16, where one is in use.
        public var cachedIntermediatesMax: Int

        /// Creates limits; each has a default.
        public init(
            receiptBytesMax: Int = 16_384, depthMax: Int = 12, elementsMax: Int = 256, certificatesMax: Int = 8,
            authoritiesMax: Int = 3, cachedIntermediatesMax: Int = 16
        ) {
            self.receiptBytesMax = receiptBytesMax
            self.depthMax = depthMax
            self.elementsMax = elementsMax
            self.certificatesMax = certificatesMax
            self.authoritiesMax = authoritiesMax
            self.cachedIntermediatesMax = cachedIntermediatesMax
        }

        var ber: BERReader.Limits { BERReader.Limits(depthMax: depthMax, elementsMax: elementsMax) }
    }

    /// Creates a policy; the default is under Apple's root.
    public init(
        roots: [TrustRoot] = [.appleRootG3], ageMax: Duration? = .seconds(300),
        clockSkewMax: Duration = .seconds(300), limits: Limits = Limits()
    ) {
        self.roots = roots
        self.ageMax = ageMax
        self.clockSkewMax = clockSkewMax
        self.limits = limits
    }
}
