/// Upper bounds on the input of a decoder, whatever lengths it declares.
public struct CBORLimits: Hashable, Sendable {
    /// Bytes of input; default 64 KiB.
    public var bytesMax: Int
    /// Arrays, maps and tags inside each other; default 8, and never more than ``depthCeiling``.
    public var depthMax: Int {
        didSet { depthMax = min(depthMax, Self.depthCeiling) }
    }
    /// Items in total, keys and values counted each; default 4096.
    public var itemsMax: Int

    /// The deepest nesting that any limits allow, so that no configuration can exhaust a thread's stack.
    public static let depthCeiling = 64

    /// Creates limits; each has a default that fits attestation objects with room to spare.
    public init(bytesMax: Int = 65_536, depthMax: Int = 8, itemsMax: Int = 4096) {
        self.bytesMax = bytesMax
        self.depthMax = min(depthMax, Self.depthCeiling)
        self.itemsMax = itemsMax
    }
}
