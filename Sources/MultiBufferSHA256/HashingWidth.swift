package import CMultiBufferSHA256

/// How many messages are hashed side by side, and with which instructions.
public enum HashingWidth: Int, Sendable, CaseIterable {
    /// One after the other by libcrypto, which knows the instructions of every processor.
    case one = 1
    /// Two, with the SHA instructions of x86-64.
    case two = 2
    /// Eight, with AVX2.
    case eight = 8
    /// Sixteen, with AVX-512.
    case sixteen = 16

    /// The messages side by side.
    public var lanes: Int { rawValue }

    /// Whether this processor and its operating system can do it.
    public var isAvailable: Bool {
        if self == .one { return true }
        return unsafe cmb_sha256_kernel_of(lanes) != nil
    }

    /// What is fastest on this processor; see ``fastest(on:)``.
    public static let fastest = fastest(on: cmb_processor_read())

    /// The rule, for a processor's features.
    ///
    /// GB/s on one core of a Zen 5 at 3.9 GHz, messages of 4 KB (3 MB), the SHA instructions masked for the last line:
    ///
    /// | | one | two | eight | sixteen |
    /// |---|---|---|---|---|
    /// | SHA instructions | 1.83 (1.81) | 2.75 (2.69) | 1.54 (1.51) | 2.87 (2.66) |
    /// | without | 0.67 (0.68) | – | 1.54 (1.51) | 2.87 (2.66) |
    ///
    /// Two lanes are as fast as sixteen there, are busy with two messages where those need sixteen, and are bound by the
    /// four cycles of `sha256rnds2`, which Intel's and AMD's processors have in common; so SHA instructions come first.
    package static func fastest(on processor: cmb_processor) -> HashingWidth {
        if processor.sha { return .two }
        if processor.avx512 { return .sixteen }
        if processor.avx2 { return .eight }
        return .one
    }

    /// With fewer messages left than this, one after the other is faster: a lane that is empty costs as much as a full one.
    ///
    /// From the table of ``fastest(on:)``: lanes × the rate of one ÷ the rate of all.
    var lanesWorthwhile: Int {
        switch self {
        case .one: 1
        case .two: 2
        case .eight, .sixteen: 4
        }
    }
}
